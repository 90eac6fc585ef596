package arith

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = add(extreme("greatest", 1, "The greatest of its arguments; NULL is left out."))
	_ = add(extreme("least", -1, "The least of its arguments; NULL is left out."))
)

func extreme(name string, sign int, summary string) functions.Scalar {
	return functions.Scalar{
		Name: name, CaseInsensitive: true, MinArgs: 1, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
		Doc: functions.Doc{Syntax: name + "(a, b, …)", Summary: summary, Examples: []string{"SELECT " + name + "(1, 2, 3)"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if env.Settings.Bool("least_greatest_legacy_null_behavior") {
				for _, a := range args {
					if types.WithoutNullable(a.Type).Kind() == types.KindNothing {
						return &expr.Function{Result: types.NullableNothing, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
							return column.Default(types.NullableNothing, rows), nil
						}}, nil
					}
				}
			}
			ts := make([]*types.Type, len(args))
			lowCard := false
			for i, a := range args {
				ts[i] = types.WithoutLowCardinality(a.Type)
				lowCard = lowCard || a.Type.Kind() == types.KindLowCardinality
			}
			result, err := extremeResult(name, sign, ts)
			if err != nil {
				return nil, err
			}
			inner := result
			if k := types.WithoutNullable(result).Kind(); len(ts) == 2 && (k == types.KindInt64 || k == types.KindUInt64) && types.WithoutNullable(ts[0]).Kind() != types.WithoutNullable(ts[1]).Kind() {
				inner = types.Int128 // compares Int64 and UInt64
				if result.IsNullable() {
					inner = types.Nullable(inner)
				}
			}
			casts := make([]cast.Func, len(args))
			for i, t := range ts {
				if casts[i], err = cast.Bind(t, types.Nullable(inner), &cast.Options{Zone: env.Zone}); err != nil {
					return nil, err
				}
			}
			f := &expr.Function{Result: result, KeepNulls: true, Kernel: extremeKernel(sign, casts, inner)}
			if !inner.Equal(result) {
				k := f.Kernel
				f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
					c, err := k(ctx, args, rows)
					if err != nil {
						return nil, err
					}
					return cast.Column(c, inner, result, nil)
				}
			}
			if lowCard && (types.Unwrap(result).IsString() || types.Unwrap(result).IsInteger()) {
				f.Result = types.LowCardinality(result)
			}
			return f, nil
		},
	}
}

// extremeResult is the common type; Int64 and UInt64 have one here: least is
// Int64, greatest UInt64.
func extremeResult(name string, sign int, ts []*types.Type) (*types.Type, error) {
	if len(ts) == 2 {
		a, b := types.WithoutNullable(ts[0]), types.WithoutNullable(ts[1])
		if a.Kind() == types.KindInt64 && b.Kind() == types.KindUInt64 || a.Kind() == types.KindUInt64 && b.Kind() == types.KindInt64 {
			r := types.Int64
			if sign > 0 {
				r = types.UInt64
			}
			if ts[0].IsNullable() || ts[1].IsNullable() {
				r = types.Nullable(r)
			}
			return r, nil
		}
		if r, ok := extremeDecimal(a, b); ok {
			if ts[0].IsNullable() || ts[1].IsNullable() {
				r = types.Nullable(r)
			}
			return r, nil
		}
	}
	t, err := types.Super(ts...)
	if err == nil && types.WithoutNullable(t).Kind() == types.KindBool && len(ts) > 1 {
		t = types.UInt8
		if slices.ContainsFunc(ts, (*types.Type).IsNullable) {
			t = types.Nullable(t)
		}
	}
	if w := widerInteger(ts); err != nil && w != nil {
		return w, nil
	}
	if err != nil && len(ts) == 2 && ts[0].IsNumber() && ts[1].IsNumber() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal types %s and %s of arguments of function %s", ts[0], ts[1], name)
	}
	return t, err
}

