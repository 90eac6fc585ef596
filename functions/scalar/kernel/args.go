package kernel

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Strs is a string argument, full or constant, read by row.
type Strs struct {
	Col  *column.Str
	mask int // 0 for a constant: every row is row 0
}

// Strings reads a String or FixedString argument.
func Strings(c column.Column) Strs {
	switch c := c.(type) {
	case *column.Const:
		return Strs{c.Value.(*column.Str), 0}
	case *column.Str:
		return Strs{c, -1}
	}
	return Strs{column.Full(c).(*column.Str), -1}
}

// At gives the bytes of a row, not to be written to.
func (s Strs) At(i int) []byte { return s.Col.At(i & s.mask) }

// Str gives a row as a string that shares the column's bytes.
func (s Strs) Str(i int) string { return s.Col.StringAt(i & s.mask) }

// Const tells whether every row is row 0.
func (s Strs) Const() bool { return s.mask == 0 }

// Nums is a numeric argument widened to T, full or constant, read by row.
type Nums[T int64 | float64] struct {
	v    []T
	mask int
}

// At gives the value of a row.
func (n Nums[T]) At(i int) T { return n.v[i&n.mask] }

// Const tells whether every row is row 0.
func (n Nums[T]) Const() bool { return n.mask == 0 }

// Integers reads an argument of an integer form of at most 64 bits; UInt64
// beyond Int64 comes out negative, which is how ClickHouse's functions take it.
func Integers(c column.Column) Nums[int64] {
	if k, ok := c.(*column.Const); ok {
		return Nums[int64]{widen[int64](k.Value, 1), 0}
	}
	return Nums[int64]{widen[int64](column.Full(c), 1), -1}
}

// Floats reads a number of any type as Float64.
func Floats(c column.Column, t *types.Type) Nums[float64] {
	mask := -1
	if k, ok := c.(*column.Const); ok {
		c, mask = k.Value, 0
	}
	return Nums[float64]{ToFloats(column.Full(c), t), mask}
}

// ToFloats gives a full column of numbers of type t as floats.
func ToFloats(c column.Column, t *types.Type) []float64 {
	t = types.Unwrap(t)
	c, _ = column.SplitNulls(c)
	if t.Kind() == types.KindBFloat16 {
		in := column.Values[uint16](c)
		out := make([]float64, len(in))
		for i, v := range in {
			out[i] = float64(math.Float32frombits(uint32(v) << 16))
		}
		return out
	}
	if !t.IsDecimal() || t.Scale() == 0 {
		return widen[float64](c, 1)
	}
	return widen[float64](c, math.Pow10(t.Scale()))
}

func widen[T int64 | float64](c column.Column, div float64) []T { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return convert[T](c.Values)
	case *column.Fixed[uint16]:
		return convert[T](c.Values)
	case *column.Fixed[uint32]:
		return convert[T](c.Values)
	case *column.Fixed[uint64]:
		return convert[T](c.Values)
	case *column.Fixed[int8]:
		return convert[T](c.Values)
	case *column.Fixed[int16]:
		return convert[T](c.Values)
	case *column.Fixed[int32]:
		return scaled(convert[T](c.Values), div)
	case *column.Fixed[int64]:
		return scaled(convert[T](c.Values), div)
	case *column.Fixed[float32]:
		return convert[T](c.Values)
	case *column.Fixed[float64]:
		return convert[T](c.Values)
	case *column.Fixed[types.I128]:
		return wide[T](c.Values, types.I128.Float64, div)
	case *column.Fixed[types.U128]:
		return wide[T](c.Values, types.U128.Float64, div)
	case *column.Fixed[types.I256]:
		return wide[T](c.Values, types.I256.Float64, div)
	case *column.Fixed[types.U256]:
		return wide[T](c.Values, types.U256.Float64, div)
	case *column.Nothing:
		return make([]T, c.N)
	}
	cherr.Bug("a %T is no column of numbers", c)
	return nil
}

func convert[T int64 | float64, S column.Ordered](in []S) []T {
	if same, ok := any(in).([]T); ok {
		return same
	}
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = T(v)
	}
	return out
}

func scaled[T int64 | float64](v []T, div float64) []T {
	if div == 1 {
		return v
	}
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(float64(x) / div)
	}
	return out
}

func wide[T int64 | float64, S any](in []S, f func(S) float64, div float64) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = T(f(v) / div)
	}
	return out
}

// Arrs is an array argument, full or constant, read by row.
type Arrs struct {
	*column.Array
	mask int
}

// Arrays reads an Array argument.
func Arrays(c column.Column) Arrs {
	if k, ok := c.(*column.Const); ok {
		return Arrs{k.Value.(*column.Array), 0}
	}
	return Arrs{column.Full(c).(*column.Array), -1}
}

// Bounds gives the element range of a row.
func (a Arrs) Bounds(i int) (from, to int) { return a.Array.Bounds(i & a.mask) }

// Const tells whether every row is row 0.
func (a Arrs) Const() bool { return a.mask == 0 }

// Maps is a map argument, full or constant, read by row.
type Maps struct {
	*column.Map
	mask int
}

// MapsOf reads a Map argument.
func MapsOf(c column.Column) Maps {
	if k, ok := c.(*column.Const); ok {
		return Maps{k.Value.(*column.Map), 0}
	}
	return Maps{column.Full(c).(*column.Map), -1}
}

// Bounds gives the entry range of a row.
func (m Maps) Bounds(i int) (from, to int) { return m.Map.Bounds(i & m.mask) }

// FullTuple reads a Tuple argument, spelled out.
func FullTuple(c column.Column) *column.Tuple { return column.Full(c).(*column.Tuple) }
