package paimon

import (
	"encoding/binary"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// Values of rows are in the physical form of the ClickHouse type that the
// Paimon type is shown as: uint8 for BOOLEAN, int32 days for DATE, int64
// microseconds for TIME, int64 in units of its precision for TIMESTAMP, int32,
// int64 or types.I128 for DECIMAL by its precision, string for text and bytes;
// nil for NULL. Nested values never stand in keys, partitions or statistics;
// they read as nil.

// nullBytes is the size of a row's head: its kind and a bit a field.
func nullBytes(arity int) int { return (arity + 63 + 8) / 64 * 8 }

// DecodeRow reads a binary row as manifests hold it: big-endian arity, then the
// row. The bytes must be of as many fields as there are types.
func DecodeRow(b []byte, ts []*Type) (column.Row, error) {
	if len(b) < 4 {
		return nil, cherr.New(cherr.IncorrectData, "a binary row has %d bytes", len(b))
	}
	arity := int(int32(binary.BigEndian.Uint32(b)))
	if arity != len(ts) {
		return nil, cherr.New(cherr.IncorrectData, "a binary row has %d fields where %d are expected", arity, len(ts))
	}
	return decodeBare(b[4:], ts)
}

// Arity gives the number of fields of a row as manifests hold it.
func Arity(b []byte) int {
	if len(b) < 4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b)))
}

func decodeBare(b []byte, ts []*Type) (column.Row, error) {
	head := nullBytes(len(ts))
	if len(b) < head+8*len(ts) {
		return nil, cherr.New(cherr.IncorrectData, "a binary row of %d fields has %d bytes", len(ts), len(b))
	}
	out := make(column.Row, len(ts))
	for i, t := range ts {
		if b[(i+8)/8]&(1<<((i+8)%8)) != 0 {
			continue
		}
		v, err := decodeSlot(b, binary.LittleEndian.Uint64(b[head+8*i:]), t)
		if err != nil {
			return nil, cherr.Wrap(err, "reading field %d of a binary row", i)
		}
		out[i] = v
	}
	return out, nil
}

func decodeSlot(b []byte, slot uint64, t *Type) (column.Value, error) { // long: one case a type
	switch t.Kind {
	case Boolean:
		return uint8(slot & 1), nil
	case TinyInt:
		return int8(slot), nil
	case SmallInt:
		return int16(slot), nil
	case Int, Date:
		return int32(slot), nil
	case Time:
		return int64(int32(slot)) * 1000, nil
	case BigInt:
		return int64(slot), nil
	case Float:
		return math.Float32frombits(uint32(slot)), nil
	case Double:
		return math.Float64frombits(slot), nil
	case Decimal:
		if t.Precision <= 9 {
			return int32(slot), nil
		}
		if t.Precision <= 18 {
			return int64(slot), nil
		}
		raw, err := variable(b, slot)
		if err != nil || len(raw) == 0 || len(raw) > 16 {
			return nil, cherr.New(cherr.IncorrectData, "a decimal of %d bytes", len(raw))
		}
		return bigEndian128(raw), nil
	case Timestamp, TimestampLTZ:
		if t.Precision <= 3 {
			return timestampValue(int64(slot), 0, t.Precision), nil
		}
		raw, err := variable(b, slot&^0xffffffff|8)
		if err != nil {
			return nil, err
		}
		return timestampValue(int64(binary.LittleEndian.Uint64(raw)), int64(uint32(slot)), t.Precision), nil
	case Char, VarChar, Binary, VarBinary:
		if slot>>63 != 0 {
			var raw [8]byte
			binary.LittleEndian.PutUint64(raw[:], slot)
			n := raw[7] & 0x7f
			if n > 7 {
				return nil, cherr.New(cherr.IncorrectData, "%d bytes inside of a slot", n)
			}
			return string(raw[:n]), nil
		}
		raw, err := variable(b, slot)
		return string(raw), err
	}
	return nil, nil
}

// variable gives the bytes that a slot of offset and length points to.
func variable(b []byte, slot uint64) ([]byte, error) {
	off, n := int64(slot>>32), int64(uint32(slot))
	if off+n > int64(len(b)) {
		return nil, cherr.New(cherr.IncorrectData, "%d bytes at %d lie behind the %d bytes of the row", n, off, len(b))
	}
	return b[off : off+n], nil
}

func bigEndian128(raw []byte) types.I128 {
	v := types.I128{}
	if raw[0]&0x80 != 0 {
		v = types.I128{Lo: math.MaxUint64, Hi: -1}
	}
	for _, x := range raw {
		v = types.I128{Lo: v.Lo<<8 | uint64(x), Hi: v.Hi<<8 | int64(v.Lo>>56)}
	}
	return v
}

