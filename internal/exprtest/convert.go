package exprtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/types"
)

// convert stands in for CAST, toNullable, toLowCardinality and toInt64 and its
// like, so that a family's test needs no other family for its arguments.
func (b *binder) convert(n *node, s *scope) (expr.Expr, error) {
	if len(n.args) == 0 {
		return nil, fmt.Errorf("no function %s", n.call)
	}
	x, err := b.bind(n.args[0], s)
	if err != nil {
		return nil, err
	}
	to, err := target(n, x.Type())
	if err != nil {
		return nil, fmt.Errorf("no function %s", n.call)
	}
	fn, err := cast.Bind(x.Type(), to, &cast.Options{Zone: time.UTC})
	if err != nil {
		return nil, err
	}
	f := &expr.Function{Name: n.call, Result: to, KeepNulls: true, KeepForms: true, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return fn(args[0])
	}}
	return &expr.Call{Fn: f, Args: []expr.Expr{x}}, nil
}

func target(n *node, from *types.Type) (*types.Type, error) {
	switch n.call {
	case "CAST":
		return types.Parse(n.args[1].lit.(string))
	case "toNullable":
		return types.Nullable(from), nil
	case "toLowCardinality":
		return types.LowCardinality(from), nil
	case "toFixedString":
		return types.FixedString(int(n.args[1].lit.(uint8))), nil
	case "materialize":
		return from, nil
	}
	name, _ := strings.CutPrefix(n.call, "to")
	if len(n.args) == 2 {
		return types.Parse(fmt.Sprintf("%s(%v)", name, n.args[1].lit))
	}
	return types.Parse(name)
}
