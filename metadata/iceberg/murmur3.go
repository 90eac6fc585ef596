package iceberg

import (
	"encoding/binary"
	"math"
	"math/bits"

	"lakeserver/column"
	"lakeserver/types"
)

// Hash gives the 32-bit hash behind the bucket transform of a value in the
// physical form of its ClickHouse type; ok is false for types without one.
func Hash(t *Type, v column.Value) (hash int32, ok bool) { // long: one case a form
	switch x := v.(type) {
	case int32:
		if t.Kind == Decimal {
			return murmur3(minBytes(types.ToI256(int64(x)))), true
		}
		return hashLong(int64(x)), t.Kind == Int || t.Kind == Date
	case int64:
		switch t.Kind {
		case Decimal:
			return murmur3(minBytes(types.ToI256(x))), true
		case TimestampNS, TimestampTZNS: // hashed as the microseconds below
			return hashLong(floorDiv(x, 1000)), true
		case Long, Time, Timestamp, TimestampTZ:
			return hashLong(x), true
		}
	case types.I128:
		sign := uint64(x.Hi >> 63)
		return murmur3(minBytes(types.I256{x.Lo, uint64(x.Hi), sign, sign})), t.Kind == Decimal
	case types.I256:
		return murmur3(minBytes(x)), t.Kind == Decimal
	case types.U128:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:], x.Hi)
		binary.BigEndian.PutUint64(b[8:], x.Lo)
		return murmur3(b[:]), t.Kind == UUID
	case string:
		return murmur3([]byte(x)), t.Kind == String || t.Kind == Binary || t.Kind == Fixed
	case uint8: // reserved by the spec
		return hashLong(int64(x)), t.Kind == Boolean
	case float32:
		return hashDouble(float64(x)), t.Kind == Float
	case float64:
		return hashDouble(x), t.Kind == Double
	}
	return 0, false
}

func hashLong(v int64) int32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	return murmur3(b[:])
}

func hashDouble(v float64) int32 {
	if v == 0 {
		v = 0 // both zeros alike
	}
	return hashLong(int64(math.Float64bits(v)))
}

// minBytes gives the shortest big-endian two's complement form.
func minBytes(v types.I256) []byte {
	b := make([]byte, 32)
	for i := range v {
		binary.BigEndian.PutUint64(b[24-8*i:], v[i])
	}
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}

// murmur3 is MurmurHash3_x86_32 with seed 0.
func murmur3(b []byte) int32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	var h uint32
	n := len(b)
	for len(b) >= 4 {
		k := binary.LittleEndian.Uint32(b) * c1
		h ^= bits.RotateLeft32(k, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
		b = b[4:]
	}
	var k uint32
	for i := len(b) - 1; i >= 0; i-- {
		k = k<<8 | uint32(b[i])
	}
	if len(b) > 0 {
		h ^= bits.RotateLeft32(k*c1, 15) * c2
	}
	h ^= uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int32(h ^ h>>16)
}
