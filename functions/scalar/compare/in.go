package compare

import (
	"context"
	stdstrings "strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
)

var _ = addIn()

// addIn adds IN over literals by all its names. Sets of subqueries are bound by
// functions.NewIn, without these.
func addIn() struct{} {
	for _, name := range []string{"in", "notIn", "globalIn", "globalNotIn", "nullIn", "notNullIn", "globalNullIn", "globalNotNullIn"} {
		lower := stdstrings.ToLower(name)
		how := functions.In{Negate: stdstrings.Contains(lower, "not"), TransformNull: stdstrings.Contains(lower, "null")}
		add(functions.Scalar{
			Name: name, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
			Doc: functions.Doc{
				Syntax: name + "(x, set)", Summary: "Tells whether x is among the values of a literal set.",
				Examples: []string{"SELECT " + name + "(1, (1, 2))"},
			},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindIn(env, name, how, args)
			},
		})
	}
	return struct{}{}
}

func bindIn(env *functions.Env, name string, how functions.In, args []functions.Arg) (*expr.Function, error) {
	if args[1].Const == nil {
		return nil, cherr.New(cherr.UnsupportedMethod, "Function '%s' is supported only if second argument is constant or table expression", name)
	}
	how.TransformNull = how.TransformNull || env.Settings.Bool("transform_null_in")
	set, err := functions.LiteralSet(env, args[0].Type, args[1].Type, args[1].Const, how.TransformNull)
	if err != nil {
		return nil, err
	}
	f, err := functions.NewIn(env, name, args[0].Type, set, how)
	if err != nil {
		return nil, err
	}
	k := f.Kernel
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, args[:1], rows)
	}
	return f, nil
}
