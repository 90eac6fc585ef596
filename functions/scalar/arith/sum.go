package arith

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// sum is plus, minus or multiply.
type sum uint8

const (
	plus sum = iota
	minus
	multiply
)

var _ = add(functions.Scalar{
	Name: "plus", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{
		Syntax: "plus(a, b)", Summary: "The sum of two numbers; also a + b. Adds numbers of days or seconds, and intervals, to dates and times.",
		Examples: []string{"SELECT 2 + 3"},
	},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindSum(env, "plus", plus, args)
	},
})

var _ = add(functions.Scalar{
	Name: "minus", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{
		Syntax: "minus(a, b)", Summary: "The difference of two numbers; also a - b. The result is signed.",
		Examples: []string{"SELECT 2 - 3"},
	},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindSum(env, "minus", minus, args)
	},
})

var _ = add(functions.Scalar{
	Name: "multiply", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{
		Syntax: "multiply(a, b)", Summary: "The product of two numbers; also a * b.",
		Examples: []string{"SELECT 2 * 3"},
	},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindSum(env, "multiply", multiply, args)
	},
})

func bindSum(env *functions.Env, name string, op sum, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if f, err := bindStates(env, op, args); f != nil || err != nil {
		return f, err
	}
	if f, err := bindDates(env, op, args); f != nil || err != nil {
		return f, err
	}
	if f, err := bindNested(env, name, args); f != nil || err != nil {
		return f, err
	}
	if a.IsDecimal() || b.IsDecimal() {
		return bindDecimalSum(name, op, args)
	}
	x, ok1 := shapeOf(addressAsNumber(a))
	y, ok2 := shapeOf(addressAsNumber(b))
	if !ok1 || !ok2 {
		return nil, illegal(name, args...)
	}
	s, ok := ofSum(x, y, op == minus)
	if !ok {
		return nil, illegal(name, args...)
	}
	result := construct(s)
	k := sumKernel(op, a, b, result)
	return &expr.Function{Result: result, Kernel: k, Monotonic: sumMonotonic(op, s, args)}, nil
}

func addressAsNumber(t *types.Type) *types.Type {
	if t.Kind() == types.KindIPv4 {
		return types.UInt32
	}
	return t
}

// sumMonotonic: floats keep their order when a constant is added; integers
// only where the sum cannot wrap around.
func sumMonotonic(op sum, s shape, args []functions.Arg) int {
	if op == multiply || !s.float && s.bytes >= 8 && args[0].Type.Bytes() >= 8 {
		return 0
	}
	if op == minus && args[0].Const != nil {
		return -1
	}
	return 1
}

func sumKernel(op sum, a, b, result *types.Type) kernel {
	p := perNumber{
		u16: sumOf[uint16](op, a, b), u32: sumOf[uint32](op, a, b), u64: sumOf[uint64](op, a, b),
		i16: sumOf[int16](op, a, b), i32: sumOf[int32](op, a, b), i64: sumOf[int64](op, a, b),
		f32: sumOf[float32](op, a, b), f64: sumOf[float64](op, a, b),
	}
	if k := p.of(result); k != nil {
		return k
	}
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, _ := wordsOf(args[0], rows)
		y, _ := wordsOf(args[1], rows)
		f := types.I256.Add
		switch op {
		case minus:
			f = types.I256.Sub
		case multiply:
			f = types.I256.Mul
		}
		return cast.FromWords(zip(x, y, rows, f), result), nil
	}
}

func sumOf[T number](op sum, a, b *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[T](args[0], a, rows), operandOf[T](args[1], b, rows)
		out := make([]T, rows)
		switch op {
		case plus:
			if x.same {
				x, y = y, x
			}
			addTo(out, x, y)
		case minus:
			subtractTo(out, x, y)
		case multiply:
			if x.same {
				x, y = y, x
			}
			multiplyTo(out, x, y)
		}
		return column.NewFixed(out), nil
	}
}

// addTo needs x a vector unless both are constant.
func addTo[T number](out []T, x, y operand[T]) {
	switch {
	case x.same:
		for i := range out {
			out[i] = x.one + y.one
		}
	case y.same:
		c := y.one
		for i, v := range x.v[:len(out)] {
			out[i] = v + c
		}
	default:
		w := y.v[:len(out)]
		for i, v := range x.v[:len(out)] {
			out[i] = v + w[i]
		}
	}
}

func subtractTo[T number](out []T, x, y operand[T]) {
	switch {
	case x.same && y.same:
		for i := range out {
			out[i] = x.one - y.one
		}
	case x.same:
		c := x.one
		for i, v := range y.v[:len(out)] {
			out[i] = c - v
		}
	case y.same:
		c := y.one
		for i, v := range x.v[:len(out)] {
			out[i] = v - c
		}
	default:
		w := y.v[:len(out)]
		for i, v := range x.v[:len(out)] {
			out[i] = v - w[i]
		}
	}
}

func multiplyTo[T number](out []T, x, y operand[T]) {
	switch {
	case x.same:
		for i := range out {
			out[i] = x.one * y.one
		}
	case y.same:
		c := y.one
		for i, v := range x.v[:len(out)] {
			out[i] = v * c
		}
	default:
		w := y.v[:len(out)]
		for i, v := range x.v[:len(out)] {
			out[i] = v * w[i]
		}
	}
}
