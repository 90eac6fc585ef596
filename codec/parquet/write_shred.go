package parquet

import (
	"lakeserver/column"
	"lakeserver/types"
)

// shredder takes nested columns apart into the levels and values of their leaves.
type shredder struct {
	leaves []writeLeaf
	next   int // the leaf that comes next
}

// slots are the level entries that lead to a column: each live one has the
// column's next row, the others ended above, in a NULL or an empty list.
type slots struct {
	def, rep []int16
	live     []bool
}

func wholeRows(n int) slots {
	s := slots{make([]int16, n), make([]int16, n), make([]bool, n)}
	for i := range s.live {
		s.live[i] = true
	}
	return s
}

// shred hands out the leaves of a column of type t; rep is the repetition
// level around it.
func (s *shredder) shred(t *types.Type, c column.Column, in slots, rep int16) {
	t = types.WithoutLowCardinality(t)
	d, ok := c.(*column.Dict)
	if ok && flatLeaf(t) {
		s.dictionary(t, d, in)
		return
	}
	c = column.Full(c)
	if t.Kind() == types.KindSimpleAggregateFunction {
		s.shred(t.Elem(), c, in, rep)
		return
	}
	if t.Kind() == types.KindNullable {
		values, null := column.SplitNulls(c)
		t, c, in = t.Elem(), values, in.dropNulls(null)
		if null != nil {
			c = values.Gather(notNull(null))
		}
	}
	switch t.Kind() {
	case types.KindArray:
		a := c.(*column.Array).Compact()
		s.shred(t.Elem(), a.Elems, in.explode(a.Offsets, rep+1), rep+1)
	case types.KindMap:
		m := c.(*column.Map).Compact()
		entries := in.explode(m.Offsets, rep+1)
		s.shred(t.Elems()[0], m.Keys, entries, rep+1)
		s.shred(t.Elems()[1], m.Values, entries, rep+1)
	case types.KindTuple:
		for i, e := range c.(*column.Tuple).Elems {
			s.shred(t.Elems()[i], e, in, rep)
		}
	default:
		l := &s.leaves[s.next]
		l.def, l.rep, l.values = in.def, in.rep, c
		s.next++
	}
}

// flatLeaf tells of a type that is one leaf.
func flatLeaf(t *types.Type) bool {
	switch types.Unwrap(t).Kind() {
	case types.KindArray, types.KindMap, types.KindTuple, types.KindSimpleAggregateFunction, types.KindBool:
		return false
	}
	return true
}

// dictionary hands a leaf out whose values are codes.
func (s *shredder) dictionary(t *types.Type, d *column.Dict, in slots) {
	if t.Kind() == types.KindNullable {
		values, null := column.SplitNulls(d.Values)
		if null == nil {
			in, d = in.dropNulls(nil), &column.Dict{Codes: d.Codes, Values: values}
		} else {
			rows, codes := make([]uint8, len(d.Codes)), make([]uint32, 0, len(d.Codes))
			for i, code := range d.Codes {
				if rows[i] = null[code]; rows[i] == 0 {
					codes = append(codes, code)
				}
			}
			in, d = in.dropNulls(rows), &column.Dict{Codes: codes, Values: values}
		}
	}
	l := &s.leaves[s.next]
	l.def, l.rep, l.values = in.def, in.rep, d
	s.next++
}

func notNull(null []uint8) []uint32 {
	rows := make([]uint32, 0, len(null))
	for i, isNull := range null {
		if isNull == 0 {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// dropNulls ends the entries that are NULL and raises the level of the others.
func (s slots) dropNulls(null []uint8) slots {
	out := slots{make([]int16, len(s.def)), s.rep, make([]bool, len(s.def))}
	row := 0
	for i, live := range s.live {
		out.def[i] = s.def[i]
		if !live {
			continue
		}
		if null == nil || null[row] == 0 {
			out.live[i] = true
			out.def[i]++
		}
		row++
	}
	return out
}

// explode gives one entry an element; an empty list keeps one that has ended.
func (s slots) explode(offsets []uint64, rep int16) slots {
	n := len(s.def) + int(offsets[len(offsets)-1])
	out := slots{make([]int16, 0, n), make([]int16, 0, n), make([]bool, 0, n)}
	row := 0
	for i, live := range s.live {
		elems := uint64(0)
		if live {
			elems = offsets[row+1] - offsets[row]
			row++
		}
		if elems == 0 {
			out.add(s.def[i], s.rep[i], false)
			continue
		}
		out.add(s.def[i]+1, s.rep[i], true)
		for range elems - 1 {
			out.add(s.def[i]+1, rep, true)
		}
	}
	return out
}

func (s *slots) add(def, rep int16, live bool) {
	s.def, s.rep, s.live = append(s.def, def), append(s.rep, rep), append(s.live, live)
}
