package aggregate

import (
	"lakeserver/column"
	"lakeserver/types"
)

// pairs is a set of (group, key): the distinct values of all groups in one
// open-addressing table. Keys are 128 bits: the value, or a hash of it.
type pairs struct {
	low   []lowSlot  // while all keys have 64 bits
	slots []pairSlot // afterwards
	used  int
	n     []uint64 // keys of each group
	sink  uint32

	ordered []types.U128 // the keys by group, nil when stale
	ends    []int        // of each group in ordered
}

type lowSlot struct {
	key   uint64
	group uint32 // plus one; 0: free
}

type pairSlot struct {
	key   types.U128
	group uint32 // plus one; 0: free
}

func (p *pairs) grow(n int) { p.n = grown(p.n, n) }

func lowHash(group uint32, k uint64) uint64 {
	// The group is spread first: values often grow along with group numbers.
	return column.Mix(uint64(group)*0x9E3779B97F4A7C15, k)
}

func pairHash(group uint32, k types.U128) uint64 { return column.Mix(lowHash(group, k.Lo), k.Hi) }

// insert tells whether the key was new in the group.
func (p *pairs) insert(group uint32, k types.U128) bool {
	if p.slots == nil {
		if k.Hi == 0 {
			return p.insertLow(group, k.Lo)
		}
		p.widen()
	}
	if 2*(p.used+1) > len(p.slots) {
		p.resize()
	}
	mask := uint64(len(p.slots) - 1)
	for i := pairHash(group, k) & mask; ; i = (i + 1) & mask {
		s := &p.slots[i]
		if s.group == 0 {
			*s = pairSlot{k, group + 1}
			p.added(group)
			return true
		}
		if s.group == group+1 && s.key == k {
			return false
		}
	}
}

func (p *pairs) added(group uint32) {
	p.ordered = nil
	p.used++
	p.n[group]++
}

func (p *pairs) insertLow(group uint32, k uint64) bool {
	if 2*(p.used+1) > len(p.low) {
		p.resizeLow()
	}
	mask := uint64(len(p.low) - 1)
	for i := lowHash(group, k) & mask; ; i = (i + 1) & mask {
		s := &p.low[i]
		if s.group == 0 {
			*s = lowSlot{k, group + 1}
			p.added(group)
			return true
		}
		if s.group == group+1 && s.key == k {
			return false
		}
	}
}

const (
	// insertBatch is how many rows' slots are read ahead of their probes, so
	// that they come from far memory together and not one after the other.
	insertBatch = 128
	// farSlots is the size in bytes from which that pays.
	farSlots = 512 << 10
)

// insertAll inserts a key a row.
func (p *pairs) insertAll(groups []uint32, keys []types.U128) {
	for from := 0; from < len(keys); from += insertBatch {
		to := min(from+insertBatch, len(keys))
		p.touch(groups[from:to], keys[from:to])
		for i := from; i < to; i++ {
			p.insert(groups[i], keys[i])
		}
	}
}

func (p *pairs) touch(groups []uint32, keys []types.U128) {
	sum := uint32(0)
	switch {
	case len(p.low)*16 >= farSlots:
		mask := uint64(len(p.low) - 1)
		for i, k := range keys {
			sum += p.low[lowHash(groups[i], k.Lo)&mask].group
		}
	case len(p.slots)*32 >= farSlots:
		mask := uint64(len(p.slots) - 1)
		for i, k := range keys {
			sum += p.slots[pairHash(groups[i], k)&mask].group
		}
	}
	p.sink = sum
}

// insertAllLow inserts a key of 64 bits a row.
func (p *pairs) insertAllLow(groups []uint32, keys []uint64) {
	if p.slots != nil {
		for i, k := range keys {
			p.insert(groups[i], types.U128{Lo: k})
		}
		return
	}
	for from := 0; from < len(keys); from += insertBatch {
		to := min(from+insertBatch, len(keys))
		if len(p.low)*16 >= farSlots {
			mask, sum := uint64(len(p.low)-1), uint32(0)
			for i, k := range keys[from:to] {
				sum += p.low[lowHash(groups[from+i], k)&mask].group
			}
			p.sink = sum
		}
		for i := from; i < to; i++ {
			p.insertLow(groups[i], keys[i])
		}
	}
}

