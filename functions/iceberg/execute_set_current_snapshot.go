package iceberg

import (
	"context"

	"lakeserver/cherr"
	write "lakeserver/write/iceberg"
)

var setCurrentSnapshot = &procedure{
	name: "set_current_snapshot", positional: 1, params: []param{{name: "snapshot_id", kind: numberParam}, {name: "ref", kind: textParam}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		if a.has("snapshot_id") == a.has("ref") {
			return nil, cherr.New(cherr.BadArguments, "set_current_snapshot requires either 'snapshot_id' or 'ref'.")
		}
		id := int64(-1)
		if n := a.number("snapshot_id"); n != nil {
			id = *n
		}
		return t.moved(ctx, write.SetCurrentSnapshot(id, a.text("ref")))
	},
}
