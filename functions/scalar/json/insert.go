package json

import (
	"bytes"
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// inserter collects values of a type from JSON. insert is false, and adds
// nothing, when the value does not fit; then skip adds the default.
type inserter interface {
	insert(node []byte) bool
	skip()
	finish() column.Column
}

func newInserter(t *types.Type, rows int) (inserter, error) { // long: one case a kind
	switch t.Kind() {
	case types.KindNullable:
		inner, err := newInserter(t.Elem(), rows)
		return &nullableInserter{inner: inner}, err
	case types.KindLowCardinality:
		return newInserter(t.Elem(), rows)
	case types.KindUInt8:
		return newNumber[uint8](t, rows), nil
	case types.KindUInt16:
		return newNumber[uint16](t, rows), nil
	case types.KindUInt32:
		return newNumber[uint32](t, rows), nil
	case types.KindUInt64:
		return newNumber[uint64](t, rows), nil
	case types.KindInt8:
		return newNumber[int8](t, rows), nil
	case types.KindInt16:
		return newNumber[int16](t, rows), nil
	case types.KindInt32:
		return newNumber[int32](t, rows), nil
	case types.KindInt64:
		return newNumber[int64](t, rows), nil
	case types.KindFloat32:
		return newNumber[float32](t, rows), nil
	case types.KindFloat64:
		return newNumber[float64](t, rows), nil
	case types.KindBool:
		return newNumber[uint8](t, rows), nil
	case types.KindString, types.KindJSON:
		return &stringInserter{out: kernel.NewStr(rows, rows*8)}, nil
	case types.KindArray:
		elem, err := newInserter(t.Elem(), rows)
		return &arrayInserter{elem: elem, offsets: make([]uint64, 1, rows+1)}, err
	case types.KindMap:
		key, err := newInserter(t.Elems()[0], rows)
		if err != nil {
			return nil, err
		}
		value, err := newInserter(t.Elems()[1], rows)
		return &mapInserter{key: key, value: value, offsets: make([]uint64, 1, rows+1)}, err
	case types.KindTuple:
		in := &tupleInserter{names: t.Names()}
		for _, e := range t.Elems() {
			elem, err := newInserter(e, rows)
			if err != nil {
				return nil, err
			}
			in.elems = append(in.elems, elem)
		}
		return in, nil
	case types.KindVariant, types.KindDynamic:
		return &documentInserter{in: text.NewReader(t, text.JSON, nil)}, nil
	case types.KindAggregateFunction, types.KindNothing:
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "JSONExtract doesn't support the return data type: %s", t)
	}
	return &textInserter{in: text.NewReader(t, text.Plain, nil)}, nil
}

// documentInserter reads values whose type stands beside them.
type documentInserter struct{ in text.Reader }

func (d *documentInserter) insert(node []byte) bool {
	_, err := d.in.Read(node)
	return err == nil
}
func (d *documentInserter) skip()                 { d.in.AppendDefault() }
func (d *documentInserter) finish() column.Column { return d.in.Finish() }

// What a JSON number is.
const (
	isInt = iota
	isUint
	isFloat
)

func number(node []byte) int {
	if bytes.ContainsAny(node, ".eE") {
		return isFloat
	}
	if _, err := strconv.ParseInt(string(node), 10, 64); err == nil {
		return isInt
	}
	if _, err := strconv.ParseUint(string(node), 10, 64); err == nil {
		return isUint
	}
	return isFloat
}

type numberInserter[T column.Element] struct {
	out     []T
	t       *types.Type
	scratch []byte
	// lo and hi bound integers as floats; float is set for floats.
	float  bool
	fromI  func(v int64) (T, bool)
	fromU  func(v uint64) (T, bool)
	fromF  func(v float64) (T, bool)
	zeroed T
}

func newNumber[T column.Element](t *types.Type, rows int) inserter {
	in := &numberInserter[T]{out: make([]T, 0, rows), t: t, float: t.IsFloat()}
	switch p := any(in).(type) {
	case *numberInserter[uint8]:
		bindInts(p, 0, math.MaxUint8)
	case *numberInserter[uint16]:
		bindInts(p, 0, math.MaxUint16)
	case *numberInserter[uint32]:
		bindInts(p, 0, math.MaxUint32)
	case *numberInserter[uint64]:
		bindInts(p, 0, math.MaxUint64)
	case *numberInserter[int8]:
		bindInts(p, math.MinInt8, math.MaxInt8)
	case *numberInserter[int16]:
		bindInts(p, math.MinInt16, math.MaxInt16)
	case *numberInserter[int32]:
		bindInts(p, math.MinInt32, math.MaxInt32)
	case *numberInserter[int64]:
		bindInts(p, math.MinInt64, math.MaxInt64)
	case *numberInserter[float32]:
		bindFloats(p)
	case *numberInserter[float64]:
		bindFloats(p)
	}
	return in
}

func bindInts[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](in *numberInserter[T], lo int64, hi uint64) {
	in.fromI = func(v int64) (T, bool) { return T(v), v >= lo && (v < 0 || uint64(v) <= hi) }
	in.fromU = func(v uint64) (T, bool) { return T(v), v <= hi }
	in.fromF = func(v float64) (T, bool) {
		if v != v || v < float64(lo) || v > float64(hi) || v >= 1<<64 || lo < 0 && v >= 1<<63 {
			return 0, false
		}
		return T(v), true
	}
}