// extremeDecimal is the type for a Decimal and another number.
func extremeDecimal(a, b *types.Type) (*types.Type, bool) {
	if !a.IsDecimal() && !b.IsDecimal() || !a.IsNumber() || !b.IsNumber() || tooWide(a, b) {
		return nil, false
	}
	if a.IsFloat() || b.IsFloat() {
		return types.Float64, true
	}
	r, err := decimalResult(a, b, max(a.Scale(), b.Scale()))
	return r, err == nil
}

// widerInteger is a signed type that holds integers of which some are unsigned
// and as wide as the signed ones; nil when there is none.
func widerInteger(ts []*types.Type) *types.Type {
	widest, nullable := 0, false
	for _, t := range ts {
		nullable = nullable || t.IsNullable()
		if t = types.WithoutNullable(t); !t.IsInteger() {
			return nil
		}
		widest = max(widest, t.Bytes())
	}
	if widest > 16 {
		return nil
	}
	w := construct(shape{signed: true, bytes: widest * 2})
	if nullable {
		w = types.Nullable(w)
	}
	return w
}

func extremeKernel(sign int, casts []cast.Func, result *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		cols := make([]column.Column, len(args))
		nulls := make([][]uint8, len(args))
		for i, a := range args {
			c, err := casts[i](a)
			if err != nil {
				return nil, err
			}
			cols[i], nulls[i] = column.SplitNulls(column.Full(c))
		}
		if _, ok := cols[0].(*column.Nothing); ok {
			return column.Default(result, rows), nil
		}
		// best says which argument stands in each row.
		best := make([]uint32, rows)
		var null []uint8
		if nulls[0] != nil {
			null = append([]uint8(nil), nulls[0]...)
		}
		for i := 1; i < len(cols); i++ {
			beats := better(sign, cols, best, i)
			for row := range best {
				switch {
				case nulls[i] != nil && nulls[i][row] != 0:
				case null != nil && null[row] != 0:
					best[row], null[row] = uint32(i), 0
				case beats(row):
					best[row] = uint32(i)
				}
			}
		}
		for row := range best {
			best[row] = best[row]*uint32(rows) + uint32(row)
		}
		out := column.Concat(types.WithoutNullable(result), cols).Gather(best)
		if result.IsNullable() {
			return column.NewNullable(out, null), nil
		}
		return out, nil
	}
}

// better tells whether argument i replaces the best so far: when the best is
// not strictly beyond it, so that with NaN the later argument stays.
func better(sign int, cols []column.Column, best []uint32, i int) func(row int) bool {
	if f, ok := cols[i].(*column.Fixed[float64]); ok {
		return func(row int) bool {
			v := column.Values[float64](cols[best[row]])[row]
			if sign > 0 {
				return !(v > f.Values[row])
			}
			return !(v < f.Values[row])
		}
	}
	if f, ok := cols[i].(*column.Fixed[float32]); ok {
		return func(row int) bool {
			v := column.Values[float32](cols[best[row]])[row]
			if sign > 0 {
				return !(v > f.Values[row])
			}
			return !(v < f.Values[row])
		}
	}
	return func(row int) bool { return sign*column.Compare(cols[i], row, cols[best[row]], row, 1) > 0 }
}

var (
	_ = add(extreme2("min2", func(a, b float64) float64 { return min(a, b) }))
	_ = add(extreme2("max2", func(a, b float64) float64 { return max(a, b) }))
)

func extreme2(name string, f func(a, b float64) float64) functions.Scalar {
	return functions.Scalar{
		Name: name, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(a, b)", Summary: "The extreme of two numbers, as Float64.", Examples: []string{"SELECT " + name + "(1, 2)"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			a, b := args[0].Type, args[1].Type
			if !a.IsNumber() || !b.IsNumber() || a.IsInteger() && a.Bytes() > 8 || b.IsInteger() && b.Bytes() > 8 {
				return nil, illegal(name, args...)
			}
			return &expr.Function{Result: types.Float64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
				return column.NewFixed(zip(floatOperand(args[0], a, rows), floatOperand(args[1], b, rows), rows, f)), nil
			}}, nil
		},
	}
}
