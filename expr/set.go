package expr

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Set is the right side of IN: distinct values, or distinct rows of values. It
// is filled by one goroutine (from a literal while analysing, from a subquery
// before the query that asks it), sealed, and then read by any number.
type Set struct {
	types    []*types.Type
	segments [][]column.Column // distinct rows as they came
	rows     int
	hasNull  bool
	sealed   bool

	columns []column.Column // after Seal
	slots   []uint64        // segment<<32 | row, plus 1; after Seal the row plus 1
	hashes  []uint64        // of the slots' rows
}

// NewSet makes an empty set of rows of these types: one for x IN (1, 2), more
// for (x, y) IN ((1, 2)).
func NewSet(ts []*types.Type) *Set {
	return &Set{types: ts, slots: make([]uint64, 16), hashes: make([]uint64, 16)}
}

// Types gives the types of the elements.
func (s *Set) Types() []*types.Type { return s.types }

// Len gives the number of distinct rows.
func (s *Set) Len() int { return s.rows }

// HasNull tells whether a NULL was among the rows. It is an element of the set
// as well, which only IN with transform_null_in asks.
func (s *Set) HasNull() bool { return s.hasNull }

// Elements gives the distinct rows, a full column for each type; only after
// Seal. Pruning compares them with statistics.
func (s *Set) Elements() []column.Column { return s.columns }

// Add puts rows into the set; columns are of the set's types in any form and
// are kept.
func (s *Set) Add(cols []column.Column, rows int) {
	if s.sealed {
		cherr.Bug("a row added to a sealed set")
	}
	if rows == 0 {
		return
	}
	batch := make([]column.Column, len(cols))
	for i, c := range cols {
		batch[i] = column.Full(c)
	}
	h := hashRows(batch, rows)
	segment := uint64(len(s.segments))
	s.segments = append(s.segments, batch)
	var fresh []uint32
	for i := range rows {
		// A row that is new gets its place among the batch's fresh rows; until
		// the batch is gathered its place in the batch stands in the slot.
		if s.insert(segment<<32|uint64(i), h[i]) {
			fresh = append(fresh, uint32(i))
		}
	}
	for _, c := range batch {
		for _, i := range fresh {
			s.hasNull = s.hasNull || column.IsNullAt(c, int(i))
		}
	}
	s.rows += len(fresh)
	if len(fresh) < rows/2 {
		s.shrink(int(segment), fresh, h)
	}
}

// shrink keeps only the fresh rows of the last batch: a subquery of many equal
// rows must not keep them all.
func (s *Set) shrink(segment int, fresh []uint32, h []uint64) {
	for i, c := range s.segments[segment] {
		s.segments[segment][i] = c.Gather(fresh)
	}
	mask := uint64(len(s.slots) - 1)
	for to, from := range fresh {
		at := h[from] & mask
		for s.slots[at] != uint64(segment)<<32|uint64(from)+1 {
			at = (at + 1) & mask
		}
		s.slots[at] = moved | uint64(segment)<<32 | uint64(to) + 1
	}
	for _, from := range fresh {
		for at := h[from] & mask; s.slots[at] != 0; at = (at + 1) & mask {
			s.slots[at] &^= moved
		}
	}
}

// moved marks a slot that has its new place already.
const moved = 1 << 63

