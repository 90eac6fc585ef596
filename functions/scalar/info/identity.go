package info

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// passing describes a function that gives its argument as it is.
func passing(name string, aliases []string, doc functions.Doc, form func(column.Column) column.Column) functions.Scalar {
	return functions.Scalar{
		Name: name, Aliases: aliases, MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepVariants: true, KeepLowCardinality: true, Doc: doc,
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			return &expr.Function{Result: args[0].Type, KeepForms: true, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
				return form(args[0]), nil
			}}, nil
		},
	}
}

func same(c column.Column) column.Column { return c }

var (
	_ = add(passing("identity", nil, functions.Doc{Syntax: "identity(x)", Summary: "x.", Examples: []string{"SELECT identity(1)"}}, same))
	_ = add(passing("__actionName", nil, functions.Doc{Syntax: "__actionName(x)", Summary: "x, for plans.", Examples: []string{"SELECT 1"}}, same))
	_ = add(passing("indexHint", nil, functions.Doc{Syntax: "indexHint(x)", Summary: "1 for any condition, which only prunes.", Examples: []string{"SELECT 1"}}, same))
)

var _ = add(materialize())

// materialize spells constants out and is never folded.
func materialize() functions.Scalar {
	s := passing("materialize", nil, functions.Doc{Syntax: "materialize(x)", Summary: "x as a full column, even when it is constant.", Examples: []string{"SELECT materialize(1)"}}, func(c column.Column) column.Column {
		if k, ok := c.(*column.Const); ok {
			return column.Full(k)
		}
		return c
	})
	bind := s.Bind
	s.Bind = func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		f, err := bind(env, args)
		if err == nil {
			f.Volatile = true
		}
		return f, err
	}
	return s
}

// about describes a function of its arguments' types or forms alone.
func about(name string, least, most int, doc functions.Doc, result *types.Type, value func(env *functions.Env, args []functions.Arg) (column.Value, error)) functions.Scalar {
	return functions.Scalar{
		Name: name, MinArgs: least, MaxArgs: most, KeepNulls: true, KeepVariants: true, KeepLowCardinality: true, Doc: doc,
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			v, err := value(env, args)
			if err != nil {
				return nil, err
			}
			one := column.FromValue(result, v, 1).Value
			return &expr.Function{Result: result, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
				return column.NewConst(one, rows), nil
			}}, nil
		},
	}
}

var _ = add(about("toTypeName", 1, 1, functions.Doc{Syntax: "toTypeName(x)", Summary: "The name of the type of x.", Examples: []string{"SELECT toTypeName(1)"}}, types.String,
	func(env *functions.Env, args []functions.Arg) (column.Value, error) {
		if env.Settings.Bool("print_pretty_type_names") {
			return args[0].Type.Pretty(0), nil
		}
		return args[0].Type.String(), nil
	}))

var _ = add(about("ignore", 0, -1, functions.Doc{Syntax: "ignore(…)", Summary: "0 for any arguments.", Examples: []string{"SELECT ignore(1)"}}, types.UInt8,
	func(*functions.Env, []functions.Arg) (column.Value, error) { return uint8(0), nil }))

var _ = add(about("isConstant", 1, 1, functions.Doc{Syntax: "isConstant(x)", Summary: "1 when x is a constant expression.", Examples: []string{"SELECT isConstant(1)"}}, types.UInt8,
	func(_ *functions.Env, args []functions.Arg) (column.Value, error) {
		if args[0].Const != nil {
			return uint8(1), nil
		}
		return uint8(0), nil
	}))

var _ = add(functions.Scalar{
	Name: "defaultValueOfArgumentType", KeepVariants: true, MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc:  functions.Doc{Syntax: "defaultValueOfArgumentType(x)", Summary: "The default value of the type of x.", Examples: []string{"SELECT defaultValueOfArgumentType(1)"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) { return defaultOf(args[0].Type) },
})

var _ = add(functions.Scalar{
	Name: "defaultValueOfTypeName", MinArgs: 1, MaxArgs: 1, KeepNulls: true, KeepLowCardinality: true,
	Doc: functions.Doc{Syntax: "defaultValueOfTypeName('type')", Summary: "The default value of a type.", Examples: []string{"SELECT defaultValueOfTypeName('Int8')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		name, ok := args[0].ConstString()
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "The argument of function defaultValueOfTypeName must be a constant string describing type")
		}
		t, err := types.Parse(name)
		if err != nil {
			return nil, err
		}
		return defaultOf(t)
	},
})

func defaultOf(t *types.Type) (*expr.Function, error) {
	one := column.Default(t, 1)
	return &expr.Function{Result: t, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(one, rows), nil
	}}, nil
}
