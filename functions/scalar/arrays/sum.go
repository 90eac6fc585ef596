package arrays

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = addHigher(higher{
		name: "arraySum", example: "arraySum([1, 2])", summary: "Sum of the elements or of the lambda's answers.",
		bind: bindAggregate("sum", "arraySum"),
	})
	_ = addHigher(higher{
		name: "arrayAvg", example: "arrayAvg([1, 2])", summary: "Mean of the elements or of the lambda's answers.",
		bind: bindAggregate("avg", "arrayAvg"),
	})
	_ = addHigher(higher{
		name: "arrayMin", example: "arrayMin([1, 2])", summary: "The least of the elements or of the lambda's answers.",
		bind: bindExtreme(-1),
	})
	_ = addHigher(higher{
		name: "arrayMax", example: "arrayMax([1, 2])", summary: "The greatest of the elements or of the lambda's answers.",
		bind: bindExtreme(1),
	})
	_ = addHigher(higher{
		name: "arrayProduct", example: "arrayProduct([2, 3])", summary: "Product of the elements or of the lambda's answers.",
		bind: bindAggregate("product", "arrayProduct"),
	})
)

// bindAggregate binds a fold over numbers. Sums are in the widest type of the
// kind, means and products in Float64.
func bindAggregate(what, name string) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(env *functions.Env, _, answer *types.Type) (*types.Type, higherKernel, error) {
		t := types.WithoutLowCardinality(answer)
		wide, result := sumTypes(what, t)
		if wide == nil {
			return nil, nil, cherr.New(cherr.IllegalTypeOfArgument, "array aggregation function %s cannot be performed on type %s", name, answer)
		}
		convert, err := castTo(env, t, wide)
		if err != nil {
			return nil, nil, err
		}
		return result, func(ctx context.Context, a *applied) (column.Column, error) {
			c, err := convert(ctx, a.answers)
			if err != nil {
				return nil, err
			}
			return foldNumbers(what, a, c, result), nil
		}, nil
	}
}

// sumTypes gives the type to add in and the result type; nil for no number.
func sumTypes(what string, t *types.Type) (wide, result *types.Type) {
	switch {
	case what != "sum" && t.IsNumber():
		return types.Float64, types.Float64
	case t.Kind() == types.KindUInt128, t.Kind() == types.KindUInt256, t.Kind() == types.KindInt128, t.Kind() == types.KindInt256:
		return t, t
	case t.IsUnsigned() || t.Kind() == types.KindBool:
		return types.UInt64, types.UInt64
	case t.IsSigned():
		return types.Int64, types.Int64
	case t.IsFloat():
		return types.Float64, types.Float64
	case t.IsDecimal():
		digits := 38
		if t.Kind() == types.KindDecimal256 {
			digits = 76
		}
		d := types.Decimal(digits, t.Scale())
		return d, d
	}
	return nil, nil
}

func foldNumbers(what string, a *applied, c column.Column, result *types.Type) column.Column { // long: one case a form
	switch v := c.(type) {
	case *column.Fixed[uint64]:
		return fold(a, v.Values, func(x, y uint64) uint64 { return x + y }, 0)
	case *column.Fixed[int64]:
		return fold(a, v.Values, func(x, y int64) int64 { return x + y }, 0)
	case *column.Fixed[types.I128]:
		return fold(a, v.Values, types.I128.Add, types.I128{})
	case *column.Fixed[types.U128]:
		return fold(a, v.Values, types.U128.Add, types.U128{})
	case *column.Fixed[types.I256]:
		return fold(a, v.Values, types.I256.Add, types.I256{})
	case *column.Fixed[types.U256]:
		return fold(a, v.Values, types.U256.Add, types.U256{})
	case *column.Fixed[float64]:
		switch what {
		case "sum":
			return fold(a, v.Values, func(x, y float64) float64 { return x + y }, 0)
		case "product":
			return fold(a, v.Values, func(x, y float64) float64 { return x * y }, 1)
		}
		sums := fold(a, v.Values, func(x, y float64) float64 { return x + y }, 0)
		for i := range sums.Values {
			if from, to := a.bounds(i); to > from {
				sums.Values[i] /= float64(to - from)
			}
		}
		return sums
	}
	return column.Default(result, a.rows)
}

func fold[T column.Element](a *applied, v []T, f func(x, y T) T, start T) *column.Fixed[T] {
	out := make([]T, a.rows)
	for i := range out {
		from, to := a.bounds(i)
		sum := start
		for _, x := range v[from:to] {
			sum = f(sum, x)
		}
		out[i] = sum
	}
	return column.NewFixed(out)
}

func bindExtreme(sign int) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(_ *functions.Env, _, answer *types.Type) (*types.Type, higherKernel, error) {
		result := answer
		if result.Kind() == types.KindNothing {
			return nil, nil, cherr.New(cherr.IllegalTypeOfArgument, "array aggregation function cannot be performed on type %s", answer)
		}
		return result, func(_ context.Context, a *applied) (column.Column, error) {
			order := ordering(a.answers, sign > 0)
			positions, missing := make([]uint32, a.rows), []int(nil)
			for i := range a.rows {
				from, to := a.bounds(i)
				if from == to {
					missing = append(missing, i)
					continue
				}
				best := uint32(from)
				for e := uint32(from) + 1; e < uint32(to); e++ {
					if order(e, best) < 0 {
						best = e
					}
				}
				positions[i] = best
			}
			return pick(result, a.answers, positions, missing), nil
		}, nil
	}
}
