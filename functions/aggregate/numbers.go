package aggregate

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// number is what arithmetic kernels take.
type number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64
}

func convert[A, T number](v []T) []A {
	if same, ok := any(v).([]A); ok {
		return same
	}
	out := make([]A, len(v))
	for i, x := range v {
		out[i] = A(x)
	}
	return out
}

// numbersOf gives the rows of a native numeric column in another number type,
// as Go converts.
func numbersOf[A number](c column.Column) []A { // long: one case a form
	switch c := column.Full(c).(type) {
	case *column.Fixed[uint8]:
		return convert[A](c.Values)
	case *column.Fixed[uint16]:
		return convert[A](c.Values)
	case *column.Fixed[uint32]:
		return convert[A](c.Values)
	case *column.Fixed[uint64]:
		return convert[A](c.Values)
	case *column.Fixed[int8]:
		return convert[A](c.Values)
	case *column.Fixed[int16]:
		return convert[A](c.Values)
	case *column.Fixed[int32]:
		return convert[A](c.Values)
	case *column.Fixed[int64]:
		return convert[A](c.Values)
	case *column.Fixed[float32]:
		return convert[A](c.Values)
	case *column.Fixed[float64]:
		return convert[A](c.Values)
	case *column.Fixed[types.I128]:
		return wideTo[A](c.Values)
	case *column.Fixed[types.U128]:
		return wideTo[A](c.Values)
	case *column.Fixed[types.I256]:
		return wideTo[A](c.Values)
	case *column.Fixed[types.U256]:
		return wideTo[A](c.Values)
	}
	cherr.Bug("numbers of a %T", c)
	return nil
}

func wideTo[A number, T interface{ Float64() float64 }](v []T) []A {
	out := make([]A, len(v))
	for i, x := range v {
		out[i] = A(x.Float64())
	}
	return out
}

// floatsOf gives the rows of a numeric column of type t as floats: decimals
// by their value, BFloat16 widened.
func floatsOf(t *types.Type, c column.Column) []float64 {
	if t.Kind() == types.KindBFloat16 {
		raw := column.Full(c).(*column.Fixed[uint16]).Values
		out := make([]float64, len(raw))
		for i, x := range raw {
			out[i] = bfloat(x)
		}
		return out
	}
	v := numbersOf[float64](c)
	if !t.IsDecimal() || t.Scale() == 0 {
		return v
	}
	by := pow10(t.Scale())
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / by
	}
	return out
}

func bfloat(x uint16) float64 { return float64(math.Float32frombits(uint32(x) << 16)) }

// numeric tells whether t may be read by floatsOf as a number.
func numeric(t *types.Type) bool { return t.IsNumber() || t.Kind() == types.KindInterval }
