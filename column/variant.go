package column

import (
	"sort"

	"lakeserver/cherr"
	"lakeserver/types"
)

// NullVariant is the number that stands for NULL in a Variant's Kinds.
const NullVariant = 255

// Variant is values of several types: row i is row Rows[i] of Parts[Kinds[i]],
// whose type is Types[Kinds[i]], or NULL. Of the type Variant, Types are the
// type's own in their order; of Dynamic, each column has those that it holds.
// Parts are full and without NULL, and may have rows that nobody names, so that
// Slice and Gather share them.
type Variant struct {
	Types []*types.Type
	Kinds []uint8
	Rows  []uint32
	Parts []Column
}

// NewVariant makes a column whose rows are all of one type; null may be nil.
func NewVariant(t *types.Type, values Column, null []uint8) *Variant {
	n := values.Len()
	c := &Variant{Types: []*types.Type{t}, Parts: []Column{Full(values)}, Kinds: make([]uint8, n), Rows: make([]uint32, n)}
	for i := range c.Rows {
		c.Rows[i] = uint32(i)
		if null != nil && null[i] != 0 {
			c.Kinds[i] = NullVariant
		}
	}
	return c
}

// NullVariants makes n NULLs.
func NullVariants(ts []*types.Type, n int) *Variant {
	c := &Variant{Types: ts, Kinds: make([]uint8, n), Rows: make([]uint32, n)}
	for i := range c.Kinds {
		c.Kinds[i] = NullVariant
	}
	for _, t := range ts {
		c.Parts = append(c.Parts, NewBuilder(t, 0).Finish())
	}
	return c
}

// Len gives the rows.
func (c *Variant) Len() int { return len(c.Kinds) }

// IsNull tells whether a row is NULL.
func (c *Variant) IsNull(i int) bool { return c.Kinds[i] == NullVariant }

// Nulls gives a byte a row, 1 for NULL; nil when no row is.
func (c *Variant) Nulls() []uint8 {
	var out []uint8
	for i, k := range c.Kinds {
		if k == NullVariant {
			if out == nil {
				out = make([]uint8, len(c.Kinds))
			}
			out[i] = 1
		}
	}
	return out
}

// WithNulls gives the same rows with NULL where null has 1.
func (c *Variant) WithNulls(null []uint8) *Variant {
	out := *c
	out.Kinds = append([]uint8(nil), c.Kinds...)
	for i, n := range null {
		if n != 0 {
			out.Kinds[i] = NullVariant
		}
	}
	return &out
}

// Slice shares memory.
func (c *Variant) Slice(from, to int) Column {
	return &Variant{c.Types, c.Kinds[from:to:to], c.Rows[from:to:to], c.Parts}
}

// Gather shares the values.
func (c *Variant) Gather(rows []uint32) Column {
	out := &Variant{Types: c.Types, Kinds: make([]uint8, len(rows)), Rows: make([]uint32, len(rows)), Parts: c.Parts}
	for i, r := range rows {
		out.Kinds[i], out.Rows[i] = c.Kinds[r], c.Rows[r]
	}
	return out
}

// Size gives the bytes of the rows, and of the parts in full.
func (c *Variant) Size() int64 {
	n := int64(len(c.Kinds)) * 5
	for _, p := range c.Parts {
		n += p.Size()
	}
	return n
}

// Of gives the rows of one kind: their positions in the column, and their
// values in that order.
func (c *Variant) Of(kind int) (positions []uint32, values Column) {
	var rows []uint32
	for i, k := range c.Kinds {
		if int(k) == kind {
			positions, rows = append(positions, uint32(i)), append(rows, c.Rows[i])
		}
	}
	return positions, c.Parts[kind].Gather(rows)
}

// Compact gives the same rows with parts that hold nothing else, in order.
func (c *Variant) Compact() *Variant {
	out := &Variant{Types: c.Types, Kinds: c.Kinds, Rows: make([]uint32, len(c.Rows)), Parts: make([]Column, len(c.Parts))}
	for k := range c.Parts {
		positions, values := c.Of(k)
		out.Parts[k] = values
		for i, p := range positions {
			out.Rows[p] = uint32(i)
		}
	}
	return out
}

// WithTypes gives the same rows with kinds numbered by other types, among which
// all that the rows have must be; nil if one is not.
func (c *Variant) WithTypes(ts []*types.Type) *Variant {
	out := &Variant{Types: ts, Kinds: make([]uint8, len(c.Kinds)), Rows: c.Rows, Parts: make([]Column, len(ts))}
	var number [256]int
	for i := range number {
		number[i] = -1
	}
	for k, t := range c.Types {
		for i, o := range ts {
			if t.Equal(o) {
				number[k], out.Parts[i] = i, c.Parts[k]
			}
		}
	}
	number[NullVariant] = NullVariant
	for i, k := range c.Kinds {
		if number[k] < 0 {
			return nil
		}
		out.Kinds[i] = uint8(number[k])
	}
	for i, p := range out.Parts {
		if p == nil {
			out.Parts[i] = NewBuilder(ts[i], 0).Finish()
		}
	}
	return out
}

// VariantValue is a boxed value of a Variant or Dynamic with its type.
type VariantValue struct {
	Type  *types.Type
	Value Value
}

func (c *Variant) boxed(i int) Value {
	k := c.Kinds[i]
	if k == NullVariant {
		return nil
	}
	return VariantValue{c.Types[k], At(c.Parts[k], int(c.Rows[i]))}
}

