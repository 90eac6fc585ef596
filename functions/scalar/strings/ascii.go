package strings

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "ascii", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "ascii(s)", Summary: "The first byte as a number; 0 for an empty string.", Examples: []string{"SELECT ascii('234')"}},
		Bind: kernel.StrToFixed("ascii", types.Int32, func(s []byte) int32 {
			if len(s) == 0 {
				return 0
			}
			return int32(s[0])
		}),
	})
	_ = add(functions.Scalar{
		Name: "char", CaseInsensitive: true, MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "char(n, …)", Summary: "A string of the bytes given as numbers.", Examples: []string{"SELECT char(104, 105)"}},
		Bind: bindChar,
	})
)

func bindChar(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("char", "n", args); err != nil {
		return nil, err
	}
	argTypes := make([]*types.Type, len(args))
	for i, a := range args {
		argTypes[i] = a.Type
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in := make([]func(i int) byte, len(args))
		for k, a := range args {
			if argTypes[k].IsFloat() {
				v := kernel.Floats(a, argTypes[k])
				in[k] = func(i int) byte { return byte(int64(v.At(i))) }
			} else {
				v := kernel.Integers(a)
				in[k] = func(i int) byte { return byte(v.At(i)) }
			}
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			for _, f := range in {
				dst = append(dst, f(i))
			}
			return dst
		}), nil
	}), nil
}
