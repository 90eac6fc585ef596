package parquet

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// convertFunc turns a leaf's decoded values into a column of the wanted type
// without Nullable. The column may take the vec's memory.
type convertFunc func(v *vec) (column.Column, error)

// Readable tells whether Scan gives a leaf as type t. Where it does not, read
// the column as TypeOf and convert.
func Readable(n *SchemaNode, t *types.Type) bool { return n.IsLeaf() && converter(n, t) != nil }

// converter finds the conversion from a leaf to a type, nil if there is none.
func converter(n *SchemaNode, t *types.Type) convertFunc {
	t = types.Unwrap(t)
	switch n.Physical {
	case PhysicalBoolean:
		if t.Physical() == types.PhysUInt8 {
			return cast[uint8, uint8]
		}
		return numberTo[uint8](t)
	case PhysicalInt32:
		return fromInt32(n, t)
	case PhysicalInt64:
		return fromInt64(n, t)
	case PhysicalInt96:
		if t.Kind() == types.KindDateTime64 || t.Kind() == types.KindDateTime {
			return fromInt96(t)
		}
	case PhysicalFloat:
		return floatTo[float32](t)
	case PhysicalDouble:
		return floatTo[float64](t)
	case PhysicalByteArray:
		return fromBytes(n, t)
	case PhysicalFixed:
		return fromFixed(n, t)
	}
	return nil
}

func fromInt32(n *SchemaNode, t *types.Type) convertFunc {
	switch l := n.Logical; l.Kind {
	case LogicalDecimal:
		return decimalTo[int32](l.Scale, t)
	case LogicalDate:
		switch t.Kind() {
		case types.KindDate32:
			return cast[int32, int32]
		case types.KindDate:
			return daysToDate
		}
	case LogicalTime:
		return timeTo[int32](l.Unit, t)
	case LogicalInteger:
		if !l.Signed {
			return integerTo[uint32](t)
		}
	}
	return integerTo[int32](t)
}

func fromInt64(n *SchemaNode, t *types.Type) convertFunc {
	switch l := n.Logical; l.Kind {
	case LogicalDecimal:
		return decimalTo[int64](l.Scale, t)
	case LogicalTime, LogicalTimestamp:
		return timeTo[int64](l.Unit, t)
	case LogicalInteger:
		if !l.Signed {
			return integerTo[uint64](t)
		}
	}
	return integerTo[int64](t)
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type number interface {
	integer | float32 | float64
}

// integerTo gives integers as any type that is a number inside: ClickHouse
// writes enums, dates and addresses as plain integers.
func integerTo[S integer](t *types.Type) convertFunc {
	if t.IsDecimal() {
		return decimalTo[S](0, t)
	}
	switch t.Kind() {
	case types.KindInt128:
		return toI128[S]
	case types.KindUInt128:
		return toU128[S]
	case types.KindBFloat16, types.KindUUID:
		return nil
	}
	return numberTo[S](t)
}

func floatTo[S float32 | float64](t *types.Type) convertFunc {
	switch t.Kind() {
	case types.KindFloat32:
		return cast[S, float32]
	case types.KindFloat64:
		return cast[S, float64]
	}
	return nil
}

func numberTo[S number](t *types.Type) convertFunc {
	switch t.Physical() {
	case types.PhysUInt8:
		if t.Kind() == types.KindBool {
			return toBool[S]
		}
		return cast[S, uint8]
	case types.PhysUInt16:
		return cast[S, uint16]
	case types.PhysUInt32:
		return cast[S, uint32]
	case types.PhysUInt64:
		return cast[S, uint64]
	case types.PhysInt8:
		return cast[S, int8]
	case types.PhysInt16:
		return cast[S, int16]
	case types.PhysInt32:
		return cast[S, int32]
	case types.PhysInt64:
		return cast[S, int64]
	case types.PhysFloat32:
		return cast[S, float32]
	case types.PhysFloat64:
		return cast[S, float64]
	}
	return nil
}

// cast converts numbers, or sees them as they are where the forms are alike.
func cast[S number, T number](v *vec) (column.Column, error) {
	if sameForm[S, T]() {
		return column.NewFixed(view[T](v.fixed)), nil
	}
	src := view[S](v.fixed)
	out := make([]T, len(src))
	for i, x := range src {
		out[i] = T(x)
	}
	return column.NewFixed(out), nil
}

// sameForm tells whether S and T are integers of one width, or one type.
func sameForm[S, T number]() bool {
	var s S
	var t T
	if _, ok := any(s).(T); ok {
		return true
	}
	return isInteger(s) && isInteger(t) && sizeOf[S]() == sizeOf[T]()
}

func isInteger[T number](v T) bool {
	switch any(v).(type) {
	case float32, float64:
		return false
	}
	return true
}

func toBool[S number](v *vec) (column.Column, error) {
	src := view[S](v.fixed)
	out := make([]uint8, len(src))
	for i, x := range src {
		if x != 0 {
			out[i] = 1
		}
	}
	return column.NewFixed(out), nil
}

func toI128[S integer](v *vec) (column.Column, error) {
	src := view[S](v.fixed)
	out := make([]types.I128, len(src))
	for i, x := range src {
		out[i] = widen(x)
	}
	return column.NewFixed(out), nil
}

func toU128[S integer](v *vec) (column.Column, error) {
	src := view[S](v.fixed)
	out := make([]types.U128, len(src))
	for i, x := range src {
		w := widen(x)
		out[i] = types.U128{Lo: w.Lo, Hi: uint64(w.Hi)}
	}
	return column.NewFixed(out), nil
}

// daysToDate refuses days that a Date cannot hold.
func daysToDate(v *vec) (column.Column, error) {
	src := view[int32](v.fixed)
	out := make([]uint16, len(src))
	for i, d := range src {
		if uint32(d) > 0xffff {
			return nil, cherr.New(cherr.ValueIsOutOfRangeOfDataType, "Day number %d is out of the range of Date", d)
		}
		out[i] = uint16(d)
	}
	return column.NewFixed(out), nil
}
