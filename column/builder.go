package column

import (
	"lakeserver/cherr"
	"lakeserver/types"
)

// Builder collects rows of one type into a full column. It is used by one
// goroutine; after Finish it must not be used again.
type Builder interface {
	// Len gives the rows so far.
	Len() int
	// AppendValue adds a boxed value of the type's form; nil is NULL, or the
	// default where the type has no NULL.
	AppendValue(v Value)
	// AppendDefault adds the type's default value (NULL for nullable types).
	AppendDefault()
	// AppendRange adds rows [from, to) of a column of the same type, in any form.
	AppendRange(c Column, from, to int)
	// AppendRows adds the rows at the positions of a column of the same type.
	AppendRows(c Column, rows []uint32)
	// Finish gives the column.
	Finish() Column
}

// NewBuilder makes a builder for a type; capacity is a guess of the rows.
func NewBuilder(t *types.Type, capacity int) Builder { // long: one case a form
	switch t.Kind() {
	case types.KindNullable:
		return &nullableBuilder{values: NewBuilder(t.Elem(), capacity)}
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return NewBuilder(t.Elem(), capacity)
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return newFixedBuilder[uint8](capacity)
	case types.PhysUInt16:
		return newFixedBuilder[uint16](capacity)
	case types.PhysUInt32:
		return newFixedBuilder[uint32](capacity)
	case types.PhysUInt64:
		return newFixedBuilder[uint64](capacity)
	case types.PhysUInt128:
		return newFixedBuilder[types.U128](capacity)
	case types.PhysUInt256:
		return newFixedBuilder[types.U256](capacity)
	case types.PhysInt8:
		return enumBuilder[int8](t, capacity)
	case types.PhysInt16:
		return enumBuilder[int16](t, capacity)
	case types.PhysInt32:
		b := newFixedBuilder[int32](capacity)
		if t.Kind() == types.KindDate32 {
			b.def = -25567 // 1900-01-01, as in ClickHouse
		}
		return b
	case types.PhysInt64:
		return newFixedBuilder[int64](capacity)
	case types.PhysInt128:
		return newFixedBuilder[types.I128](capacity)
	case types.PhysInt256:
		return newFixedBuilder[types.I256](capacity)
	case types.PhysFloat32:
		return newFixedBuilder[float32](capacity)
	case types.PhysFloat64:
		return newFixedBuilder[float64](capacity)
	case types.PhysIPv6:
		return newFixedBuilder[types.Addr6](capacity)
	case types.PhysString:
		return newStrBuilder(t, capacity)
	case types.PhysArray:
		return &arrayBuilder{offsets: make([]uint64, 1, capacity+1), elems: NewBuilder(t.Elem(), capacity)}
	case types.PhysMap:
		e := t.Elems()
		return &mapBuilder{make([]uint64, 1, capacity+1), NewBuilder(e[0], capacity), NewBuilder(e[1], capacity)}
	case types.PhysTuple:
		b := &tupleBuilder{}
		for _, e := range t.Elems() {
			b.elems = append(b.elems, NewBuilder(e, capacity))
		}
		return b
	case types.PhysNothing:
		return &nothingBuilder{}
	case types.PhysVariant:
		return newVariantBuilder(t, capacity)
	}
	cherr.Bug("no builder for type %s", t)
	return nil
}

// Default gives a full column of n default values.
func Default(t *types.Type, n int) Column {
	b := NewBuilder(t, 1)
	b.AppendDefault()
	return Full(NewConst(b.Finish(), n))
}

// Concat joins columns of one type, in any forms, into one. Dicts of one
// dictionary and Consts of one value keep their form.
func Concat(t *types.Type, cols []Column) Column {
	if len(cols) == 1 {
		return cols[0]
	}
	if d := concatDicts(cols); d != nil {
		return d
	}
	n := 0
	for _, c := range cols {
		n += c.Len()
	}
	b := NewBuilder(t, n)
	for _, c := range cols {
		b.AppendRange(c, 0, c.Len())
	}
	return b.Finish()
}

