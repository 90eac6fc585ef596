package paimon

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"

	"lakeserver/column"
)

// bloomMightHave asks a bloom filter: the number of hash functions, then bits.
func bloomMightHave(b []byte, t *Type, v column.Value) bool {
	if len(b) < 5 {
		return true
	}
	hash, ok := bloomHash(t, v)
	if !ok {
		return true
	}
	functions := int(int32(binary.BigEndian.Uint32(b)))
	bits := b[4:]
	h1, h2 := int32(hash), int32(hash>>32)
	for i := 1; i <= functions && i < 1000; i++ {
		at := h1 + int32(i)*h2
		if at < 0 {
			at = ^at
		}
		at %= int32(8 * len(bits))
		if bits[at/8]&(1<<(at%8)) == 0 {
			return false
		}
	}
	return true
}

// bloomHash hashes a value as Paimon's filters do.
func bloomHash(t *Type, v column.Value) (uint64, bool) {
	switch x := v.(type) {
	case string:
		return xxhash.Sum64String(x), true
	case int8:
		return mix(int64(x)), true
	case int16:
		return mix(int64(x)), true
	case int32:
		return mix(int64(x)), t.Kind != Decimal
	case int64:
		switch t.Kind {
		case Decimal:
			return 0, false
		case Time:
			return mix(x / 1000), true
		case Timestamp, TimestampLTZ:
			if t.Precision > 6 {
				return 0, false
			}
			return mix(timeKey(x, t)), true
		}
		return mix(x), true
	case float32:
		return mix(int64(int32(math.Float32bits(x)))), x == x && x != 0
	case float64:
		return mix(int64(math.Float64bits(x))), x == x && x != 0
	}
	return 0, false
}

// mix is Thomas Wang's mixing of 64 bits, with shifts that keep the sign.
func mix(k int64) uint64 {
	k = ^k + k<<21
	k ^= k >> 24
	k = k + k<<3 + k<<8
	k ^= k >> 14
	k = k + k<<2 + k<<4
	k ^= k >> 28
	return uint64(k + k<<31)
}
