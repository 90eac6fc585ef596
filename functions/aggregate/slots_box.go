package aggregate

import (
	"lakeserver/column"
	"lakeserver/types"
)

// boxSlots keep values of any other type, a column of one row each.
type boxSlots struct {
	t     *types.Type
	v     []column.Column // nil: none
	bytes int64
}

func (s *boxSlots) grow(n int)         { s.v = grown(s.v, n) }
func (s *boxSlots) has(group int) bool { return s.v[group] != nil }

func (s *boxSlots) set(group uint32, c column.Column, row int) {
	if old := s.v[group]; old != nil {
		s.bytes -= old.Size()
	}
	s.v[group] = oneRow(s.t, c, row)
	s.bytes += s.v[group].Size()
}

// oneRow copies a row into a column of its own.
func oneRow(t *types.Type, c column.Column, row int) column.Column {
	b := column.NewBuilder(t, 1)
	b.AppendRange(c, row, row+1)
	return b.Finish()
}

func (s *boxSlots) put(groups, rows []uint32, c column.Column) {
	for k, g := range groups {
		if k+1 < len(groups) && groups[k+1] == g {
			continue
		}
		s.set(g, c, int(rows[k]))
	}
}

func (s *boxSlots) improve(groups []uint32, c column.Column, sign int, track bool) (gs, rs []uint32) {
	for i, g := range groupsOf(groups, c.Len()) {
		if s.v[g] != nil && column.Compare(c, i, s.v[g], 0, -sign)*sign <= 0 {
			continue
		}
		s.set(g, c, i)
		if track {
			gs, rs = append(gs, g), append(rs, uint32(i))
		}
	}
	return gs, rs
}

func (s *boxSlots) move(group int, from slots, i int) {
	if v := from.(*boxSlots).v[i]; v != nil {
		s.set(uint32(group), v, 0)
	} else {
		s.v[group] = nil
	}
}

func (s *boxSlots) better(group int, from slots, i, sign int) bool {
	f := from.(*boxSlots)
	return f.v[i] != nil && (s.v[group] == nil || column.Compare(f.v[i], 0, s.v[group], 0, -sign)*sign > 0)
}

func (s *boxSlots) result(from, to int) column.Column {
	b := column.NewBuilder(s.t, to-from)
	for _, v := range s.v[from:to] {
		if v == nil {
			b.AppendDefault()
			continue
		}
		b.AppendRange(v, 0, 1)
	}
	return b.Finish()
}

func (s *boxSlots) encode(group int, dst []byte) []byte {
	if s.v[group] == nil {
		return append(dst, 0)
	}
	return putRow(append(dst, 1), s.t, s.v[group], 0)
}

func (s *boxSlots) decode(group int, r *reader) {
	if r.byte() == 0 {
		return
	}
	b := column.NewBuilder(s.t, 1)
	readRow(r, s.t, b)
	if r.err == nil {
		s.v[group] = b.Finish()
		s.bytes += s.v[group].Size()
	}
}

func (s *boxSlots) size() int64 { return s.bytes + int64(cap(s.v))*16 }

func (s *boxSlots) empty() slots { return &boxSlots{t: s.t} }
