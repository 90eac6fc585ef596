package iceberg

import (
	"cmp"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// sortKey is one field of a sort order over a schema's columns.
type sortKey struct {
	transform  iceberg.Transform
	source     *iceberg.Type
	path       []int
	desc       bool
	nullsFirst bool
	curve      [][]int // columns whose bits are interleaved, in place of all above
}

// sortKeys gives the keys of an order; nil when files are not sorted by it.
func sortKeys(schema *iceberg.Schema, order []iceberg.SortField) ([]sortKey, error) {
	var out []sortKey
	for _, f := range order {
		t := iceberg.ParseTransform(f.Transform)
		path, source := columnPath(schema.Fields, f.SourceID)
		if source == nil || t.ResultType(source) == nil {
			return nil, cherr.New(cherr.NotImplemented, "Sort field with transform %s of column %d cannot be written", f.Transform, f.SourceID)
		}
		out = append(out, sortKey{transform: t, source: source, path: path, desc: f.Direction == iceberg.Descending, nullsFirst: f.NullOrder != iceberg.NullsLast})
	}
	return out, nil
}

// sortBlock gives the rows in the order of the keys; equal ones stay in order.
func sortBlock(b *column.Block, keys []sortKey) (*column.Block, error) {
	var compare []func(a, b uint32) int
	for _, k := range keys {
		if k.curve != nil {
			compare = append(compare, valueComparer(zValues(b, k.curve)))
			continue
		}
		values, null := atPath(b.Columns, k.path)
		c, err := k.transform.ApplyColumn(k.source, values)
		if err != nil {
			return nil, err
		}
		compare = append(compare, k.comparer(c, null))
	}
	rows := make([]uint32, b.Rows)
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortStableFunc(rows, func(x, y uint32) int {
		for _, f := range compare {
			if c := f(x, y); c != 0 {
				return c
			}
		}
		return 0
	})
	return b.Gather(rows), nil
}

func (k *sortKey) comparer(c column.Column, null []uint8) func(a, b uint32) int {
	plain := valueComparer(c)
	if k.desc {
		asc := plain
		plain = func(a, b uint32) int { return asc(b, a) }
	}
	if null == nil {
		return plain
	}
	nulls := 1
	if k.nullsFirst {
		nulls = -1
	}
	return func(a, b uint32) int {
		switch {
		case null[a] != 0 && null[b] != 0:
			return 0
		case null[a] != 0:
			return nulls
		case null[b] != 0:
			return -nulls
		}
		return plain(a, b)
	}
}

// valueComparer orders values as the spec orders them: floats with -0 before
// +0 and NaN last, all else as numbers and bytes.
func valueComparer(c column.Column) func(a, b uint32) int { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return ordered(c.Values)
	case *column.Fixed[int32]:
		return ordered(c.Values)
	case *column.Fixed[int64]:
		return ordered(c.Values)
	case *column.Fixed[float32]:
		return func(a, b uint32) int { return compareFloats(float64(c.Values[a]), float64(c.Values[b])) }
	case *column.Fixed[float64]:
		return func(a, b uint32) int { return compareFloats(c.Values[a], c.Values[b]) }
	case *column.Fixed[types.I128]:
		return func(a, b uint32) int { return c.Values[a].Cmp(c.Values[b]) }
	case *column.Fixed[types.U128]:
		return func(a, b uint32) int { return c.Values[a].Cmp(c.Values[b]) }
	case *column.Fixed[types.I256]:
		return func(a, b uint32) int { return c.Values[a].Cmp(c.Values[b]) }
	case *column.Str:
		return func(a, b uint32) int { return cmp.Compare(c.StringAt(int(a)), c.StringAt(int(b))) }
	}
	return func(a, b uint32) int { return column.Compare(c, int(a), c, int(b), 1) }
}

func ordered[T uint8 | int32 | int64](v []T) func(a, b uint32) int {
	return func(a, b uint32) int { return cmp.Compare(v[a], v[b]) }
}

func compareFloats(a, b float64) int {
	an, bn := a != a, b != b
	switch {
	case an && bn:
		return 0
	case an:
		return 1
	case bn:
		return -1
	}
	return iceberg.CompareValues(a, b)
}
