package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var publishChanges = &procedure{
	name: "publish_changes", positional: 1, params: []param{{name: "wap_id", kind: textParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		return t.moved(ctx, write.PublishChanges(t.writer(), a.text("wap_id")))
	},
}
