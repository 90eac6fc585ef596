package column

import (
	"lakeserver/cherr"
	"lakeserver/types"
)

// Value is one boxed value in physical form: nil for NULL; the Go type of the
// Fixed column (uint16 for a Date); string for Str; Row for Array and Tuple;
// Entries for Map; VariantValue for
// Variant and Dynamic. It is for constants, settings, statistics and tests, never
// for rows in bulk.
type Value = any

// Row is an Array's elements or a Tuple's.
type Row []Value

// Entries is a Map's entries in their order.
type Entries []Entry

// Entry is one of a Map.
type Entry struct{ Key, Value Value }

// At boxes row i.
func At(c Column, i int) Value { // long: one case a form
	switch c := c.(type) {
	case *Const:
		return At(c.Value, 0)
	case *Dict:
		return At(c.Values, int(c.Codes[i]))
	case *Nullable:
		if c.IsNull(i) {
			return nil
		}
		return At(c.Values, i)
	case *Str:
		return string(c.At(i))
	case *Array:
		from, to := c.Bounds(i)
		out := make(Row, 0, to-from)
		for e := from; e < to; e++ {
			out = append(out, At(c.Elems, e))
		}
		return out
	case *Tuple:
		out := make(Row, len(c.Elems))
		for e := range c.Elems {
			out[e] = At(c.Elems[e], i)
		}
		return out
	case *Map:
		from, to := c.Bounds(i)
		out := make(Entries, 0, to-from)
		for e := from; e < to; e++ {
			out = append(out, Entry{At(c.Keys, e), At(c.Values, e)})
		}
		return out
	case *Nothing:
		return nil
	case interface{ boxed(int) Value }:
		return c.boxed(i)
	}
	cherr.Bug("column.At of %T", c)
	return nil
}

func (c *Fixed[T]) boxed(i int) Value { return c.Values[i] }

// FromValue makes a Const of n rows of v, whose form fits t.
func FromValue(t *types.Type, v Value, n int) *Const {
	b := NewBuilder(t, 1)
	b.AppendValue(v)
	return NewConst(b.Finish(), n)
}

// IsNullAt tells whether row i is NULL.
func IsNullAt(c Column, i int) bool {
	switch c := c.(type) {
	case *Const:
		return IsNullAt(c.Value, 0)
	case *Dict:
		return IsNullAt(c.Values, int(c.Codes[i]))
	case *Nullable:
		return c.IsNull(i)
	case *Variant:
		return c.IsNull(i)
	case *Nothing:
		return true
	}
	return false
}
