package maps

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// delegated is a function on maps that an array function over the pairs is.
type delegated struct {
	name, array, summary string
	minArgs, maxArgs     int
	lambda               bool // the first argument is (or may be) a lambda of key and value
	result               bool // the result is a map again
}

var _ = addDelegated()

func addDelegated() bool {
	for _, d := range []delegated{
		{"mapFilter", "arrayFilter", "The entries for which the lambda is true.", 2, 2, true, true},
		{"mapApply", "arrayMap", "The pairs that the lambda makes of the entries.", 2, 2, true, true},
		{"mapExists", "arrayExists", "Whether the lambda is true for any entry.", 1, 2, true, false},
		{"mapAll", "arrayAll", "Whether the lambda is true for all entries.", 1, 2, true, false},
		{"mapSort", "arraySort", "The entries in the order of their keys or of the lambda's answers.", 1, 2, true, true},
		{"mapReverseSort", "arrayReverseSort", "The entries in descending order of their keys or of the lambda's answers.", 1, 2, true, true},
		{"mapPartialSort", "arrayPartialSort", "The entries with the first n places in order.", 2, 3, true, true},
		{"mapPartialReverseSort", "arrayPartialReverseSort", "The entries with the first n places in descending order.", 2, 3, true, true},
		{"mapConcat", "arrayConcat", "The entries of all maps.", 1, -1, false, true},
	} {
		f := functions.Scalar{
			Name: d.name, MinArgs: d.minArgs, MaxArgs: d.maxArgs, KeepNulls: true, KeepLowCardinality: true,
			Doc:  functions.Doc{Syntax: d.name + "(…)", Summary: d.summary, Examples: []string{"SELECT " + d.example()}},
			Bind: d.bind,
		}
		if d.lambda {
			f.LambdaParams = d.params
		}
		add(f)
	}
	return true
}

func (d *delegated) example() string {
	switch {
	case d.name == "mapApply":
		return "mapApply((k, v) -> (k, v), map('a', 1))"
	case d.lambda && d.maxArgs == 2:
		return d.name + "((k, v) -> v = 1, map('a', 1))"
	case d.lambda:
		return d.name + "(1, map('a', 1))"
	}
	return d.name + "(map('a', 1), map('b', 2))"
}

func (d *delegated) params(args []functions.Arg, _ int) ([]*types.Type, error) {
	last := args[len(args)-1].Type
	if last == nil || last.Kind() != types.KindMap {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "The last argument of function %s must be a map", d.name)
	}
	return last.Elems(), nil
}

func (d *delegated) bind(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	inner := append([]functions.Arg(nil), args...)
	maps := 0
	for i := range inner {
		if t := inner[i].Type; inner[i].Lambda == nil && t.Kind() == types.KindMap {
			inner[i].Type = types.Array(types.Tuple(t.Elems(), nil))
			inner[i].Const = nil
			maps++
		}
	}
	if maps == 0 || !d.lambda && maps < len(args) {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function %s needs a map", d.name)
	}
	fn, err := env.Registry.BindScalar(env, d.array, inner)
	if err != nil {
		return nil, err
	}
	result := fn.Result
	if d.result {
		pair := result.Elem()
		if pair.Kind() != types.KindTuple || len(pair.Elems()) != 2 {
			return nil, cherr.New(cherr.BadArguments, "Function %s should return a tuple of key and value, got %s", d.name, pair)
		}
		result = types.Map(pair.Elems()[0], pair.Elems()[1])
	}
	return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		over := append([]column.Column(nil), args...)
		for i, c := range over {
			if k, ok := c.(*column.Const); ok {
				if _, isMap := k.Value.(*column.Map); isMap {
					over[i] = asArray(c)
				}
			} else if _, isMap := c.(*column.Map); isMap {
				over[i] = asArray(c)
			}
		}
		out, err := fn.Kernel(ctx, over, rows)
		if err != nil || !d.result {
			return out, err
		}
		return asMap(out), nil
	}}, nil
}

var (
	_ = addContains("mapContainsKey", "mapContains", "Whether a key is there.", 0)
	_ = addContains("mapContainsValue", "", "Whether a value is there.", 1)
)

func addContains(name, alias, summary string, side int) bool {
	f := functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc: functions.Doc{Syntax: name + "(m, x)", Summary: summary, Examples: []string{"SELECT " + name + "(map(1, 1), 1)"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if args[0].Type.Kind() != types.KindMap {
				return nil, kernel.WrongType(name, 0, args[0].Type)
			}
			fn, err := env.Registry.BindScalar(env, "has", []functions.Arg{{Type: types.Array(args[0].Type.Elems()[side])}, args[1]})
			if err != nil {
				return nil, err
			}
			return &expr.Function{Result: fn.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
				return fn.Kernel(ctx, []column.Column{sideOf(args[0], side), args[1]}, rows)
			}}, nil
		},
	}
	if alias != "" {
		f.Aliases = []string{alias}
	}
	return add(f)
}

func sideOf(c column.Column, side int) *column.Array {
	m := column.Full(c).(*column.Map)
	if side == 0 {
		return &column.Array{Offsets: m.Offsets, Elems: m.Keys}
	}
	return &column.Array{Offsets: m.Offsets, Elems: m.Values}
}
