package aggregate

import (
	"lakeserver/column"
	"lakeserver/types"
)

// pairs is a set of (group, key): the distinct values of all groups in one
// open-addressing table. Keys are 128 bits: the value, or a hash of it.
type pairs struct {
	slots []pairSlot
	used  int
	n     []uint64 // keys of each group

	ordered []types.U128 // the keys by group, nil when stale
	ends    []int        // of each group in ordered
}

type pairSlot struct {
	key   types.U128
	group uint32 // plus one; 0: free
}

func (p *pairs) grow(n int) { p.n = grown(p.n, n) }

func pairHash(group uint32, k types.U128) uint64 {
	// The group is spread first: values often grow along with group numbers.
	return column.Mix(column.Mix(uint64(group)*0x9E3779B97F4A7C15, k.Lo), k.Hi)
}

// insert tells whether the key was new in the group.
func (p *pairs) insert(group uint32, k types.U128) bool {
	if 2*(p.used+1) > len(p.slots) {
		p.resize()
	}
	mask := uint64(len(p.slots) - 1)
	for i := pairHash(group, k) & mask; ; i = (i + 1) & mask {
		s := &p.slots[i]
		if s.group == 0 {
			*s = pairSlot{k, group + 1}
			p.ordered = nil
			p.used++
			p.n[group]++
			return true
		}
		if s.group == group+1 && s.key == k {
			return false
		}
	}
}

func (p *pairs) resize() {
	old := p.slots
	p.slots = make([]pairSlot, max(64, 2*len(old)))
	mask := uint64(len(p.slots) - 1)
	for _, s := range old {
		if s.group == 0 {
			continue
		}
		i := pairHash(s.group-1, s.key) & mask
		for p.slots[i].group != 0 {
			i = (i + 1) & mask
		}
		p.slots[i] = s
	}
}

func (p *pairs) merge(groups []uint32, from *pairs, some []uint32) {
	if some == nil {
		for _, s := range from.slots {
			if s.group != 0 {
				p.insert(uint32(target(groups, int(s.group-1))), s.key)
			}
		}
		return
	}
	for k, i := range some {
		for _, key := range from.keys(int(i)) {
			p.insert(groups[k], key)
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
	for _, s := range p.slots {
		if s.group != 0 {
			p.ordered[p.ends[s.group-1]] = s.key
			p.ends[s.group-1]++
		}
	}
}

func (p *pairs) size() int64 { return int64(cap(p.slots))*sizeOf[pairSlot]() + int64(cap(p.n))*8 }

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

func lowKeys[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](v []T, out []types.U128) {
	// Signed values are cut to their width, so that a key read back from a
	// serialised state is the same.
	mask := ^uint64(0) >> (64 - 8*sizeOf[T]())
	for i, x := range v {
		out[i].Lo = uint64(x) & mask
	}
}
