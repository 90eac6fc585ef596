package arith

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "countDigits", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "countDigits(x)", Summary: "The number of decimal digits of an integer, or of a decimal's unscaled value.", Examples: []string{"SELECT countDigits(toDecimal32(12.3, 2))"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t := args[0].Type
			if !t.IsInteger() && !t.IsDecimal() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type for countDigits: %s", t)
			}
			return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
				out, err := digitsOf(args[0], t)
				return column.NewFixed(out), err
			}}, nil
		},
	})
	_ = add(functions.Scalar{
		Name: "isDecimalOverflow", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "isDecimalOverflow(d[, precision])", Summary: "Whether a decimal has more digits than the precision, by default the widest of its size.", Examples: []string{"SELECT isDecimalOverflow(toDecimal32(1000, 0), 3)"}},
		Bind: bindOverflow,
	})
)

// unscaled is the integer type whose values have the form of the decimal's.
func unscaled(t *types.Type) *types.Type {
	if !t.IsDecimal() {
		return t
	}
	switch t.Bytes() {
	case 4:
		return types.Int32
	case 8:
		return types.Int64
	case 16:
		return types.Int128
	}
	return types.Int256
}

// digitsOf counts the digits of each row; 0 has one.
func digitsOf(c column.Column, t *types.Type) ([]uint8, error) {
	text, err := cast.Column(column.Full(c), unscaled(t), types.String, nil)
	if err != nil {
		return nil, err
	}
	s := column.Full(text).(*column.Str)
	out := make([]uint8, s.Len())
	for i := range out {
		v := s.At(i)
		if out[i] = uint8(len(v)); v[0] == '-' {
			out[i]--
		}
	}
	return out, nil
}

func bindOverflow(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if !t.IsDecimal() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type for isDecimalOverflow: %s", t)
	}
	most := map[int]int64{4: 9, 8: 18, 16: 38, 32: 76}[t.Bytes()]
	if len(args) == 2 {
		p, ok := args[1].ConstInt()
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument of function isDecimalOverflow must be a constant integer")
		}
		most = p
	}
	return &expr.Function{Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		digits, err := digitsOf(args[0], t)
		if err != nil {
			return nil, err
		}
		zero, err := cast.Column(column.Full(args[0]), unscaled(t), types.Bool, nil)
		if err != nil {
			return nil, err
		}
		nonZero := cast.Native[uint8](column.Full(zero))
		for i, n := range digits {
			digits[i] = 0
			if nonZero[i] != 0 && int64(n) > most {
				digits[i] = 1
			}
		}
		return column.NewFixed(digits), nil
	}}, nil
}
