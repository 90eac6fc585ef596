package arrays

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addHigher(higher{
		name: "arrayCumSum", example: "arrayCumSum([1, 2])", summary: "Running sums of the elements or of the lambda's answers.",
		bind: bindRunning("arrayCumSum", false),
	})
	_ = addHigher(higher{
		name: "arrayCumSumNonNegative", example: "arrayCumSumNonNegative([1, -2, 3])", summary: "Running sums that start anew at zero when they would be negative.",
		bind: bindRunning("arrayCumSumNonNegative", true),
	})
	_ = addHigher(higher{
		name: "arrayDifference", example: "arrayDifference([1, 3])", summary: "Each element less the one before; the first is zero.",
		bind: bindDifference,
	})
)

func castTo(env *functions.Env, from, to *types.Type) (func(ctx context.Context, c column.Column) (column.Column, error), error) {
	caster, err := kernel.Cast(env, from, to)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, c column.Column) (column.Column, error) {
		out, err := caster.Apply(ctx, c)
		if err != nil {
			return nil, err
		}
		return column.Full(out), nil
	}, nil
}

func bindRunning(name string, nonNegative bool) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(env *functions.Env, _, answer *types.Type) (*types.Type, higherKernel, error) {
		t := types.WithoutLowCardinality(answer)
		wide, _ := sumTypes("sum", t)
		if wide == nil {
			return nil, nil, cherr.New(cherr.IllegalTypeOfArgument, "%s cannot add values of type %s", name, answer)
		}
		convert, err := castTo(env, t, wide)
		if err != nil {
			return nil, nil, err
		}
		return types.Array(wide), func(ctx context.Context, a *applied) (column.Column, error) {
			c, err := convert(ctx, a.answers)
			if err != nil {
				return nil, err
			}
			switch v := c.(type) {
			case *column.Fixed[uint64]:
				return a.wrapped(runs(a, v.Values, func(x, y uint64) uint64 { return x + y }, func(uint64) bool { return false })), nil
			case *column.Fixed[int64]:
				return a.wrapped(runs(a, v.Values, func(x, y int64) int64 { return x + y }, func(s int64) bool { return nonNegative && s < 0 })), nil
			case *column.Fixed[float64]:
				return a.wrapped(runs(a, v.Values, func(x, y float64) float64 { return x + y }, func(s float64) bool { return nonNegative && s < 0 })), nil
			case *column.Fixed[types.I128]:
				return a.wrapped(runs(a, v.Values, types.I128.Add, func(s types.I128) bool { return nonNegative && s.Negative() })), nil
			case *column.Fixed[types.I256]:
				return a.wrapped(runs(a, v.Values, types.I256.Add, func(s types.I256) bool { return nonNegative && s.Negative() })), nil
			}
			return nil, cherr.New(cherr.NotImplemented, "%s over %s", name, answer)
		}, nil
	}
}

func runs[T column.Element](a *applied, v []T, add func(x, y T) T, restart func(T) bool) column.Column {
	out := make([]T, len(v))
	for i := range a.rows {
		var sum, zero T
		for e, to := a.bounds(i); e < to; e++ {
			if sum = add(sum, v[e]); restart(sum) {
				sum = zero
			}
			out[e] = sum
		}
	}
	return column.NewFixed(out)
}

// bindDifference: unsigned integers of up to 32 bits differ in the signed type
// of twice the width, UInt64 and signed ones in Int64 or their own.
func bindDifference(env *functions.Env, _, answer *types.Type) (*types.Type, higherKernel, error) {
	t := types.WithoutLowCardinality(answer)
	result := map[types.Kind]*types.Type{
		types.KindUInt8: types.Int16, types.KindUInt16: types.Int32, types.KindUInt32: types.Int64, types.KindUInt64: types.Int64,
		types.KindInt8: types.Int16, types.KindInt16: types.Int32, types.KindInt32: types.Int64, types.KindInt64: types.Int64,
		types.KindFloat32: types.Float64, types.KindFloat64: types.Float64, types.KindBool: types.Int16,
	}[t.Kind()]
	if t.IsDecimal() {
		result = t
	}
	if result == nil {
		return nil, nil, cherr.New(cherr.IllegalTypeOfArgument, "arrayDifference cannot process values of type %s", answer)
	}
	convert, err := castTo(env, t, result)
	if err != nil {
		return nil, nil, err
	}
	return types.Array(result), func(ctx context.Context, a *applied) (column.Column, error) {
		c, err := convert(ctx, a.answers)
		if err != nil {
			return nil, err
		}
		switch v := c.(type) {
		case *column.Fixed[int16]:
			return a.wrapped(steps(a, v.Values, func(x, y int16) int16 { return x - y })), nil
		case *column.Fixed[int32]:
			return a.wrapped(steps(a, v.Values, func(x, y int32) int32 { return x - y })), nil
		case *column.Fixed[int64]:
			return a.wrapped(steps(a, v.Values, func(x, y int64) int64 { return x - y })), nil
		case *column.Fixed[float64]:
			return a.wrapped(steps(a, v.Values, func(x, y float64) float64 { return x - y })), nil
		case *column.Fixed[types.I128]:
			return a.wrapped(steps(a, v.Values, types.I128.Sub)), nil
		case *column.Fixed[types.I256]:
			return a.wrapped(steps(a, v.Values, types.I256.Sub)), nil
		}
		return nil, cherr.New(cherr.NotImplemented, "arrayDifference over %s", answer)
	}, nil
}

func steps[T column.Element](a *applied, v []T, sub func(x, y T) T) column.Column {
	out := make([]T, len(v))
	for i := range a.rows {
		from, to := a.bounds(i)
		for e := from + 1; e < to; e++ {
			out[e] = sub(v[e], v[e-1])
		}
	}
	return column.NewFixed(out)
}
