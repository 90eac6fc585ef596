package hashes

import (
	"encoding/binary"
	"math/bits"
)

const (
	farmK0 = 0xC3A5C85C97CB3127
	farmK1 = 0xB492B66FBE98F273
	farmK2 = 0x9AE16A3B2F90404F
)

func le64(b []byte) uint64              { return binary.LittleEndian.Uint64(b) }
func le32(b []byte) uint64              { return uint64(binary.LittleEndian.Uint32(b)) }
func rotr(x uint64, n int) uint64       { return bits.RotateLeft64(x, -n) }
func shiftMix(x uint64) uint64          { return x ^ x>>47 }
func farmLen16(u, v, mul uint64) uint64 { return shiftMix((v^shiftMix((u^v)*mul))*mul) * mul }

// farmHash is FarmHash's Hash64 where there is no vector unit (its "xo" variant).
func farmHash(b []byte) uint64 {
	switch n := uint64(len(b)); {
	case n <= 32 || n > 96 && n <= 256:
		return farm64(b)
	case n <= 64:
		low, mul := uint64(farmK2-30), farmK2-30+2*n
		return (farm32(b[n-32:], mul, 0, 0)*mul + farm32(b, low, 0, 0)) * mul
	case n <= 96:
		low, mul := uint64(farmK2-114), farmK2-114+2*n
		h0, h1 := farm32(b, low, 0, 0), farm32(b[32:], mul, 0, 0)
		h2 := farm32(b[n-32:], mul, h0, h1)
		return (h2*9 + h0>>17 + h1>>21) * mul
	}
	return farmHuge(b)
}

// farmJoin is FarmHash's fingerprint of two words.
func farmJoin(lo, hi uint64) uint64 {
	const mul = 0x9DDFEA08EB382D69
	a := (lo ^ hi) * mul
	a ^= a >> 47
	b := (hi ^ a) * mul
	b ^= b >> 44
	b *= mul
	b ^= b >> 41
	return b * mul
}

func farm32(b []byte, mul, seed0, seed1 uint64) uint64 {
	a, c, d, e := le64(b)*farmK1, le64(b[8:]), le64(b[24:])*mul, le64(b[16:])*farmK2
	u := rotr(a+c, 43) + rotr(d, 30) + e + seed0
	v := a + rotr(c+farmK2, 18) + d + seed1
	return shiftMix((v ^ shiftMix((u^v)*mul)) * mul)
}

func farmFold(x, y, mul uint64, r int) uint64 {
	a := shiftMix((x ^ y) * mul)
	return rotr((y^a)*mul, r) * mul
}

func farmHuge(b []byte) uint64 { // long: unrolled as in the reference
	const seed = 81
	x, y := uint64(seed), uint64(113)
	z := shiftMix(y*farmK2) * farmK2
	v0, v1, w0, w1 := uint64(seed), uint64(0), uint64(0), uint64(0)
	u := x - z
	x *= farmK2
	mul := farmK2 + u&0x82
	last, rest := b[len(b)-64:], uint64((len(b)-1)&63)
	for n := (len(b) - 1) / 64; n > 0; n-- {
		a0, a1, a2, a3, a4, a5, a6, a7 := le64(b), le64(b[8:]), le64(b[16:]), le64(b[24:]), le64(b[32:]), le64(b[40:]), le64(b[48:]), le64(b[56:])
		x += a0 + a1
		y += a2
		z += a3
		v0 += a4
		v1 += a5 + a1
		w0 += a6
		w1 += a7
		x = rotr(x, 26) * 9
		y = rotr(y, 29)
		z *= mul
		v0 = rotr(v0, 33)
		v1 = rotr(v1, 30)
		w0 = (w0 ^ x) * 9
		z = rotr(z, 32) + w1
		w1 += z
		z *= 9
		u, y = y, u
		z += a0 + a6
		v0 += a2
		v1 += a3
		w0 += a4
		w1 += a5 + a6
		x += a1
		y += a7
		y += v0
		v0 += x - y
		v1 += w0
		w0 += v1
		w1 += x - y
		x += w1
		w1 = rotr(w1, 34)
		u, z = z, u
		b = b[64:]
	}
	b = last
	u *= 9
	v1, v0 = rotr(v1, 28), rotr(v0, 20)
	w0 += rest
	u += y
	y += u
	x = rotr(y-x+v0+le64(b[8:]), 37) * mul
	y = rotr(y^v1^le64(b[48:]), 42) * mul
	x ^= w1 * 9
	y += v0 + le64(b[40:])
	z = rotr(z+w0, 33) * mul
	v0, v1 = farmWeak(b, v1*mul, x+w0)
	w0, w1 = farmWeak(b[32:], z+w1, y+le64(b[16:]))
	return farmFold(farmLen16(v0+x, w0^y, mul)+z-u, farmFold(v1+y, w1+z, farmK2, 30)^x, farmK2, 31)
}

