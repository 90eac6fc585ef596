package column

import (
	"unsafe"

	"lakeserver/cherr"
)

// Str is bytes by start and length. A Parquet PLAIN page is such a column
// without copying: the lengths stand between the values. FixedString values
// have all the same length.
type Str struct {
	Data       []byte
	Start, Lns []uint32
}

// NewStr makes a column of strings, copying them.
func NewStr(values ...string) *Str {
	c := &Str{}
	for _, v := range values {
		c.AppendString(v)
	}
	return c
}

// Len gives the rows.
func (c *Str) Len() int { return len(c.Start) }

// At gives the bytes of a row; they must not be written to.
func (c *Str) At(i int) []byte {
	s := c.Start[i]
	return c.Data[s : s+c.Lns[i] : s+c.Lns[i]]
}

// StringAt gives a row's bytes as a string without copying; it lives as long
// as the column's buffer is not reused.
func (c *Str) StringAt(i int) string {
	n := c.Lns[i]
	if n == 0 {
		return ""
	}
	return unsafe.String(&c.Data[c.Start[i]], int(n))
}

// maxStrBytes is what 32-bit places can reach: the bytes of one column.
const maxStrBytes = 1<<32 - 1

// fits refuses what the places could not reach: wrapped around they would give
// other rows' bytes.
func fits(n int) {
	if n > maxStrBytes {
		cherr.Refuse(cherr.MemoryLimitExceeded, "Strings of %d bytes together cannot be in one column of a block", n)
	}
}

// NewFixedStr makes rows of n zero bytes each, for the maker to fill.
func NewFixedStr(rows, n int) *Str {
	fits(rows * n)
	c := &Str{Data: make([]byte, rows*n), Start: make([]uint32, rows), Lns: make([]uint32, rows)}
	for i := range c.Start {
		c.Start[i], c.Lns[i] = uint32(i*n), uint32(n)
	}
	return c
}

// Append adds a row; only for the column's maker, before it hands it out.
func (c *Str) Append(v []byte) {
	fits(len(c.Data) + len(v))
	c.Start = append(c.Start, uint32(len(c.Data)))
	c.Lns = append(c.Lns, uint32(len(v)))
	c.Data = append(c.Data, v...)
}

// AppendString adds a row; only for the column's maker.
func (c *Str) AppendString(v string) {
	fits(len(c.Data) + len(v))
	c.Start = append(c.Start, uint32(len(c.Data)))
	c.Lns = append(c.Lns, uint32(len(v)))
	c.Data = append(c.Data, v...)
}

// Seal ends a row whose bytes the maker appended to Data itself: the bytes
// since from become a row.
func (c *Str) Seal(from int) {
	fits(len(c.Data))
	c.Start = append(c.Start, uint32(from))
	c.Lns = append(c.Lns, uint32(len(c.Data)-from))
}

// Slice shares memory.
func (c *Str) Slice(from, to int) Column {
	return &Str{c.Data, c.Start[from:to:to], c.Lns[from:to:to]}
}

// Gather takes the rows at the positions; the bytes stay shared.
func (c *Str) Gather(rows []uint32) Column {
	out := &Str{c.Data, make([]uint32, len(rows)), make([]uint32, len(rows))}
	for i, r := range rows {
		out.Start[i], out.Lns[i] = c.Start[r], c.Lns[r]
	}
	return out
}

// Size gives the bytes of the rows and their places.
func (c *Str) Size() int64 {
	n := int64(len(c.Start)) * 8
	for _, l := range c.Lns {
		n += int64(l)
	}
	return n
}

// Compact gives the same rows in bytes of their own, so that the shared
// buffer can go. Who keeps rows for long calls it.
func (c *Str) Compact() *Str {
	out := &Str{Start: make([]uint32, 0, len(c.Start)), Lns: make([]uint32, 0, len(c.Start))}
	n := 0
	for _, l := range c.Lns {
		n += int(l)
	}
	out.Data = make([]byte, 0, n)
	for i := range c.Start {
		out.Append(c.At(i))
	}
	return out
}