// insert gives false when an equal row is there.
func (s *Set) insert(place, hash uint64) bool {
	if 2*(s.used()+1) > len(s.slots) {
		s.grow()
	}
	mask := uint64(len(s.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if s.slots[at] == 0 {
			s.slots[at], s.hashes[at] = place+1, hash
			return true
		}
		if s.hashes[at] == hash && s.equal(s.slots[at]-1, place) {
			return false
		}
	}
}

// used counts the filled slots: rows of earlier batches and of this one, which
// is bounded by its length.
func (s *Set) used() int {
	n := s.rows
	if len(s.segments) > 0 {
		n += s.segments[len(s.segments)-1][0].Len()
	}
	return n
}

func (s *Set) equal(a, b uint64) bool {
	x, y := s.segments[a>>32], s.segments[b>>32]
	for i := range x {
		if column.Compare(x[i], int(uint32(a)), y[i], int(uint32(b)), 1) != 0 {
			return false
		}
	}
	return true
}

func (s *Set) grow() {
	slots, hashes := s.slots, s.hashes
	n := len(slots)
	for n < 2*(s.used()+1) {
		n *= 2
	}
	s.slots, s.hashes = make([]uint64, n), make([]uint64, n)
	mask := uint64(n - 1)
	for i, v := range slots {
		if v == 0 {
			continue
		}
		at := hashes[i] & mask
		for s.slots[at] != 0 {
			at = (at + 1) & mask
		}
		s.slots[at], s.hashes[at] = v, hashes[i]
	}
}

// Seal ends the filling: the rows are gathered into one column a type.
func (s *Set) Seal() {
	if s.sealed {
		return
	}
	s.sealed = true
	first := make([]int, len(s.segments)) // the row number at which a segment's fresh rows begin
	fresh := make([][]uint32, len(s.segments))
	for _, v := range s.slots {
		if v != 0 {
			fresh[(v-1)>>32] = append(fresh[(v-1)>>32], uint32(v-1))
		}
	}
	// Slots are visited in hash order; the number of a row is its place there.
	n := 0
	for i := range fresh {
		first[i] = n
		n += len(fresh[i])
	}
	s.columns = make([]column.Column, len(s.types))
	for c, t := range s.types {
		b := column.NewBuilder(t, n)
		for i, rows := range fresh {
			b.AppendRows(s.segments[i][c], rows)
		}
		s.columns[c] = b.Finish()
	}
	next := first
	for i, v := range s.slots {
		if v != 0 {
			segment := (v - 1) >> 32
			s.slots[i] = uint64(next[segment]) + 1
			next[segment]++
		}
	}
	s.segments = nil
}

// Contains tells for each row whether it is in the set: 1 or 0. Columns are of
// the set's types in any form; NULL equals NULL. Only after Seal.
func (s *Set) Contains(cols []column.Column, rows int) []uint8 {
	if !s.sealed {
		cherr.Bug("a set is asked before it is sealed")
	}
	out := make([]uint8, rows)
	if s.rows == 0 || rows == 0 {
		return out
	}
	full := make([]column.Column, len(cols))
	for i, c := range cols {
		full[i] = column.Full(c)
	}
	h := hashRows(full, rows)
	if len(full) == 1 && s.containsPlain(full[0], h, out) {
		return out
	}
	s.probe(h, out, func(element, row int) bool {
		for c := range full {
			if column.Compare(s.columns[c], element, full[c], row, 1) != 0 {
				return false
			}
		}
		return true
	})
	return out
}

// containsPlain has kernels for the forms that matter.
func (s *Set) containsPlain(c column.Column, h []uint64, out []uint8) bool {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return probeFixed(s, c.Values, h, out)
	case *column.Fixed[uint16]:
		return probeFixed(s, c.Values, h, out)
	case *column.Fixed[uint32]:
		return probeFixed(s, c.Values, h, out)
	case *column.Fixed[uint64]:
		return probeFixed(s, c.Values, h, out)
	case *column.Fixed[int32]:
		return probeFixed(s, c.Values, h, out)
	case *column.Fixed[int64]:
		return probeFixed(s, c.Values, h, out)
	case *column.Str:
		e, ok := s.columns[0].(*column.Str)
		if !ok {
			return false
		}
		s.probe(h, out, func(element, row int) bool { return e.StringAt(element) == c.StringAt(row) })
		return true
	}
	return false
}

func probeFixed[T uint8 | uint16 | uint32 | uint64 | int32 | int64](s *Set, v []T, h []uint64, out []uint8) bool {
	e, ok := s.columns[0].(*column.Fixed[T])
	if !ok {
		return false
	}
	mask := uint64(len(s.slots) - 1)
	for row, hash := range h {
		for at := hash & mask; s.slots[at] != 0; at = (at + 1) & mask {
			if e.Values[s.slots[at]-1] == v[row] {
				out[row] = 1
				break
			}
		}
	}
	return true
}

func (s *Set) probe(h []uint64, out []uint8, equal func(element, row int) bool) {
	mask := uint64(len(s.slots) - 1)
	for row, hash := range h {
		for at := hash & mask; s.slots[at] != 0; at = (at + 1) & mask {
			if s.hashes[at] == hash && equal(int(s.slots[at]-1), row) {
				out[row] = 1
				break
			}
		}
	}
}

func hashRows(cols []column.Column, rows int) []uint64 {
	h := make([]uint64, rows)
	for _, c := range cols {
		column.HashInto(c, h)
	}
	return h
}
