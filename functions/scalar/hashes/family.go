package hashes

import (
	"encoding/binary"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// word is what a hash function gives.
type word interface{ uint32 | uint64 | types.U128 }

// family is a hash function over any types and any number of arguments.
type family[T word] struct {
	bytes   func(b []byte) T
	combine func(a, b T) T
	// ints: integers and floats of up to 64 bits go through intHash64 instead of bytes.
	ints bool
}

// nothing is the hash of no arguments, null that of a NULL inside an array or a
// tuple, both as numbers of T's width.
const (
	nothing = 0xE28DBDE7FE22E41C
	null    = 0xC58AD2DA03D9A871
)

func fromUint[T word](v uint64) T {
	var t T
	switch p := any(&t).(type) {
	case *uint32:
		*p = uint32(v)
	case *uint64:
		*p = v
	case *types.U128:
		p.Lo = v
	}
	return t
}

// bind binds the function; wrap gives result type and column.
func (f *family[T]) bind(name string, result *types.Type, wrap func(h []T) column.Column) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		ts := kernel.Types(args)
		for i, t := range ts {
			if !hashable(t) {
				return nil, kernel.WrongType(name, i, t)
			}
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			h := make([]T, rows)
			if len(args) == 0 {
				for i := range h {
					h[i] = fromUint[T](nothing)
				}
				return wrap(h), nil
			}
			first := true
			for i, c := range args {
				f.add(ts[i], column.Full(c), h, &first)
			}
			return wrap(h), nil
		}), nil
	}
}

func hashable(t *types.Type) bool {
	switch t.Kind() {
	case types.KindAggregateFunction, types.KindVariant, types.KindDynamic, types.KindJSON:
		return false
	}
	return true
}

// add joins a full column into the hashes of its rows. Tuples count as their
// elements one by one.
func (f *family[T]) add(t *types.Type, c column.Column, h []T, first *bool) {
	t = types.WithoutLowCardinality(t)
	switch t.Kind() {
	case types.KindTuple:
		tuple := c.(*column.Tuple)
		for i, e := range t.Elems() {
			f.add(e, tuple.Elems[i], h, first)
		}
		if len(tuple.Elems) > 0 {
			return
		}
		if *first { // elsewhere an empty tuple counts for nothing
			for i := range h {
				h[i] = fromUint[T](nothing)
			}
			*first = false
		}
		return
	case types.KindArray:
		a := c.(*column.Array)
		f.addRanges(t.Elem(), a.Offsets, a.Elems, h, first)
		return
	case types.KindMap:
		m := c.(*column.Map)
		f.addRanges(types.Tuple(t.Elems(), nil), m.Offsets, column.NewTuple(m.Keys, m.Values), h, first)
		return
	}
	f.join(f.flat(t, c), h, first)
}

func (f *family[T]) join(one, h []T, first *bool) {
	if *first {
		copy(h, one)
		*first = false
		return
	}
	for i, v := range one {
		h[i] = f.combine(h[i], v)
	}
}

// addRanges joins the number of elements and then each element.
func (f *family[T]) addRanges(elem *types.Type, offsets []uint64, elems column.Column, h []T, first *bool) {
	each, start := make([]T, elems.Len()), true
	f.add(elem, elems, each, &start)
	for i := range h {
		from, to := offsets[i], offsets[i+1]
		n := f.size(to - from)
		if *first {
			h[i] = n
		} else {
			h[i] = f.combine(h[i], n)
		}
		for _, e := range each[from:to] {
			h[i] = f.combine(h[i], e)
		}
	}
	*first = false
}

// size hashes an array's length: by intHash64 for functions of 64 bits, by
// intHash32 for the others.
func (f *family[T]) size(n uint64) T {
	if _, ok := any(f).(*family[uint64]); ok {
		return fromUint[T](intHash64(n))
	}
	return fromUint[T](uint64(intHash32(n)))
}

// flat hashes the values of a column that holds no others.
func (f *family[T]) flat(t *types.Type, c column.Column) []T {
	out := make([]T, c.Len())
	switch c := c.(type) {
	case *column.Nullable:
		inner := f.flat(types.WithoutNullable(t), c.Values)
		for i := range inner {
			if c.IsNull(i) {
				inner[i] = fromUint[T](null)
			}
		}
		return inner
	case *column.Nothing:
		for i := range out {
			out[i] = fromUint[T](null)
		}
		return out
	case *column.Str:
		for i := range out {
			out[i] = f.bytes(c.At(i))
		}
		return out
	}
	raw, width := memory(c)
	plain := f.ints && width <= 8 && !t.IsDecimal() && t.Kind() != types.KindDateTime64 && t.Kind() != types.KindTime64
	var wide [8]byte
	for i := range out {
		b := raw[i*width : (i+1)*width]
		if plain {
			copy(wide[:], b)
			out[i] = fromUint[T](intHash64(binary.LittleEndian.Uint64(wide[:])))
		} else {
			out[i] = f.bytes(b)
		}
	}
	return out
}

// memory gives the bytes of a fixed-width column; the machine is little-endian.
func memory(c column.Column) (raw []byte, width int) { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return bytesOf(c.Values)
	case *column.Fixed[uint16]:
		return bytesOf(c.Values)
	case *column.Fixed[uint32]:
		return bytesOf(c.Values)
	case *column.Fixed[uint64]:
		return bytesOf(c.Values)
	case *column.Fixed[int8]:
		return bytesOf(c.Values)
	case *column.Fixed[int16]:
		return bytesOf(c.Values)
	case *column.Fixed[int32]:
		return bytesOf(c.Values)
	case *column.Fixed[int64]:
		return bytesOf(c.Values)
	case *column.Fixed[float32]:
		return bytesOf(c.Values)
	case *column.Fixed[float64]:
		return bytesOf(c.Values)
	case *column.Fixed[types.U128]:
		return uuidBytes(c.Values)
	case *column.Fixed[types.I128]:
		return bytesOf(c.Values)
	case *column.Fixed[types.U256]:
		return bytesOf(c.Values)
	case *column.Fixed[types.I256]:
		return bytesOf(c.Values)
	case *column.Fixed[types.Addr6]:
		return bytesOf(c.Values)
	}
	cherr.Bug("a hash of %T", c)
	return nil, 0
}

func uuidBytes(v []types.U128) ([]byte, int) { return bytesOf(v) }

func bytesOf[T any](v []T) ([]byte, int) {
	var z T
	width := int(unsafe.Sizeof(z))
	if len(v) == 0 {
		return nil, width
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*width), width
}

// hashOfHashes combines by hashing both results one after the other.
func hashOfHashes[T word](f func(b []byte) T) func(a, b T) T {
	return func(a, b T) T {
		both := []T{a, b}
		raw, _ := bytesOf(both)
		return f(raw)
	}
}

// asFixedString gives 128-bit hashes as FixedString(16).
func asFixedString(h []types.U128) column.Column {
	raw, _ := bytesOf(h)
	out := kernel.NewStr(len(h), len(raw))
	for i := range h {
		out.Append(raw[i*16 : i*16+16])
	}
	return out
}

func asNumber[T word](h []T) column.Column {
	switch h := any(h).(type) {
	case []uint32:
		return column.NewFixed(h)
	case []uint64:
		return column.NewFixed(h)
	}
	return column.NewFixed(any(h).([]types.U128))
}
