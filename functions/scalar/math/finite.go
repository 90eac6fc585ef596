package math

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "isFinite", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "isFinite(x)", Summary: "Whether a float is neither infinite nor NaN.", Examples: []string{"SELECT isFinite(1 / 0)"}},
		Bind: bindFinite("isFinite", func(x float64) bool { return !math.IsInf(x, 0) && x == x }),
	})
	_ = add(functions.Scalar{
		Name: "isInfinite", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "isInfinite(x)", Summary: "Whether a float is infinite.", Examples: []string{"SELECT isInfinite(1 / 0)"}},
		Bind: bindFinite("isInfinite", func(x float64) bool { return math.IsInf(x, 0) }),
	})
	_ = add(functions.Scalar{
		Name: "isNaN", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "isNaN(x)", Summary: "Whether a float is NaN.", Examples: []string{"SELECT isNaN(0 / 0)"}},
		Bind: bindFinite("isNaN", func(x float64) bool { return x != x }),
	})
	_ = add(functions.Scalar{
		Name: "ifNotFinite", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "ifNotFinite(x, y)", Summary: "x if it is finite, else y.", Examples: []string{"SELECT ifNotFinite(1 / 0, 42)"}},
		Bind: bindIfNotFinite,
	})
)

func bindFinite(name string, f func(x float64) bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !t.IsNumber() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument for function %s must be a number", name)
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Floats(args[0], t)
			return kernel.Each(rows, func(i int) uint8 { return kernel.Bool(f(in.At(i))) }), nil
		}), nil
	}
}

func bindIfNotFinite(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if !t.IsNumber() {
		return nil, kernel.WrongType("ifNotFinite", 0, t)
	}
	result, err := types.Super(t, args[1].Type)
	if err != nil {
		return nil, err
	}
	casters, err := kernel.Casters(env, args, result)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in := kernel.Floats(args[0], t)
		cols, err := kernel.ApplyAll(ctx, casters, args)
		if err != nil {
			return nil, err
		}
		positions := make([]uint32, rows)
		for i := range positions {
			positions[i] = uint32(i)
			if x := in.At(i); math.IsInf(x, 0) || x != x {
				positions[i] += uint32(rows)
			}
		}
		return column.Full(column.Concat(result, cols)).Gather(positions), nil
	}}, nil
}
