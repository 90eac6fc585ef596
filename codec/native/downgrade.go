package native

import (
	"math"

	"lakeserver/column"
	"lakeserver/types"
)

// Downgrade rewrites a result for a native client of 2018, which knows neither
// Bool, Date32, DateTime64, Map and addresses nor wide integers. print gives
// the text of a column, for types without an older relative.
func Downgrade(h column.Header, b *column.Block, print func(*types.Type, column.Column) *column.Str) (column.Header, *column.Block, error) {
	out := make(column.Header, len(h))
	for i, f := range h {
		out[i] = column.Field{Name: f.Name, Type: legacy(f.Type)}
	}
	if b == nil {
		return out, nil, nil
	}
	d := downgrader{print}
	cols, err := d.all(typesOf(h), typesOf(out), b.Columns)
	return out, &column.Block{Columns: cols, Rows: b.Rows}, err
}

func typesOf(h column.Header) []*types.Type {
	out := make([]*types.Type, len(h))
	for i, f := range h {
		out[i] = f.Type
	}
	return out
}

type downgrader struct {
	print func(*types.Type, column.Column) *column.Str
}

// column rewrites a column of type from as to, which is what legacy gave.
func (d downgrader) column(from, to *types.Type, c column.Column) (column.Column, error) {
	if from.Equal(to) {
		return c, nil
	}
	c = column.Full(c)
	switch from.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return d.column(from.Elem(), types.WithoutLowCardinality(to), c)
	case types.KindNullable:
		values, null := column.SplitNulls(c)
		v, err := d.column(from.Elem(), to.Elem(), values)
		return &column.Nullable{Values: v, Null: null}, err
	case types.KindArray:
		a := c.(*column.Array)
		e, err := d.column(from.Elem(), to.Elem(), a.Elems)
		return &column.Array{Offsets: a.Offsets, Elems: e}, err
	case types.KindMap:
		m := c.(*column.Map)
		kv, err := d.all(from.Elems(), to.Elem().Elems(), []column.Column{m.Keys, m.Values})
		return &column.Array{Offsets: m.Offsets, Elems: column.NewTuple(kv...)}, err
	case types.KindTuple:
		t := c.(*column.Tuple)
		elems, err := d.all(from.Elems(), to.Elems(), t.Elems)
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
		if s, ok := c.(*column.Str); ok {
			return s, nil
		}
		return d.print(from, c), nil
	}
	return c, nil
}

func (d downgrader) all(from, to []*types.Type, cols []column.Column) ([]column.Column, error) {
	out := make([]column.Column, len(cols))
	for i, c := range cols {
		var err error
		if out[i], err = d.column(from[i], to[i], c); err != nil {
			return nil, err
		}
	}
	return out, nil
}
