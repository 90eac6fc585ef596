package column

import (
	"unsafe"

	"lakeserver/types"
)

// Element is what a Fixed column may hold.
type Element interface {
	Ordered | types.I128 | types.U128 | types.I256 | types.U256 | types.Addr6
}

// Ordered are the elements that Go compares with <.
type Ordered interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64
}

// Fixed is one value a row. Values may point into a decompressed page.
type Fixed[T Element] struct{ Values []T }

// NewFixed makes a column of values, which it takes over.
func NewFixed[T Element](values []T) *Fixed[T] { return &Fixed[T]{values} }

// Len gives the rows.
func (c *Fixed[T]) Len() int { return len(c.Values) }

// Slice shares memory.
func (c *Fixed[T]) Slice(from, to int) Column { return &Fixed[T]{c.Values[from:to:to]} }

// Gather copies the rows at the positions.
func (c *Fixed[T]) Gather(rows []uint32) Column {
	out := make([]T, len(rows))
	v := c.Values
	for i, r := range rows {
		out[i] = v[r]
	}
	return &Fixed[T]{out}
}

// Size gives the bytes of the values.
func (c *Fixed[T]) Size() int64 {
	var z T
	return int64(len(c.Values)) * int64(unsafe.Sizeof(z))
}

// Values gives the slice behind a Fixed[T]; c must be one.
func Values[T Element](c Column) []T { return c.(*Fixed[T]).Values }

// Nothing is rows of type Nothing: the element of [] and of NULL.
type Nothing struct{ N int }

// Len gives the rows.
func (c *Nothing) Len() int { return c.N }

// Slice gives that many rows.
func (c *Nothing) Slice(from, to int) Column { return &Nothing{to - from} }

// Gather gives that many rows.
func (c *Nothing) Gather(rows []uint32) Column { return &Nothing{len(rows)} }

// Size is nothing.
func (c *Nothing) Size() int64 { return 0 }
