package arith

import (
	"context"
	"math"
	"math/bits"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var errOverflow = cherr.New(cherr.DecimalOverflow, "Decimal math overflow")

// digits is the most that a Decimal's form holds.
func digits(t *types.Type) int {
	switch t.Kind() {
	case types.KindDecimal32:
		return 9
	case types.KindDecimal64:
		return 18
	case types.KindDecimal128:
		return 38
	}
	return 76
}

// decimalResult is the type of an operation on two Decimals, or one and an
// integer, at a scale.
func decimalResult(a, b *types.Type, scale int) (*types.Type, error) {
	var precision int
	switch {
	case a.IsDecimal() && b.IsDecimal():
		precision = max(digits(a), digits(b))
	case a.IsDecimal():
		precision = a.Precision()
	default:
		precision = b.Precision()
	}
	if scale > precision {
		if scale > digits(types.Decimal(precision, 0)) {
			return nil, cherr.New(cherr.ArgumentOutOfBound, "Decimal result's scale is bigger than type's max digits")
		}
		precision = scale
	}
	return types.Decimal(precision, scale), nil
}

func decimalOperands(args []functions.Arg) bool {
	for _, a := range args {
		if !a.Type.IsDecimal() && !a.Type.IsInteger() && a.Type.Kind() != types.KindBool {
			return false
		}
	}
	return true
}

// withFloat tells whether one operand is a Decimal and the other a float: then
// both are computed as floats.
func withFloat(args []functions.Arg) bool {
	a, b := args[0].Type, args[1].Type
	return a.IsDecimal() && b.IsFloat() || a.IsFloat() && b.IsDecimal()
}

func floatOperand(c column.Column, t *types.Type, rows int) operand[float64] {
	c, one := full(c, rows)
	v := cast.Floats(c, t)
	if one {
		return operand[float64]{one: v[0], same: true}
	}
	return operand[float64]{v: v}
}

func bindDecimalSum(name string, op sum, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if tooWide(a, b) {
		return nil, illegal(name, args...)
	}
	if withFloat(args) {
		return &expr.Function{Result: types.Float64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			x, y := floatOperand(args[0], a, rows), floatOperand(args[1], b, rows)
			f := func(x, y float64) float64 { return x + y }
			switch op {
			case minus:
				f = func(x, y float64) float64 { return x - y }
			case multiply:
				f = func(x, y float64) float64 { return x * y }
			}
			return column.NewFixed(zip(x, y, rows, f)), nil
		}}, nil
	}
	if !decimalOperands(args) {
		return nil, illegal(name, args...)
	}
	scale := max(a.Scale(), b.Scale())
	if op == multiply {
		scale = a.Scale() + b.Scale()
	}
	result, err := decimalResult(a, b, scale)
	if err != nil {
		return nil, err
	}
	sa, sb := scale, scale
	if op == multiply {
		sa, sb = a.Scale(), b.Scale()
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, err := rescaled(args[0], a, sa, result)
		if err != nil {
			return nil, err
		}
		y, err := rescaled(args[1], b, sb, result)
		if err != nil {
			return nil, err
		}
		return decimalSum(op, x, y, rows, result)
	}}, nil
}

// rescaled brings an operand to a scale in the form of the result.
func rescaled(c column.Column, t *types.Type, scale int, result *types.Type) (column.Column, error) {
	to := types.Decimal(result.Precision(), min(scale, result.Precision()))
	if k, ok := c.(*column.Const); ok {
		v, err := cast.Rescale(k.Value, t.Scale(), to)
		if err != nil {
			return nil, errOverflow
		}
		return &column.Const{Value: v, N: k.N}, nil
	}
	v, err := cast.Rescale(c, t.Scale(), to)
	if err != nil {
		return nil, errOverflow
	}
	return v, nil
}

func decimalSum(op sum, x, y column.Column, rows int, result *types.Type) (column.Column, error) {
	switch result.Physical() {
	case types.PhysInt32:
		lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
		over := false
		out := zip(operandOf[int64](x, types.Int64, rows), operandOf[int64](y, types.Int64, rows), rows, func(a, b int64) int32 {
			r := smallSum(op, a, b)
			over = over || r < lo || r > hi
			return int32(r)
		})
		return checked(column.NewFixed(out), over)
	case types.PhysInt64:
		over := false
		out := zip(operandOf[int64](x, types.Int64, rows), operandOf[int64](y, types.Int64, rows), rows, func(a, b int64) int64 {
			r, o := sumOver(op, a, b)
			over = over || o
			return r
		})
		return checked(column.NewFixed(out), over)
	}
	a, _ := wordsOf(x, rows)
	b, _ := wordsOf(y, rows)
	over := false
	out := zip(a, b, rows, func(a, b types.I256) types.I256 {
		r, o := wideSum(op, a, b)
		over = over || o || result.Physical() == types.PhysInt128 && !r.FitsI128()
		return r
	})
	return checked(cast.FromWords(out, result), over)
}

func checked(c column.Column, over bool) (column.Column, error) {
	if over {
		return nil, errOverflow
	}
	return c, nil
}

func smallSum(op sum, a, b int64) int64 {
	switch op {
	case plus:
		return a + b
	case minus:
		return a - b
	}
	return a * b
}

// sumOver computes in 64 bits and tells whether the result does not fit.
func sumOver(op sum, a, b int64) (int64, bool) {
	switch op {
	case plus:
		r := a + b
		return r, (a^r)&(b^r) < 0
	case minus:
		r := a - b
		return r, (a^b)&(a^r) < 0
	}
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, false
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return a * b, hi != 0 || lo > 1<<63
	}
	return a * b, hi != 0 || lo >= 1<<63
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func wideSum(op sum, a, b types.I256) (types.I256, bool) {
	switch op {
	case plus:
		return a.AddOver(b)
	case minus:
		r := a.Sub(b)
		return r, a.Negative() != b.Negative() && r.Negative() != a.Negative()
	}
	return a.MulOver(b)
}
