package states

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "initializeAggregation", MinArgs: 2, MaxArgs: -1, KeepNulls: true,
	Doc: functions.Doc{
		Syntax: "initializeAggregation('aggregate', x, …)", Summary: "What an aggregate function, mostly a -State, gives for each row alone.",
		Examples: []string{"SELECT finalizeAggregation(initializeAggregation('sumState', 5))"},
	},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		text, ok := args[0].ConstString()
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function initializeAggregation must be constant string: name of aggregate function")
		}
		name, params, err := functions.ParseAggregate(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		ts := make([]*types.Type, len(args)-1)
		for i, a := range args[1:] {
			ts[i] = a.Type
		}
		agg, err := env.Registry.BindAggregate(env, name, params, ts)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: agg.Result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			acc := agg.New()
			acc.Grow(rows)
			groups := make([]uint32, rows)
			for i := range groups {
				groups[i] = uint32(i)
			}
			if err := acc.Add(groups, args[1:], rows); err != nil {
				return nil, err
			}
			return acc.Result(0, rows)
		}}, nil
	},
})
