package types

import (
	"math/big"
	"math/bits"
)

// Sub gives a-b, wrapping around.
func (a U256) Sub(b U256) U256 { return U256(sub4(a, b)) }

// Mul gives a*b, wrapping around.
func (a U256) Mul(b U256) U256 {
	r, _ := mul4(a, b)
	return r
}

// MulOver gives a*b and whether it does not fit.
func (a U256) MulOver(b U256) (U256, bool) {
	r, over := mul4(a, b)
	return r, over
}

// mul4 multiplies word by word; over tells whether words were lost.
func mul4(a, b [4]uint64) (r U256, over bool) {
	for i := range a {
		if a[i] == 0 {
			continue
		}
		var carry uint64
		for j := range b {
			if i+j >= 4 {
				over = over || b[j] != 0
				continue
			}
			hi, lo := bits.Mul64(a[i], b[j])
			var c uint64
			lo, c = bits.Add64(lo, r[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			r[i+j], carry = lo, hi
		}
		over = over || carry != 0
	}
	return r, over
}

// QuoRem gives quotient and remainder; b is not 0.
func (a U256) QuoRem(b U256) (q, r U256) {
	if b[1]|b[2]|b[3] == 0 {
		var rem uint64
		for i := 3; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, a[i], b[0])
		}
		return q, U256{rem}
	}
	bq, br := new(big.Int).QuoRem(a.Big(), b.Big(), new(big.Int))
	return U256(wordsOf(bq)), U256(wordsOf(br))
}

// Lsh gives a<<n.
func (a U256) Lsh(n uint) (r U256) {
	words, rest := int(n/64), n%64
	for i := 3; i >= words; i-- {
		r[i] = a[i-words] << rest
		if rest > 0 && i > words {
			r[i] |= a[i-words-1] >> (64 - rest)
		}
	}
	return r
}

// Rsh gives a>>n.
func (a U256) Rsh(n uint) (r U256) {
	words, rest := int(n/64), n%64
	for i := 0; i+words < 4; i++ {
		r[i] = a[i+words] >> rest
		if rest > 0 && i+words+1 < 4 {
			r[i] |= a[i+words+1] << (64 - rest)
		}
	}
	return r
}

// And gives the bits of both.
func (a U256) And(b U256) U256 { return U256{a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]} }

// Or gives the bits of either.
func (a U256) Or(b U256) U256 { return U256{a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]} }

// Xor gives the bits of one.
func (a U256) Xor(b U256) U256 { return U256{a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]} }

// Not gives the other bits.
func (a U256) Not() U256 { return U256{^a[0], ^a[1], ^a[2], ^a[3]} }

// IsZero tells whether no bit is set.
func (a U256) IsZero() bool { return a[0]|a[1]|a[2]|a[3] == 0 }

// Mul gives a*b, wrapping around.
func (a I256) Mul(b I256) I256 { return I256(U256(a).Mul(U256(b))) }

// Abs gives the magnitude.
func (a I256) Abs() U256 {
	if a.Negative() {
		a = a.Neg()
	}
	return U256(a)
}

// MulOver gives a*b and whether it does not fit.
func (a I256) MulOver(b I256) (I256, bool) {
	m, over := a.Abs().MulOver(b.Abs())
	r := I256(m)
	if a.Negative() != b.Negative() {
		r = r.Neg()
		return r, over || !m.IsZero() && !r.Negative()
	}
	return r, over || r.Negative()
}

// AddOver gives a+b and whether it does not fit.
func (a I256) AddOver(b I256) (I256, bool) {
	r := a.Add(b)
	return r, a.Negative() == b.Negative() && r.Negative() != a.Negative()
}

// QuoRem gives quotient and remainder truncated towards zero; b is not 0.
func (a I256) QuoRem(b I256) (q, r I256) {
	uq, ur := a.Abs().QuoRem(b.Abs())
	q, r = I256(uq), I256(ur)
	if a.Negative() != b.Negative() {
		q = q.Neg()
	}
	if a.Negative() {
		r = r.Neg()
	}
	return q, r
}

// FitsInt64 tells whether a is within Int64.
func (a I256) FitsInt64() bool {
	s := uint64(int64(a[0]) >> 63)
	return a[1] == s && a[2] == s && a[3] == s
}

// FitsI128 tells whether a is within Int128.
func (a I256) FitsI128() bool {
	s := uint64(int64(a[1]) >> 63)
	return a[2] == s && a[3] == s
}

// I128 gives the low 128 bits.
func (a I256) I128() I128 { return I128{a[0], int64(a[1])} }

// I256 widens a.
func (a I128) I256() I256 {
	s := uint64(a.Hi >> 63)
	return I256{a.Lo, uint64(a.Hi), s, s}
}

// U256 widens a.
func (a U128) U256() U256 { return U256{a.Lo, a.Hi} }

// MulOver gives a*b and whether it does not fit.
func (a I128) MulOver(b I128) (I128, bool) {
	if a.FitsInt64() && b.FitsInt64() {
		return a.Mul(b), false
	}
	r, over := a.I256().MulOver(b.I256())
	return r.I128(), over || !r.FitsI128()
}

// AddOver gives a+b and whether it does not fit.
func (a I128) AddOver(b I128) (I128, bool) {
	r := a.Add(b)
	return r, a.Negative() == b.Negative() && r.Negative() != a.Negative()
}

// I256FromFloat cuts a finite v to an integer, the low 256 bits of it.
func I256FromFloat(v float64) I256 {
	if v >= -1<<63 && v < 1<<63 {
		return ToI256(int64(v))
	}
	b, _ := big.NewFloat(v).Int(nil)
	return I256FromBig(b)
}

// PowerOfTen gives 10^n for 0 ≤ n ≤ 76.
func PowerOfTen(n int) I256 { return powersOfTen[n] }

var powersOfTen = func() (p [77]I256) {
	p[0] = I256{1}
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1].Mul(I256{10})
	}
	return p
}()
