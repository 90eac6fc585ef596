package column

import (
	"bytes"
	"cmp"

	"lakeserver/cherr"
	"lakeserver/types"
)

// Compare orders row i of a against row j of b, columns of one type in any
// form: -1, 0 or 1. nulls says where NULL and NaN stand: 1 after everything
// (ClickHouse's NULLS LAST for ascending order), -1 before everything. It is
// the general, slow way: sorts and joins of flat keys have kernels.
func Compare(a Column, i int, b Column, j int, nulls int) int { // long: one case a form
	switch x := a.(type) {
	case *Const:
		return Compare(x.Value, 0, b, j, nulls)
	case *Dict:
		return Compare(x.Values, int(x.Codes[i]), b, j, nulls)
	}
	switch y := b.(type) {
	case *Const:
		return Compare(a, i, y.Value, 0, nulls)
	case *Dict:
		return Compare(a, i, y.Values, int(y.Codes[j]), nulls)
	}
	an, bn := IsNullAt(a, i), IsNullAt(b, j)
	switch {
	case an && bn:
		return 0
	case an:
		return nulls
	case bn:
		return -nulls
	}
	a, _ = SplitNulls(a)
	b, _ = SplitNulls(b)
	switch x := a.(type) {
	case *Str:
		return bytes.Compare(x.At(i), b.(*Str).At(j))
	case *Array:
		y := b.(*Array)
		return compareRanges(x.Offsets, x.Elems, i, y.Offsets, y.Elems, j, nulls)
	case *Map:
		y := b.(*Map)
		xt, yt := NewTuple(x.Keys, x.Values), NewTuple(y.Keys, y.Values)
		return compareRanges(x.Offsets, xt, i, y.Offsets, yt, j, nulls)
	case *Tuple:
		y := b.(*Tuple)
		for e := range x.Elems {
			if r := Compare(x.Elems[e], i, y.Elems[e], j, nulls); r != 0 {
				return r
			}
		}
		return 0
	case interface {
		compareTo(int, Column, int, int) int
	}:
		return x.compareTo(i, b, j, nulls)
	}
	cherr.Bug("column.Compare of %T and %T", a, b)
	return 0
}

func compareRanges(xo []uint64, xe Column, i int, yo []uint64, ye Column, j, nulls int) int {
	xf, xt := int(xo[i]), int(xo[i+1])
	yf, yt := int(yo[j]), int(yo[j+1])
	for n := 0; xf+n < xt && yf+n < yt; n++ {
		if r := Compare(xe, xf+n, ye, yf+n, nulls); r != 0 {
			return r
		}
	}
	return cmp.Compare(xt-xf, yt-yf)
}

func (c *Fixed[T]) compareTo(i int, b Column, j, nulls int) int {
	return CompareElements(c.Values[i], b.(*Fixed[T]).Values[j], nulls)
}

// CompareElements orders two elements; nans as nulls in Compare.
func CompareElements[T Element](a, b T, nans int) int {
	switch x := any(a).(type) {
	case uint8:
		return cmp.Compare(x, any(b).(uint8))
	case uint16:
		return cmp.Compare(x, any(b).(uint16))
	case uint32:
		return cmp.Compare(x, any(b).(uint32))
	case uint64:
		return cmp.Compare(x, any(b).(uint64))
	case int8:
		return cmp.Compare(x, any(b).(int8))
	case int16:
		return cmp.Compare(x, any(b).(int16))
	case int32:
		return cmp.Compare(x, any(b).(int32))
	case int64:
		return cmp.Compare(x, any(b).(int64))
	case float32:
		return compareFloats(float64(x), float64(any(b).(float32)), nans)
	case float64:
		return compareFloats(x, any(b).(float64), nans)
	case types.I128:
		return x.Cmp(any(b).(types.I128))
	case types.U128:
		return x.Cmp(any(b).(types.U128))
	case types.I256:
		return x.Cmp(any(b).(types.I256))
	case types.U256:
		return x.Cmp(any(b).(types.U256))
	case types.Addr6:
		y := any(b).(types.Addr6)
		return bytes.Compare(x[:], y[:])
	}
	return 0
}

func compareFloats(a, b float64, nans int) int {
	an, bn := a != a, b != b
	switch {
	case an && bn:
		return 0
	case an:
		return nans
	case bn:
		return -nans
	}
	return cmp.Compare(a, b)
}