// farm64 is FarmHash's Fingerprint64 (its "na" variant).
func farm64(b []byte) uint64 {
	n := len(b)
	switch {
	case n <= 16:
		return farmTo16(b)
	case n <= 32:
		mul := farmK2 + uint64(n)*2
		a, c := le64(b)*farmK1, le64(b[8:])
		d, e := le64(b[n-8:])*mul, le64(b[n-16:])*farmK2
		return farmLen16(rotr(a+c, 43)+rotr(d, 30)+e, a+rotr(c+farmK2, 18)+d, mul)
	case n <= 64:
		return farmTo64(b)
	}
	return farmLong(b)
}

func farmTo16(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 8:
		mul := farmK2 + uint64(n)*2
		a, c := le64(b)+farmK2, le64(b[n-8:])
		return farmLen16(rotr(c, 37)*mul+a, (rotr(a, 25)+c)*mul, mul)
	case n >= 4:
		return farmLen16(uint64(n)+le32(b)<<3, le32(b[n-4:]), farmK2+uint64(n)*2)
	case n > 0:
		y := uint32(b[0]) + uint32(b[n>>1])<<8
		z := uint32(n) + uint32(b[n-1])<<2
		return shiftMix(uint64(y)*farmK2^uint64(z)*farmK0) * farmK2
	}
	return farmK2
}

func farmTo64(b []byte) uint64 {
	n := len(b)
	mul := farmK2 + uint64(n)*2
	a, c, d, e := le64(b)*farmK2, le64(b[8:]), le64(b[n-8:])*mul, le64(b[n-16:])*farmK2
	y := rotr(a+c, 43) + rotr(d, 30) + e
	z := farmLen16(y, a+rotr(c+farmK2, 18)+d, mul)
	f, g := le64(b[16:])*mul, le64(b[24:])
	h, i := (y+le64(b[n-32:]))*mul, (z+le64(b[n-24:]))*mul
	return farmLen16(rotr(f+g, 43)+rotr(h, 30)+i, f+rotr(g+a, 18)+h, mul)
}

func farmWeak(b []byte, x, y uint64) (uint64, uint64) {
	w, p, q, z := le64(b), le64(b[8:]), le64(b[16:]), le64(b[24:])
	x += w
	y = rotr(y+x+z, 21)
	c := x
	x += p + q
	return x + z, y + rotr(x, 44) + c
}

func farmLong(b []byte) uint64 {
	const seed = 81
	x := uint64(seed)
	y := x*farmK1 + 113
	z := shiftMix(y*farmK2+113) * farmK2
	var v0, v1, w0, w1 uint64
	x = x*farmK2 + le64(b)
	last := b[len(b)-64:]
	for full := (len(b) - 1) / 64; full > 0; full-- {
		x = rotr(x+y+v0+le64(b[8:]), 37) * farmK1
		y = rotr(y+v1+le64(b[48:]), 42) * farmK1
		x ^= w1
		y += v0 + le64(b[40:])
		z = rotr(z+w0, 33) * farmK1
		v0, v1 = farmWeak(b, v1*farmK1, x+w0)
		w0, w1 = farmWeak(b[32:], z+w1, y+le64(b[16:]))
		z, x = x, z
		b = b[64:]
	}
	rest := uint64((len(b) - 1) & 63)
	if len(b) == 0 {
		rest = 63
	}
	mul := farmK1 + (z&0xFF)<<1
	b = last
	w0 += rest
	v0 += w0
	w0 += v0
	x = rotr(x+y+v0+le64(b[8:]), 37) * mul
	y = rotr(y+v1+le64(b[48:]), 42) * mul
	x ^= w1 * 9
	y += v0*9 + le64(b[40:])
	z = rotr(z+w0, 33) * mul
	v0, v1 = farmWeak(b, v1*mul, x+w0)
	w0, w1 = farmWeak(b[32:], z+w1, y+le64(b[16:]))
	z, x = x, z
	return farmLen16(farmLen16(v0, w0, mul)+shiftMix(y)*farmK0+z, farmLen16(v1, w1, mul)+x, mul)
}
