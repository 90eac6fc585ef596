package aggregate

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// putRow appends a row in the form of RowBinary.
func putRow(dst []byte, t *types.Type, c column.Column, row int) []byte {
	return putValue(dst, t, column.At(c, row))
}

func putValue(dst []byte, t *types.Type, v column.Value) []byte { // long: one case a form
	switch t.Kind() {
	case types.KindNullable:
		if v == nil {
			return append(dst, 1)
		}
		return putValue(append(dst, 0), t.Elem(), v)
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return putValue(dst, t.Elem(), v)
	case types.KindFixedString:
		return append(dst, v.(string)...)
	}
	switch x := v.(type) {
	case uint8:
		return append(dst, x)
	case uint16:
		return putFixed(dst, x)
	case uint32:
		return putFixed(dst, x)
	case uint64:
		return putFixed(dst, x)
	case int8:
		return append(dst, byte(x))
	case int16:
		return putFixed(dst, x)
	case int32:
		return putFixed(dst, x)
	case int64:
		return putFixed(dst, x)
	case float32:
		return putFixed(dst, x)
	case float64:
		return putFixed(dst, x)
	case types.U128:
		if t.Kind() == types.KindUUID {
			return putFixed(putFixed(dst, x.Hi), x.Lo)
		}
		return putFixed(dst, x)
	case types.I128:
		return putFixed(dst, x)
	case types.U256:
		return putFixed(dst, x)
	case types.I256:
		return putFixed(dst, x)
	case types.Addr6:
		return append(dst, x[:]...)
	case string:
		return append(putUvarint(dst, uint64(len(x))), x...)
	case column.Row:
		if t.Kind() == types.KindTuple {
			for i, e := range t.Elems() {
				dst = putValue(dst, e, x[i])
			}
			return dst
		}
		dst = putUvarint(dst, uint64(len(x)))
		for _, e := range x {
			dst = putValue(dst, t.Elem(), e)
		}
		return dst
	case column.Entries:
		dst = putUvarint(dst, uint64(len(x)))
		for _, e := range x {
			dst = putValue(putValue(dst, t.Elems()[0], e.Key), t.Elems()[1], e.Value)
		}
	}
	return dst
}

// readRow reads what putRow wrote into a builder.
func readRow(r *reader, t *types.Type, b column.Builder) {
	v := readValue(r, t)
	if r.err == nil {
		b.AppendValue(v)
	}
}

func readValue(r *reader, t *types.Type) column.Value { // long: one case a form
	switch t.Kind() {
	case types.KindNullable:
		if r.byte() != 0 {
			return nil
		}
		return readValue(r, t.Elem())
	case types.KindLowCardinality, types.KindSimpleAggregateFunction:
		return readValue(r, t.Elem())
	case types.KindFixedString:
		return string(r.bytes(t.Length()))
	case types.KindUUID:
		hi, lo := r.uint64(), r.uint64()
		return types.U128{Hi: hi, Lo: lo}
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return r.byte()
	case types.PhysUInt16:
		return readFixed[uint16](r)
	case types.PhysUInt32:
		return readFixed[uint32](r)
	case types.PhysUInt64:
		return readFixed[uint64](r)
	case types.PhysInt8:
		return int8(r.byte())
	case types.PhysInt16:
		return readFixed[int16](r)
	case types.PhysInt32:
		return readFixed[int32](r)
	case types.PhysInt64:
		return readFixed[int64](r)
	case types.PhysFloat32:
		return readFixed[float32](r)
	case types.PhysFloat64:
		return readFixed[float64](r)
	case types.PhysUInt128:
		return readFixed[types.U128](r)
	case types.PhysInt128:
		return readFixed[types.I128](r)
	case types.PhysUInt256:
		return readFixed[types.U256](r)
	case types.PhysInt256:
		return readFixed[types.I256](r)
	case types.PhysIPv6:
		return readFixed[types.Addr6](r)
	case types.PhysString:
		return string(r.bytes(r.count(1)))
	case types.PhysArray:
		n := r.count(1)
		out := make(column.Row, 0, n)
		for range n {
			out = append(out, readValue(r, t.Elem()))
		}
		return out
	case types.PhysTuple:
		out := make(column.Row, 0, len(t.Elems()))
		for _, e := range t.Elems() {
			out = append(out, readValue(r, e))
		}
		return out
	case types.PhysMap:
		n := r.count(1)
		out := make(column.Entries, 0, n)
		for range n {
			k := readValue(r, t.Elems()[0])
			out = append(out, column.Entry{Key: k, Value: readValue(r, t.Elems()[1])})
		}
		return out
	}
	if r.err == nil {
		r.err = cherr.New(cherr.NotImplemented, "States with values of type %s cannot be read", t)
	}
	return nil
}
