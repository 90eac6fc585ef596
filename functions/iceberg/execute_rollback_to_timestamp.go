package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var rollbackToTimestamp = &procedure{
	name: "rollback_to_timestamp", positional: 1, params: []param{{name: "timestamp", kind: textParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		ms, err := t.serverTime(a.text("timestamp"))
		if err != nil {
			return nil, err
		}
		return t.moved(ctx, write.RollbackToTimestamp(ms))
	},
}
