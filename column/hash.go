package column

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"lakeserver/cherr"
)

// The multipliers of the fold: odd, with bits well mixed.
const (
	mulA = 0x9E3779B97F4A7C15
	mulB = 0xD6E8FEB86659FD93
)

// Mix joins a hash with one more word.
func Mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^mulA, mulB)
	return hi ^ lo
}

// HashBytes hashes a string.
func HashBytes(b []byte) uint64 {
	n := len(b)
	h := uint64(n) * mulA
	switch {
	case n > 8: // the last word overlaps the one before
		last := binary.LittleEndian.Uint64(b[n-8:])
		for len(b) > 8 {
			h = Mix(h, binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
		return Mix(h, last)
	case n >= 4:
		return Mix(h, uint64(binary.LittleEndian.Uint32(b))|uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32)
	case n > 0:
		return Mix(h, uint64(b[0])|uint64(b[n/2])<<8|uint64(b[n-1])<<16)
	}
	return h
}

// HashInto mixes each row's hash into h, which has an entry a row. Equal rows
// of one type hash alike whatever their form (Const, Dict, full; Nullable or
// not). All NaNs are alike, and so are 0.0 and -0.0: it serves grouping and
// joins, not the hash functions of SQL.
func HashInto(c Column, h []uint64) { // long: one case a form
	switch c := c.(type) {
	case *Const:
		one := []uint64{0}
		for i := range h {
			one[0] = h[i]
			HashInto(c.Value, one)
			h[i] = one[0]
		}
	case *Dict:
		hashDict(c, h)
	case *Nullable:
		if c.Null == nil {
			HashInto(c.Values, h)
			return
		}
		before := append([]uint64(nil), h...)
		HashInto(c.Values, h)
		for i, n := range c.Null {
			if n != 0 {
				h[i] = Mix(before[i], mulB)
			}
		}
	case *Str:
		for i := range h {
			h[i] = Mix(h[i], HashBytes(c.At(i)))
		}
	case *Array:
		hashRanges(c.Offsets, c.Elems, h)
	case *Map:
		hashRanges(c.Offsets, c.Keys, h)
		hashRanges(c.Offsets, c.Values, h)
	case *Tuple:
		for _, e := range c.Elems {
			HashInto(e, h)
		}
	case *Nothing:
		for i := range h {
			h[i] = Mix(h[i], mulB)
		}
	case interface{ hashInto([]uint64) }:
		c.hashInto(h)
	default:
		cherr.Bug("column.HashInto of %T", c)
	}
}

// hashDict hashes each entry once when there are fewer entries than rows.
func hashDict(c *Dict, h []uint64) {
	if c.Values.Len() > len(h) {
		HashInto(Full(c), h)
		return
	}
	// A row's hash depends on what was mixed in before it, so entries can be
	// hashed alone only when all rows start alike.
	for i := range h {
		if h[i] != h[0] {
			HashInto(Full(c), h)
			return
		}
	}
	if len(h) == 0 {
		return
	}
	entries := make([]uint64, c.Values.Len())
	for i := range entries {
		entries[i] = h[0]
	}
	HashInto(c.Values, entries)
	for i, code := range c.Codes {
		h[i] = entries[code]
	}
}

func hashRanges(offsets []uint64, elems Column, h []uint64) {
	eh := make([]uint64, elems.Len())
	HashInto(elems, eh)
	for i := range h {
		from, to := offsets[i], offsets[i+1]
		h[i] = Mix(h[i], to-from)
		for _, e := range eh[from:to] {
			h[i] = Mix(h[i], e)
		}
	}
}

func (c *Fixed[T]) hashInto(h []uint64) {
	switch v := any(c.Values).(type) {
	case []float64:
		for i, x := range v {
			h[i] = Mix(h[i], floatBits(x))
		}
		return
	case []float32:
		for i, x := range v {
			h[i] = Mix(h[i], floatBits(float64(x)))
		}
		return
	}
	var z T
	switch size := unsafe.Sizeof(z); size {
	case 1:
		hashWords[uint8](c.Values, h)
	case 2:
		hashWords[uint16](c.Values, h)
	case 4:
		hashWords[uint32](c.Values, h)
	case 8:
		hashWords[uint64](c.Values, h)
	default:
		hashWide(c.Values, int(size/8), h)
	}
}

func hashWords[W uint8 | uint16 | uint32 | uint64, T Element](values []T, h []uint64) {
	if len(values) == 0 {
		return
	}
	words := unsafe.Slice((*W)(unsafe.Pointer(&values[0])), len(values))
	for i, w := range words {
		h[i] = Mix(h[i], uint64(w))
	}
}

func hashWide[T Element](values []T, n int, h []uint64) {
	if len(values) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*n*8)
	for i := range values {
		for w := range n {
			h[i] = Mix(h[i], binary.LittleEndian.Uint64(bytes[(i*n+w)*8:]))
		}
	}
}

func floatBits(x float64) uint64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}
