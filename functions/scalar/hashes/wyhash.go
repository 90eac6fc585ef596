package hashes

import "math/bits"

var wySecret = [4]uint64{0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3}

func wyMix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// wyhash is wyHash's final version 3 with seed 0.
func wyhash(b []byte) uint64 {
	n := len(b)
	seed := wySecret[0]
	var x, y uint64
	switch {
	case n > 16:
		p := b
		if n > 48 {
			s1, s2 := seed, seed
			for ; len(p) > 48; p = p[48:] {
				seed = wyMix(le64(p)^wySecret[1], le64(p[8:])^seed)
				s1 = wyMix(le64(p[16:])^wySecret[2], le64(p[24:])^s1)
				s2 = wyMix(le64(p[32:])^wySecret[3], le64(p[40:])^s2)
			}
			seed ^= s1 ^ s2
		}
		for ; len(p) > 16; p = p[16:] {
			seed = wyMix(le64(p)^wySecret[1], le64(p[8:])^seed)
		}
		x, y = le64(b[n-16:]), le64(b[n-8:])
	case n >= 4:
		step := n >> 3 << 2
		x = le32(b)<<32 | le32(b[step:])
		y = le32(b[n-4:])<<32 | le32(b[n-4-step:])
	case n > 0:
		x = uint64(b[0])<<16 | uint64(b[n>>1])<<8 | uint64(b[n-1])
	}
	return wyMix(wySecret[1]^uint64(n), wyMix(x^wySecret[1], y^seed))
}
