package hashes

import (
	"encoding/binary"
	"math/bits"

	"lakeserver/types"
)

func mix32(a, b uint32) uint32 { return intHash32(uint64(a)) ^ b }
func mix64(a, b uint64) uint64 { return intHash64(a) ^ b }

func murmur3Wide(b []byte) types.U128 {
	lo, hi := murmur3(b)
	return types.U128{Lo: lo, Hi: hi}
}

var (
	_ = addFamily("murmurHash2_32", "MurmurHash2 of the arguments in 32 bits.", types.UInt32, &family[uint32]{func(b []byte) uint32 { return murmur2(b, 0) }, mix32, false}, asNumber)
	_ = addFamily("murmurHash2_64", "MurmurHash2 of the arguments.", types.UInt64, &family[uint64]{func(b []byte) uint64 { return murmur2Wide(b, 0) }, mix64, false}, asNumber)
	_ = addFamily("gccMurmurHash", "The hash of GCC's standard library.", types.UInt64, &family[uint64]{func(b []byte) uint64 { return murmur2Wide(b, 0xC70F6907) }, mix64, false}, asNumber)
	_ = addFamily("kafkaMurmurHash", "The hash of Kafka's default partitioner.", types.UInt32, &family[uint32]{func(b []byte) uint32 { return murmur2(b, 0x9747B28C) & 0x7FFFFFFF }, mix32, false}, asNumber)
	_ = addFamily("murmurHash3_32", "MurmurHash3 of the arguments in 32 bits.", types.UInt32, &family[uint32]{murmur3x32, mix32, false}, asNumber)
	_ = addFamily("murmurHash3_64", "MurmurHash3 of the arguments in 64 bits.", types.UInt64, &family[uint64]{func(b []byte) uint64 { lo, hi := murmur3(b); return lo ^ hi }, mix64, false}, asNumber)
	_ = addFamily("murmurHash3_128", "MurmurHash3 of the arguments in 128 bits.", types.FixedString(16), &family[types.U128]{murmur3Wide, hashOfHashes(murmur3Wide), false}, asFixedString)
)

// murmur2 is MurmurHash2 of 32 bits.
func murmur2(b []byte, seed uint32) uint32 {
	const m = 0x5BD1E995
	h := seed ^ uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := binary.LittleEndian.Uint32(b) * m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	if len(b) > 0 {
		for i, c := range b {
			h ^= uint32(c) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// murmur2Wide is MurmurHash64A.
func murmur2Wide(b []byte, seed uint64) uint64 {
	const m = 0xC6A4A7935BD1E995
	h := seed ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		k ^= k >> 47
		h = (h ^ k*m) * m
	}
	if len(b) > 0 {
		for i, c := range b {
			h ^= uint64(c) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 47
	h *= m
	return h ^ h>>47
}

func murmur3x32(b []byte) uint32 {
	const c1, c2 = 0xCC9E2D51, 0x1B873593
	size := uint32(len(b))
	var h, k uint32
	for ; len(b) >= 4; b = b[4:] {
		k = bits.RotateLeft32(binary.LittleEndian.Uint32(b)*c1, 15) * c2
		h = bits.RotateLeft32(h^k, 13)*5 + 0xE6546B64
	}
	k = 0
	for i, c := range b {
		k |= uint32(c) << (8 * i)
	}
	h ^= bits.RotateLeft32(k*c1, 15) * c2
	h ^= size
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// murmur3 is MurmurHash3's form for 64-bit machines, of 128 bits.
func murmur3(b []byte) (lo, hi uint64) {
	const c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
	size := uint64(len(b))
	var h1, h2 uint64
	for ; len(b) >= 16; b = b[16:] {
		h1 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(b)*c1, 31) * c2
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52DCE729
		h2 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(b[8:])*c2, 33) * c1
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495AB5
	}
	var tail [16]byte
	copy(tail[:], b)
	h2 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[8:])*c2, 33) * c1
	h1 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[:])*c1, 31) * c2
	h1, h2 = h1^size, h2^size
	h1 += h2
	h2 += h1
	h1, h2 = finish3(h1), finish3(h2)
	h1 += h2
	return h1, h2 + h1
}

func finish3(k uint64) uint64 {
	k = (k ^ k>>33) * 0xFF51AFD7ED558CCD
	k = (k ^ k>>33) * 0xC4CEB9FE1A85EC53
	return k ^ k>>33
}
