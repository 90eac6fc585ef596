package exec

import (
	"encoding/binary"
	"math"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// layout says where each key lies in one or two 64-bit words.
type layout struct {
	fields []field
}

// field is one key: its value's place, and that of its NULL flag.
type field struct {
	t              *types.Type // without Nullable
	word, shift    int
	bits           int // 8 … 64; 128 takes both words
	nullable       bool
	nullWord, null int
}

// packing lays keys out in at most words words, if they fit.
func packing(ts []*types.Type, words int) (layout, bool) {
	var used [2]int
	place := func(bits int) (word, shift int, ok bool) {
		for w := range words {
			if used[w]+bits <= 64 {
				used[w] += bits
				return w, used[w] - bits, true
			}
		}
		return 0, 0, false
	}
	l := layout{fields: make([]field, len(ts))}
	for i, t := range ts {
		f := &l.fields[i]
		f.t, f.nullable = types.WithoutNullable(t), t.Kind() == types.KindNullable
		f.bits = 8 * f.t.Bytes()
		if f.bits == 0 || f.bits > 64*words {
			return l, false
		}
		if f.bits == 128 {
			if used != [2]int{} {
				return l, false
			}
			used = [2]int{64, 64}
			if f.nullable {
				return l, false
			}
			continue
		}
		var ok bool
		if f.word, f.shift, ok = place(f.bits); !ok {
			return l, false
		}
		if f.nullable {
			if f.nullWord, f.null, ok = place(8); !ok {
				return l, false
			}
		}
	}
	return l, true
}

// pack puts the keys of each row into words; hi is nil for one word.
func (l *layout) pack(keys []column.Column, lo, hi []uint64) {
	words := [2][]uint64{lo, hi}
	for i := range l.fields {
		f := &l.fields[i]
		values, null := column.SplitNulls(keys[i])
		dst := words[f.word]
		if f.nullable && null != nil {
			packNullable(f, values, null, dst, words[f.nullWord])
			continue
		}
		if _, ok := values.(*column.Nothing); ok {
			continue
		}
		if f.bits == 128 {
			packWide(values, lo, hi)
			continue
		}
		packValues(values, f.shift, dst)
	}
}

// packNullable leaves the value bits of NULLs 0, so that NULL is one key.
func packNullable(f *field, values column.Column, null []uint8, dst, flags []uint64) {
	tmp := make([]uint64, len(null))
	packValues(values, f.shift, tmp)
	for i, n := range null {
		if n != 0 {
			flags[i] |= 1 << f.null
		} else {
			dst[i] |= tmp[i]
		}
	}
}

func packValues(c column.Column, shift int, dst []uint64) {
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		packInts(c.Values, shift, dst)
	case *column.Fixed[uint16]:
		packInts(c.Values, shift, dst)
	case *column.Fixed[uint32]:
		packInts(c.Values, shift, dst)
	case *column.Fixed[uint64]:
		packInts(c.Values, shift, dst)
	case *column.Fixed[int8]:
		packInts(unsignedOf[uint8](c.Values), shift, dst)
	case *column.Fixed[int16]:
		packInts(unsignedOf[uint16](c.Values), shift, dst)
	case *column.Fixed[int32]:
		packInts(unsignedOf[uint32](c.Values), shift, dst)
	case *column.Fixed[int64]:
		packInts(unsignedOf[uint64](c.Values), shift, dst)
	case *column.Fixed[float32]:
		for i, v := range c.Values {
			if v != v {
				v = float32(math.NaN())
			}
			dst[i] |= uint64(math.Float32bits(v)) << shift
		}
	case *column.Fixed[float64]:
		for i, v := range c.Values {
			if v != v {
				v = math.NaN()
			}
			dst[i] |= math.Float64bits(v) << shift
		}
	default:
		cherr.Bug("a key column %T cannot be packed", c)
	}
}

func packInts[T uint8 | uint16 | uint32 | uint64](v []T, shift int, dst []uint64) {
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] |= uint64(x) << shift
	}
}

