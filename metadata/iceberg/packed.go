package iceberg

import "unsafe"

// longs is a column of numbers kept as narrow as they are: one number where
// all are equal, else the differences to the least one.
type longs struct {
	base int64
	u8   []uint8
	u16  []uint16
	u32  []uint32
	u64  []uint64
}

func packLongs(v []int64) longs {
	if len(v) == 0 {
		return longs{}
	}
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	p := longs{base: lo}
	switch d := uint64(hi) - uint64(lo); {
	case d == 0:
	case d < 1<<8:
		p.u8 = differences[uint8](v, lo)
	case d < 1<<16:
		p.u16 = differences[uint16](v, lo)
	case d < 1<<32:
		p.u32 = differences[uint32](v, lo)
	default:
		p.u64 = differences[uint64](v, lo)
	}
	return p
}

func differences[T uint8 | uint16 | uint32 | uint64](v []int64, base int64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(uint64(x) - uint64(base))
	}
	return out
}

func (p *longs) at(i int) int64 {
	switch {
	case p.u8 != nil:
		return int64(uint64(p.base) + uint64(p.u8[i]))
	case p.u16 != nil:
		return int64(uint64(p.base) + uint64(p.u16[i]))
	case p.u32 != nil:
		return int64(uint64(p.base) + uint64(p.u32[i]))
	case p.u64 != nil:
		return int64(uint64(p.base) + p.u64[i])
	}
	return p.base
}

func (p *longs) size() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(len(p.u8)) + 2*int64(len(p.u16)) + 4*int64(len(p.u32)) + 8*int64(len(p.u64))
}

// texts is a column of byte strings in one piece of memory; what all have in
// front and behind in common is kept once. It may hold nils.
type texts struct {
	head, tail string
	body       []byte
	width      int      // of every string; 0: ends tells
	ends       []uint32 // of each string in body
	none       []uint64 // bit i: string i is nil; empty: none is
}

// textsBuilder collects strings for texts.
type textsBuilder struct {
	body []byte
	ends []uint32
	none []uint64
}

func (b *textsBuilder) add(s []byte) {
	i := len(b.ends)
	if s == nil {
		for len(b.none) <= i/64 {
			b.none = append(b.none, 0)
		}
		b.none[i/64] |= 1 << (i % 64)
	}
	b.body = append(b.body, s...)
	b.ends = append(b.ends, uint32(len(b.body)))
}

func (b *textsBuilder) at(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	return b.body[from:b.ends[i]]
}

// pack gives the column; shorten takes off common heads and tails, which
// columns with nils keep.
func (b *textsBuilder) pack(shorten bool) texts {
	n := len(b.ends)
	t := texts{none: append([]uint64(nil), b.none...)}
	if n == 0 {
		return t
	}
	head, tail := 0, 0
	if shorten && len(t.none) == 0 {
		first := b.at(0)
		head, tail = len(first), len(first)
		for i := 1; i < n; i++ {
			s := b.at(i)
			head = commonHead(first[:head], s)
			tail = commonTail(first[len(first)-tail:], s)
		}
		for i := range n { // in the shortest string they may meet
			tail = min(tail, len(b.at(i))-head)
		}
		t.head, t.tail = string(first[:head]), string(first[len(first)-tail:])
	}
	width := len(b.at(0)) - head - tail
	for i := range n {
		if len(b.at(i))-head-tail != width {
			width = 0
			break
		}
	}
	if width == 0 {
		t.ends = make([]uint32, n)
	}
	t.width = width
	t.body = make([]byte, 0, len(b.body)-n*(head+tail))
	for i := range n {
		s := b.at(i)
		t.body = append(t.body, s[head:len(s)-tail]...)
		if width == 0 {
			t.ends[i] = uint32(len(t.body))
		}
	}
	return t
}

func commonHead(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonTail(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}

// at gives the part of a string that is its own; nil for a nil. It points into
// the column.
func (t *texts) at(i int) []byte {
	if i/64 < len(t.none) && t.none[i/64]&(1<<(i%64)) != 0 {
		return nil
	}
	if t.width > 0 {
		return t.body[i*t.width : (i+1)*t.width : (i+1)*t.width]
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.body[from:t.ends[i]:t.ends[i]]
}

func (t *texts) text(i int) string { return t.head + string(t.at(i)) + t.tail }

func (t *texts) size() int64 {
	return int64(unsafe.Sizeof(*t)) + int64(len(t.head)+len(t.tail)+len(t.body)) + 4*int64(len(t.ends)) + 8*int64(len(t.none))
}