func bindFloats[T float32 | float64](in *numberInserter[T]) {
	in.fromI = func(v int64) (T, bool) { return T(v), true }
	in.fromU = func(v uint64) (T, bool) { return T(v), true }
	in.fromF = func(v float64) (T, bool) { return T(v), true }
}

func (in *numberInserter[T]) skip()                 { in.out = append(in.out, in.zeroed) }
func (in *numberInserter[T]) finish() column.Column { return column.NewFixed(in.out) }

func (in *numberInserter[T]) insert(node []byte) bool {
	v, ok := in.value(node)
	if ok {
		in.out = append(in.out, v)
	}
	return ok
}

func (in *numberInserter[T]) value(node []byte) (v T, ok bool) {
	switch node[0] {
	case 't':
		return in.fromU(1)
	case 'f':
		return in.fromU(0)
	case '"':
		in.scratch = appendString(in.scratch[:0], node)
		node = in.scratch
		if len(node) == 0 || skipNumber(append(node, 0), 0) != len(node) {
			return v, false
		}
	case '{', '[', 'n':
		return v, false
	}
	s := string(node)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return in.fromI(i)
	}
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		return in.fromU(u)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return v, false
	}
	return in.fromF(f)
}

type stringInserter struct{ out *column.Str }

func (in *stringInserter) skip()                 { in.out.Append(nil) }
func (in *stringInserter) finish() column.Column { return in.out }
func (in *stringInserter) insert(node []byte) bool {
	if node[0] == 'n' {
		return false
	}
	from := len(in.out.Data)
	in.out.Data = appendText(in.out.Data, node)
	in.out.Seal(from)
	return true
}

// textInserter reads the types that JSON has only as text: dates, decimals,
// UUIDs, enums.
type textInserter struct {
	in      text.Reader
	scratch []byte
}

func (in *textInserter) skip()                 { in.in.AppendDefault() }
func (in *textInserter) finish() column.Column { return in.in.Finish() }
func (in *textInserter) insert(node []byte) bool {
	switch node[0] {
	case '{', '[', 'n':
		return false
	}
	in.scratch = appendText(in.scratch[:0], node)
	n := in.in.Len()
	_, err := in.in.Read(in.scratch)
	return err == nil && in.in.Len() == n+1
}

type nullableInserter struct {
	inner inserter
	null  []uint8
}

func (in *nullableInserter) skip() { in.inner.skip(); in.null = append(in.null, 1) }
func (in *nullableInserter) finish() column.Column {
	return column.NewNullable(in.inner.finish(), in.null)
}

func (in *nullableInserter) insert(node []byte) bool {
	if node[0] == 'n' {
		in.skip()
		return true
	}
	if !in.inner.insert(node) {
		return false
	}
	in.null = append(in.null, 0)
	return true
}

type arrayInserter struct {
	elem    inserter
	offsets []uint64
	n       uint64
}

func (in *arrayInserter) skip() { in.offsets = append(in.offsets, in.n) }
func (in *arrayInserter) finish() column.Column {
	return &column.Array{Offsets: in.offsets, Elems: in.elem.finish()}
}

func (in *arrayInserter) insert(node []byte) bool {
	if node[0] != '[' {
		return false
	}
	each(node, func(_, v []byte) bool {
		if !in.elem.insert(v) {
			in.elem.skip()
		}
		in.n++
		return true
	})
	in.skip()
	return true
}

type mapInserter struct {
	key, value inserter
	fitting    bool // members whose value is not of the type are left out
	offsets    []uint64
	n          uint64
}

func (in *mapInserter) skip() { in.offsets = append(in.offsets, in.n) }
func (in *mapInserter) finish() column.Column {
	return &column.Map{Offsets: in.offsets, Keys: in.key.finish(), Values: in.value.finish()}
}

func (in *mapInserter) insert(node []byte) bool {
	if node[0] != '{' {
		return false
	}
	each(node, func(k, v []byte) bool {
		if !in.value.insert(v) {
			if in.fitting {
				return true
			}
			in.value.skip()
		}
		if !in.key.insert(k) {
			in.key.skip()
		}
		in.n++
		return true
	})
	in.skip()
	return true
}

type tupleInserter struct {
	names []string
	elems []inserter
	n     int
	key   []byte
}

func (in *tupleInserter) skip() {
	for _, e := range in.elems {
		e.skip()
	}
	in.n++
}

func (in *tupleInserter) finish() column.Column {
	out := &column.Tuple{N: in.n}
	for _, e := range in.elems {
		out.Elems = append(out.Elems, e.finish())
	}
	return out
}

// insert takes elements by their names from an object if the tuple has names,
// else in their order.
func (in *tupleInserter) insert(node []byte) bool {
	if node[0] != '{' && node[0] != '[' {
		return false
	}
	values := make([][]byte, len(in.elems))
	at := 0
	each(node, func(k, v []byte) bool {
		place := at
		if k != nil && in.names != nil {
			in.key = appendString(in.key[:0], k)
			place = -1
			for i, name := range in.names {
				if name == string(in.key) && values[i] == nil {
					place = i
				}
			}
		}
		if place >= 0 && place < len(values) {
			values[place] = v
		}
		at++
		return true
	})
	for i, e := range in.elems {
		if values[i] == nil || !e.insert(values[i]) {
			e.skip()
		}
	}
	in.n++
	return true
}