// unsignedOf reads signed values as unsigned ones of the same width.
func unsignedOf[U uint8 | uint16 | uint32 | uint64, T int8 | int16 | int32 | int64](v []T) []U {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*U)(unsafe.Pointer(&v[0])), len(v))
}

func packWide(c column.Column, lo, hi []uint64) {
	switch c := c.(type) {
	case *column.Fixed[types.U128]:
		for i, v := range c.Values {
			lo[i], hi[i] = v.Lo, v.Hi
		}
	case *column.Fixed[types.I128]:
		for i, v := range c.Values {
			lo[i], hi[i] = v.Lo, uint64(v.Hi)
		}
	case *column.Fixed[types.Addr6]:
		for i := range c.Values {
			v := &c.Values[i]
			lo[i], hi[i] = binary.LittleEndian.Uint64(v[:8]), binary.LittleEndian.Uint64(v[8:])
		}
	default:
		cherr.Bug("a key column %T cannot be packed", c)
	}
}

// unpack gives the key columns back.
func (l *layout) unpack(lo, hi []uint64) []column.Column {
	words := [2][]uint64{lo, hi}
	out := make([]column.Column, len(l.fields))
	for i := range l.fields {
		f := &l.fields[i]
		var c column.Column
		if f.bits == 128 {
			c = unpackWide(f.t.Physical(), lo, hi)
		} else {
			c = unpackValues(f.t.Physical(), words[f.word], f.shift)
		}
		if f.nullable {
			null := make([]uint8, len(lo))
			for r, w := range words[f.nullWord] {
				null[r] = uint8(w >> f.null)
			}
			c = &column.Nullable{Values: c, Null: null}
		}
		out[i] = c
	}
	return out
}

func unpackValues(p types.Physical, w []uint64, shift int) column.Column { // long: one case a form
	switch p {
	case types.PhysUInt8:
		return unpackInts[uint8](w, shift)
	case types.PhysUInt16:
		return unpackInts[uint16](w, shift)
	case types.PhysUInt32:
		return unpackInts[uint32](w, shift)
	case types.PhysUInt64:
		return unpackInts[uint64](w, shift)
	case types.PhysInt8:
		return unpackInts[int8](w, shift)
	case types.PhysInt16:
		return unpackInts[int16](w, shift)
	case types.PhysInt32:
		return unpackInts[int32](w, shift)
	case types.PhysInt64:
		return unpackInts[int64](w, shift)
	case types.PhysFloat32:
		out := make([]float32, len(w))
		for i, x := range w {
			out[i] = math.Float32frombits(uint32(x >> shift))
		}
		return column.NewFixed(out)
	case types.PhysFloat64:
		out := make([]float64, len(w))
		for i, x := range w {
			out[i] = math.Float64frombits(x >> shift)
		}
		return column.NewFixed(out)
	}
	cherr.Bug("a key of form %d cannot be unpacked", p)
	return nil
}

func unpackInts[T column.Ordered](w []uint64, shift int) column.Column {
	out := make([]T, len(w))
	for i, x := range w {
		out[i] = T(x >> shift)
	}
	return column.NewFixed(out)
}

func unpackWide(p types.Physical, lo, hi []uint64) column.Column {
	switch p {
	case types.PhysUInt128:
		out := make([]types.U128, len(lo))
		for i := range out {
			out[i] = types.U128{Lo: lo[i], Hi: hi[i]}
		}
		return column.NewFixed(out)
	case types.PhysInt128:
		out := make([]types.I128, len(lo))
		for i := range out {
			out[i] = types.I128{Lo: lo[i], Hi: int64(hi[i])}
		}
		return column.NewFixed(out)
	}
	out := make([]types.Addr6, len(lo))
	for i := range out {
		binary.LittleEndian.PutUint64(out[i][:8], lo[i])
		binary.LittleEndian.PutUint64(out[i][8:], hi[i])
	}
	return column.NewFixed(out)
}
