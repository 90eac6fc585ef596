package arith

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
)

var _ = add(functions.Scalar{
	Name: "clamp", MinArgs: 3, MaxArgs: 3, KeepNulls: true,
	Doc:  functions.Doc{Syntax: "clamp(x, least, most)", Summary: "x, or the bound that it is beyond.", Examples: []string{"SELECT clamp(5, 1, 3)"}},
	Bind: bindClamp,
})

// bindClamp puts the function together of least, greatest and greater.
func bindClamp(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	atLeast, err := env.Registry.BindScalar(env, "greatest", args[:2])
	if err != nil {
		return nil, err
	}
	atMost, err := env.Registry.BindScalar(env, "least", []functions.Arg{{Type: atLeast.Result}, args[2]})
	if err != nil {
		return nil, err
	}
	crossed, err := env.Registry.BindScalar(env, "greater", args[1:])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: atMost.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		full := make([]column.Column, len(args))
		for i, a := range args {
			full[i] = column.Full(a)
		}
		wrong, err := crossed.Kernel(ctx, full[1:], rows)
		if err != nil {
			return nil, err
		}
		marks, _ := column.SplitNulls(column.Full(wrong))
		if slices.Contains(cast.Native[uint8](marks), 1) {
			return nil, cherr.New(cherr.BadArguments, "The minimum value cannot be greater than the maximum value for function clamp")
		}
		low, err := atLeast.Kernel(ctx, full[:2], rows)
		if err != nil {
			return nil, err
		}
		return atMost.Kernel(ctx, []column.Column{column.Full(low), full[2]}, rows)
	}}, nil
}
