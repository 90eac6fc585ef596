package convert

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "CAST", KeepVariants: true, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "CAST(x, 'type')", Summary: "x as a value of a type; also CAST(x AS type) and x::type.", Examples: []string{"SELECT CAST('1', 'Int8')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindCast(env, "CAST", args, env.Settings.Bool("cast_keep_nullable"), false)
	},
})

var _ = add(functions.Scalar{
	Name: "_CAST", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "_CAST(x, 'type')", Summary: "CAST that no setting changes.", Examples: []string{"SELECT _CAST('1', 'Int8')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindCast(env, "_CAST", args, false, false)
	},
})

var _ = add(functions.Scalar{
	Name: "accurateCast", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "accurateCast(x, 'type')", Summary: "CAST that refuses values which the type cannot hold.", Examples: []string{"SELECT accurateCast(5, 'UInt8')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindCast(env, "accurateCast", args, env.Settings.Bool("cast_keep_nullable"), true)
	},
})

// typeArgument reads the constant that names a type.
func typeArgument(env *functions.Env, name string, a functions.Arg) (*types.Type, error) {
	text, ok := a.ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument to %s must be a constant string describing type. Instead there is non-constant column of type %s", name, a.Type)
	}
	t, err := types.Parse(text)
	if err != nil {
		return nil, err
	}
	if name == "_CAST" {
		return t, nil
	}
	return t, functions.CheckType(env.Settings, t)
}

func options(env *functions.Env, accurate bool) *cast.Options {
	return &cast.Options{Zone: env.Zone, Accurate: accurate, Year: env.Now.Year(), BasicTimes: env.Settings.Get("cast_string_to_date_time_mode") == "basic", Overflow: cast.OverflowOf(env.Settings.Get("date_time_overflow_behavior"))}
}

func bindCast(env *functions.Env, name string, args []functions.Arg, keepNullable, accurate bool) (*expr.Function, error) {
	to, err := typeArgument(env, name, args[1])
	if err != nil {
		return nil, err
	}
	from := args[0].Type
	if keepNullable && from.IsNullable() && to.CanBeNullable() {
		to = types.Nullable(to)
	}
	o := options(env, accurate)
	if types.WithoutNullable(to).Kind() == types.KindAggregateFunction && types.Unwrap(from).IsString() {
		return castState(env, name, types.Unwrap(from), to)
	}
	o.KeepText = name == "_CAST" || !env.Settings.Bool("cast_string_to_variant_use_inference")
	convert, err := cast.Bind(from, to, o)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: to, KeepForms: true, Monotonic: monotonic(from, to), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return convert(args[0])
	}}, nil
}

// monotonic: conversions that keep the order of all values of a type.
func monotonic(from, to *types.Type) int {
	from, to = types.Unwrap(from), types.Unwrap(to)
	size := func(t *types.Type) int { return t.Bytes() }
	switch {
	case from.Equal(to):
		return 1
	case from.IsInteger() && to.IsInteger():
		widens := from.IsUnsigned() == to.IsUnsigned() && size(to) >= size(from) || from.IsUnsigned() && size(to) > size(from)
		if widens {
			return 1
		}
	case from.IsInteger() && to.Kind() == types.KindFloat64, from.IsFloat() && to.Kind() == types.KindFloat64:
		return 1
	case from.Kind() == types.KindDate && (to.Kind() == types.KindDate32 || to.Kind() == types.KindDateTime64):
		return 1
	case from.Kind() == types.KindDate32 && to.Kind() == types.KindDateTime64,
		from.Kind() == types.KindDateTime && (to.Kind() == types.KindDate || to.Kind() == types.KindDate32 || to.Kind() == types.KindDateTime64),
		from.Kind() == types.KindDateTime64 && to.Kind() == types.KindDate32,
		from.Kind() == types.KindDateTime64 && to.Kind() == types.KindDateTime64 && to.Scale() <= from.Scale():
		return 1
	}
	return 0
}

var _ = add(functions.Scalar{
	Name: "accurateCastOrNull", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "accurateCastOrNull(x, 'type')", Summary: "accurateCast, with NULL for values that the type cannot hold.", Examples: []string{"SELECT accurateCastOrNull(-1, 'UInt8')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		to, err := typeArgument(env, "accurateCastOrNull", args[1])
		if err != nil {
			return nil, err
		}
		return orNull(args[0].Type, to, options(env, true))
	},
})

// orNull converts what it can and gives NULL for the rest.
func orNull(from, to *types.Type, o *cast.Options) (*expr.Function, error) {
	result := to
	if to.CanBeNullable() {
		result = types.Nullable(to)
	}
	if types.Unwrap(from).Kind() == types.KindNothing {
		return &expr.Function{Result: result, KeepForms: true, KeepNulls: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
			return column.Default(result, rows), nil
		}}, nil
	}
	try, err := cast.BindTry(types.Unwrap(from), types.Unwrap(to), o)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, KeepNulls: true, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		values, null := column.SplitNulls(column.Full(args[0]))
		out, failed, err := try(values)
		if v, ok := out.(*column.Variant); ok {
			if failed = column.OrNulls(null, failed); failed != nil {
				out = v.WithNulls(failed)
			}
			return out, err
		}
		if err != nil || !result.IsNullable() {
			return out, err
		}
		return column.NewNullable(out, column.OrNulls(null, failed)), nil
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "accurateCastOrDefault", KeepVariants: true, MinArgs: 2, MaxArgs: 3, KeepNulls: true,
	Doc: functions.Doc{Syntax: "accurateCastOrDefault(x, 'type'[, default])", Summary: "accurateCast, with a default for values that the type cannot hold.", Examples: []string{"SELECT accurateCastOrDefault(-1, 'UInt8')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		to, err := typeArgument(env, "accurateCastOrDefault", args[1])
		if err != nil {
			return nil, err
		}
		fallback := -1
		if len(args) == 3 {
			fallback = 2
		}
		return orDefault(args, to, options(env, true), fallback)
	},
})

// orDefault converts what it can; other rows get the argument fallback, or the
// type's default when it is -1.
func orDefault(args []functions.Arg, to *types.Type, o *cast.Options, fallback int) (*expr.Function, error) {
	if fallback >= 0 && !types.WithoutNullable(args[fallback].Type).Equal(to) {
		return nil, cherr.New(cherr.BadArguments, "Default value type should be same as cast type. Expected %s. Actual %s", to, args[fallback].Type)
	}
	f, err := orNull(args[0].Type, to, o)
	if err != nil {
		return nil, err
	}
	k := f.Kernel
	return &expr.Function{Result: to, KeepNulls: true, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		c, err := k(ctx, args[:1], rows)
		if err != nil {
			return nil, err
		}
		values, null := column.SplitNulls(c)
		if null == nil {
			return values, nil
		}
		other := column.Column(column.NewConst(column.Default(to, 1), rows))
		if fallback >= 0 {
			other, _ = column.SplitNulls(column.Full(args[fallback]))
		}
		return pick(to, values, column.Full(other), null), nil
	}}, nil
}

// pick takes b's rows where mask is set, else a's.
func pick(t *types.Type, a, b column.Column, mask []uint8) column.Column {
	place := make([]uint32, len(mask))
	for i, m := range mask {
		place[i] = uint32(i)
		if m != 0 {
			place[i] += uint32(len(mask))
		}
	}
	return column.Full(column.Concat(t, []column.Column{a, b})).Gather(place)
}
