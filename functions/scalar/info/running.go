package info

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
		Name: "neighbor", MinArgs: 2, MaxArgs: 3, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "neighbor(x, offset[, default])", Summary: "The value of x some rows further in the same block. Needs allow_deprecated_error_prone_window_functions.", Examples: []string{"SELECT neighbor(number, 1) FROM numbers(3) SETTINGS allow_deprecated_error_prone_window_functions = 1"}},
		Bind: bindNeighbor,
	})
	_ = add(running("runningDifference", false))
	_ = add(running("runningDifferenceStartingWithFirstValue", true))
)

// allowDeprecated: what depends on where blocks end is off unless asked for.
func allowDeprecated(env *functions.Env, name string) error {
	if env.Settings.Bool("allow_deprecated_error_prone_window_functions") {
		return nil
	}
	return cherr.New(cherr.DeprecatedFunction, "Function %s is deprecated since its usage is error-prone. Please use a window function or set allow_deprecated_error_prone_window_functions", name)
}

func bindNeighbor(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := allowDeprecated(env, "neighbor"); err != nil {
		return nil, err
	}
	source := args[0].Type
	if !types.Unwrap(args[1].Type).IsInteger() || args[1].Type.IsNullable() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of second argument of function neighbor - must be an integer", args[1].Type)
	}
	result, given := source, source
	if len(args) == 3 {
		given = args[2].Type
		var err error
		if result, err = types.Super(source, args[2].Type); err != nil {
			return nil, err
		}
	}
	return &expr.Function{Result: result, Volatile: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		values, err := cast.Column(column.Full(args[0]), source, result, nil)
		if err != nil {
			return nil, err
		}
		others := column.Default(result, rows)
		if len(args) == 3 {
			if others, err = cast.Column(column.Full(args[2]), given, result, nil); err != nil {
				return nil, err
			}
		}
		offsets := cast.Native[int64](column.Full(args[1]))
		positions := make([]uint32, rows)
		for i := range positions {
			positions[i] = uint32(rows + i)
			if at := int64(i) + offsets[i]; at >= 0 && at < int64(rows) {
				positions[i] = uint32(at)
			}
		}
		return column.Full(column.Concat(result, []column.Column{column.Full(values), column.Full(others)})).Gather(positions), nil
	}}, nil
}

func running(name string, first bool) functions.Scalar {
	return functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 1, KeepNulls: true,
		Doc: functions.Doc{Syntax: name + "(x)", Summary: "The difference to the row before in the same block. Needs allow_deprecated_error_prone_window_functions.", Examples: []string{"SELECT " + name + "(number) FROM numbers(3) SETTINGS allow_deprecated_error_prone_window_functions = 1"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			return bindRunning(env, name, first, args[0].Type)
		},
	}
}

// differenceType is the type that holds differences of a type's values.
func differenceType(t *types.Type) *types.Type {
	switch k := t.Kind(); {
	case k == types.KindInt8 || k == types.KindUInt8:
		return types.Int16
	case k == types.KindInt16 || k == types.KindUInt16 || k == types.KindDate:
		return types.Int32
	case t.IsInteger() && t.Bytes() <= 8, k == types.KindDateTime, k == types.KindDate32, k == types.KindDateTime64, k == types.KindInterval:
		return types.Int64
	case t.IsFloat():
		return types.Float64
	}
	return nil
}

func bindRunning(env *functions.Env, name string, first bool, t *types.Type) (*expr.Function, error) {
	if err := allowDeprecated(env, name); err != nil {
		return nil, err
	}
	plain := types.WithoutNullable(t)
	if plain.Kind() == types.KindNothing {
		return &expr.Function{Result: t, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) { return args[0], nil }}, nil
	}
	inner := differenceType(plain)
	if inner == nil {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument for function %s must have numeric type", name)
	}
	result := inner
	if t.IsNullable() {
		result = types.Nullable(inner)
	}
	return &expr.Function{Result: result, Volatile: true, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		values, null := column.SplitNulls(column.Full(args[0]))
		var out column.Column
		if inner.IsFloat() {
			out = column.NewFixed(differences(cast.Floats(values, plain), null, first))
		} else {
			d := column.NewFixed(differences(cast.Native[int64](values), null, first))
			switch inner.Bytes() {
			case 2:
				out = column.NewFixed(cast.Native[int16](d))
			case 4:
				out = column.NewFixed(cast.Native[int32](d))
			default:
				out = d
			}
		}
		if !t.IsNullable() {
			return out, nil
		}
		return column.NewNullable(out, null), nil
	}}, nil
}

// differences are to the last row that is not NULL.
func differences[T int64 | float64](v []T, null []uint8, first bool) []T {
	out := make([]T, len(v))
	last, seen := T(0), false
	for i, x := range v {
		if null != nil && null[i] != 0 {
			continue
		}
		if seen || first {
			out[i] = x - last
		}
		last, seen = x, true
	}
	return out
}
