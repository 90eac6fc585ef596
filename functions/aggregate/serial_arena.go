package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Functions that keep values of any type in a set (groupUniqArray, topK,
// -Distinct) write each as one string. In it stands the value as ClickHouse
// lays it out in memory: numbers as they are, strings and arrays behind their
// length in eight bytes, a string with a zero byte at its end.

// numberForm: values of these types stand in such sets as they are.
func numberForm(t *types.Type) bool {
	return t.IsNativeNumber() || t.IsEnum() || t.Kind() == types.KindDate || t.Kind() == types.KindDateTime || t.Kind() == types.KindIPv4
}

// putKey appends a value of such a set.
func putKey(dst []byte, t *types.Type, v column.Value) []byte {
	t = types.WithoutLowCardinality(t)
	if numberForm(t) || t.Kind() == types.KindString {
		return putValue(dst, t, v)
	}
	if t.Kind() == types.KindFixedString || len(t.Elems()) == 0 {
		one := putValue(nil, t, v)
		return append(putUvarint(dst, uint64(len(one))), one...)
	}
	one := putArena(nil, t, v)
	return append(putUvarint(dst, uint64(len(one))), one...)
}

// readKey reads what putKey wrote.
func readKey(r *reader, t *types.Type) column.Value {
	t = types.WithoutLowCardinality(t)
	if numberForm(t) || t.Kind() == types.KindString {
		return readValue(r, t)
	}
	one := &reader{src: r.bytes(r.count(1))}
	if r.err != nil {
		return nil
	}
	var v column.Value
	if t.Kind() == types.KindFixedString || len(t.Elems()) == 0 {
		v = readValue(one, t)
	} else {
		v = readArena(one, t)
	}
	r.err = one.err
	return v
}

func putArena(dst []byte, t *types.Type, v column.Value) []byte {
	switch t.Kind() {
	case types.KindNullable:
		if v == nil {
			return append(dst, 1)
		}
		return putArena(append(dst, 0), t.Elem(), v)
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return putArena(dst, t.Elem(), v)
	case types.KindFixedString:
		return append(dst, v.(string)...)
	}
	switch x := v.(type) {
	case string:
		return append(append(putUint64(dst, uint64(len(x))+1), x...), 0)
	case column.Row:
		elem := func(i int) *types.Type { return t.Elems()[i] }
		if t.Kind() == types.KindArray {
			dst = putUint64(dst, uint64(len(x)))
			elem = func(int) *types.Type { return t.Elem() }
		}
		for i, e := range x {
			dst = putArena(dst, elem(i), e)
		}
		return dst
	case column.Entries:
		dst = putUint64(dst, uint64(len(x)))
		for _, e := range x {
			dst = putArena(putArena(dst, t.Elems()[0], e.Key), t.Elems()[1], e.Value)
		}
		return dst
	}
	return putValue(dst, t, v)
}

func readArena(r *reader, t *types.Type) column.Value {
	switch t.Kind() {
	case types.KindNullable:
		if r.byte() != 0 {
			return nil
		}
		return readArena(r, t.Elem())
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return readArena(r, t.Elem())
	case types.KindFixedString:
		return string(r.bytes(t.Length()))
	}
	switch t.Physical() {
	case types.PhysString:
		s := r.bytes(r.length())
		if len(s) == 0 {
			r.fail()
			return ""
		}
		return string(s[:len(s)-1])
	case types.PhysArray:
		out := make(column.Row, 0)
		for range r.length() {
			out = append(out, readArena(r, t.Elem()))
		}
		return out
	case types.PhysTuple:
		out := make(column.Row, 0, len(t.Elems()))
		for _, e := range t.Elems() {
			out = append(out, readArena(r, e))
		}
		return out
	case types.PhysMap:
		out := make(column.Entries, 0)
		for range r.length() {
			k := readArena(r, t.Elems()[0])
			out = append(out, column.Entry{Key: k, Value: readArena(r, t.Elems()[1])})
		}
		return out
	}
	return readValue(r, t)
}

// length reads a number of at most as many elements as bytes are left.
func (r *reader) length() int {
	n := r.uint64()
	if n > uint64(len(r.src)-r.at) {
		r.fail()
		return 0
	}
	return int(n)
}

// putKeys appends a row of several arguments: one string for all of them.
func putKeys(dst []byte, ts []*types.Type, values []column.Value) []byte {
	if len(ts) == 1 {
		return putKey(dst, ts[0], values[0])
	}
	var one []byte
	for i, t := range ts {
		one = putArena(one, t, values[i])
	}
	return append(putUvarint(dst, uint64(len(one))), one...)
}

func readKeys(r *reader, ts []*types.Type) []column.Value {
	if len(ts) == 1 {
		return []column.Value{readKey(r, ts[0])}
	}
	one := &reader{src: r.bytes(r.count(1))}
	out := make([]column.Value, len(ts))
	for i, t := range ts {
		out[i] = readArena(one, t)
	}
	if r.err == nil {
		r.err = one.err
	}
	return out
}

// encodeKeys writes the rows of a group as a set.
func (a *collector) encodeKeys(group int, dst []byte) []byte {
	a.order()
	lo, hi := a.bounds(group)
	dst = putUvarint(dst, uint64(hi-lo))
	values := make([]column.Value, len(a.view))
	for r := lo; r < hi; r++ {
		for i, c := range a.view {
			values[i] = column.At(c, r)
		}
		dst = putKeys(dst, a.types, values)
	}
	return dst
}

// decodeKeys reads what encodeKeys wrote into group 0.
func (a *collector) decodeKeys(src []byte) (int, error) {
	r := &reader{src: src}
	n := r.uvarint()
	if n > maxStateValues {
		return 0, cherr.New(cherr.TooLargeArraySize, "Too large array size %d in an aggregate function state (maximum: %d)", n, uint64(maxStateValues))
	}
	builders := make([]column.Builder, len(a.types))
	for i, t := range a.types {
		builders[i] = column.NewBuilder(t, 0)
	}
	for k := uint64(0); k < n && r.err == nil; k++ {
		values := readKeys(r, a.types)
		for i := range builders {
			if r.err == nil {
				builders[i].AppendValue(values[i])
			}
		}
	}
	if r.err != nil || n == 0 {
		return r.at, r.err
	}
	args := make([]column.Column, len(builders))
	for i, b := range builders {
		args[i] = b.Finish()
	}
	return r.at, a.Add(make([]uint32, n), args, int(n))
}

// maxStateValues bounds what one state may claim to hold.
const maxStateValues = 0xFFFFFF
