package maps

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addSum("mapAdd", "Sums of the values of each key, in the order of the keys.", false)
	_ = addSum("mapSubtract", "The first map's values less those of the others, by key, in the order of the keys.", true)
)

func addSum(name, summary string, subtract bool) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: name + "(a, b, …)", Summary: summary + " Arguments are maps or tuples of two arrays.", Examples: []string{"SELECT " + name + "(map('a', 1), map('a', 2))"}},
		Bind: bindSum(name, subtract),
	})
}

// entryTypes gives the types of keys and values of a map or a pair of arrays.
func entryTypes(t *types.Type) (key, value *types.Type, ok bool) {
	switch {
	case t.Kind() == types.KindMap:
		return t.Elems()[0], t.Elems()[1], true
	case t.Kind() == types.KindTuple && len(t.Elems()) == 2 && t.Elems()[0].Kind() == types.KindArray && t.Elems()[1].Kind() == types.KindArray:
		return t.Elems()[0].Elem(), t.Elems()[1].Elem(), true
	}
	return nil, nil, false
}

// wideOf gives the type that sums of values have, nil for no number.
func wideOf(t *types.Type) *types.Type {
	switch {
	case t.IsUnsigned() && t.Bytes() <= 8:
		return types.UInt64
	case t.IsSigned() && t.Bytes() <= 8:
		return types.Int64
	case t.IsFloat():
		return types.Float64
	}
	return nil
}

func bindSum(name string, subtract bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		var keys, values []*types.Type
		for i, a := range args {
			k, v, ok := entryTypes(a.Type)
			if !ok || a.Type.Kind() != args[0].Type.Kind() {
				return nil, kernel.WrongType(name, i, a.Type)
			}
			keys, values = append(keys, k), append(values, v)
			if w := wideOf(v); w == nil || w != wideOf(values[0]) {
				return nil, kernel.WrongType(name, i, a.Type)
			}
		}
		key, err := types.Super(keys...)
		if err != nil {
			return nil, err
		}
		value, err := types.Super(values...)
		if err != nil {
			return nil, err
		}
		wide := wideOf(value)
		if wide == nil {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function %s cannot add values of type %s", name, value)
		}
		isMap := args[0].Type.Kind() == types.KindMap
		inner, result := types.Map(key, wide), types.Map(key, wide)
		if !isMap {
			result = types.Tuple([]*types.Type{types.Array(key), types.Array(wide)}, nil)
		}
		casters := make([]*kernel.Caster, len(args))
		for i := range args {
			if casters[i], err = kernel.Cast(env, types.Map(keys[i], values[i]), inner); err != nil {
				return nil, err
			}
		}
		return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			in := make([]column.Column, len(args))
			for i, c := range args {
				if in[i], err = entries(name, c, rows); err != nil {
					return nil, err
				}
			}
			cols, err := kernel.ApplyAll(ctx, casters, in)
			if err != nil {
				return nil, err
			}
			m := sumMaps(key, wide, cols, rows, subtract)
			if isMap {
				return m, nil
			}
			return column.NewTuple(&column.Array{Offsets: m.Offsets, Elems: m.Keys}, &column.Array{Offsets: m.Offsets, Elems: m.Values}), nil
		}}, nil
	}
}

// entries reads a map, or a pair of arrays as one.
func entries(name string, c column.Column, rows int) (*column.Map, error) {
	switch c := column.Full(c).(type) {
	case *column.Map:
		return c, nil
	case *column.Tuple:
		k, v := c.Elems[0].(*column.Array).Compact(), c.Elems[1].(*column.Array).Compact()
		for i := range rows {
			if k.Offsets[i+1] != v.Offsets[i+1] {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Key and value arrays in function %s should have same amount of elements", name)
			}
		}
		return &column.Map{Offsets: k.Offsets, Keys: k.Elems, Values: v.Elems}, nil
	}
	return nil, cherr.New(cherr.IllegalColumn, "function %s needs maps", name)
}

func sumMaps(key, wide *types.Type, cols []column.Column, rows int, subtract bool) *column.Map {
	var keyParts, valueParts []column.Column
	base := []int{0}
	for _, c := range cols {
		m := c.(*column.Map)
		keyParts, valueParts = append(keyParts, m.Keys), append(valueParts, m.Values)
		base = append(base, base[len(base)-1]+m.Keys.Len())
	}
	keys := column.Full(column.Concat(key, keyParts))
	values := column.Full(column.Concat(wide, valueParts))
	if subtract {
		values = negated(values, base[1])
	}
	offsets, keyAt := make([]uint64, rows+1), []uint32(nil)
	var groups [][2]uint32 // value position, output position
	var order []uint32
	for i := range rows {
		order = order[:0]
		for k, c := range cols {
			for e, to := c.(*column.Map).Bounds(i); e < to; e++ {
				order = append(order, uint32(base[k]+e))
			}
		}
		slices.SortStableFunc(order, func(a, b uint32) int { return column.Compare(keys, int(a), keys, int(b), 1) })
		for n, e := range order {
			if n == 0 || column.Compare(keys, int(order[n-1]), keys, int(e), 1) != 0 {
				keyAt = append(keyAt, e)
			}
			groups = append(groups, [2]uint32{e, uint32(len(keyAt) - 1)})
		}
		offsets[i+1] = uint64(len(keyAt))
	}
	return &column.Map{Offsets: offsets, Keys: keys.Gather(keyAt), Values: summed(values, groups, len(keyAt))}
}

func negated(values column.Column, from int) column.Column {
	switch v := values.(type) {
	case *column.Fixed[uint64]:
		return column.NewFixed(negate(v.Values, from))
	case *column.Fixed[int64]:
		return column.NewFixed(negate(v.Values, from))
	}
	return column.NewFixed(negate(column.Values[float64](values), from))
}

func negate[T uint64 | int64 | float64](v []T, from int) []T {
	out := append([]T(nil), v...)
	for i := from; i < len(out); i++ {
		out[i] = -out[i]
	}
	return out
}

func summed(values column.Column, groups [][2]uint32, n int) column.Column {
	switch v := values.(type) {
	case *column.Fixed[uint64]:
		return column.NewFixed(sums(v.Values, groups, n))
	case *column.Fixed[int64]:
		return column.NewFixed(sums(v.Values, groups, n))
	}
	return column.NewFixed(sums(column.Values[float64](values), groups, n))
}

func sums[T uint64 | int64 | float64](v []T, groups [][2]uint32, n int) []T {
	out := make([]T, n)
	for _, g := range groups {
		out[g[1]] += v[g[0]]
	}
	return out
}
