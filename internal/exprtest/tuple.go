package exprtest

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Tuples is a set with the function tuple alone, for tests of families that
// are not about tuples.
func Tuples() functions.Set {
	return functions.Set{Scalars: []functions.Scalar{{Name: "tuple", MaxArgs: -1, KeepNulls: true, Bind: bindTuple}}}
}

func bindTuple(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	var ts []*types.Type
	for _, a := range args {
		ts = append(ts, a.Type)
	}
	return &expr.Function{Result: types.Tuple(ts, nil), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		t := &column.Tuple{N: rows}
		for _, a := range args {
			t.Elems = append(t.Elems, column.Full(a))
		}
		return t, nil
	}}, nil
}