// widen makes the slots of 128-bit keys.
func (p *pairs) widen() {
	p.slots = make([]pairSlot, max(64, len(p.low)))
	for _, s := range p.low {
		if s.group != 0 {
			p.put(pairSlot{types.U128{Lo: s.key}, s.group})
		}
	}
	p.low = nil
}

func (p *pairs) resizeLow() {
	old := p.low
	p.low = make([]lowSlot, max(64, 2*len(old)))
	mask := uint64(len(p.low) - 1)
	for _, s := range old {
		if s.group == 0 {
			continue
		}
		i := lowHash(s.group-1, s.key) & mask
		for p.low[i].group != 0 {
			i = (i + 1) & mask
		}
		p.low[i] = s
	}
}

func (p *pairs) resize() {
	old := p.slots
	p.slots = make([]pairSlot, max(64, 2*len(old)))
	for _, s := range old {
		if s.group != 0 {
			p.put(s)
		}
	}
}

// put places a slot whose key is not there yet.
func (p *pairs) put(s pairSlot) {
	mask := uint64(len(p.slots) - 1)
	i := pairHash(s.group-1, s.key) & mask
	for p.slots[i].group != 0 {
		i = (i + 1) & mask
	}
	p.slots[i] = s
}

func (p *pairs) merge(groups []uint32, from *pairs, some []uint32) {
	if some == nil {
		p.makeRoom(from)
		keys, to := make([]types.U128, 0, insertBatch), make([]uint32, 0, insertBatch)
		for group, key := range from.all {
			keys, to = append(keys, key), append(to, uint32(target(groups, int(group))))
			if len(keys) == insertBatch {
				p.insertAll(to, keys)
				keys, to = keys[:0], to[:0]
			}
		}
		p.insertAll(to, keys)
		return
	}
	for k, i := range some {
		for _, key := range from.keys(int(i)) {
			p.insert(groups[k], key)
		}
	}
}

// makeRoom grows the slots for what a merge may bring: slots come in the order
// of their hashes, and would pile up in the first part of a table that both
// together nearly fill. Mostly they have much in common, so it waits for that.
func (p *pairs) makeRoom(from *pairs) {
	for p.slots == nil && from.slots == nil && 10*(p.used+from.used) > 7*len(p.low) {
		p.resizeLow()
	}
	if p.slots == nil && from.slots != nil {
		p.widen()
	}
	for p.slots != nil && 10*(p.used+from.used) > 7*len(p.slots) {
		p.resize()
	}
}

// all gives every group with each of its keys.
func (p *pairs) all(yield func(group uint32, key types.U128) bool) {
	for i := range p.low {
		if s := &p.low[i]; s.group != 0 && !yield(s.group-1, types.U128{Lo: s.key}) {
			return
		}
	}
	for i := range p.slots {
		if s := &p.slots[i]; s.group != 0 && !yield(s.group-1, s.key) {
			return
		}
	}
}

// keys gives the keys of one group.
func (p *pairs) keys(group int) []types.U128 {
	if p.ordered == nil || len(p.ends) != len(p.n) {
		p.order()
	}
	from := 0
	if group > 0 {
		from = p.ends[group-1]
	}
	return p.ordered[from:p.ends[group]]
}

// order puts the keys of a group side by side.
func (p *pairs) order() {
	p.ends = make([]int, len(p.n))
	at := 0
	for g, n := range p.n {
		p.ends[g] = at
		at += int(n)
	}
	p.ordered = make([]types.U128, at)
	for group, key := range p.all {
		p.ordered[p.ends[group]] = key
		p.ends[group]++
	}
}