// hashInto hashes a value with its type's name.
func (c *Variant) hashInto(h []uint64) {
	for k, p := range c.Parts {
		name := HashBytes([]byte(c.Types[k].String()))
		var at, rows []uint32
		for i, have := range c.Kinds {
			if int(have) == k {
				at, rows = append(at, uint32(i)), append(rows, c.Rows[i])
			}
		}
		if len(at) == 0 {
			continue
		}
		sub := make([]uint64, len(at))
		for i, r := range at {
			sub[i] = Mix(h[r], name)
		}
		HashInto(Full(p.Gather(rows)), sub)
		for i, r := range at {
			h[r] = sub[i]
		}
	}
	for i, k := range c.Kinds {
		if k == NullVariant {
			h[i] = Mix(h[i], mulB)
		}
	}
}

// compareTo orders by the types' names, then by value; NULLs were looked at
// before.
func (c *Variant) compareTo(i int, b Column, j, nulls int) int {
	d := b.(*Variant)
	x, y := c.Kinds[i], d.Kinds[j]
	switch a, b := c.Types[x].String(), d.Types[y].String(); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return Compare(c.Parts[x], int(c.Rows[i]), d.Parts[y], int(d.Rows[j]), nulls)
}

// variantBuilder collects values of several types; new types join as they come
// when the type is Dynamic.
type variantBuilder struct {
	types []*types.Type
	open  bool
	parts []Builder
	kinds []uint8
	rows  []uint32
}

func newVariantBuilder(t *types.Type, capacity int) *variantBuilder {
	b := &variantBuilder{open: t.Kind() == types.KindDynamic, kinds: make([]uint8, 0, capacity), rows: make([]uint32, 0, capacity)}
	if !b.open {
		b.types = t.Elems()
		for _, e := range b.types {
			b.parts = append(b.parts, NewBuilder(e, 0))
		}
	}
	return b
}

// number gives the kind of a type.
func (b *variantBuilder) number(t *types.Type) int {
	for i, have := range b.types {
		if have.Equal(t) {
			return i
		}
	}
	if !b.open || len(b.types) == NullVariant {
		cherr.Refuse(cherr.NotImplemented, "A value of type %s does not fit into a column of %d types", t, len(b.types))
	}
	b.types, b.parts = append(b.types, t), append(b.parts, NewBuilder(t, 0))
	return len(b.types) - 1
}

func (b *variantBuilder) Len() int { return len(b.kinds) }

func (b *variantBuilder) AppendDefault() {
	b.kinds, b.rows = append(b.kinds, NullVariant), append(b.rows, 0)
}

func (b *variantBuilder) AppendValue(v Value) {
	if v == nil {
		b.AppendDefault()
		return
	}
	x := v.(VariantValue)
	k := b.number(x.Type)
	b.kinds, b.rows = append(b.kinds, uint8(k)), append(b.rows, uint32(b.parts[k].Len()))
	b.parts[k].AppendValue(x.Value)
}

func (b *variantBuilder) AppendRange(c Column, from, to int) {
	v, ok := Full(c.Slice(from, to)).(*Variant)
	if !ok {
		if _, nothing := c.(*Nothing); nothing {
			for range to - from {
				b.AppendDefault()
			}
			return
		}
		cherr.Bug("a %T cannot be appended to a variant", c)
	}
	base := len(b.kinds)
	for _, k := range v.Kinds {
		b.kinds, b.rows = append(b.kinds, k), append(b.rows, 0)
	}
	kinds, rows := b.kinds[base:], b.rows[base:]
	renamed := append([]uint8(nil), kinds...)
	for k := range v.Parts {
		var take []uint32
		for i, have := range kinds {
			if int(have) == k {
				take = append(take, v.Rows[i])
			}
		}
		if len(take) == 0 {
			continue
		}
		n := b.number(v.Types[k])
		next := uint32(b.parts[n].Len())
		for i, have := range kinds {
			if int(have) == k {
				renamed[i], rows[i] = uint8(n), next
				next++
			}
		}
		b.parts[n].AppendRows(v.Parts[k], take)
	}
	copy(kinds, renamed)
}

func (b *variantBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

func (b *variantBuilder) Finish() Column {
	c := &Variant{Types: b.types, Kinds: b.kinds, Rows: b.rows}
	for _, p := range b.parts {
		c.Parts = append(c.Parts, p.Finish())
	}
	return c
}

// VariantBuilder collects values of several types, each part by its own
// builder; new types join as they come.
type VariantBuilder struct{ b variantBuilder }

// NewVariantBuilder makes a builder of a Dynamic column.
func NewVariantBuilder() *VariantBuilder { return &VariantBuilder{variantBuilder{open: true}} }

// Null adds NULL.
func (b *VariantBuilder) Null() { b.b.AppendDefault() }

// Append adds row i of a column of type t.
func (b *VariantBuilder) Append(t *types.Type, c Column, i int) {
	k := b.b.number(t)
	b.b.kinds, b.b.rows = append(b.b.kinds, uint8(k)), append(b.b.rows, uint32(b.b.parts[k].Len()))
	b.b.parts[k].AppendRange(c, i, i+1)
}

// Len gives the rows so far.
func (b *VariantBuilder) Len() int { return len(b.b.kinds) }

// Finish gives the column.
func (b *VariantBuilder) Finish() *Variant { return b.b.Finish().(*Variant) }

// SortedTypes gives the types that the rows have, by name.
func (c *Variant) SortedTypes() []*types.Type {
	var used [256]bool
	for _, k := range c.Kinds {
		used[k] = true
	}
	var out []*types.Type
	for k, t := range c.Types {
		if used[k] {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out
}
