package functions

import (
	"sync"

	"lakeserver/column"
	"lakeserver/types"
)

// ValueSet is the right side of IN: distinct rows of one or more columns. It
// is filled (Add), then sealed, then read by any number of goroutines. The set
// of a subquery is made by the analyser, and filled when the query runs.
type ValueSet struct {
	Types []*types.Type // of the elements, without LowCardinality

	mu     sync.Mutex
	cols   []column.Column // the distinct rows, full
	build  []column.Builder
	heads  map[uint64]int32 // hash → last row with it
	next   []int32          // row → earlier row with the same hash, -1
	rows   int
	null   bool
	sealed bool
}

// NewValueSet makes an empty set for rows of the types.
func NewValueSet(ts []*types.Type) *ValueSet {
	s := &ValueSet{heads: map[uint64]int32{}}
	for _, t := range ts {
		t = types.WithoutLowCardinality(t)
		s.Types = append(s.Types, t)
		s.build = append(s.build, column.NewBuilder(t, 0))
	}
	return s
}

// Add joins rows into the set; columns are of the set's types, in any form.
// Rows with a NULL are left out and remembered by HasNull, unless keepNulls.
func (s *ValueSet) Add(cols []column.Column, rows int, keepNulls bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	full := make([]column.Column, len(cols))
	for i, c := range cols {
		full[i] = column.Full(c)
	}
	h := make([]uint64, rows)
	for _, c := range full {
		column.HashInto(c, h)
	}
	for r := range rows {
		if s.skipNull(full, r, keepNulls) || s.find(full, r, h[r]) {
			continue
		}
		for i, b := range s.build {
			b.AppendRange(full[i], r, r+1)
		}
		prev, ok := s.heads[h[r]]
		if !ok {
			prev = -1
		}
		s.next = append(s.next, prev)
		s.heads[h[r]] = int32(s.rows)
		s.rows++
	}
}

func (s *ValueSet) skipNull(cols []column.Column, r int, keep bool) bool {
	for _, c := range cols {
		if column.IsNullAt(c, r) {
			s.null = true
			return !keep
		}
	}
	return false
}

// find looks among the rows so far; builders are read through snapshots that
// Finish gives without ending them.
func (s *ValueSet) find(cols []column.Column, r int, hash uint64) bool {
	row, ok := s.heads[hash]
	if !ok {
		return false
	}
	if !s.sealed {
		s.snapshot()
	}
	for ; row >= 0; row = s.next[row] {
		same := true
		for i, c := range s.cols {
			if column.Compare(c, int(row), cols[i], r, 1) != 0 {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}

func (s *ValueSet) snapshot() {
	s.cols = s.cols[:0]
	for _, b := range s.build {
		s.cols = append(s.cols, b.Finish())
	}
}

// Seal ends filling.
func (s *ValueSet) Seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sealed {
		s.snapshot()
		s.sealed = true
	}
}

// Sealed tells whether the set can be asked.
func (s *ValueSet) Sealed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sealed
}

// Len gives the number of distinct rows.
func (s *ValueSet) Len() int { return s.rows }

// HasNull tells whether a row with NULL was added.
func (s *ValueSet) HasNull() bool { return s.null }

// Elements gives the distinct rows, a full column an element; for pruning.
func (s *ValueSet) Elements() []column.Column { return s.cols }

// Contains sets out[r] to 1 for the rows that are in the set; cols are of the
// set's types (or their non-nullable forms), full. The set must be sealed.
func (s *ValueSet) Contains(cols []column.Column, rows int, out []uint8) {
	h := make([]uint64, rows)
	for _, c := range cols {
		column.HashInto(c, h)
	}
	for r := range rows {
		if s.find(cols, r, h[r]) {
			out[r] = 1
		}
	}
}
