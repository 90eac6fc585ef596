package arrays

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "finalizeAggregation", MinArgs: 1, MaxArgs: 1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "finalizeAggregation(state)", Summary: "The result of an aggregate function's state.", Examples: []string{"SELECT finalizeAggregation(sumState(number)) FROM numbers(3)"}},
		Bind: bindFinalize,
	})
	_ = add(functions.Scalar{
		Name: "initializeAggregation", MinArgs: 0, MaxArgs: -1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "initializeAggregation('aggregate', x, …)", Summary: "An aggregate function of each row by itself.", Examples: []string{"SELECT initializeAggregation('uniqState', 1) AS s FORMAT Null"}},
		Bind: bindInitialize,
	})
	_ = add(functions.Scalar{
		Name: "runningAccumulate", MinArgs: 1, MaxArgs: 2, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "runningAccumulate(state[, group])", Summary: "The result of the states of the block's rows so far, anew where the group changes. Needs allow_deprecated_error_prone_window_functions.", Examples: []string{"SELECT runningAccumulate(s) FROM (SELECT sumState(number) AS s FROM numbers(3)) SETTINGS allow_deprecated_error_prone_window_functions = 1"}},
		Bind: bindAccumulate,
	})
)

// stateFunction binds the function whose states a type holds.
func stateFunction(env *functions.Env, name string, t *types.Type) (*functions.BoundAggregate, error) {
	if t.Kind() != types.KindAggregateFunction {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument for function '%s' must have type AggregateFunction - state of aggregate function. Got '%s' instead", name, t)
	}
	return env.Registry.BindState(env, t)
}

// decodeState joins a state into a group; the empty text is the empty state.
func decodeState(acc functions.Accumulator, group int, state []byte) error {
	if len(state) == 0 {
		return nil
	}
	_, err := acc.Decode(group, state)
	return err
}

func bindFinalize(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	agg, err := stateFunction(env, "finalizeAggregation", args[0].Type)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: agg.Result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		states := column.Full(args[0]).(*column.Str)
		acc := agg.New()
		acc.Grow(rows)
		for i := range rows {
			if err := decodeState(acc, i, states.At(i)); err != nil {
				return nil, err
			}
		}
		return acc.Result(0, rows)
	}}, nil
}

func bindInitialize(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if len(args) < 2 {
		return nil, cherr.New(cherr.BadArguments, "Function initializeAggregation requires at least 2 arguments")
	}
	text, ok := args[0].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function initializeAggregation must be constant string: name of aggregate function")
	}
	fn, params, err := functions.ParseAggregate(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	ts := make([]*types.Type, len(args)-1)
	for i, a := range args[1:] {
		ts[i] = a.Type
	}
	agg, err := env.Registry.BindAggregate(env, fn, params, ts)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: agg.Result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		acc := agg.New()
		acc.Grow(rows)
		groups, cols := make([]uint32, rows), make([]column.Column, len(args)-1)
		for i := range groups {
			groups[i] = uint32(i)
		}
		for i, a := range args[1:] {
			cols[i] = column.Full(a)
		}
		if err := acc.Add(groups, cols, rows); err != nil {
			return nil, err
		}
		return acc.Result(0, rows)
	}}, nil
}

func bindAccumulate(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if !env.Settings.Bool("allow_deprecated_error_prone_window_functions") {
		return nil, cherr.New(cherr.DeprecatedFunction, "Function runningAccumulate is deprecated since its usage is error-prone. Please use a window function or set allow_deprecated_error_prone_window_functions")
	}
	agg, err := stateFunction(env, "runningAccumulate", args[0].Type)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: agg.Result, Volatile: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		states := column.Full(args[0]).(*column.Str)
		same := func(int) bool { return true }
		if len(args) == 2 {
			eq := equality(column.Full(args[1]), column.Full(args[1]))
			same = func(i int) bool { return eq(i-1, i) }
		}
		out := make([]column.Column, rows)
		var acc functions.Accumulator
		for i := range rows {
			if i == 0 || !same(i) {
				acc = agg.New()
				acc.Grow(1)
			}
			if err := decodeState(acc, 0, states.At(i)); err != nil {
				return nil, err
			}
			var err error
			if out[i], err = acc.Result(0, 1); err != nil {
				return nil, err
			}
		}
		if rows == 0 {
			return column.Default(agg.Result, 0), nil
		}
		return column.Concat(agg.Result, out), nil
	}}, nil
}
