package pruning

import (
	"cmp"

	"lakeserver/column"
	"lakeserver/types"
)

// Value is a boxed value in the physical form of its ClickHouse type.
type Value = column.Value

// compare orders two values of one form; ok is false when they are of
// different forms, or one is NaN or NULL.
func compare(a, b Value) (c int, ok bool) { // long: one case a form
	switch x := a.(type) {
	case uint8:
		y, ok := b.(uint8)
		return cmp.Compare(x, y), ok
	case uint16:
		y, ok := b.(uint16)
		return cmp.Compare(x, y), ok
	case uint32:
		y, ok := b.(uint32)
		return cmp.Compare(x, y), ok
	case uint64:
		y, ok := b.(uint64)
		return cmp.Compare(x, y), ok
	case int8:
		y, ok := b.(int8)
		return cmp.Compare(x, y), ok
	case int16:
		y, ok := b.(int16)
		return cmp.Compare(x, y), ok
	case int32:
		y, ok := b.(int32)
		return cmp.Compare(x, y), ok
	case int64:
		y, ok := b.(int64)
		return cmp.Compare(x, y), ok
	case float32:
		y, ok := b.(float32)
		return compareFloats(float64(x), float64(y), ok)
	case float64:
		y, ok := b.(float64)
		return compareFloats(x, y, ok)
	case string:
		y, ok := b.(string)
		return cmp.Compare(x, y), ok
	case types.I128:
		y, ok := b.(types.I128)
		return x.Cmp(y), ok
	case types.U128:
		y, ok := b.(types.U128)
		return x.Cmp(y), ok
	case types.I256:
		y, ok := b.(types.I256)
		return compareI256(x, y), ok
	}
	return 0, false
}

// compareFloats: 0.0 and -0.0 are one.
func compareFloats(x, y float64, ok bool) (int, bool) {
	switch {
	case !ok || x != x || y != y:
		return 0, false
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, true
}

func compareI256(a, b types.I256) int {
	if c := cmp.Compare(int64(a[3]), int64(b[3])); c != 0 {
		return c
	}
	for i := 2; i >= 0; i-- {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Presence says whether something is among the rows.
type Presence uint8

// The presences.
const (
	Maybe Presence = iota
	None
	All
)

// Range is what statistics know of one column of a container. The zero Range
// knows nothing.
type Range struct {
	// Lo and Hi bound the values that are neither NULL nor NaN; nil: not known.
	Lo, Hi Value
	// Exact: Lo and Hi occur, they are no rounded bounds.
	Exact bool
	Nulls Presence
	NaNs  Presence
}

// checked drops bounds that cannot be: inverted ones have been written.
func (r Range) checked() Range {
	if r.Lo != nil && r.Hi != nil {
		if c, ok := compare(r.Lo, r.Hi); !ok || c > 0 {
			r.Lo, r.Hi, r.Exact = nil, nil, false
		}
	}
	return r
}

// Stats describe a container. Fields are Iceberg field ids.
type Stats interface {
	// Range gives what is known of a column, as values of its ClickHouse type
	// in the table's present schema.
	Range(field int) Range
}

// hasher is a container that knows more than ranges of some columns: whether a
// value may be in it at all (a bloom filter, a dictionary, a bucket).
type hasher interface {
	// MightHave is false only when no row has the value in the column.
	MightHave(field int, v Value) bool
}
