package kernel

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// Caster turns columns of one type into another's. A nil Caster leaves them.
type Caster struct {
	to   *types.Type
	fn   *expr.Function // nil: nothing but NULL, or only Nullable is added
	name column.Column
	void bool // the source has no values but NULL
}

// Cast binds a conversion; nil when the types hold the same values alike.
func Cast(env *functions.Env, from, to *types.Type) (*Caster, error) {
	from, to = types.WithoutLowCardinality(from), types.WithoutLowCardinality(to)
	switch {
	case from.Equal(to):
		return nil, nil
	case types.WithoutNullable(from).Kind() == types.KindNothing:
		return &Caster{to: to, void: true}, nil
	case types.Nullable(from).Equal(to) && from.CanBeNullable():
		return &Caster{to: to}, nil
	}
	name := column.NewStr(to.String())
	fn, err := env.Registry.BindScalar(env, "CAST", []functions.Arg{{Type: from}, {Type: types.String, Const: name}})
	if err != nil {
		return nil, err
	}
	return &Caster{to: to, fn: fn, name: name}, nil
}

// Apply converts a column.
func (c *Caster) Apply(ctx context.Context, col column.Column) (column.Column, error) {
	switch {
	case c == nil:
		return col, nil
	case c.void:
		return column.Default(c.to, col.Len()), nil
	case c.fn == nil:
		return column.NewNullable(column.Full(col), nil), nil
	}
	return c.fn.Apply(ctx, []column.Column{col, column.NewConst(c.name, col.Len())}, col.Len())
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
