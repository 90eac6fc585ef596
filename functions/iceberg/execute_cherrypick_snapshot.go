package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var cherrypickSnapshot = &procedure{
	name: "cherrypick_snapshot", positional: 1, params: []param{{name: "snapshot_id", kind: numberParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		return t.moved(ctx, write.CherryPickSnapshot(t.writer(), *a.number("snapshot_id")))
	},
}
