package arith

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// bindStates is a + b of two states of one aggregate function, and n * state: a
// state merged with itself. It gives nil for other types.
func bindStates(env *functions.Env, op sum, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	isA, isB := a.Kind() == types.KindAggregateFunction, b.Kind() == types.KindAggregateFunction
	switch {
	case op == plus && isA && isB:
		if !a.Equal(b) {
			return nil, cherr.New(cherr.CannotAddDifferentAggregateStates,
				"Cannot add aggregate states of different functions: %s and %s", a, b)
		}
		agg, err := env.Registry.BindState(env, a)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: a, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			return mergedStates(agg, statesOf(args[0]), statesOf(args[1]), rows)
		}}, nil
	case op == multiply && isA && b.IsUnsigned() && b.Bytes() <= 8:
		return bindTimes(env, a, args[1], 0)
	case op == multiply && isB && a.IsUnsigned() && a.Bytes() <= 8:
		return bindTimes(env, b, args[0], 1)
	}
	return nil, nil
}

func statesOf(c column.Column) *column.Str { return column.Full(c).(*column.Str) }

// mergedStates joins the states of two columns row by row. An empty string is
// the state of no rows.
func mergedStates(agg *functions.BoundAggregate, x, y *column.Str, rows int) (*column.Str, error) {
	acc := agg.New()
	acc.Grow(rows)
	for i := range rows {
		for _, s := range [][]byte{x.At(i), y.At(i)} {
			if len(s) == 0 {
				continue
			}
			if _, err := acc.Decode(i, s); err != nil {
				return nil, err
			}
		}
	}
	out := &column.Str{Start: make([]uint32, 0, rows), Lns: make([]uint32, 0, rows)}
	for i := range rows {
		at := len(out.Data)
		out.Data = acc.Encode(i, out.Data)
		out.Seal(at)
	}
	return out, nil
}

// bindTimes merges a state n times, by doubling.
func bindTimes(env *functions.Env, t *types.Type, n functions.Arg, state int) (*expr.Function, error) {
	agg, err := env.Registry.BindState(env, t)
	if err != nil {
		return nil, err
	}
	times, ok := n.ConstInt()
	if !ok {
		return nil, cherr.New(cherr.IllegalColumn, "Illegal column %s of the number of function multiply: it must be constant", n.Type)
	}
	return &expr.Function{Result: t, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		none := &column.Str{Start: make([]uint32, rows), Lns: make([]uint32, rows)}
		total, err := mergedStates(agg, none, none, rows)
		if err != nil {
			return nil, err
		}
		power := statesOf(args[state])
		for left := uint64(times); left > 0; left >>= 1 {
			if left&1 != 0 {
				if total, err = mergedStates(agg, total, power, rows); err != nil {
					return nil, err
				}
			}
			if left > 1 {
				if power, err = mergedStates(agg, power, power, rows); err != nil {
					return nil, err
				}
			}
		}
		return total, nil
	}}, nil
}
