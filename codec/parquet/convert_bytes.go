package parquet

import (
	"encoding/binary"
	"math"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

func sizeOf[T any]() uintptr { var z T; return unsafe.Sizeof(z) }

// fromBytes gives BYTE_ARRAY leaves.
func fromBytes(n *SchemaNode, t *types.Type) convertFunc {
	if n.Logical.Kind == LogicalDecimal && t.IsDecimal() {
		return bigEndianTo(t, n.Logical.Scale)
	}
	switch t.Kind() {
	case types.KindString, types.KindJSON, types.KindAggregateFunction:
		return func(v *vec) (column.Column, error) { s := v.str; return &s, nil }
	case types.KindFixedString:
		return func(v *vec) (column.Column, error) { return padded(&v.str, t.Length()) }
	case types.KindUUID:
		return strTo(uuidOf)
	case types.KindIPv6:
		return strTo(func(b []byte) types.Addr6 { return types.Addr6(b) })
	case types.KindUInt128:
		return strTo(func(b []byte) types.U128 { return types.U128(leI128(b).bits()) })
	case types.KindInt128:
		return strTo(func(b []byte) types.I128 { w := leI128(b); return types.I128{Lo: w.lo, Hi: int64(w.hi)} })
	case types.KindEnum8, types.KindEnum16:
		return enumByName(t)
	}
	return nil
}

// fromFixed gives FIXED_LEN_BYTE_ARRAY leaves.
func fromFixed(n *SchemaNode, t *types.Type) convertFunc {
	w := n.Length
	switch {
	case n.Logical.Kind == LogicalDecimal && t.IsDecimal():
		return overStr(w, bigEndianTo(t, n.Logical.Scale))
	case n.Logical.Kind == LogicalFloat16 && t.IsFloat():
		return float16To(t)
	case w == 32 && (t.Kind() == types.KindInt256 || t.Kind() == types.KindUInt256):
		return wide256(t)
	case w != 16 && (t.Kind() == types.KindUUID || t.Kind() == types.KindIPv6 || t.Bytes() == 16):
		return nil
	case t.IsEnum():
		return nil
	case t.Kind() == types.KindFixedString && t.Length() < w:
		return nil
	}
	if f := fromBytes(n, t); f != nil {
		return overStr(w, f)
	}
	return nil
}

// overStr runs a conversion of strings over values of width bytes.
func overStr(width int, f convertFunc) convertFunc {
	return func(v *vec) (column.Column, error) {
		n := v.len()
		s := vec{str: column.Str{Data: v.fixed, Start: make([]uint32, n), Lns: make([]uint32, n)}}
		if int64(len(v.fixed)) > math.MaxUint32 {
			return nil, errStrBytes
		}
		for i := range n {
			s.str.Start[i], s.str.Lns[i] = uint32(i*width), uint32(width)
		}
		return f(&s)
	}
}

// padded gives strings as FixedString(n): shorter ones with zeros behind them.
func padded(s *column.Str, n int) (column.Column, error) {
	same := true
	for _, l := range s.Lns {
		if int(l) > n {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too large value for FixedString(%d): %d bytes", n, l)
		}
		same = same && int(l) == n
	}
	if same {
		out := *s
		return &out, nil
	}
	rows := s.Len()
	out := &column.Str{Data: make([]byte, rows*n), Start: make([]uint32, rows), Lns: make([]uint32, rows)}
	for i := range rows {
		out.Start[i], out.Lns[i] = uint32(i*n), uint32(n)
		copy(out.Data[i*n:], s.At(i))
	}
	return out, nil
}

// strTo maps strings of the right length to fixed-width values.
func strTo[T column.Element](f func([]byte) T) convertFunc {
	size := int(sizeOf[T]())
	return func(v *vec) (column.Column, error) {
		out := make([]T, v.str.Len())
		for i := range out {
			b := v.str.At(i)
			if len(b) != size {
				return nil, cherr.New(cherr.IncorrectData, "a value has %d bytes, the type needs %d", len(b), size)
			}
			out[i] = f(b)
		}
		return column.NewFixed(out), nil
	}
}

func uuidOf(b []byte) types.U128 {
	return types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
}

type word128 struct{ lo, hi uint64 }

func (w word128) bits() types.U128 { return types.U128{Lo: w.lo, Hi: w.hi} }

// leI128 reads 16 bytes as ClickHouse writes its 128-bit integers.
func leI128(b []byte) word128 {
	return word128{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

func wide256(t *types.Type) convertFunc {
	return func(v *vec) (column.Column, error) {
		words := make([][4]uint64, v.len())
		for i := range words {
			for k := range 4 {
				words[i][k] = binary.LittleEndian.Uint64(v.fixed[i*32+8*k:])
			}
		}
		if t.Kind() == types.KindUInt256 {
			return column.NewFixed(retype[types.U256](words)), nil
		}
		return column.NewFixed(retype[types.I256](words)), nil
	}
}

func retype[T ~[4]uint64](words [][4]uint64) []T {
	out := make([]T, len(words))
	for i, w := range words {
		out[i] = T(w)
	}
	return out
}

func enumByName(t *types.Type) convertFunc {
	e := t.Enum()
	return func(v *vec) (column.Column, error) {
		out8 := make([]int8, 0, v.str.Len())
		out16 := make([]int16, 0, v.str.Len())
		for i := range v.str.Len() {
			x, ok := e.Value(v.str.StringAt(i))
			if !ok {
				return nil, cherr.New(cherr.UnknownElementOfEnum, "Unknown element '%s' for enum", v.str.At(i))
			}
			if t.Kind() == types.KindEnum8 {
				out8 = append(out8, int8(x))
			} else {
				out16 = append(out16, x)
			}
		}
		if t.Kind() == types.KindEnum8 {
			return column.NewFixed(out8), nil
		}
		return column.NewFixed(out16), nil
	}
}

func float16To(t *types.Type) convertFunc {
	if t.Kind() == types.KindBFloat16 {
		return nil
	}
	return func(v *vec) (column.Column, error) {
		src := view[uint16](v.fixed)
		if t.Kind() == types.KindFloat64 {
			out := make([]float64, len(src))
			for i, h := range src {
				out[i] = float64(halfFloat(h))
			}
			return column.NewFixed(out), nil
		}
		out := make([]float32, len(src))
		for i, h := range src {
			out[i] = halfFloat(h)
		}
		return column.NewFixed(out), nil
	}
}

// halfFloat widens an IEEE half.
func halfFloat(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exp {
	case 0: // zero or subnormal: frac · 2⁻²⁴, which a float32 holds
		f := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