func concatDicts(cols []Column) Column {
	if len(cols) == 0 {
		return nil
	}
	first, ok := cols[0].(*Dict)
	if !ok {
		return nil
	}
	var codes []uint32
	for _, c := range cols {
		d, ok := c.(*Dict)
		if !ok || d.Values != first.Values {
			return nil
		}
		codes = append(codes, d.Codes...)
	}
	return &Dict{codes, first.Values}
}

type fixedBuilder[T Element] struct {
	values []T
	def    T
}

func newFixedBuilder[T Element](capacity int) *fixedBuilder[T] {
	return &fixedBuilder[T]{values: make([]T, 0, capacity)}
}

// enumBuilder's default is the enum's first value, as in ClickHouse.
func enumBuilder[T int8 | int16](t *types.Type, capacity int) *fixedBuilder[T] {
	b := newFixedBuilder[T](capacity)
	if e := t.Enum(); e != nil {
		b.def = T(e.Values()[0])
	}
	return b
}

func (b *fixedBuilder[T]) Len() int       { return len(b.values) }
func (b *fixedBuilder[T]) AppendDefault() { b.values = append(b.values, b.def) }
func (b *fixedBuilder[T]) Finish() Column { return &Fixed[T]{b.values} }

func (b *fixedBuilder[T]) AppendValue(v Value) {
	if v == nil {
		b.AppendDefault()
		return
	}
	b.values = append(b.values, v.(T))
}

func (b *fixedBuilder[T]) AppendRange(c Column, from, to int) {
	switch c := c.(type) {
	case *Fixed[T]:
		b.values = append(b.values, c.Values[from:to]...)
	case *Const:
		v := c.Value.(*Fixed[T]).Values[0]
		for range to - from {
			b.values = append(b.values, v)
		}
	case *Dict:
		v := c.Values.(*Fixed[T]).Values
		for _, code := range c.Codes[from:to] {
			b.values = append(b.values, v[code])
		}
	default:
		cherr.Bug("a %T cannot be appended to %T", c, b)
	}
}

func (b *fixedBuilder[T]) AppendRows(c Column, rows []uint32) {
	if f, ok := c.(*Fixed[T]); ok {
		for _, r := range rows {
			b.values = append(b.values, f.Values[r])
		}
		return
	}
	g := Full(c.Gather(rows))
	b.AppendRange(g, 0, g.Len())
}

type strBuilder struct {
	col Str
	def []byte
}

func newStrBuilder(t *types.Type, capacity int) *strBuilder {
	b := &strBuilder{col: Str{Start: make([]uint32, 0, capacity), Lns: make([]uint32, 0, capacity)}}
	if t.Kind() == types.KindFixedString {
		b.def = make([]byte, t.Length())
	}
	return b
}

func (b *strBuilder) Len() int       { return b.col.Len() }
func (b *strBuilder) AppendDefault() { b.col.Append(b.def) }
func (b *strBuilder) Finish() Column { return &b.col }

func (b *strBuilder) AppendValue(v Value) {
	if v == nil {
		b.AppendDefault()
		return
	}
	b.col.AppendString(v.(string))
}

func (b *strBuilder) AppendRange(c Column, from, to int) {
	switch c := c.(type) {
	case *Str:
		for i := from; i < to; i++ {
			b.col.Append(c.At(i))
		}
	case *Const:
		v := c.Value.(*Str).At(0)
		for range to - from {
			b.col.Append(v)
		}
	case *Dict:
		v := c.Values.(*Str)
		for _, code := range c.Codes[from:to] {
			b.col.Append(v.At(int(code)))
		}
	default:
		cherr.Bug("a %T cannot be appended to %T", c, b)
	}
}

func (b *strBuilder) AppendRows(c Column, rows []uint32) {
	g := c.Gather(rows)
	b.AppendRange(g, 0, g.Len())
}

type nothingBuilder struct{ n int }

func (b *nothingBuilder) Len() int                           { return b.n }
func (b *nothingBuilder) AppendValue(Value)                  { b.n++ }
func (b *nothingBuilder) AppendDefault()                     { b.n++ }
func (b *nothingBuilder) AppendRange(_ Column, from, to int) { b.n += to - from }
func (b *nothingBuilder) AppendRows(_ Column, rows []uint32) { b.n += len(rows) }
func (b *nothingBuilder) Finish() Column                     { return &Nothing{b.n} }
