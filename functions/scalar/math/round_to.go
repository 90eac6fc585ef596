package math

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "roundToExp2", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "roundToExp2(x)", Summary: "Towards zero to a power of two.", Examples: []string{"SELECT roundToExp2(100)"}},
		Bind: bindRoundToExp2,
	})
	_ = add(functions.Scalar{
		Name: "roundDuration", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "roundDuration(seconds)", Summary: "Down to one of 1, 10, 30, 60, 120, 180, 240, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000.", Examples: []string{"SELECT roundDuration(100)"}},
		Bind: bindSteps("roundDuration", types.UInt16, func(x float64) uint16 { return uint16(stepDown(durations, x)) }),
	})
	_ = add(functions.Scalar{
		Name: "roundAge", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "roundAge(years)", Summary: "Down to one of 17, 18, 25, 35, 45, 55; 0 for less than 1.", Examples: []string{"SELECT roundAge(20)"}},
		Bind: bindSteps("roundAge", types.UInt8, func(x float64) uint8 { return uint8(stepDown(ages, x)) }),
	})
	_ = add(functions.Scalar{
		Name: "roundDown", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "roundDown(x, [a, b, …])", Summary: "Down to an element of an array, or its least.", Examples: []string{"SELECT roundDown(5, [1, 4, 6])"}},
		Bind: bindRoundDown,
	})
)

func bindRoundToExp2(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if !t.IsNativeNumber() || t.Bytes() > 8 {
		return nil, kernel.WrongType("roundToExp2", 0, t)
	}
	return kernel.Fn(t, func(args []column.Column, _ int) (column.Column, error) {
		switch c := column.Full(args[0]).(type) {
		case *column.Fixed[uint8]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[uint16]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[uint32]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[uint64]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[int8]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[int16]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[int32]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[int64]:
			return exp2Ints(c.Values), nil
		case *column.Fixed[float32]: // a float without its mantissa
			return kernel.Each(len(c.Values), func(i int) float32 {
				return math.Float32frombits(math.Float32bits(c.Values[i]) &^ (1<<23 - 1))
			}), nil
		case *column.Fixed[float64]:
			return kernel.Each(len(c.Values), func(i int) float64 {
				return math.Float64frombits(math.Float64bits(c.Values[i]) &^ (1<<52 - 1))
			}), nil
		}
		return args[0], nil
	}), nil
}

func exp2Ints[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](in []T) column.Column {
	out := make([]T, len(in))
	for i, v := range in {
		if v > 0 {
			out[i] = T(1) << (bits.Len64(uint64(v)) - 1)
		}
	}
	return column.NewFixed(out)
}

var (
	durations = []float64{1, 10, 30, 60, 120, 180, 240, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000}
	ages      = []float64{18, 25, 35, 45, 55}
)

// stepDown gives the largest step not above x; below the steps, for ages 17
// from one year on, else 0.
func stepDown(steps []float64, x float64) float64 {
	n := sort.SearchFloat64s(steps, x)
	if n < len(steps) && steps[n] == x {
		return x
	}
	switch {
	case n > 0:
		return steps[n-1]
	case x >= 1:
		return 17
	}
	return 0
}

func bindSteps[T uint8 | uint16](name string, result *types.Type, f func(x float64) T) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "n", args); err != nil {
			return nil, err
		}
		t := args[0].Type
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Floats(args[0], t)
			return kernel.Each(rows, func(i int) T { return f(in.At(i)) }), nil
		}), nil
	}
}

func bindRoundDown(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("roundDown", "Na", args); err != nil {
		return nil, err
	}
	if args[1].Const == nil {
		return nil, kernel.NotConst("roundDown", 1)
	}
	steps := args[1].Const.(*column.Array)
	from, to := steps.Bounds(0)
	if from == to {
		return nil, cherr.New(cherr.BadArguments, "Empty array is illegal for boundaries in roundDown function")
	}
	result, err := types.Super(args[0].Type, args[1].Type.Elem())
	if err != nil {
		return nil, kernel.WrongType("roundDown", 1, args[1].Type)
	}
	casters, err := kernel.Casters(env, []functions.Arg{args[0], {Type: args[1].Type.Elem()}}, result)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		cols, err := kernel.ApplyAll(ctx, casters, []column.Column{args[0], steps.Elems.Slice(from, to)})
		if err != nil {
			return nil, err
		}
		order := make([]uint32, to-from)
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortFunc(order, func(a, b uint32) int { return column.Compare(cols[1], int(a), cols[1], int(b), 1) })
		sorted, picked := cols[1].Gather(order), make([]uint32, rows)
		for i := range picked {
			n := sort.Search(len(order), func(k int) bool { return column.Compare(sorted, k, cols[0], i, 1) > 0 })
			picked[i] = uint32(max(n-1, 0))
		}
		return sorted.Gather(picked), nil
	}}, nil
}
