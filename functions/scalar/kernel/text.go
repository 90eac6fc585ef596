package kernel

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Parts makes a column of parts of the strings of in, sharing their bytes: f
// gives the bytes [a, b) of row i.
func Parts(in Strs, rows int, f func(i int, s []byte) (a, b int)) *column.Str {
	out := &column.Str{Data: in.Col.Data, Start: make([]uint32, rows), Lns: make([]uint32, rows)}
	for i := range rows {
		a, b := f(i, in.At(i))
		out.Start[i], out.Lns[i] = in.Col.Start[i&in.mask]+uint32(a), uint32(b-a)
	}
	return out
}

// Texts reads arguments of any type as text.
type Texts []*Caster

// BindTexts binds conversions to String of the arguments that are not strings.
func BindTexts(env *functions.Env, args []functions.Arg) (Texts, error) {
	out := make(Texts, len(args))
	for i, a := range args {
		t := types.Unwrap(a.Type)
		if t.IsString() {
			continue
		}
		c, err := Cast(env, t, types.String)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// Columns gives the arguments as columns of strings.
func (t Texts) Columns(ctx context.Context, args []column.Column) ([]column.Column, error) {
	out := append([]column.Column(nil), args...)
	for i, f := range t {
		if f == nil {
			continue
		}
		var err error
		if out[i], err = f.Apply(ctx, args[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Read gives the arguments as strings; none is Nullable.
func (t Texts) Read(ctx context.Context, args []column.Column) ([]Strs, error) {
	cols, err := t.Columns(ctx, args)
	if err != nil {
		return nil, err
	}
	out := make([]Strs, len(cols))
	for i, c := range cols {
		out[i] = Strings(c)
	}
	return out, nil
}

// OverText binds a function by name over the text of its first argument.
func OverText(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	texts, err := BindTexts(env, args[:1])
	if err != nil {
		return nil, err
	}
	inner, err := env.Registry.BindScalar(env, name, append([]functions.Arg{{Type: types.String}}, args[1:]...))
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: inner.Result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		first, err := texts.Columns(ctx, args[:1])
		if err != nil {
			return nil, err
		}
		return inner.Apply(ctx, append(first, args[1:]...), rows)
	}}, nil
}
