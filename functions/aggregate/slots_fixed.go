package aggregate

import (
	"lakeserver/column"
)

// improver is slots.improve over the values of a Fixed or Dict of them.
type improver[T any] func(s *fixedCells[T], groups []uint32, v []T, codes []uint32, sign int, track bool) (gs, rs []uint32)

type fixedCells[T any] struct {
	v    []T
	seen []uint8
}

// fixedSlots keep fixed-width values.
type fixedSlots[T column.Element] struct {
	fixedCells[T]
	kernel improver[T]
	def    T
}

func (s *fixedSlots[T]) grow(n int) {
	old := len(s.v)
	s.v, s.seen = grown(s.v, n), grown(s.seen, n)
	for i := old; i < n; i++ {
		s.v[i] = s.def
	}
}

func (s *fixedSlots[T]) has(group int) bool { return s.seen[group] != 0 }

func (s *fixedSlots[T]) put(groups, rows []uint32, c column.Column) {
	v, codes := fixedForm[T](c)
	for k, g := range groups {
		r := rows[k]
		if codes != nil {
			r = codes[r]
		}
		s.v[g], s.seen[g] = v[r], 1
	}
}

// fixedForm gives the values of a column and, for a Dict or Const, which one
// each row has (nil: its own).
func fixedForm[T column.Element](c column.Column) (v []T, codes []uint32) {
	switch c := c.(type) {
	case *column.Dict:
		return c.Values.(*column.Fixed[T]).Values, c.Codes
	case *column.Const:
		return c.Value.(*column.Fixed[T]).Values, groupsOf(nil, c.N)
	}
	return c.(*column.Fixed[T]).Values, nil
}

func (s *fixedSlots[T]) improve(groups []uint32, c column.Column, sign int, track bool) (gs, rs []uint32) {
	v, codes := fixedForm[T](c)
	return s.kernel(&s.fixedCells, groupsOf(groups, c.Len()), v, codes, sign, track)
}

// improveOrdered takes NaN for the value that any other improves.
func improveOrdered[T column.Ordered](s *fixedCells[T], groups []uint32, v []T, codes []uint32, sign int, track bool) (gs, rs []uint32) {
	if codes != nil {
		w := make([]T, len(codes))
		for i, c := range codes {
			w[i] = v[c]
		}
		v = w
	}
	v = v[:len(groups)]
	if !track {
		if sign < 0 {
			minOrdered(s, groups, v)
		} else {
			maxOrdered(s, groups, v)
		}
		return nil, nil
	}
	for i, g := range groups {
		x, cur := v[i], s.v[g]
		if s.seen[g] == 0 || sign < 0 && x < cur || sign > 0 && x > cur || cur != cur && x == x {
			s.v[g], s.seen[g] = x, 1
			gs, rs = append(gs, g), append(rs, uint32(i))
		}
	}
	return gs, rs
}

func minOrdered[T column.Ordered](s *fixedCells[T], groups []uint32, v []T) {
	if &groups[0] == &zeroGroups[0] {
		m := v[0]
		if s.seen[0] != 0 {
			m = s.v[0]
		}
		for _, x := range v {
			if x < m || m != m {
				m = x
			}
		}
		s.v[0], s.seen[0] = m, 1
		return
	}
	for i, g := range groups {
		if x, cur := v[i], s.v[g]; x < cur || s.seen[g] == 0 || cur != cur {
			s.v[g], s.seen[g] = x, 1
		}
	}
}

func maxOrdered[T column.Ordered](s *fixedCells[T], groups []uint32, v []T) {
	if &groups[0] == &zeroGroups[0] {
		m := v[0]
		if s.seen[0] != 0 {
			m = s.v[0]
		}
		for _, x := range v {
			if x > m || m != m {
				m = x
			}
		}
		s.v[0], s.seen[0] = m, 1
		return
	}
	for i, g := range groups {
		if x, cur := v[i], s.v[g]; x > cur || s.seen[g] == 0 || cur != cur {
			s.v[g], s.seen[g] = x, 1
		}
	}
}

// improveBy is for types that Go cannot order with <.
func improveBy[T any](cmp func(a, b T) int) improver[T] {
	return func(s *fixedCells[T], groups []uint32, v []T, codes []uint32, sign int, track bool) (gs, rs []uint32) {
		for i, g := range groups {
			r := uint32(i)
			if codes != nil {
				r = codes[i]
			}
			if s.seen[g] == 0 || cmp(v[r], s.v[g])*sign > 0 {
				s.v[g], s.seen[g] = v[r], 1
				if track {
					gs, rs = append(gs, g), append(rs, uint32(i))
				}
			}
		}
		return gs, rs
	}
}

func (s *fixedSlots[T]) move(group int, from slots, i int) {
	f := from.(*fixedSlots[T])
	s.v[group], s.seen[group] = f.v[i], f.seen[i]
}

func (s *fixedSlots[T]) better(group int, from slots, i, sign int) bool {
	f := from.(*fixedSlots[T])
	if f.seen[i] == 0 {
		return false
	}
	if s.seen[group] == 0 {
		return true
	}
	one := fixedCells[T]{v: []T{s.v[group]}, seen: []uint8{1}}
	gs, _ := s.kernel(&one, []uint32{0}, f.v[i:i+1], nil, sign, true)
	return len(gs) > 0
}

func (s *fixedSlots[T]) result(from, to int) column.Column {
	return column.NewFixed(append([]T(nil), s.v[from:to]...))
}

func (s *fixedSlots[T]) encode(group int, dst []byte) []byte {
	dst = append(dst, s.seen[group])
	if s.seen[group] == 0 {
		return dst
	}
	return putFixed(dst, s.v[group])
}

func (s *fixedSlots[T]) decode(group int, r *reader) {
	if r.byte() != 0 {
		s.v[group], s.seen[group] = readFixed[T](r), 1
	}
}

func (s *fixedSlots[T]) size() int64 { return int64(cap(s.v)) * (sizeOf[T]() + 1) }

func (s *fixedSlots[T]) empty() slots { return &fixedSlots[T]{kernel: s.kernel, def: s.def} }