var pow10 = [...]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// timestampValue brings milliseconds and nanoseconds within them to units of a
// precision. What 64 bits cannot hold becomes the nearest that they can.
func timestampValue(millis, nanos int64, precision int) int64 {
	if precision <= 3 {
		d := pow10[3-precision]
		q := millis / d
		if millis%d < 0 {
			q--
		}
		return q
	}
	m := pow10[precision-3]
	v := millis * m
	if v/m != millis {
		if millis < 0 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return v + nanos/pow10[9-precision]
}

// splitTimestamp is the reverse of timestampValue.
func splitTimestamp(v int64, precision int) (millis, nanos int64) {
	if precision <= 3 {
		return v * pow10[3-precision], 0
	}
	m := pow10[precision-3]
	millis, nanos = v/m, v%m
	if nanos < 0 {
		millis--
		nanos += m
	}
	return millis, nanos * pow10[9-precision]
}

// EncodeRow writes a row as manifests hold it. Values must be of the types'
// forms; NULL of a type that is NOT NULL is written like any NULL.
func EncodeRow(values column.Row, ts []*Type) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(ts)))
	return append(out, encodeBare(values, ts)...)
}

// encodeBare writes the row without its arity: what bucket hashes are over.
func encodeBare(values column.Row, ts []*Type) []byte {
	head := nullBytes(len(ts))
	b := make([]byte, head+8*len(ts), head+24*len(ts))
	for i, t := range ts {
		at := head + 8*i
		if values[i] == nil {
			b[(i+8)/8] |= 1 << ((i + 8) % 8)
			b = encodeNull(b, at, t)
			continue
		}
		b = encodeSlot(b, at, values[i], t)
	}
	return b
}

// encodeNull: wide decimals and fine timestamps keep their room, so that they
// can be set in place.
func encodeNull(b []byte, at int, t *Type) []byte {
	room := 0
	switch {
	case t.Kind == Decimal && t.Precision > 18:
		room = 16
	case (t.Kind == Timestamp || t.Kind == TimestampLTZ) && t.Precision > 3:
		room = 8
	default:
		return b
	}
	binary.LittleEndian.PutUint64(b[at:], uint64(len(b))<<32)
	return append(b, make([]byte, room)...)
}

func encodeSlot(b []byte, at int, v column.Value, t *Type) []byte { // long: one case a form
	put := func(x uint64) { binary.LittleEndian.PutUint64(b[at:], x) }
	switch x := v.(type) {
	case uint8:
		put(uint64(x & 1))
	case int8:
		put(uint64(uint8(x)))
	case int16:
		put(uint64(uint16(x)))
	case int32:
		if t.Kind == Decimal {
			put(uint64(int64(x)))
		} else {
			put(uint64(uint32(x)))
		}
	case int64:
		switch t.Kind {
		case Time:
			put(uint64(uint32(x / 1000)))
		case Timestamp, TimestampLTZ:
			millis, nanos := splitTimestamp(x, t.Precision)
			if t.Precision <= 3 {
				put(uint64(millis))
				break
			}
			put(uint64(len(b))<<32 | uint64(nanos))
			return binary.LittleEndian.AppendUint64(b, uint64(millis))
		default:
			put(uint64(x))
		}
	case float32:
		put(uint64(math.Float32bits(x)))
	case float64:
		put(math.Float64bits(x))
	case types.I128:
		raw := shortest128(x)
		put(uint64(len(b))<<32 | uint64(len(raw)))
		b = append(b, raw...)
		return append(b, make([]byte, 16-len(raw))...)
	case string:
		if len(x) <= 7 {
			var raw [8]byte
			copy(raw[:], x)
			raw[7] = 0x80 | byte(len(x))
			copy(b[at:], raw[:])
			break
		}
		put(uint64(len(b))<<32 | uint64(len(x)))
		b = append(b, x...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
	default:
		cherr.Bug("a %T cannot stand in a binary row", v)
	}
	return b
}

// shortest128 gives the shortest big-endian two's complement.
func shortest128(v types.I128) []byte {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:], uint64(v.Hi))
	binary.BigEndian.PutUint64(raw[8:], v.Lo)
	from := 0
	for from < 15 && (raw[from] == 0 && raw[from+1] < 0x80 || raw[from] == 0xff && raw[from+1] >= 0x80) {
		from++
	}
	return raw[from:]
}

// CompareRows orders two rows of one type by value, NULL first; floats as Java
// orders them: -0.0 before 0.0, NaN last.
func CompareRows(a, b column.Row) int {
	for i := range a {
		if c := CompareValues(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// CompareValues orders two values of one form.
func CompareValues(a, b column.Value) int { // long: one case a form
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch x := a.(type) {
	case uint8:
		return order(x, b.(uint8))
	case int8:
		return order(x, b.(int8))
	case int16:
		return order(x, b.(int16))
	case int32:
		return order(x, b.(int32))
	case int64:
		return order(x, b.(int64))
	case float32:
		return order(floatOrder(float64(x)), floatOrder(float64(b.(float32))))
	case float64:
		return order(floatOrder(x), floatOrder(b.(float64)))
	case string:
		return order(x, b.(string))
	case types.I128:
		return x.Cmp(b.(types.I128))
	}
	cherr.Bug("values of %T have no order", a)
	return 0
}

func order[T int8 | int16 | int32 | int64 | uint8 | uint64 | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// floatOrder maps floats to numbers of the same order, all NaNs to the last.
func floatOrder(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}
