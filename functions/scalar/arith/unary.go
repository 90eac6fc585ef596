package arith

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "negate", MinArgs: 1, MaxArgs: 1,
	Doc:  functions.Doc{Syntax: "negate(x)", Summary: "The number with the other sign; also -x.", Examples: []string{"SELECT -(5)"}},
	Bind: bindNegate,
})

func bindNegate(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	switch {
	case t.Kind() == types.KindTuple:
		return elementwise(env, "negate", args)
	case t.Kind() == types.KindInterval:
		return &expr.Function{Result: t, Monotonic: -1, Kernel: negateOf[int64](types.Int64)}, nil
	case t.IsDecimal():
		return &expr.Function{Result: t, Monotonic: -1, Kernel: negateWords(t)}, nil
	}
	s, ok := shapeOf(t)
	if !ok || t.Kind() == types.KindBFloat16 {
		return nil, illegal("negate", args...)
	}
	if !s.signed {
		s.signed, s.bytes = true, next(s.bytes)
	}
	result := construct(s)
	p := perNumber{
		i8: negateOf[int8](t), i16: negateOf[int16](t), i32: negateOf[int32](t), i64: negateOf[int64](t),
		f32: negateOf[float32](t), f64: negateOf[float64](t),
	}
	k := p.of(result)
	if k == nil {
		k = negateWords(result)
	}
	return &expr.Function{Result: result, Kernel: k, Monotonic: -1}, nil
}

func negateOf[T number](t *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		v := operandOf[T](column.Full(args[0]), t, rows).v
		out := make([]T, rows)
		for i := range out {
			out[i] = -v[i]
		}
		return column.NewFixed(out), nil
	}
}

func negateWords(result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		v, _ := cast.Words(column.Full(args[0]))
		out := make([]types.I256, rows)
		for i := range out {
			out[i] = v[i].Neg()
		}
		return cast.FromWords(out, result), nil
	}
}

var _ = add(functions.Scalar{
	Name: "abs", MinArgs: 1, MaxArgs: 1, CaseInsensitive: true,
	Doc:  functions.Doc{Syntax: "abs(x)", Summary: "The number without its sign.", Examples: []string{"SELECT abs(-5)"}},
	Bind: bindAbs,
})

func bindAbs(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if t.IsDecimal() {
		return &expr.Function{Result: t, Kernel: absWords(t)}, nil
	}
	s, ok := shapeOf(t)
	if !ok || t.Kind() == types.KindBFloat16 {
		return nil, illegal("abs", args...)
	}
	if s.float {
		p := perNumber{f32: absOf[float32](t), f64: absOf[float64](t)}
		return &expr.Function{Result: t, Kernel: p.of(t)}, nil
	}
	signed := s.signed
	s.signed = false
	result := construct(s)
	if !signed {
		return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) { return args[0], nil }}, nil
	}
	return &expr.Function{Result: result, Kernel: absWords(result)}, nil
}

func absOf[T float32 | float64](t *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		v := column.Values[T](column.Full(args[0]))
		out := make([]T, rows)
		for i, x := range v {
			if x < 0 {
				x = -x
			}
			out[i] = x + 0 // -0 becomes 0
		}
		return column.NewFixed(out), nil
	}
}

func absWords(result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c := column.Full(args[0])
		if f, ok := c.(*column.Fixed[int64]); ok {
			out := make([]int64, rows)
			for i, x := range f.Values {
				out[i] = x
				if x < 0 {
					out[i] = -x
				}
			}
			if result.Physical() == types.PhysInt64 {
				return column.NewFixed(out), nil
			}
			return column.NewFixed(cast.Native[uint64](column.NewFixed(out))), nil
		}
		v, _ := cast.Words(c)
		out := make([]types.I256, rows)
		for i := range out {
			out[i] = types.I256(v[i].Abs())
		}
		return cast.FromWords(out, result), nil
	}
}

var _ = add(functions.Scalar{
	Name: "sign", MinArgs: 1, MaxArgs: 1, CaseInsensitive: true,
	Doc: functions.Doc{Syntax: "sign(x)", Summary: "-1, 0 or 1 for a negative number, 0 and a positive one.", Examples: []string{"SELECT sign(-5)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !t.IsNumber() || t.Kind() == types.KindBFloat16 {
			return nil, illegal("sign", args...)
		}
		return &expr.Function{Result: types.Int8, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]int8, rows)
			for i, x := range cast.Floats(column.Full(args[0]), t) {
				switch {
				case x > 0:
					out[i] = 1
				case x < 0:
					out[i] = -1
				}
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})
