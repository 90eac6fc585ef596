package native

import (
	"bufio"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// RowReader collects values of one type from RowBinary input into a column.
type RowReader interface {
	// Read takes one value.
	Read(r *bufio.Reader) error
	// Default adds the type's default without reading.
	Default()
	// Finish gives the rows so far as a full column and starts anew.
	Finish() column.Column
}

// NewRowReader makes a reader for a type.
func NewRowReader(t *types.Type) (RowReader, error) { // long: one case a form
	switch t.Kind() {
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return NewRowReader(t.Elem())
	case types.KindNullable:
		inner, err := NewRowReader(t.Elem())
		return &nullableRows{inner: inner}, err
	case types.KindAggregateFunction:
		return &stateRows{t: t}, nil
	case types.KindVariant:
		return newVariantRows(t)
	case types.KindDynamic, types.KindJSON:
		return nil, cherr.New(cherr.NotImplemented, "Type %s cannot be read row by row in binary form", t)
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return &fixedRows[uint8]{}, nil
	case types.PhysUInt16:
		return &fixedRows[uint16]{}, nil
	case types.PhysUInt32:
		return &fixedRows[uint32]{}, nil
	case types.PhysUInt64:
		return &fixedRows[uint64]{}, nil
	case types.PhysUInt128:
		return &fixedRows[types.U128]{swap: t.Kind() == types.KindUUID}, nil
	case types.PhysUInt256:
		return &fixedRows[types.U256]{}, nil
	case types.PhysInt8:
		return &fixedRows[int8]{def: enumDefault[int8](t)}, nil
	case types.PhysInt16:
		return &fixedRows[int16]{def: enumDefault[int16](t)}, nil
	case types.PhysInt32:
		return &fixedRows[int32]{}, nil
	case types.PhysInt64:
		return &fixedRows[int64]{}, nil
	case types.PhysInt128:
		return &fixedRows[types.I128]{}, nil
	case types.PhysInt256:
		return &fixedRows[types.I256]{}, nil
	case types.PhysFloat32:
		return &fixedRows[float32]{}, nil
	case types.PhysFloat64:
		return &fixedRows[float64]{}, nil
	case types.PhysIPv6:
		return &fixedRows[types.Addr6]{}, nil
	case types.PhysString:
		if t.Kind() == types.KindFixedString {
			return &strRows{length: t.Length(), fixed: true}, nil
		}
		return &strRows{}, nil
	case types.PhysArray:
		elem, err := NewRowReader(t.Elem())
		return &arrayRows{offsets: []uint64{0}, elem: elem}, err
	case types.PhysMap:
		k, err := NewRowReader(t.Elems()[0])
		if err != nil {
			return nil, err
		}
		v, err := NewRowReader(t.Elems()[1])
		return &mapRows{arrayRows{offsets: []uint64{0}, elem: k}, v}, err
	case types.PhysTuple:
		out := &tupleRows{}
		for _, e := range t.Elems() {
			r, err := NewRowReader(e)
			if err != nil {
				return nil, err
			}
			out.elems = append(out.elems, r)
		}
		return out, nil
	case types.PhysNothing:
		return &nothingRows{}, nil
	}
	return nil, cherr.New(cherr.NotImplemented, "Type %s cannot be read as RowBinary", t)
}

func enumDefault[T int8 | int16](t *types.Type) T {
	if e := t.Enum(); e != nil {
		return T(e.Values()[0])
	}
	return 0
}

type fixedRows[T column.Element] struct {
	values []T
	def    T
	swap   bool
}

func (f *fixedRows[T]) Default() { f.values = append(f.values, f.def) }

func (f *fixedRows[T]) Read(r *bufio.Reader) error {
	var v T
	n := int(unsafe.Sizeof(v))
	b, err := r.Peek(n)
	if err != nil {
		return torn(err)
	}
	dst := unsafe.Slice((*byte)(unsafe.Pointer(&v)), n)
	copy(dst, b)
	if f.swap { // a UUID's high half comes first
		copy(dst[:8], b[8:])
		copy(dst[8:], b[:8])
	}
	f.values = append(f.values, v)
	_, err = r.Discard(n)
	return err
}

func (f *fixedRows[T]) Finish() column.Column {
	c := column.NewFixed(f.values)
	f.values = nil
	return c
}

type strRows struct {
	col    column.Str
	length int
	fixed  bool
}

func (s *strRows) Default() { s.col.Append(make([]byte, s.length)) }

func (s *strRows) Read(r *bufio.Reader) error {
	n := uint64(s.length)
	if !s.fixed {
		var err error
		if n, err = uvarint(r); err != nil {
			return err
		}
	}
	if n > 1<<32-1-uint64(len(s.col.Data)) {
		return cherr.New(cherr.TooLargeStringSize, "Too large string size: %d", n)
	}
	from := len(s.col.Data)
	data, err := readBytes(r, s.col.Data, int(n))
	if err != nil {
		return err
	}
	s.col.Data = data
	s.col.Seal(from)
	return nil
}

func (s *strRows) Finish() column.Column {
	c := s.col
	s.col = column.Str{}
	return &c
}

type stateRows struct {
	t   *types.Type
	col column.Str
}

func (s *stateRows) Default() { s.col.Append(nil) }

func (s *stateRows) Read(r *bufio.Reader) error {
	from := len(s.col.Data)
	data, err := readState(r, s.t, s.col.Data)
	if err != nil {
		return err
	}
	s.col.Data = data
	s.col.Seal(from)
	return nil
}

func (s *stateRows) Finish() column.Column {
	c := s.col
	s.col = column.Str{}
	return &c
}

type nullableRows struct {
	inner RowReader
	null  []uint8
}

func (n *nullableRows) Default() { n.inner.Default(); n.null = append(n.null, 1) }

func (n *nullableRows) Read(r *bufio.Reader) error {
	flag, err := r.ReadByte()
	if err != nil {
		return torn(err)
	}
	if flag != 0 {
		n.Default()
		return nil
	}
	n.null = append(n.null, 0)
	return n.inner.Read(r)
}

func (n *nullableRows) Finish() column.Column {
	c := &column.Nullable{Values: n.inner.Finish(), Null: n.null}
	n.null = nil
	return c
}

type arrayRows struct {
	offsets []uint64
	elem    RowReader
}

func (a *arrayRows) seal(n uint64) { a.offsets = append(a.offsets, a.offsets[len(a.offsets)-1]+n) }
func (a *arrayRows) Default()      { a.seal(0) }

func (a *arrayRows) Read(r *bufio.Reader) error {
	n, err := uvarint(r)
	if err != nil {
		return err
	}
	for range n {
		if err := a.elem.Read(r); err != nil {
			return err
		}
	}
	a.seal(n)
	return nil
}

func (a *arrayRows) Finish() column.Column {
	c := &column.Array{Offsets: a.offsets, Elems: a.elem.Finish()}
	a.offsets = []uint64{0}
	return c
}

type mapRows struct {
	arrayRows
	value RowReader
}

func (m *mapRows) Read(r *bufio.Reader) error {
	n, err := uvarint(r)
	if err != nil {
		return err
	}
	for range n {
		if err := m.elem.Read(r); err != nil {
			return err
		}
		if err := m.value.Read(r); err != nil {
			return err
		}
	}
	m.seal(n)
	return nil
}

func (m *mapRows) Finish() column.Column {
	c := &column.Map{Offsets: m.offsets, Keys: m.elem.Finish(), Values: m.value.Finish()}
	m.offsets = []uint64{0}
	return c
}

type tupleRows struct {
	elems []RowReader
	n     int
}

func (t *tupleRows) Default() {
	for _, e := range t.elems {
		e.Default()
	}
	t.n++
}

func (t *tupleRows) Read(r *bufio.Reader) error {
	for _, e := range t.elems {
		if err := e.Read(r); err != nil {
			return err
		}
	}
	t.n++
	return nil
}

func (t *tupleRows) Finish() column.Column {
	c := &column.Tuple{N: t.n}
	for _, e := range t.elems {
		c.Elems = append(c.Elems, e.Finish())
	}
	t.n = 0
	return c
}

type nothingRows struct{ n int }

func (n *nothingRows) Default()                 { n.n++ }
func (n *nothingRows) Read(*bufio.Reader) error { n.n++; return nil }
func (n *nothingRows) Finish() column.Column {
	c := &column.Nothing{N: n.n}
	n.n = 0
	return c
}
