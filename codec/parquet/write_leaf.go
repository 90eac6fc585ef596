package parquet

import (
	"encoding/binary"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// writeLeaf is one leaf of the file and its part of the current block.
type writeLeaf struct {
	typ      *types.Type // without Nullable
	path     []string
	id       int
	bloom    bool
	physical Physical
	order    order
	text     bool
	fixed    int // bytes of a value; 0: numbers, or as many as there are
	maxDef   int16
	maxRep   int16

	def, rep []int16
	values   column.Column // NULLs left out
}

// width gives the bytes of a number, 0 for bytes.
func (l *writeLeaf) width() int {
	switch l.physical {
	case PhysicalInt32, PhysicalFloat:
		return 4
	case PhysicalInt64, PhysicalDouble:
		return 8
	}
	return 0
}

// form brings values into the file's form.
func (l *writeLeaf) form(c column.Column) leafValues {
	v := leafValues{len: c.Len()}
	switch l.physical {
	case PhysicalBoolean:
		v.bools = column.Values[uint8](c)
	case PhysicalInt32:
		v.narrow = narrowInts(c)
	case PhysicalInt64:
		v.wide = l.wideInts(c)
	case PhysicalFloat:
		v.narrow = reinterpret[uint32](column.Values[float32](c))
	case PhysicalDouble:
		v.wide = reinterpret[uint64](column.Values[float64](c))
	case PhysicalByteArray:
		v.text = l.strings(c)
	default:
		v.text, v.fixed = l.fixedBytes(c)
	}
	return v
}

func ints[To uint32 | uint64 | int64, S integer](v []S) []To {
	out := make([]To, len(v))
	for i, x := range v {
		out[i] = To(x)
	}
	return out
}

// narrowInts gives the bits of values of at most 32.
func narrowInts(c column.Column) []uint32 {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return ints[uint32](c.Values)
	case *column.Fixed[uint16]:
		return ints[uint32](c.Values)
	case *column.Fixed[uint32]:
		return c.Values
	case *column.Fixed[int8]:
		return ints[uint32](c.Values)
	case *column.Fixed[int16]:
		return ints[uint32](c.Values)
	}
	return reinterpret[uint32](column.Values[int32](c))
}

func (l *writeLeaf) wideInts(c column.Column) []uint64 {
	switch c := c.(type) {
	case *column.Fixed[uint64]:
		return c.Values
	case *column.Fixed[uint32]: // DateTime
		out := ints[uint64](c.Values)
		for i := range out {
			out[i] *= 1000
		}
		return out
	}
	v := column.Values[int64](c)
	if l.typ.Kind() != types.KindDateTime64 || timeUnit(l.typ.Scale()) == l.typ.Scale() {
		return reinterpret[uint64](v)
	}
	k := pow10[timeUnit(l.typ.Scale())-l.typ.Scale()]
	out := make([]uint64, len(v))
	for i, x := range v {
		out[i] = uint64(x * k)
	}
	return out
}

func (l *writeLeaf) strings(c column.Column) *column.Str {
	e := l.typ.Enum()
	if e == nil {
		return c.(*column.Str)
	}
	out := &column.Str{}
	for _, v := range narrowInts(c) {
		name, _ := e.Name(int16(v))
		out.AppendString(name)
	}
	return out
}

// fixedBytes gives values of a fixed length: decimals highest byte first, wide
// integers lowest byte first, as ClickHouse writes them.
func (l *writeLeaf) fixedBytes(c column.Column) (*column.Str, []byte) {
	if s, ok := c.(*column.Str); ok {
		return s, nil
	}
	n := c.Len()
	buf := make([]byte, 0, n*l.fixed+1)
	for i := range n {
		buf = l.appendFixed(buf, c, i)
	}
	return nil, buf
}

func (l *writeLeaf) appendFixed(buf []byte, c column.Column, i int) []byte {
	switch c := c.(type) {
	case *column.Fixed[int32]:
		return appendBig(buf, l.fixed, types.ToI256(int64(c.Values[i])))
	case *column.Fixed[int64]:
		return appendBig(buf, l.fixed, types.ToI256(c.Values[i]))
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
			return appendBig(buf, l.fixed, types.I256{v.Lo, uint64(v.Hi), s, s})
		}
		return appendLittle(buf, v.Lo, uint64(v.Hi))
	case *column.Fixed[types.U256]:
		return appendLittle(buf, c.Values[i][:]...)
	case *column.Fixed[types.I256]:
		if l.typ.IsDecimal() {
			return appendBig(buf, l.fixed, c.Values[i])
		}
		return appendLittle(buf, c.Values[i][:]...)
	}
	cherr.Bug("no way to write a %T as bytes", c)
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
