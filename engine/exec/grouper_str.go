package exec

import (
	"lakeserver/column"
)

// strTable numbers distinct byte strings, which it copies into one arena. A
// slot says where its key lies, so that a probe costs two reads of far memory;
// those of a batch of rows are begun together (touch).
type strTable struct {
	slots  []strSlot
	keys   column.Str
	hashes []uint64 // of the batch at hand
	sink   uint32
}

type strSlot struct {
	hash          uint32 // the low bits, by which slots are chosen
	group         uint32 // plus one; 0: free
	start, length uint32 // of the key in the arena
}

// probeBatch is how many rows are probed together: their slots and keys stay
// in the first cache meanwhile.
const probeBatch = 128

// farBytes is the size from which a table is taken to lie outside of the second
// cache, so that reading ahead pays.
const farBytes = 512 << 10

// number gives each row its group, by the key that at gives; the rows of new
// groups are appended to fresh.
func (t *strTable) number(rows int, at func(i int) []byte, out []uint32, fresh []uint32) []uint32 {
	if len(t.slots) == 0 {
		t.resize(256)
	}
	if cap(t.hashes) < probeBatch {
		t.hashes = make([]uint64, probeBatch)
	}
	for from := 0; from < rows; from += probeBatch {
		h := t.hashes[:min(probeBatch, rows-from)]
		for i := range h {
			h[i] = column.HashBytes(at(from + i))
		}
		t.touch(h)
		for i, x := range h {
			var isNew bool
			if out[from+i], isNew = t.one(at(from+i), x); isNew {
				fresh = append(fresh, uint32(from+i))
			}
		}
	}
	return fresh
}

// touch reads the slots of hashes, then the keys in them. The reads do not wait
// for each other, as those of one probe after the other would.
func (t *strTable) touch(hashes []uint64) {
	if len(t.slots)*16+len(t.keys.Data) < farBytes {
		return
	}
	slots, mask := t.slots, uint64(len(t.slots)-1)
	sum := uint32(0)
	for _, h := range hashes {
		sum += slots[h&mask].group
	}
	data := t.keys.Data
	for _, h := range hashes {
		if s := &slots[h&mask]; s.hash == uint32(h) && s.length > 0 {
			sum += uint32(data[s.start]) + uint32(data[s.start+s.length-1])
		}
	}
	t.sink = sum
}

func (t *strTable) one(key []byte, h uint64) (group uint32, fresh bool) {
	mask := uint64(len(t.slots) - 1)
	for j := h & mask; ; j = (j + 1) & mask {
		s := &t.slots[j]
		if s.group == 0 {
			return t.insert(key, h, j), true
		}
		if s.hash == uint32(h) && string(t.keys.Data[s.start:s.start+s.length]) == string(key) {
			return s.group - 1, false
		}
	}
}

// insert makes a group for a key whose free slot is at.
func (t *strTable) insert(key []byte, h, at uint64) uint32 {
	start := len(t.keys.Data)
	t.keys.Append(key)
	n := t.keys.Len()
	t.slots[at] = strSlot{uint32(h), uint32(n), uint32(start), uint32(len(key))}
	if 2*n > len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	return uint32(n - 1)
}

// lookup is a probe that changes nothing: find may run concurrently.
func (t *strTable) lookup(key []byte, h uint64) uint32 {
	if len(t.slots) == 0 {
		return noGroup
	}
	mask := uint64(len(t.slots) - 1)
	for j := h & mask; t.slots[j].group != 0; j = (j + 1) & mask {
		s := &t.slots[j]
		if s.hash == uint32(h) && string(t.keys.Data[s.start:s.start+s.length]) == string(key) {
			return s.group - 1
		}
	}
	return noGroup
}

// resize moves the slots by the hash that they hold: no key is read. Beyond
// 2^31 slots it would have too few bits, but the arena ends long before.
func (t *strTable) resize(n int) {
	old := t.slots
	t.slots = make([]strSlot, n)
	mask := uint64(n - 1)
	for i := range old {
		s := &old[i]
		if s.group == 0 {
			continue
		}
		j := uint64(s.hash) & mask
		for t.slots[j].group != 0 {
			j = (j + 1) & mask
		}
		t.slots[j] = *s
	}
}

func (t *strTable) size() int64 {
	return int64(cap(t.slots))*16 + int64(cap(t.keys.Data)) + int64(cap(t.keys.Start)+cap(t.keys.Lns))*4
}

// strGrouper has one string key.
type strGrouper struct{ table strTable }

func (g *strGrouper) assign(keys []column.Column, rows int, out []uint32) {
	c := keys[0].(*column.Str)
	g.table.number(rows, c.At, out, nil)
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
