package exec

import (
	"lakeserver/column"
)

// packedGrouper has keys that fit 64 bits together.
type packedGrouper struct {
	layout layout
	slots  []packedSlot
	words  []uint64 // the key of each group
	buf    []uint64
	sink   uint32
}

type packedSlot struct {
	key   uint64
	group uint32 // plus one; 0: free
}

func (g *packedGrouper) pack(keys []column.Column, rows int, buf []uint64) []uint64 {
	if cap(buf) < rows {
		buf = make([]uint64, rows)
	}
	buf = buf[:rows]
	clear(buf)
	g.layout.pack(keys, buf, nil)
	return buf
}

func (g *packedGrouper) assign(keys []column.Column, rows int, out []uint32) {
	g.buf = g.pack(keys, rows, g.buf)
	out = out[:rows]
	if len(g.slots) == 0 {
		g.resize(256)
	}
	for from := 0; from < rows; from += probeBatch {
		to := min(from+probeBatch, rows)
		g.touch(g.buf[from:to])
		g.number(g.buf[from:to], out[from:to])
	}
}

// touch reads the slots of keys, so that probes find them near.
func (g *packedGrouper) touch(keys []uint64) {
	if len(g.slots)*16 < farBytes {
		return
	}
	slots, mask := g.slots, uint64(len(g.slots)-1)
	sum := uint32(0)
	for _, k := range keys {
		sum += slots[column.Mix(k, 0)&mask].group
	}
	g.sink = sum
}

func (g *packedGrouper) number(keys []uint64, out []uint32) {
	slots, mask := g.slots, uint64(len(g.slots)-1)
	for i, k := range keys {
		j := column.Mix(k, 0) & mask
		for {
			s := &slots[j]
			if s.group == 0 {
				out[i] = g.insert(k, j)
				slots, mask = g.slots, uint64(len(g.slots)-1)
				break
			}
			if s.key == k {
				out[i] = s.group - 1
				break
			}
			j = (j + 1) & mask
		}
	}
}

// insert makes a group for a key whose free slot is at.
func (g *packedGrouper) insert(k, at uint64) uint32 {
	g.words = append(g.words, k)
	n := len(g.words)
	g.slots[at] = packedSlot{k, uint32(n)}
	if 2*n > len(g.slots) {
		g.resize(4 * len(g.slots))
	}
	return uint32(n - 1)
}

func (g *packedGrouper) resize(n int) {
	g.slots = make([]packedSlot, n)
	mask := uint64(n - 1)
	for i, k := range g.words {
		j := column.Mix(k, 0) & mask
		for g.slots[j].group != 0 {
			j = (j + 1) & mask
		}
		g.slots[j] = packedSlot{k, uint32(i + 1)}
	}
}

func (g *packedGrouper) find(keys []column.Column, rows int, out []uint32) {
	words := g.pack(keys, rows, nil)
	mask := uint64(len(g.slots) - 1)
	for i, k := range words {
		out[i] = noGroup
		if len(g.slots) == 0 {
			continue
		}
		for j := column.Mix(k, 0) & mask; g.slots[j].group != 0; j = (j + 1) & mask {
			if g.slots[j].key == k {
				out[i] = g.slots[j].group - 1
				break
			}
		}
	}
}

func (g *packedGrouper) hash(keys []column.Column, rows int, out []uint64) {
	words := g.pack(keys, rows, nil)
	for i, k := range words {
		out[i] = column.Mix(k, 0)
	}
}

func (g *packedGrouper) count() int { return len(g.words) }

func (g *packedGrouper) keys(from, to int) []column.Column {
	return g.layout.unpack(g.words[from:to], nil)
}

func (g *packedGrouper) size() int64 {
	return int64(cap(g.slots))*16 + int64(cap(g.words)+cap(g.buf))*8
}

// pairGrouper has keys that fit 128 bits together.
type pairGrouper struct {
	layout layout
	slots  []pairSlot
	lo, hi []uint64 // the key of each group
	sink   uint32
}

type pairSlot struct {
	lo, hi uint64
	group  uint32 // plus one; 0: free
}

func (g *pairGrouper) pack(keys []column.Column, rows int) (lo, hi []uint64) {
	both := make([]uint64, 2*rows)
	lo, hi = both[:rows], both[rows:]
	g.layout.pack(keys, lo, hi)
	return lo, hi
}

func mixPair(lo, hi uint64) uint64 { return column.Mix(column.Mix(lo, 0), hi) }

func (g *pairGrouper) assign(keys []column.Column, rows int, out []uint32) {
	lo, hi := g.pack(keys, rows)
	if len(g.slots) == 0 {
		g.resize(256)
	}
	for i := range lo {
		if i%probeBatch == 0 {
			to := min(i+probeBatch, rows)
			g.touch(lo[i:to], hi[i:to])
		}
		mask := uint64(len(g.slots) - 1)
		for j := mixPair(lo[i], hi[i]) & mask; ; j = (j + 1) & mask {
			s := &g.slots[j]
			if s.group == 0 {
				out[i] = g.insert(lo[i], hi[i], j)
				break
			}
			if s.lo == lo[i] && s.hi == hi[i] {
				out[i] = s.group - 1
				break
			}
		}
	}
}

// touch reads the slots of keys, so that probes find them near.
func (g *pairGrouper) touch(lo, hi []uint64) {
	if len(g.slots)*24 < farBytes {
		return
	}
	slots, mask := g.slots, uint64(len(g.slots)-1)
	sum := uint32(0)
	for i := range lo {
		sum += slots[mixPair(lo[i], hi[i])&mask].group
	}
	g.sink = sum
}

func (g *pairGrouper) insert(lo, hi, at uint64) uint32 {
	g.lo, g.hi = append(g.lo, lo), append(g.hi, hi)
	n := len(g.lo)
	g.slots[at] = pairSlot{lo, hi, uint32(n)}
	if 2*n > len(g.slots) {
		g.resize(4 * len(g.slots))
	}
	return uint32(n - 1)
}

func (g *pairGrouper) resize(n int) {
	g.slots = make([]pairSlot, n)
	mask := uint64(n - 1)
	for i := range g.lo {
		j := mixPair(g.lo[i], g.hi[i]) & mask
		for g.slots[j].group != 0 {
			j = (j + 1) & mask
		}
		g.slots[j] = pairSlot{g.lo[i], g.hi[i], uint32(i + 1)}
	}
}

func (g *pairGrouper) find(keys []column.Column, rows int, out []uint32) {
	lo, hi := g.pack(keys, rows)
	mask := uint64(len(g.slots) - 1)
	for i := range lo {
		out[i] = noGroup
		if len(g.slots) == 0 {
			continue
		}
		for j := mixPair(lo[i], hi[i]) & mask; g.slots[j].group != 0; j = (j + 1) & mask {
			if g.slots[j].lo == lo[i] && g.slots[j].hi == hi[i] {
				out[i] = g.slots[j].group - 1
				break
			}
		}
	}
}

func (g *pairGrouper) hash(keys []column.Column, rows int, out []uint64) {
	lo, hi := g.pack(keys, rows)
	for i := range lo {
		out[i] = mixPair(lo[i], hi[i])
	}
}

func (g *pairGrouper) count() int { return len(g.lo) }

func (g *pairGrouper) keys(from, to int) []column.Column {
	return g.layout.unpack(g.lo[from:to], g.hi[from:to])
}

func (g *pairGrouper) size() int64 {
	return int64(cap(g.slots))*24 + int64(cap(g.lo)+cap(g.hi))*8
}
