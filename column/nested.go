package column

import "lakeserver/cherr"

// Array is elements by offsets: row i holds Elems[Offsets[i]:Offsets[i+1]].
// Offsets has one more entry than there are rows; the first need not be 0.
type Array struct {
	Offsets []uint64
	Elems   Column // full
}

// NewArray makes a column of elements and ends as ClickHouse counts them: row
// i ends before element ends[i].
func NewArray(ends []uint64, elems Column) *Array {
	offsets := make([]uint64, len(ends)+1)
	copy(offsets[1:], ends)
	return &Array{offsets, elems}
}

// Len gives the rows.
func (c *Array) Len() int { return len(c.Offsets) - 1 }

// Bounds gives the element range of a row.
func (c *Array) Bounds(i int) (from, to int) { return int(c.Offsets[i]), int(c.Offsets[i+1]) }

// Slice shares memory.
func (c *Array) Slice(from, to int) Column { return &Array{c.Offsets[from : to+1 : to+1], c.Elems} }

// Gather takes the rows at the positions, elements and all.
func (c *Array) Gather(rows []uint32) Column {
	offsets, elems := gatherRanges(c.Offsets, rows)
	return &Array{offsets, c.Elems.Gather(elems)}
}

// Size gives the bytes of offsets and elements in range.
func (c *Array) Size() int64 {
	n := int64(len(c.Offsets)) * 8
	if from, to := c.Offsets[0], c.Offsets[len(c.Offsets)-1]; to > from {
		n += c.Elems.Slice(int(from), int(to)).Size()
	}
	return n
}

// Compact gives the same rows with offsets from 0 and no other elements.
func (c *Array) Compact() *Array {
	offsets, from, to := rebase(c.Offsets)
	return &Array{offsets, c.Elems.Slice(from, to)}
}

// Map is keys and values by offsets, as Array.
type Map struct {
	Offsets      []uint64
	Keys, Values Column // full
}

// Len gives the rows.
func (c *Map) Len() int { return len(c.Offsets) - 1 }

// Bounds gives the entry range of a row.
func (c *Map) Bounds(i int) (from, to int) { return int(c.Offsets[i]), int(c.Offsets[i+1]) }

// Slice shares memory.
func (c *Map) Slice(from, to int) Column {
	return &Map{c.Offsets[from : to+1 : to+1], c.Keys, c.Values}
}

// Gather takes the rows at the positions, entries and all.
func (c *Map) Gather(rows []uint32) Column {
	offsets, entries := gatherRanges(c.Offsets, rows)
	return &Map{offsets, c.Keys.Gather(entries), c.Values.Gather(entries)}
}

// Size gives the bytes of offsets and entries in range.
func (c *Map) Size() int64 {
	n := int64(len(c.Offsets)) * 8
	if from, to := c.Offsets[0], c.Offsets[len(c.Offsets)-1]; to > from {
		n += c.Keys.Slice(int(from), int(to)).Size() + c.Values.Slice(int(from), int(to)).Size()
	}
	return n
}

// Compact gives the same rows with offsets from 0 and no other entries.
func (c *Map) Compact() *Map {
	offsets, from, to := rebase(c.Offsets)
	return &Map{offsets, c.Keys.Slice(from, to), c.Values.Slice(from, to)}
}

// Tuple is one full column an element. N counts the rows also of an empty tuple.
type Tuple struct {
	Elems []Column
	N     int
}

// NewTuple makes a tuple of columns of one length.
func NewTuple(elems ...Column) *Tuple {
	t := &Tuple{Elems: elems}
	if len(elems) > 0 {
		t.N = elems[0].Len()
	}
	return t
}

// Len gives the rows.
func (c *Tuple) Len() int { return c.N }

// Slice shares memory.
func (c *Tuple) Slice(from, to int) Column {
	out := &Tuple{Elems: make([]Column, len(c.Elems)), N: to - from}
	for i, e := range c.Elems {
		out.Elems[i] = e.Slice(from, to)
	}
	return out
}

// Gather takes the rows at the positions.
func (c *Tuple) Gather(rows []uint32) Column {
	out := &Tuple{Elems: make([]Column, len(c.Elems)), N: len(rows)}
	for i, e := range c.Elems {
		out.Elems[i] = e.Gather(rows)
	}
	return out
}

// Size gives the bytes of the elements.
func (c *Tuple) Size() int64 {
	var n int64
	for _, e := range c.Elems {
		n += e.Size()
	}
	return n
}

// maxGathered bounds the elements that one Gather of arrays makes: a block that
// would be larger is a query gone wrong, and the server must outlive it.
const maxGathered = 1 << 28

func gatherRanges(offsets []uint64, rows []uint32) (out []uint64, elems []uint32) {
	out = make([]uint64, len(rows)+1)
	n := uint64(0)
	for i, r := range rows {
		n += offsets[r+1] - offsets[r]
		out[i+1] = n
	}
	if n > maxGathered {
		cherr.Refuse(cherr.MemoryLimitExceeded, "Arrays of %d elements together cannot be made", n)
	}
	elems = make([]uint32, 0, n)
	for _, r := range rows {
		for e := offsets[r]; e < offsets[r+1]; e++ {
			elems = append(elems, uint32(e))
		}
	}
	return out, elems
}

func rebase(offsets []uint64) (out []uint64, from, to int) {
	base := offsets[0]
	if base == 0 {
		return offsets, 0, int(offsets[len(offsets)-1])
	}
	out = make([]uint64, len(offsets))
	for i, o := range offsets {
		out[i] = o - base
	}
	return out, int(base), int(offsets[len(offsets)-1])
}