func (p *pairs) size() int64 {
	return int64(cap(p.low))*sizeOf[lowSlot]() + int64(cap(p.slots))*sizeOf[pairSlot]() + int64(cap(p.n))*8 + int64(cap(p.ordered))*16
}

// keysOf gives a 128-bit key a row that is equal for equal rows: the value
// itself for up to 128 bits (floats by their bits), else a hash.
func keysOf(cols []column.Column, rows int) []types.U128 {
	out := make([]types.U128, rows)
	if len(cols) == 1 {
		if fixedKeys(cols[0], out) {
			return out
		}
	}
	h := make([]uint64, rows)
	for _, c := range cols {
		column.HashInto(c, h)
	}
	for i := range h {
		out[i].Lo = h[i]
		h[i] = 0x5851F42D4C957F2D
	}
	for _, c := range cols {
		column.HashInto(c, h)
	}
	for i := range h {
		out[i].Hi = h[i]
	}
	return out
}

func fixedKeys(c column.Column, out []types.U128) bool { // long: one case a form
	switch x := c.(type) {
	case *column.Const:
		one := make([]types.U128, 1)
		if !fixedKeys(x.Value, one) {
			return false
		}
		for i := range out {
			out[i] = one[0]
		}
	case *column.Dict:
		entries := keysOf([]column.Column{x.Values}, x.Values.Len())
		for i, code := range x.Codes {
			out[i] = entries[code]
		}
	case *column.Fixed[uint8]:
		lowKeys(x.Values, out)
	case *column.Fixed[uint16]:
		lowKeys(x.Values, out)
	case *column.Fixed[uint32]:
		lowKeys(x.Values, out)
	case *column.Fixed[uint64]:
		lowKeys(x.Values, out)
	case *column.Fixed[int8]:
		lowKeys(x.Values, out)
	case *column.Fixed[int16]:
		lowKeys(x.Values, out)
	case *column.Fixed[int32]:
		lowKeys(x.Values, out)
	case *column.Fixed[int64]:
		lowKeys(x.Values, out)
	case *column.Fixed[types.U128]:
		copy(out, x.Values)
	case *column.Fixed[types.I128]:
		for i, v := range x.Values {
			out[i] = types.U128{Lo: v.Lo, Hi: uint64(v.Hi)}
		}
	case *column.Fixed[float32]:
		for i, v := range x.Values {
			out[i].Lo = floatKey(float64(v))
		}
	case *column.Fixed[float64]:
		for i, v := range x.Values {
			out[i].Lo = floatKey(v)
		}
	default:
		return false
	}
	return true
}

// narrowKeys gives the keys of a full column of up to 64 bits; nil for others.
func narrowKeys(c column.Column, buf []uint64) []uint64 {
	if n := c.Len(); cap(buf) < n {
		buf = make([]uint64, n)
	} else {
		buf = buf[:n]
	}
	switch x := c.(type) {
	case *column.Fixed[uint8]:
		widenKeys(x.Values, buf)
	case *column.Fixed[uint16]:
		widenKeys(x.Values, buf)
	case *column.Fixed[uint32]:
		widenKeys(x.Values, buf)
	case *column.Fixed[uint64]:
		return x.Values
	case *column.Fixed[int8]:
		widenKeys(x.Values, buf)
	case *column.Fixed[int16]:
		widenKeys(x.Values, buf)
	case *column.Fixed[int32]:
		widenKeys(x.Values, buf)
	case *column.Fixed[int64]:
		widenKeys(x.Values, buf)
	default:
		return nil
	}
	return buf
}

func widenKeys[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](v []T, out []uint64) {
	mask := ^uint64(0) >> (64 - 8*sizeOf[T]())
	for i, x := range v {
		out[i] = uint64(x) & mask
	}
}

func lowKeys[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](v []T, out []types.U128) {
	// Signed values are cut to their width, so that a key read back from a
	// serialised state is the same.
	mask := ^uint64(0) >> (64 - 8*sizeOf[T]())
	for i, x := range v {
		out[i].Lo = uint64(x) & mask
	}
}
