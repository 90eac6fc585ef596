package kernel

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Composed is a value that other functions make of a function's arguments: how
// functions over tuples, whose elements have types of their own, are built of
// those over numbers.
type Composed struct {
	functions.Arg
	eval func(ctx context.Context, args []column.Column, rows int) (column.Column, error)
}

// ArgOf is argument i itself.
func ArgOf(args []functions.Arg, i int) Composed {
	return Composed{args[i], func(_ context.Context, cols []column.Column, _ int) (column.Column, error) { return cols[i], nil }}
}

// Elements are those of a tuple.
func (v Composed) Elements() []Composed {
	out := make([]Composed, len(v.Type.Elems()))
	for i, t := range v.Type.Elems() {
		out[i] = Composed{functions.Arg{Type: t}, func(ctx context.Context, cols []column.Column, rows int) (column.Column, error) {
			c, err := v.eval(ctx, cols, rows)
			if err != nil {
				return nil, err
			}
			return FullTuple(c).Elems[i], nil
		}}
	}
	return out
}

// Compose applies a function by name.
func Compose(env *functions.Env, name string, args ...Composed) (Composed, error) {
	types := make([]functions.Arg, len(args))
	for i, a := range args {
		types[i] = a.Arg
	}
	f, err := env.Registry.BindScalar(env, name, types)
	if err != nil {
		return Composed{}, err
	}
	return Composed{functions.Arg{Type: f.Result}, func(ctx context.Context, cols []column.Column, rows int) (column.Column, error) {
		in := make([]column.Column, len(args))
		for i, a := range args {
			var err error
			if in[i], err = a.eval(ctx, cols, rows); err != nil {
				return nil, err
			}
		}
		return f.Apply(ctx, in, rows)
	}}, nil
}

// ConstOf is a constant.
func ConstOf(t *types.Type, one column.Column) Composed {
	return Composed{functions.Arg{Type: t, Const: one}, func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(one, rows), nil
	}}
}

// Fold applies a function of two to the values one after the other.
func Fold(env *functions.Env, name string, values []Composed) (Composed, error) {
	if len(values) == 0 { // what ClickHouse has for an empty tuple
		return ConstOf(types.UInt8, column.NewFixed([]uint8{0})), nil
	}
	out := values[0]
	for _, v := range values[1:] {
		var err error
		if out, err = Compose(env, name, out, v); err != nil {
			return Composed{}, err
		}
	}
	return out, nil
}

// Function is the value as a bound function.
func (v Composed) Function() *expr.Function {
	return &expr.Function{Result: v.Type, Kernel: v.eval}
}
