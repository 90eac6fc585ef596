package exec

import (
	"lakeserver/column"
)

// strTable numbers distinct byte strings, which it copies into one arena.
type strTable struct {
	slots []strSlot
	keys  column.Str
}

type strSlot struct {
	hash  uint32
	group uint32 // plus one; 0: free
}

func (t *strTable) number(key []byte, h uint64) (group uint32, fresh bool) {
	if len(t.slots) == 0 {
		t.resize(256)
	}
	mask := uint64(len(t.slots) - 1)
	for j := h & mask; ; j = (j + 1) & mask {
		s := &t.slots[j]
		if s.group == 0 {
			t.keys.Append(key)
			n := t.keys.Len()
			*s = strSlot{uint32(h >> 32), uint32(n)}
			if 2*n > len(t.slots) {
				t.resize(4 * len(t.slots))
			}
			return uint32(n - 1), true
		}
		if s.hash == uint32(h>>32) && string(t.keys.At(int(s.group-1))) == string(key) {
			return s.group - 1, false
		}
	}
}

func (t *strTable) lookup(key []byte, h uint64) uint32 {
	if len(t.slots) == 0 {
		return noGroup
	}
	mask := uint64(len(t.slots) - 1)
	for j := h & mask; t.slots[j].group != 0; j = (j + 1) & mask {
		s := t.slots[j]
		if s.hash == uint32(h>>32) && string(t.keys.At(int(s.group-1))) == string(key) {
			return s.group - 1
		}
	}
	return noGroup
}

func (t *strTable) resize(n int) {
	t.slots = make([]strSlot, n)
	mask := uint64(n - 1)
	for i := range t.keys.Len() {
		h := column.HashBytes(t.keys.At(i))
		j := h & mask
		for t.slots[j].group != 0 {
			j = (j + 1) & mask
		}
		t.slots[j] = strSlot{uint32(h >> 32), uint32(i + 1)}
	}
}

func (t *strTable) size() int64 {
	return int64(cap(t.slots))*8 + int64(cap(t.keys.Data)) + int64(cap(t.keys.Start)+cap(t.keys.Lns))*4
}

// strGrouper has one string key.
type strGrouper struct{ table strTable }

func (g *strGrouper) assign(keys []column.Column, rows int, out []uint32) {
	c := keys[0].(*column.Str)
	for i := range rows {
		k := c.At(i)
		out[i], _ = g.table.number(k, column.HashBytes(k))
	}
}

func (g *strGrouper) find(keys []column.Column, rows int, out []uint32) {
	values, null := column.SplitNulls(keys[0])
	c := values.(*column.Str)
	for i := range rows {
		if null != nil && null[i] != 0 {
			out[i] = noGroup
			continue
		}
		k := c.At(i)
		out[i] = g.table.lookup(k, column.HashBytes(k))
	}
}

func (g *strGrouper) hash(keys []column.Column, rows int, out []uint64) {
	c := keys[0].(*column.Str)
	for i := range rows {
		out[i] = column.HashBytes(c.At(i))
	}
}

func (g *strGrouper) count() int { return g.table.keys.Len() }

func (g *strGrouper) keys(from, to int) []column.Column {
	return []column.Column{g.table.keys.Slice(from, to)}
}

func (g *strGrouper) size() int64 { return g.table.size() }
