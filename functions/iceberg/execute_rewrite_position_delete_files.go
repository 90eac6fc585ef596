package iceberg

import (
	"context"

	"lakeserver/cherr"
)

var rewritePositionDeleteFiles = &procedure{
	name: "rewrite_position_delete_files",
	params: []param{
		{name: "rewrite_all", kind: flagParam}, {name: "min_input_files", kind: numberParam},
	},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		branch, err := t.branch()
		if err != nil {
			return nil, err
		}
		least := int64(5)
		if n, err := a.positive("min_input_files"); err != nil {
			return nil, err
		} else if n != nil {
			least = *n
		}
		if a.flag("rewrite_all") {
			least = 1
		}
		rewritten, added, err := t.writer().RewritePositionDeletes(ctx, branch, int(least))
		if err != nil {
			return nil, cherr.Wrap(err, "rewriting the position deletes of Iceberg table %s", t.path)
		}
		return []metric{{"rewritten_delete_files_count", rewritten}, {"added_delete_files_count", added}}, nil
	},
}
