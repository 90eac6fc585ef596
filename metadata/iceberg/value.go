package iceberg

import (
	"encoding/binary"
	"math"

	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/types"
)

// DecodeBound reads a bound in the spec's single-value form as a value of a
// column's present type, in the physical form of its ClickHouse type. Bounds
// are never rewritten, so their length may tell of the type before a
// promotion. ok is false when the bytes cannot be a bound of that type: then
// nothing is known.
func DecodeBound(t *Type, b []byte) (v column.Value, ok bool) { // long: one case a type
	switch t.Kind {
	case Boolean:
		if len(b) == 1 {
			return b2u(b[0] != 0), true
		}
	case Int, Date:
		if len(b) == 4 {
			return int32(binary.LittleEndian.Uint32(b)), true
		}
	case Long, Time:
		switch {
		case len(b) == 8:
			return int64(binary.LittleEndian.Uint64(b)), true
		case len(b) == 4 && t.Kind == Long:
			return int64(int32(binary.LittleEndian.Uint32(b))), true
		}
	case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
		switch {
		case len(b) == 8:
			return int64(binary.LittleEndian.Uint64(b)), true
		case len(b) == 4: // was a date
			day := int64(86_400_000_000)
			if t.Kind >= TimestampNS {
				day *= 1000
			}
			d := int64(int32(binary.LittleEndian.Uint32(b)))
			return d * day, d*day/day == d
		}
	case Float:
		if len(b) == 4 {
			f := math.Float32frombits(binary.LittleEndian.Uint32(b))
			return f, f == f
		}
	case Double:
		switch len(b) {
		case 8:
			f := math.Float64frombits(binary.LittleEndian.Uint64(b))
			return f, f == f
		case 4:
			f := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
			return f, f == f
		}
	case Decimal:
		return decimalBytes(t, b)
	case String, Binary:
		return string(b), true
	case Fixed:
		return string(b), len(b) <= t.Length
	case UUID:
		if len(b) == 16 {
			return types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}, true
		}
	}
	return nil, false
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// decimalBytes reads an unscaled value into the form of the type's width.
func decimalBytes(t *Type, b []byte) (column.Value, bool) {
	v, ok := avro.BigEndian(b)
	if !ok || len(b) == 0 {
		return nil, false
	}
	sign := uint64(int64(v[3]) >> 63)
	switch {
	case t.Precision <= 9:
		x := int64(v[0])
		return int32(x), v[1] == sign && v[2] == sign && x == int64(int32(x)) && uint64(x>>63) == sign
	case t.Precision <= 18:
		return int64(v[0]), v[1] == sign && v[2] == sign && uint64(int64(v[0])>>63) == sign
	case t.Precision <= 38:
		return types.I128{Lo: v[0], Hi: int64(v[1])}, v[2] == sign && uint64(int64(v[1])>>63) == sign
	}
	return v, true
}

// Promote brings a value of an earlier type of a column to its present one.
func Promote(from, to *Type, v column.Value) (column.Value, bool) {
	if v == nil {
		return nil, true
	}
	switch to.Kind {
	case from.Kind:
		if to.Kind != Decimal {
			return v, true
		}
		wide, ok := toI256(v)
		if !ok || from.Scale != to.Scale {
			return nil, false
		}
		return decimalBytes(to, minBytes(wide))
	case Long:
		x, ok := v.(int32)
		return int64(x), ok && from.Kind == Int
	case Double:
		x, ok := v.(float32)
		return float64(x), ok
	case Timestamp, TimestampNS:
		x, ok := v.(int32)
		day := int64(86_400_000_000)
		if to.Kind == TimestampNS {
			day *= 1000
		}
		return int64(x) * day, ok && from.Kind == Date
	}
	return nil, false
}

func toI256(v column.Value) (types.I256, bool) {
	switch x := v.(type) {
	case int32:
		return types.ToI256(int64(x)), true
	case int64:
		return types.ToI256(x), true
	case types.I128:
		sign := uint64(x.Hi >> 63)
		return types.I256{x.Lo, uint64(x.Hi), sign, sign}, true
	case types.I256:
		return x, true
	}
	return types.I256{}, false
}

// readValue reads a partition value at the cursor as a value of type t; the
// type may be wider than what the file holds, or not known (nil).
func readValue(c *avro.Cursor, s *avro.Schema, t *Type) (v column.Value, known bool) { // long: one case a form
	b := c.Branch(s)
	if b == nil || b.Kind == avro.Null {
		return nil, true
	}
	if t == nil {
		t = &Type{Kind: Unsupported}
	}
	switch b.Kind {
	case avro.Boolean:
		return b2u(c.Bool()), t.Kind == Boolean
	case avro.Int, avro.Long:
		x := c.Long()
		switch t.Kind {
		case Int, Date:
			return int32(x), x == int64(int32(x))
		case Long, Time:
			return x, true
		case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
			if b.Logical == "date" { // promoted since
				return Promote(dateType, t, int32(x))
			}
			return x, true
		}
		return x, false
	case avro.Float:
		f := c.Float()
		if t.Kind == Double {
			return float64(f), true
		}
		return f, t.Kind == Float
	case avro.Double:
		return c.Double(), t.Kind == Double
	case avro.Bytes, avro.String, avro.Fixed:
		raw := c.Raw(b)
		switch t.Kind {
		case Decimal:
			if b.Logical == "decimal" && b.Scale != t.Scale {
				return string(raw), false
			}
			return decimalBytes(t, raw)
		case String, Binary, Fixed:
			return string(raw), true
		case UUID:
			if len(raw) == 16 {
				return types.U128{Hi: binary.BigEndian.Uint64(raw), Lo: binary.BigEndian.Uint64(raw[8:])}, true
			}
			return ParseUUID(string(raw))
		}
		return string(raw), false
	}
	c.Skip(b)
	return nil, false
}
