package hashes

import (
	"encoding/binary"
	"math/bits"
)

const (
	xxPrime1 = 0x9E3779B1
	xxPrime2 = 0x85EBCA77
	xxPrime3 = 0xC2B2AE3D
	xxPrime4 = 0x27D4EB2F
	xxPrime5 = 0x165667B1
)

// xx32 is xxHash32 with seed 0.
func xx32(b []byte) uint32 {
	var h uint32
	size := uint32(len(b))
	if len(b) >= 16 {
		p1, p2 := uint32(xxPrime1), uint32(xxPrime2)
		v := [4]uint32{p1 + p2, p2, 0, -p1}
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+binary.LittleEndian.Uint32(b[4*i:])*xxPrime2, 13) * xxPrime1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	} else {
		h = xxPrime5
	}
	h += size
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}
