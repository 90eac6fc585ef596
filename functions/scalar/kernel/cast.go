package kernel

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/functions"
	"lakeserver/types"
)

// Caster turns columns of one type into another's. A nil Caster leaves them.
type Caster struct{ fn cast.Func }

// Cast binds a conversion; nil when the types hold the same values alike.
func Cast(env *functions.Env, from, to *types.Type) (*Caster, error) {
	from, to = types.WithoutLowCardinality(from), types.WithoutLowCardinality(to)
	if from.Equal(to) {
		return nil, nil
	}
	fn, err := cast.Bind(from, to, &cast.Options{Zone: env.Zone, KeepText: true})
	if err != nil {
		return nil, err
	}
	return &Caster{fn}, nil
}

// Apply converts a column.
func (c *Caster) Apply(_ context.Context, col column.Column) (column.Column, error) {
	if c == nil {
		return col, nil
	}
	return c.fn(col)
}

// Casters binds conversions of arguments to one type.
func Casters(env *functions.Env, args []functions.Arg, to *types.Type) ([]*Caster, error) {
	out := make([]*Caster, len(args))
	for i, a := range args {
		var err error
		if out[i], err = Cast(env, a.Type, to); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ApplyAll converts each column by its Caster and spells it out.
func ApplyAll(ctx context.Context, casters []*Caster, cols []column.Column) ([]column.Column, error) {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		v, err := casters[i].Apply(ctx, c)
		if err != nil {
			return nil, err
		}
		out[i] = column.Full(v)
	}
	return out, nil
}

// Types gives the types of arguments.
func Types(args []functions.Arg) []*types.Type {
	out := make([]*types.Type, len(args))
	for i, a := range args {
		out[i] = a.Type
	}
	return out
}
