package parquet

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// writeLeaf is one leaf of the file and its part of the current block.
type writeLeaf struct {
	typ      *types.Type // without Nullable
	id       int
	bloom    bool
	def, rep []int16
	values   column.Column // NULLs left out

	bytes []parquet.ByteArray // scratch
}

func appendLeaves(leaves []writeLeaf, t *types.Type, f Field) []writeLeaf {
	t = types.Unwrap(t)
	switch t.Kind() {
	case types.KindSimpleAggregateFunction:
		return appendLeaves(leaves, t.Elem(), f)
	case types.KindArray:
		return appendLeaves(leaves, t.Elem(), fieldAt(f.Children, 0))
	case types.KindMap, types.KindTuple:
		for i, e := range t.Elems() {
			leaves = appendLeaves(leaves, e, fieldAt(f.Children, i))
		}
		return leaves
	}
	return append(leaves, writeLeaf{typ: t, id: f.ID, bloom: f.Bloom})
}

// write hands the leaf's part to its column writer.
func (l *writeLeaf) write(cw file.ColumnChunkWriter, opt *WriterOptions) (err error) {
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		v := column.Values[uint8](l.values)
		out := make([]bool, len(v))
		for i, b := range v {
			out[i] = b != 0
		}
		_, err = w.WriteBatch(out, l.def, l.rep)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(narrowInts(l.values), l.def, l.rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(l.wideInts(), l.def, l.rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(column.Values[float32](l.values), l.def, l.rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(column.Values[float64](l.values), l.def, l.rep)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.strings(), l.def, l.rep)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.fixed(opt), l.def, l.rep)
	default:
		cherr.Bug("no way to write to a %T", cw)
	}
	l.def, l.rep, l.values = nil, nil, nil
	return err
}

func ints[S, T integer](v []S) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

func narrowInts(c column.Column) []int32 {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return ints[uint8, int32](c.Values)
	case *column.Fixed[uint16]:
		return ints[uint16, int32](c.Values)
	case *column.Fixed[uint32]:
		return ints[uint32, int32](c.Values)
	case *column.Fixed[int8]:
		return ints[int8, int32](c.Values)
	case *column.Fixed[int16]:
		return ints[int16, int32](c.Values)
	}
	return column.Values[int32](c)
}

func (l *writeLeaf) wideInts() []int64 {
	switch c := l.values.(type) {
	case *column.Fixed[uint64]:
		return ints[uint64, int64](c.Values)
	case *column.Fixed[uint32]: // DateTime
		out := ints[uint32, int64](c.Values)
		for i := range out {
			out[i] *= 1000
		}
		return out
	}
	v := column.Values[int64](l.values)
	if l.typ.Kind() != types.KindDateTime64 || timeUnit(l.typ.Scale()) == l.typ.Scale() {
		return v
	}
	k := pow10[timeUnit(l.typ.Scale())-l.typ.Scale()]
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = x * k
	}
	return out
}

func (l *writeLeaf) strings() []parquet.ByteArray {
	if e := l.typ.Enum(); e != nil {
		return l.names(e)
	}
	s := l.values.(*column.Str)
	if cap(l.bytes) < s.Len() {
		l.bytes = make([]parquet.ByteArray, s.Len())
	}
	out := l.bytes[:s.Len()]
	for i := range out {
		out[i] = s.At(i)
	}
	return out
}

func (l *writeLeaf) names(e *types.Enum) []parquet.ByteArray {
	out := make([]parquet.ByteArray, l.values.Len())
	for i, v := range narrowInts(l.values) {
		name, _ := e.Name(int16(v))
		out[i] = []byte(name)
	}
	return out
}

// fixed gives values of a fixed length: decimals highest byte first, wide
// integers lowest byte first, as ClickHouse writes them.
func (l *writeLeaf) fixed(opt *WriterOptions) []parquet.FixedLenByteArray {
	if s, ok := l.values.(*column.Str); ok {
		out := make([]parquet.FixedLenByteArray, s.Len())
		for i := range out {
			out[i] = s.At(i)
		}
		return out
	}
	form, _ := writeFormOf(l.typ, opt)
	n, w := l.values.Len(), form.length
	buf := make([]byte, 0, n*w+32)
	out := make([]parquet.FixedLenByteArray, n)
	for i := range out {
		at := len(buf)
		buf = l.appendFixed(buf, i, w)
		out[i] = parquet.FixedLenByteArray(buf[at : at+w : at+w])
	}
	return out
}

func (l *writeLeaf) appendFixed(buf []byte, i, width int) []byte {
	switch c := l.values.(type) {
	case *column.Fixed[int32]:
		return appendBig(buf, width, types.ToI256(int64(c.Values[i])))
	case *column.Fixed[int64]:
		return appendBig(buf, width, types.ToI256(c.Values[i]))
	case *column.Fixed[types.Addr6]:
		return append(buf, c.Values[i][:]...)
	case *column.Fixed[types.U128]:
		v := c.Values[i]
		if l.typ.Kind() == types.KindUUID {
			return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(buf, v.Hi), v.Lo)
		}
		return appendLittle(buf, v.Lo, v.Hi)
	case *column.Fixed[types.I128]:
		v := c.Values[i]
		if l.typ.IsDecimal() {
			s := uint64(v.Hi >> 63)
			return appendBig(buf, width, types.I256{v.Lo, uint64(v.Hi), s, s})
		}
		return appendLittle(buf, v.Lo, uint64(v.Hi))
	case *column.Fixed[types.U256]:
		return appendLittle(buf, c.Values[i][:]...)
	case *column.Fixed[types.I256]:
		if l.typ.IsDecimal() {
			return appendBig(buf, width, c.Values[i])
		}
		return appendLittle(buf, c.Values[i][:]...)
	}
	cherr.Bug("no way to write a %T as bytes", l.values)
	return nil
}

func appendLittle(buf []byte, words ...uint64) []byte {
	for _, w := range words {
		buf = binary.LittleEndian.AppendUint64(buf, w)
	}
	return buf
}

// appendBig adds the low width bytes of v, highest first.
func appendBig(buf []byte, width int, v types.I256) []byte {
	var all [32]byte
	for k, w := range v {
		binary.LittleEndian.PutUint64(all[8*k:], w)
	}
	for k := width - 1; k >= 0; k-- {
		buf = append(buf, all[k])
	}
	return buf
}
