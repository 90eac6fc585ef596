package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var rollbackToSnapshot = &procedure{
	name: "rollback_to_snapshot", positional: 1, params: []param{{name: "snapshot_id", kind: numberParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		return t.moved(ctx, write.RollbackToSnapshot(*a.number("snapshot_id")))
	},
}
