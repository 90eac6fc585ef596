package column

import "lakeserver/cherr"

type nullableBuilder struct {
	values Builder
	null   []uint8
	any    bool
}

func (b *nullableBuilder) Len() int { return b.values.Len() }

func (b *nullableBuilder) add(null uint8) {
	b.null = append(b.null, null)
	b.any = b.any || null != 0
}

func (b *nullableBuilder) AppendDefault() { b.values.AppendDefault(); b.add(1) }

func (b *nullableBuilder) AppendValue(v Value) {
	if v == nil {
		b.AppendDefault()
		return
	}
	b.values.AppendValue(v)
	b.add(0)
}

// AppendRange takes plain values too: they are not NULL.
func (b *nullableBuilder) AppendRange(c Column, from, to int) {
	switch c := c.(type) {
	case *Nullable:
		b.values.AppendRange(c.Values, from, to)
		for i := from; i < to; i++ {
			if c.IsNull(i) {
				b.add(1)
			} else {
				b.add(0)
			}
		}
	case *Const, *Dict:
		g := Full(c.Slice(from, to))
		b.AppendRange(g, 0, g.Len())
	case *Nothing:
		for range to - from {
			b.AppendDefault()
		}
	default:
		b.values.AppendRange(c, from, to)
		b.null = append(b.null, make([]uint8, to-from)...)
	}
}

func (b *nullableBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

func (b *nullableBuilder) Finish() Column {
	out := &Nullable{Values: b.values.Finish()}
	if b.any {
		out.Null = b.null
	}
	return out
}

type arrayBuilder struct {
	offsets []uint64
	elems   Builder
}

func (b *arrayBuilder) Len() int       { return len(b.offsets) - 1 }
func (b *arrayBuilder) seal()          { b.offsets = append(b.offsets, uint64(b.elems.Len())) }
func (b *arrayBuilder) AppendDefault() { b.seal() }
func (b *arrayBuilder) Finish() Column { return &Array{b.offsets, b.elems.Finish()} }

func (b *arrayBuilder) AppendValue(v Value) {
	if v != nil {
		for _, e := range v.(Row) {
			b.elems.AppendValue(e)
		}
	}
	b.seal()
}

func (b *arrayBuilder) AppendRange(c Column, from, to int) {
	a, ok := Full(c.Slice(from, to)).(*Array)
	if !ok {
		cherr.Bug("a %T cannot be appended to an array", c)
	}
	b.elems.AppendRange(a.Elems, int(a.Offsets[0]), int(a.Offsets[a.Len()]))
	b.offsets = appendEnds(b.offsets, a.Offsets)
}

func (b *arrayBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

type mapBuilder struct {
	offsets      []uint64
	keys, values Builder
}

func (b *mapBuilder) Len() int       { return len(b.offsets) - 1 }
func (b *mapBuilder) AppendDefault() { b.offsets = append(b.offsets, uint64(b.keys.Len())) }
func (b *mapBuilder) Finish() Column { return &Map{b.offsets, b.keys.Finish(), b.values.Finish()} }

func (b *mapBuilder) AppendValue(v Value) {
	if v != nil {
		for _, e := range v.(Entries) {
			b.keys.AppendValue(e.Key)
			b.values.AppendValue(e.Value)
		}
	}
	b.AppendDefault()
}

func (b *mapBuilder) AppendRange(c Column, from, to int) {
	m, ok := Full(c.Slice(from, to)).(*Map)
	if !ok {
		cherr.Bug("a %T cannot be appended to a map", c)
	}
	lo, hi := int(m.Offsets[0]), int(m.Offsets[m.Len()])
	b.keys.AppendRange(m.Keys, lo, hi)
	b.values.AppendRange(m.Values, lo, hi)
	b.offsets = appendEnds(b.offsets, m.Offsets)
}

func (b *mapBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

// appendEnds continues dst, whose last entry is the element count before, with
// the ends of src moved to follow it.
func appendEnds(dst, src []uint64) []uint64 {
	base := dst[len(dst)-1] - src[0]
	for _, o := range src[1:] {
		dst = append(dst, o+base)
	}
	return dst
}

type tupleBuilder struct {
	elems []Builder
	n     int
}

func (b *tupleBuilder) Len() int { return b.n }

func (b *tupleBuilder) AppendDefault() {
	for _, e := range b.elems {
		e.AppendDefault()
	}
	b.n++
}

func (b *tupleBuilder) AppendValue(v Value) {
	if v == nil {
		b.AppendDefault()
		return
	}
	for i, e := range v.(Row) {
		b.elems[i].AppendValue(e)
	}
	b.n++
}

func (b *tupleBuilder) AppendRange(c Column, from, to int) {
	t, ok := Full(c.Slice(from, to)).(*Tuple)
	if !ok {
		cherr.Bug("a %T cannot be appended to a tuple", c)
	}
	for i, e := range b.elems {
		e.AppendRange(t.Elems[i], 0, t.N)
	}
	b.n += t.N
}

func (b *tupleBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

func (b *tupleBuilder) Finish() Column {
	t := &Tuple{N: b.n}
	for _, e := range b.elems {
		t.Elems = append(t.Elems, e.Finish())
	}
	return t
}
