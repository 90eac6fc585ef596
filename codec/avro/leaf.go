package avro

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// fixedLeaf takes values of one fixed-width form.
type fixedLeaf[T column.Element] struct {
	values   []T
	nulls    []uint8
	nullable bool
	anyNull  bool
	decode   func(*Cursor) T
}

func (n *fixedLeaf[T]) read(c *Cursor) {
	n.values = append(n.values, n.decode(c))
	if n.nullable {
		n.nulls = append(n.nulls, 0)
	}
}

func (n *fixedLeaf[T]) null() {
	var zero T
	n.values = append(n.values, zero)
	if n.nullable {
		n.nulls, n.anyNull = append(n.nulls, 1), true
	}
}

func (n *fixedLeaf[T]) finish() column.Column {
	out := wrapNulls(column.NewFixed(n.values), n.nullable, n.anyNull, n.nulls)
	n.values, n.nulls, n.anyNull = nil, nil, false
	return out
}

func wrapNulls(values column.Column, nullable, anyNull bool, nulls []uint8) column.Column {
	if !nullable {
		return values
	}
	if !anyNull {
		nulls = nil
	}
	return &column.Nullable{Values: values, Null: nulls}
}

// strLeaf takes strings and bytes.
type strLeaf struct {
	values   *column.Str
	nulls    []uint8
	nullable bool
	anyNull  bool
	size     int // FixedString's length, 0 for String
	decode   func(*Cursor) []byte
}

func (n *strLeaf) read(c *Cursor) {
	v := n.decode(c)
	if n.size > 0 && len(v) != n.size && c.err == nil {
		c.Fail("value of %d bytes for FixedString(%d)", len(v), n.size)
	}
	n.values.Append(v)
	if n.nullable {
		n.nulls = append(n.nulls, 0)
	}
}

func (n *strLeaf) null() {
	n.values.Append(make([]byte, n.size))
	if n.nullable {
		n.nulls, n.anyNull = append(n.nulls, 1), true
	}
}

func (n *strLeaf) finish() column.Column {
	out := wrapNulls(n.values, n.nullable, n.anyNull, n.nulls)
	n.values, n.nulls, n.anyNull = &column.Str{}, nil, false
	return out
}

func newLeaf(s *Schema, t *types.Type) (node, error) { // long: one case a form
	nullable, plain := t.IsNullable(), types.Unwrap(t)
	if plain.IsDecimal() {
		return decimalLeaf(s, plain, nullable)
	}
	switch plain.Kind() {
	case types.KindBool:
		if s.Kind == Boolean {
			return fixed(nullable, func(c *Cursor) uint8 {
				if c.Bool() {
					return 1
				}
				return 0
			}), nil
		}
	case types.KindInt8:
		if s.Kind == Int {
			return fixed(nullable, func(c *Cursor) int8 { return int8(c.narrow(math.MinInt8, math.MaxInt8)) }), nil
		}
	case types.KindInt16:
		if s.Kind == Int {
			return fixed(nullable, func(c *Cursor) int16 { return int16(c.narrow(math.MinInt16, math.MaxInt16)) }), nil
		}
	case types.KindInt32, types.KindDate32:
		if s.Kind == Int {
			return fixed(nullable, (*Cursor).Int), nil
		}
		if s.Kind == Long { // a day partition or a narrow column written wide
			return fixed(nullable, (*Cursor).Int), nil
		}
	case types.KindInt64:
		scale := int64(1)
		if s.Logical == "time-millis" {
			scale = 1000
		}
		if s.Kind == Int || s.Kind == Long {
			return fixed(nullable, func(c *Cursor) int64 { return c.Long() * scale }), nil
		}
	case types.KindDateTime64:
		if s.Kind == Int || s.Kind == Long {
			return timestampLeaf(s, plain, nullable)
		}
	case types.KindFloat32:
		if s.Kind == Float {
			return fixed(nullable, (*Cursor).Float), nil
		}
	case types.KindFloat64:
		switch s.Kind {
		case Float:
			return fixed(nullable, func(c *Cursor) float64 { return float64(c.Float()) }), nil
		case Double:
			return fixed(nullable, (*Cursor).Double), nil
		}
	case types.KindUUID:
		return uuidLeaf(s, t, nullable)
	case types.KindString, types.KindFixedString:
		return stringLeaf(s, t, plain, nullable)
	}
	return nil, mismatch(s, t)
}

// narrow reads a number that must lie in a range.
func (c *Cursor) narrow(least, most int64) int64 {
	v := c.Long()
	if v < least || v > most {
		c.Fail("Avro int %d is out of the range of the column's type", v)
		return 0
	}
	return v
}

func fixed[T column.Element](nullable bool, decode func(*Cursor) T) node {
	return &fixedLeaf[T]{nullable: nullable, decode: decode}
}

