package iceberg

import (
	"context"

	write "lakeserver/write/iceberg"
)

var fastForward = &procedure{
	name: "fast_forward", positional: 2, params: []param{{name: "branch", kind: textParam, required: true}, {name: "to", kind: textParam, required: true}},
	run: func(ctx context.Context, t *Table, a *arguments) ([]metric, error) {
		return t.movedRef(ctx, a.text("branch"), write.FastForward(a.text("branch"), a.text("to")))
	},
}
