package mysql

import (
	"encoding/binary"
	"math"

	"lakeserver/column"
	"lakeserver/types"
)

// appendBinaryRow appends a row of the binary protocol: a zero, the bits of
// the NULLs, from the third on, the values.
func appendBinaryRow(b []byte, cells []cell, row int) []byte {
	b = append(b, 0)
	bits := len(b)
	b = append(b, make([]byte, (len(cells)+9)/8)...)
	for i := range cells {
		if cells[i].null(row) {
			b[bits+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		b = cells[i].put(b, row)
	}
	return b
}

// binaryPut writes a column's values in the binary protocol's form of their
// type.
func binaryPut(t *types.Type, x cell, c column.Column) func(dst []byte, row int) []byte { // long: one case a kind
	d := describe(t)
	switch d.kind {
	case typeDate, typeDateTime:
		var one []byte
		return func(dst []byte, row int) []byte {
			one = x.print(one[:0], row)
			return appendMoment(dst, one)
		}
	case typeString, typeDecimal:
		return x.put
	}
	values, at := physical(c)
	switch types.Unwrap(t).Kind() {
	case types.KindUInt8, types.KindBool:
		v := column.Values[uint8](values)
		return func(dst []byte, row int) []byte { return append(dst, v[at(row)]) }
	case types.KindInt8:
		v := column.Values[int8](values)
		return func(dst []byte, row int) []byte { return append(dst, byte(v[at(row)])) }
	case types.KindUInt16:
		v := column.Values[uint16](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint16(dst, v[at(row)]) }
	case types.KindInt16:
		v := column.Values[int16](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint16(dst, uint16(v[at(row)])) }
	case types.KindUInt32:
		v := column.Values[uint32](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint32(dst, v[at(row)]) }
	case types.KindInt32:
		v := column.Values[int32](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(v[at(row)])) }
	case types.KindUInt64:
		v := column.Values[uint64](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint64(dst, v[at(row)]) }
	case types.KindInt64:
		v := column.Values[int64](values)
		return func(dst []byte, row int) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(v[at(row)])) }
	case types.KindFloat32:
		v := column.Values[float32](values)
		return func(dst []byte, row int) []byte {
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v[at(row)]))
		}
	case types.KindFloat64:
		v := column.Values[float64](values)
		return func(dst []byte, row int) []byte {
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v[at(row)]))
		}
	}
	return x.put
}

// physical gives the column of values under constants, dictionaries and NULLs,
// and where in it a row is.
func physical(c column.Column) (column.Column, func(row int) int) {
	switch x := c.(type) {
	case *column.Const:
		inner, at := physical(x.Value)
		return inner, func(int) int { return at(0) }
	case *column.Dict:
		inner, at := physical(x.Values)
		return inner, func(row int) int { return at(int(x.Codes[row])) }
	case *column.Nullable:
		return physical(x.Values)
	}
	return c, func(row int) int { return row }
}

// appendMoment appends the binary form of a date or time in text.
func appendMoment(dst, s []byte) []byte {
	num := func(from, to int) uint32 {
		var v uint32
		for i := from; i < to && i < len(s); i++ {
			v = v*10 + uint32(s[i]-'0')
		}
		return v
	}
	hour, minute, second, micro := num(11, 13), num(14, 16), num(17, 19), num(20, 26)
	length := byte(4)
	switch {
	case micro != 0:
		length = 11
	case hour|minute|second != 0:
		length = 7
	}
	dst = binary.LittleEndian.AppendUint16(append(dst, length), uint16(num(0, 4)))
	dst = append(dst, byte(num(5, 7)), byte(num(8, 10)))
	if length > 4 {
		dst = append(dst, byte(hour), byte(minute), byte(second))
	}
	if length > 7 {
		dst = binary.LittleEndian.AppendUint32(dst, micro)
	}
	return dst
}
