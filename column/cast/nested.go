package cast

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

func (b *binder) toArray(from, to *types.Type) (kernel, error) {
	switch from.Kind() {
	case types.KindArray:
		k, err := b.bind(from.Elem(), to.Elem())
		if err != nil {
			return nil, err
		}
		return func(c column.Column, _ *failures) (column.Column, error) {
			a := c.(*column.Array).Compact()
			elems, err := k(a.Elems, nil)
			if err != nil {
				return nil, err
			}
			return &column.Array{Offsets: a.Offsets, Elems: elems}, nil
		}, nil
	case types.KindMap:
		entries := types.Array(types.Tuple(from.Elems(), nil))
		k, err := b.bind(entries, to)
		if err != nil {
			return nil, err
		}
		return func(c column.Column, bad *failures) (column.Column, error) {
			m := c.(*column.Map)
			return k(&column.Array{Offsets: m.Offsets, Elems: column.NewTuple(m.Keys, m.Values)}, bad)
		}, nil
	}
	return nil, cherr.New(cherr.TypeMismatch, "CAST AS Array can only be performed between same-dimensional Array, Map or String types")
}

// toTuple converts element by element: by name when both have names, else by
// position.
func (b *binder) toTuple(from, to *types.Type) (kernel, error) {
	if from.Kind() != types.KindTuple {
		return nil, cherr.New(cherr.TypeMismatch, "CAST AS Tuple can only be performed between tuple types or from String. Left type: %s, right type: %s", from, to)
	}
	byName := from.Names() != nil && to.Names() != nil
	if !byName && len(from.Elems()) != len(to.Elems()) {
		return nil, cherr.New(cherr.TypeMismatch, "CAST AS Tuple can only be performed between tuple types with the same number of elements or from String. Left type: %s, right type: %s", from, to)
	}
	kernels := make([]kernel, len(to.Elems()))
	source := make([]int, len(kernels))
	for i, t := range to.Elems() {
		source[i] = i
		if byName {
			source[i] = indexOf(from.Names(), to.Names()[i])
		}
		if source[i] < 0 {
			continue
		}
		k, err := b.bind(from.Elems()[source[i]], t)
		if err != nil {
			return nil, err
		}
		kernels[i] = k
	}
	return func(c column.Column, _ *failures) (column.Column, error) {
		in := c.(*column.Tuple)
		out := &column.Tuple{Elems: make([]column.Column, len(kernels)), N: in.N}
		for i, k := range kernels {
			if k == nil {
				out.Elems[i] = column.Default(to.Elems()[i], in.N)
				continue
			}
			e, err := k(in.Elems[source[i]], nil)
			if err != nil {
				return nil, err
			}
			out.Elems[i] = e
		}
		return out, nil
	}, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// toMap converts maps, arrays of pairs, and pairs of arrays of one length.
func (b *binder) toMap(from, to *types.Type) (kernel, error) {
	var k, v *types.Type
	pairs := from.Kind() == types.KindArray && from.Elem().Kind() == types.KindTuple && len(from.Elem().Elems()) == 2
	e := from.Elems()
	arrays := from.Kind() == types.KindTuple && len(e) == 2 && e[0].Kind() == types.KindArray && e[1].Kind() == types.KindArray
	switch {
	case from.Kind() == types.KindMap:
		k, v = e[0], e[1]
	case pairs:
		k, v = from.Elem().Elems()[0], from.Elem().Elems()[1]
	case arrays:
		k, v = e[0].Elem(), e[1].Elem()
	case from.Kind() == types.KindArray && from.Elem().Kind() == types.KindNothing:
		return func(c column.Column, _ *failures) (column.Column, error) { return column.Default(to, c.Len()), nil }, nil
	default:
		return nil, cherr.New(cherr.TypeMismatch, "Unsupported types to CAST AS Map. Left type: %s, right type: %s", from, to)
	}
	keys, err := b.bind(k, to.Elems()[0])
	if err != nil {
		return nil, err
	}
	values, err := b.bind(v, to.Elems()[1])
	if err != nil {
		return nil, err
	}
	return func(c column.Column, _ *failures) (column.Column, error) {
		m, err := asMap(c)
		if err != nil {
			return nil, err
		}
		out := &column.Map{Offsets: m.Offsets}
		if out.Keys, err = keys(m.Keys, nil); err != nil {
			return nil, err
		}
		out.Values, err = values(m.Values, nil)
		return out, err
	}, nil
}

func asMap(c column.Column) (*column.Map, error) {
	switch c := c.(type) {
	case *column.Map:
		return c.Compact(), nil
	case *column.Array:
		a := c.Compact()
		t := a.Elems.(*column.Tuple)
		return &column.Map{Offsets: a.Offsets, Keys: t.Elems[0], Values: t.Elems[1]}, nil
	}
	t := c.(*column.Tuple)
	k, v := t.Elems[0].(*column.Array).Compact(), t.Elems[1].(*column.Array).Compact()
	for i := range k.Offsets {
		if k.Offsets[i] != v.Offsets[i] {
			return nil, cherr.New(cherr.TypeMismatch, "CAST AS Map from tuple requires arrays of one length")
		}
	}
	return &column.Map{Offsets: k.Offsets, Keys: k.Elems, Values: v.Elems}, nil
}
