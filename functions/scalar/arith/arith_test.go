package arith

import (
	"context"
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/internal/exprtest"
	"lakeserver/types"
)

func TestAnswers(t *testing.T) {
	exprtest.Run(t, "testdata/answers.tsv", Set(), arrays.Set(), convert.Set(), conditional.Set(), tuples)
}

// tuples makes the tuples of the cases.
var tuples = functions.Set{Scalars: []functions.Scalar{{Name: "tuple", MaxArgs: -1, KeepNulls: true, Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
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
}}}}