func stringLeaf(s *Schema, t, plain *types.Type, nullable bool) (node, error) {
	n := &strLeaf{values: &column.Str{}, nullable: nullable}
	if plain.Kind() == types.KindFixedString {
		n.size = plain.Length()
	}
	switch s.Kind {
	case String, Bytes:
		n.decode = (*Cursor).Bytes
	case Fixed:
		n.decode = func(c *Cursor) []byte { return c.take(s.Size) }
	case Enum:
		n.decode = func(c *Cursor) []byte {
			i := c.Long()
			if i < 0 || i >= int64(len(s.Symbols)) {
				c.Fail("Avro enum has no symbol %d", i)
				return nil
			}
			return []byte(s.Symbols[i])
		}
	default:
		return nil, mismatch(s, t)
	}
	return n, nil
}

// timestampLeaf brings the file's unit to the type's.
func timestampLeaf(s *Schema, t *types.Type, nullable bool) (node, error) {
	from := 6
	switch {
	case strings.HasSuffix(s.Logical, "timestamp-millis"):
		from = 3
	case strings.HasSuffix(s.Logical, "timestamp-nanos"):
		from = 9
	case s.Logical == "date" || s.Kind == Int: // date → timestamp promotion
		day := int64(86400)
		for range t.Scale() {
			day *= 10
		}
		return fixed(nullable, func(c *Cursor) int64 { return c.Long() * day }), nil
	}
	mul, div := int64(1), int64(1)
	for ; from < t.Scale(); from++ {
		mul *= 10
	}
	for ; from > t.Scale(); from-- {
		div *= 10
	}
	return fixed(nullable, func(c *Cursor) int64 {
		v := c.Long() * mul
		if div > 1 && v < 0 {
			return -((-v + div - 1) / div)
		}
		return v / div
	}), nil
}

func uuidLeaf(s *Schema, t *types.Type, nullable bool) (node, error) {
	switch {
	case s.Kind == Fixed && s.Size == 16:
		return fixed(nullable, func(c *Cursor) types.U128 {
			b := c.take(16)
			if b == nil {
				return types.U128{}
			}
			return types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
		}), nil
	case s.Kind == String:
		return fixed(nullable, func(c *Cursor) types.U128 {
			b, err := hex.DecodeString(strings.ReplaceAll(string(c.Bytes()), "-", ""))
			if err != nil || len(b) != 16 {
				c.Fail("value is no UUID")
				return types.U128{}
			}
			return types.U128{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
		}), nil
	}
	return nil, mismatch(s, t)
}

// decimalLeaf reads big-endian two's complement of any length.
func decimalLeaf(s *Schema, t *types.Type, nullable bool) (node, error) {
	raw := (*Cursor).Bytes
	switch {
	case s.Kind == Fixed:
		raw = func(c *Cursor) []byte { return c.take(s.Size) }
	case s.Kind != Bytes:
		return nil, mismatch(s, t)
	}
	if s.Logical == "decimal" && s.Scale != t.Scale() {
		return nil, cherr.New(cherr.TypeMismatch, "Avro decimal of scale %d cannot be read as %s", s.Scale, t)
	}
	wide := func(c *Cursor) types.I256 {
		v, ok := BigEndian(raw(c))
		if !ok {
			c.Fail("decimal is too long")
		}
		return v
	}
	switch t.Kind() {
	case types.KindDecimal32:
		return fixed(nullable, func(c *Cursor) int32 {
			v := int64(wide(c)[0])
			if v > math.MaxInt32 || v < math.MinInt32 {
				c.Fail("decimal %d is too long for %s", v, t)
			}
			return int32(v)
		}), nil
	case types.KindDecimal64:
		return fixed(nullable, func(c *Cursor) int64 {
			v := wide(c)
			if s := uint64(int64(v[0]) >> 63); v[1] != s || v[2] != s || v[3] != s {
				c.Fail("decimal is too long for %s", t)
			}
			return int64(v[0])
		}), nil
	case types.KindDecimal128:
		return fixed(nullable, func(c *Cursor) types.I128 {
			v := wide(c)
			if s := uint64(int64(v[1]) >> 63); v[2] != s || v[3] != s {
				c.Fail("decimal is too long for %s", t)
			}
			return types.I128{Lo: v[0], Hi: int64(v[1])}
		}), nil
	}
	return fixed(nullable, wide), nil
}

// BigEndian reads a two's complement number of up to 32 bytes, or a longer one
// whose leading bytes only repeat the sign.
func BigEndian(b []byte) (v types.I256, ok bool) {
	if len(b) == 0 {
		return v, true
	}
	fill := byte(0)
	if b[0]&0x80 != 0 {
		fill = 0xff
	}
	for len(b) > 32 {
		if b[0] != fill {
			return v, false
		}
		b = b[1:]
	}
	var buf [32]byte
	for i := range buf {
		buf[i] = fill
	}
	copy(buf[32-len(b):], b)
	for i := range v {
		v[i] = binary.BigEndian.Uint64(buf[24-8*i:])
	}
	return v, int8(buf[0]^fill) >= 0
}
