package states

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "finalizeAggregation", MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{
		Syntax: "finalizeAggregation(state)", Summary: "The result of an aggregate function's state.",
		Examples: []string{"SELECT finalizeAggregation(s) FROM (SELECT sumState(number) AS s FROM numbers(10))"},
	},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if t.Kind() != types.KindAggregateFunction {
			return nil, kernel.WrongType("finalizeAggregation", 0, t)
		}
		agg, err := env.Registry.BindState(env, t)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: agg.Result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			states, ok := column.Full(args[0]).(*column.Str)
			if !ok {
				return nil, kernel.WrongType("finalizeAggregation", 0, t)
			}
			acc := agg.New()
			acc.Grow(rows)
			for i := range rows {
				s := states.At(i)
				if len(s) == 0 { // the state of no rows
					continue
				}
				if _, err := acc.Decode(i, s); err != nil {
					return nil, err
				}
			}
			return acc.Result(0, rows)
		}}, nil
	},
})
