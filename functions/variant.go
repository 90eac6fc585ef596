package functions

import (
	"context"
	"math"
	"slices"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/types"
)

// IsVariant tells whether values of a type have types of their own.
func IsVariant(t *types.Type) bool {
	k := types.WithoutLowCardinality(t).Kind()
	return k == types.KindVariant || k == types.KindDynamic
}

// CommonType is types.Super; where there is none, it is a Variant of the types
// if the setting use_variant_as_common_type says so.
func CommonType(env *Env, ts ...*types.Type) (*types.Type, error) {
	t, err := types.Super(ts...)
	if err == nil || !env.Settings.Bool("use_variant_as_common_type") {
		return t, err
	}
	return types.Variant(ts...), nil
}

// CommonTypeOf is CommonType of arguments: numbers of UInt64 among constants
// count as Int64 where they fit and else there would be no type.
func CommonTypeOf(env *Env, args []Arg) (*types.Type, error) {
	ts, signed := make([]*types.Type, len(args)), make([]*types.Type, len(args))
	for i, a := range args {
		ts[i], signed[i] = a.Type, a.Type
		if a.Const != nil {
			signed[i] = asSigned(a.Type, column.Full(a.Const))
		}
	}
	if t, err := types.Super(ts...); err == nil {
		return t, nil
	}
	if t, err := types.Super(signed...); err == nil {
		return t, nil
	}
	return CommonType(env, ts...)
}

// asSigned puts Int64 for UInt64 where all values of a column fit.
func asSigned(t *types.Type, c column.Column) *types.Type {
	switch c := c.(type) {
	case *column.Fixed[uint64]:
		if t.Kind() == types.KindUInt64 && !slices.ContainsFunc(c.Values, func(v uint64) bool { return v > math.MaxInt64 }) {
			return types.Int64
		}
	case *column.Array:
		if t.Kind() == types.KindArray && !t.IsNested() {
			return types.Array(asSigned(t.Elem(), column.Full(c.Elems)))
		}
	case *column.Map:
		return types.Map(asSigned(t.Elems()[0], column.Full(c.Keys)), asSigned(t.Elems()[1], column.Full(c.Values)))
	case *column.Tuple:
		elems := make([]*types.Type, len(c.Elems))
		for i, e := range c.Elems {
			elems[i] = asSigned(t.Elems()[i], column.Full(e))
		}
		return types.Tuple(elems, t.Names())
	}
	return t
}

// variantArg gives the first argument whose values have types of their own, -1
// if there is none.
func variantArg(args []Arg) int {
	for i, a := range args {
		if a.Type != nil && IsVariant(a.Type) {
			return i
		}
	}
	return -1
}

// probes are types that stand for all that a Dynamic may hold: where the
// function takes several and its result is of one type, that is its type.
func probes() []*types.Type {
	return []*types.Type{
		types.UInt8, types.Int64, types.Float64, types.String, types.Date, types.DateTime, types.UUID, types.IPv4, types.Array(types.UInt8),
		types.Array(types.String), types.Map(types.String, types.UInt8), types.Tuple([]*types.Type{types.UInt8, types.UInt8}, nil),
	}
}

// bindVariant binds a function over an argument of type Variant or Dynamic: the
// rows of each type are computed apart.
func (s *Scalar) bindVariant(env *Env, args []Arg, at int) (*expr.Function, error) {
	t := types.WithoutLowCardinality(args[at].Type)
	alternatives := t.Elems()
	if t.Kind() == types.KindDynamic {
		alternatives = probes()
	}
	v := &variantCall{scalar: s, env: env, args: args, at: at, bound: map[string]*expr.Function{}}
	var first error
	var results []*types.Type
	for _, a := range alternatives {
		f, err := v.bind(a)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		results = append(results, f.Result)
	}
	if len(results) == 0 {
		return nil, first
	}
	if t.Kind() == types.KindDynamic {
		v.bound = map[string]*expr.Function{}
	}
	v.result = results[0]
	for _, r := range results[1:] {
		if !types.WithoutNullable(r).Equal(types.WithoutNullable(v.result)) {
			v.result = nil
			break
		}
	}
	switch {
	case v.result != nil:
		if v.result = types.WithoutLowCardinality(v.result); v.result.CanBeNullable() {
			v.result = types.Nullable(v.result)
		}
	case t.Kind() == types.KindDynamic:
		v.result = types.Dynamic
	default:
		v.result = types.Variant(results...)
		for _, r := range results {
			if r.Kind() == types.KindDynamic {
				v.result = r
			}
		}
	}
	return &expr.Function{Name: s.Name, Result: v.result, KeepNulls: true, Kernel: v.eval}, nil
}

// variantCall computes a function type by type.
type variantCall struct {
	scalar *Scalar
	env    *Env
	args   []Arg
	at     int
	result *types.Type
	bound  map[string]*expr.Function
}

func (v *variantCall) bind(t *types.Type) (*expr.Function, error) {
	args := append([]Arg(nil), v.args...)
	args[v.at] = Arg{Type: t}
	f, err := v.scalar.bind(v.env, args)
	if err == nil {
		v.bound[t.String()] = f
	}
	return f, err
}

func (v *variantCall) eval(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
	if n, ok := column.Full(args[v.at]).(*column.Nothing); ok {
		return column.Default(v.result, n.N), nil
	}
	c := column.Full(args[v.at]).(*column.Variant)
	parts := []column.Column{column.Default(v.result, 1)}
	place := make([]uint32, rows)
	next := uint32(1)
	for k, t := range c.Types {
		positions, values := c.Of(k)
		if len(positions) == 0 {
			continue
		}
		f := v.bound[t.String()]
		if f == nil {
			// Bindings are not kept here: several goroutines evaluate one call.
			bound := &variantCall{scalar: v.scalar, env: v.env, args: v.args, at: v.at, bound: map[string]*expr.Function{}}
			var err error
			if f, err = bound.bind(t); err != nil {
				return nil, err
			}
		}
		sub := &column.Block{Columns: make([]column.Column, len(args)), Rows: len(positions)}
		call := &expr.Call{Fn: f}
		for i, a := range args {
			at := t
			if i == v.at {
				sub.Columns[i] = values
			} else {
				sub.Columns[i], at = a.Gather(positions), v.args[i].Type
			}
			call.Args = append(call.Args, &expr.Column{Index: i, T: at})
		}
		out, err := call.Eval(ctx, sub)
		if err != nil {
			return nil, err
		}
		if out, err = cast.Column(column.Full(out), f.Result, v.result, &cast.Options{Zone: v.env.Zone}); err != nil {
			return nil, err
		}
		for i, p := range positions {
			place[p] = next + uint32(i)
		}
		next += uint32(len(positions))
		parts = append(parts, column.Full(out))
	}
	return column.Concat(v.result, parts).Gather(place), nil
}
