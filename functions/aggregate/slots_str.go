package aggregate

import (
	"bytes"
	"math"

	"lakeserver/column"
)

// strSlots keep byte strings, each in a buffer that grows when a longer value comes.
type strSlots struct {
	v     [][]byte // nil: none
	pad   int      // the length of a FixedString
	bytes int64
}

func (s *strSlots) grow(n int)         { s.v = grown(s.v, n) }
func (s *strSlots) has(group int) bool { return s.v[group] != nil }

func (s *strSlots) set(group uint32, v []byte) {
	old := s.v[group]
	if cap(old) >= len(v) && old != nil {
		s.v[group] = append(old[:0], v...)
		return
	}
	n := max(8, len(v)+len(v)/4)
	s.bytes += int64(n - cap(old))
	s.v[group] = append(make([]byte, 0, n), v...)
}

// strForm gives the strings of a column and which one each row has (nil: its own).
func strForm(c column.Column) (v *column.Str, codes []uint32) {
	switch c := c.(type) {
	case *column.Dict:
		return c.Values.(*column.Str), c.Codes
	case *column.Const:
		return c.Value.(*column.Str), groupsOf(nil, c.N)
	}
	return c.(*column.Str), nil
}

func (s *strSlots) put(groups, rows []uint32, c column.Column) {
	v, codes := strForm(c)
	for k, g := range groups {
		if k+1 < len(groups) && groups[k+1] == g {
			continue // a later row replaces it at once
		}
		r := rows[k]
		if codes != nil {
			r = codes[r]
		}
		s.set(g, v.At(int(r)))
	}
}

func (s *strSlots) improve(groups []uint32, c column.Column, sign int, track bool) (gs, rs []uint32) {
	v, codes := strForm(c)
	if codes != nil && groups == nil && !track && v.Len() <= len(codes) {
		// Each used entry once.
		used := make([]bool, v.Len())
		for _, e := range codes {
			used[e] = true
		}
		for e, u := range used {
			if u && (s.v[0] == nil || bytes.Compare(v.At(e), s.v[0])*sign > 0) {
				s.set(0, v.At(e))
			}
		}
		return nil, nil
	}
	for i, g := range groupsOf(groups, c.Len()) {
		r := i
		if codes != nil {
			r = int(codes[i])
		}
		if x := v.At(r); s.v[g] == nil || bytes.Compare(x, s.v[g])*sign > 0 {
			s.set(g, x)
			if track {
				gs, rs = append(gs, g), append(rs, uint32(i))
			}
		}
	}
	return gs, rs
}

func (s *strSlots) move(group int, from slots, i int) {
	f := from.(*strSlots)
	if f.v[i] == nil {
		s.v[group] = nil
		return
	}
	s.set(uint32(group), f.v[i])
}

func (s *strSlots) better(group int, from slots, i, sign int) bool {
	f := from.(*strSlots)
	return f.v[i] != nil && (s.v[group] == nil || bytes.Compare(f.v[i], s.v[group])*sign > 0)
}

func (s *strSlots) result(from, to int) column.Column {
	out := &column.Str{}
	for _, v := range s.v[from:to] {
		if v == nil {
			out.Append(make([]byte, s.pad))
			continue
		}
		out.Append(v)
	}
	return out
}

// encode counts a terminating zero, as ClickHouse does.
func (s *strSlots) encode(group int, dst []byte) []byte {
	if s.v[group] == nil {
		return putUint32(dst, math.MaxUint32)
	}
	dst = putUint32(dst, uint32(len(s.v[group])+1))
	return append(append(dst, s.v[group]...), 0)
}

func (s *strSlots) decode(group int, r *reader) {
	n := r.uint32()
	if n == math.MaxUint32 || r.err != nil {
		return
	}
	b := r.bytes(int(n))
	if r.err == nil {
		s.set(uint32(group), bytes.TrimSuffix(b, []byte{0}))
	}
}

func (s *strSlots) size() int64 { return s.bytes + int64(cap(s.v))*24 }

func (s *strSlots) empty() slots { return &strSlots{pad: s.pad} }
