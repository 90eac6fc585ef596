package hashes

import "encoding/binary"

// metro64 is MetroHash64, first variant, seed 0.
func metro64(b []byte) uint64 {
	const k0, k1, k2, k3 = 0xC83A91E1, 0x8648DBDB, 0x7BDEC03B, 0x2F5870A5
	h := uint64(k2*k0) + uint64(len(b))
	if len(b) >= 32 {
		v := [4]uint64{h, h, h, h}
		for ; len(b) >= 32; b = b[32:] {
			v[0] = rotr(v[0]+le64(b)*k0, 29) + v[2]
			v[1] = rotr(v[1]+le64(b[8:])*k1, 29) + v[3]
			v[2] = rotr(v[2]+le64(b[16:])*k2, 29) + v[0]
			v[3] = rotr(v[3]+le64(b[24:])*k3, 29) + v[1]
		}
		v[2] ^= rotr((v[0]+v[3])*k0+v[1], 33) * k1
		v[3] ^= rotr((v[1]+v[2])*k1+v[0], 33) * k0
		v[0] ^= rotr((v[0]+v[2])*k0+v[3], 33) * k1
		v[1] ^= rotr((v[1]+v[3])*k1+v[2], 33) * k0
		h += v[0] ^ v[1]
	}
	if len(b) >= 16 {
		v0 := rotr(h+le64(b)*k0, 33) * k1
		v1 := rotr(h+le64(b[8:])*k1, 33) * k2
		v0 ^= rotr(v0*k0, 35) + v1
		v1 ^= rotr(v1*k3, 35) + v0
		h += v1
		b = b[16:]
	}
	if len(b) >= 8 {
		h += le64(b) * k3
		h ^= rotr(h, 33) * k1
		b = b[8:]
	}
	if len(b) >= 4 {
		h += le32(b) * k3
		h ^= rotr(h, 15) * k1
		b = b[4:]
	}
	if len(b) >= 2 {
		h += uint64(binary.LittleEndian.Uint16(b)) * k3
		h ^= rotr(h, 13) * k1
		b = b[2:]
	}
	if len(b) >= 1 {
		h += uint64(b[0]) * k3
		h ^= rotr(h, 25) * k1
	}
	h ^= rotr(h, 33)
	h *= k0
	return h ^ rotr(h, 33)
}
