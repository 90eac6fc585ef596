package iceberg

import (
	"context"

	"lakeserver/metadata/iceberg"
	write "lakeserver/write/iceberg"
)

var registerTable = &procedure{
	name: "register_table", positional: 1, params: []param{{name: "metadata_file", kind: textParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		m, _, err := iceberg.Load(ctx, t.src.Loader, t.path, iceberg.Choice{File: a.text("metadata_file")})
		if err != nil {
			return nil, err
		}
		before := t.src.Meta.CurrentSnapshotID
		next, err := t.writer().Commit(ctx, write.RegisterTable(m))
		if err != nil {
			return nil, err
		}
		return []metric{{"previous_snapshot_id", before}, {"current_snapshot_id", next.CurrentSnapshotID}}, nil
	},
}
