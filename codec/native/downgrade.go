package native

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// downgrade rewrites a column for a client that does not know its type; to is
// what WireType gave. Values of types without an older relative become text.
func downgrade(from, to *types.Type, c column.Column) (column.Column, error) {
	if from.Equal(to) {
		return c, nil
	}
	c = column.Full(c)
	switch from.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return downgrade(from.Elem(), types.WithoutLowCardinality(to), c)
	case types.KindNullable:
		values, null := column.SplitNulls(c)
		v, err := downgrade(from.Elem(), to.Elem(), values)
		return &column.Nullable{Values: v, Null: null}, err
	case types.KindArray:
		a := c.(*column.Array)
		e, err := downgrade(from.Elem(), to.Elem(), a.Elems)
		return &column.Array{Offsets: a.Offsets, Elems: e}, err
	case types.KindMap:
		m := c.(*column.Map)
		kv, err := downgradeAll(from.Elems(), to.Elem().Elems(), []column.Column{m.Keys, m.Values})
		return &column.Array{Offsets: m.Offsets, Elems: column.NewTuple(kv...)}, err
	case types.KindTuple:
		t := c.(*column.Tuple)
		elems, err := downgradeAll(from.Elems(), to.Elems(), t.Elems)
		return &column.Tuple{Elems: elems, N: t.N}, err
	case types.KindBFloat16:
		halves := column.Values[uint16](c)
		out := make([]float32, len(halves))
		for i, h := range halves {
			out[i] = math.Float32frombits(uint32(h) << 16)
		}
		return column.NewFixed(out), nil
	}
	if to.Kind() == types.KindString {
		return plainText(from, c)
	}
	return c, nil
}

func downgradeAll(from, to []*types.Type, cols []column.Column) ([]column.Column, error) {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		var err error
		if out[i], err = downgrade(from[i], to[i], c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func plainText(t *types.Type, c column.Column) (column.Column, error) {
	if s, ok := c.(*column.Str); ok {
		return s, nil
	}
	return nil, cherr.New(cherr.NotImplemented, "The client is too old for type %s", t)
}
