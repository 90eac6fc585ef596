package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var addFiles = importProcedure("add_files", false)

// importProcedure takes Parquet files into the table where they lie.
func importProcedure(name string, empty bool) *procedure {
	return &procedure{
		name: name, positional: 1, params: []param{{name: "path", kind: textParam, required: true}},
		run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
			im := &write.ImportFiles{Table: t.writer(), Place: a.text("path"), Empty: empty}
			if err := im.Open(ctx); err != nil {
				return nil, err
			}
			if _, err := im.Table.Commit(ctx, im); err != nil {
				return nil, err
			}
			return []metric{{"added_files_count", int64(im.Files())}}, nil
		},
	}
}
