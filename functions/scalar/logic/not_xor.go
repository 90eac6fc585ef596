package logic

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "not", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "not(x)", Summary: "1 when x is 0, else 0; also NOT x.", Examples: []string{"SELECT NOT 1"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !t.IsNativeNumber() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type (%s) of argument of function not", t)
		}
		result := types.UInt8
		if t.Kind() == types.KindBool {
			result = types.Bool
		}
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			truth, _ := truthOf(column.Full(args[0]))
			out := make([]uint8, rows)
			for i, v := range truth {
				if v == 0 {
					out[i] = 1
				}
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "xor", CaseInsensitive: true, MinArgs: 0, MaxArgs: -1,
	Doc: functions.Doc{Syntax: "xor(a, b, …)", Summary: "1 when an odd number of operands is not 0.", Examples: []string{"SELECT xor(1, 0)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if len(args) < 2 {
			return nil, cherr.New(cherr.TooFewArgumentsForFunction, `Number of arguments for function "xor" should be at least 2: passed %d`, len(args))
		}
		result, err := resultOf("xor", args)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]uint8, rows)
			for _, a := range args {
				truth, _ := truthOf(column.Full(a))
				for i, v := range truth {
					if v != 0 {
						out[i] ^= 1
					}
				}
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})
