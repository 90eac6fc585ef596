package arith

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(intExp("intExp2", 2, 63))
	_ = add(intExp("intExp10", 10, 19))
)

// intExp gives powers as UInt64: 0 below the zeroth, the greatest UInt64 past
// the last that fits.
func intExp(name string, base uint64, last float64) functions.Scalar {
	var powers []uint64
	for p, i := uint64(1), 0; i <= int(last); i++ {
		powers = append(powers, p)
		p *= base
	}
	return functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: name + "(n)", Summary: "The power as an unsigned integer.", Examples: []string{"SELECT " + name + "(3)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[0].Type
			s, ok := shapeOf(t)
			if !ok || t.Kind() == types.KindBFloat16 {
				return nil, illegal(name, args...)
			}
			if s.bytes > 8 {
				return nil, cherr.New(cherr.NotImplemented, "%s is not implemented for big integers", name)
			}
			return &expr.Function{Result: types.UInt64, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				out := make([]uint64, rows)
				for i, v := range cast.Floats(column.Full(args[0]), t) {
					switch {
					case v != v:
						return nil, cherr.New(cherr.BadArguments, "%s must not be called with nan", name)
					case v < 0:
					case v > last:
						out[i] = math.MaxUint64
					default:
						out[i] = powers[int(v)]
					}
				}
				return column.NewFixed(out), nil
			}}, nil
		},
	}
}
