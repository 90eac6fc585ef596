package types

import (
	"math"
	"math/big"
	"math/bits"
)

// I128 is a signed 128-bit integer, laid out as ClickHouse sends it.
type I128 struct {
	Lo uint64
	Hi int64
}

// U128 is an unsigned 128-bit integer; a UUID's first eight bytes are Hi.
type U128 struct{ Lo, Hi uint64 }

// I256 is a signed 256-bit integer in two's complement, lowest word first.
type I256 [4]uint64

// U256 is an unsigned 256-bit integer, lowest word first.
type U256 [4]uint64

// Addr6 is an address in network order.
type Addr6 [16]byte

// ToI128 widens v.
func ToI128(v int64) I128 { return I128{uint64(v), v >> 63} }

// UintToI128 widens v.
func UintToI128(v uint64) I128 { return I128{v, 0} }

// ToI256 widens v.
func ToI256(v int64) I256 {
	s := uint64(v >> 63)
	return I256{uint64(v), s, s, s}
}

// Add gives a+b, wrapping around.
func (a I128) Add(b I128) I128 {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), c)
	return I128{lo, int64(hi)}
}

// Sub gives a-b, wrapping around.
func (a I128) Sub(b I128) I128 {
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(uint64(a.Hi), uint64(b.Hi), c)
	return I128{lo, int64(hi)}
}

// Neg gives -a.
func (a I128) Neg() I128 { return I128{}.Sub(a) }

// Mul gives a*b, wrapping around.
func (a I128) Mul(b I128) I128 {
	hi, lo := bits.Mul64(a.Lo, b.Lo)
	hi += uint64(a.Hi)*b.Lo + a.Lo*uint64(b.Hi)
	return I128{lo, int64(hi)}
}

// Cmp gives -1, 0 or 1.
func (a I128) Cmp(b I128) int {
	switch {
	case a.Hi != b.Hi:
		return less(a.Hi < b.Hi)
	case a.Lo != b.Lo:
		return less(a.Lo < b.Lo)
	}
	return 0
}

func less(l bool) int {
	if l {
		return -1
	}
	return 1
}

// Negative tells whether a < 0.
func (a I128) Negative() bool { return a.Hi < 0 }

// Float64 gives the nearest float.
func (a I128) Float64() float64 {
	if a.Hi < 0 {
		n := a.Neg()
		return -(float64(uint64(n.Hi))*(1<<64) + float64(n.Lo))
	}
	return float64(a.Hi)*(1<<64) + float64(a.Lo)
}

// FitsInt64 tells whether a is within Int64.
func (a I128) FitsInt64() bool { return a.Hi == int64(a.Lo)>>63 }

// QuoRem gives quotient and remainder truncated towards zero; b is not 0.
func (a I128) QuoRem(b I128) (q, r I128) {
	ua, ub := a.abs(), b.abs()
	uq, ur := ua.QuoRem(ub)
	q, r = I128{uq.Lo, int64(uq.Hi)}, I128{ur.Lo, int64(ur.Hi)}
	if a.Negative() != b.Negative() {
		q = q.Neg()
	}
	if a.Negative() {
		r = r.Neg()
	}
	return q, r
}

func (a I128) abs() U128 {
	if a.Hi < 0 {
		a = a.Neg()
	}
	return U128{a.Lo, uint64(a.Hi)}
}

// Big gives a as a big integer.
func (a I128) Big() *big.Int {
	u := a.abs().Big()
	if a.Hi < 0 {
		u.Neg(u)
	}
	return u
}

// String gives a in decimal digits.
func (a I128) String() string { return a.Big().String() }

// I128FromBig gives the low 128 bits of v.
func I128FromBig(v *big.Int) I128 {
	w := wordsOf(v)
	return I128{w[0], int64(w[1])}
}

// Add gives a+b, wrapping around.
func (a U128) Add(b U128) U128 {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(a.Hi, b.Hi, c)
	return U128{lo, hi}
}

// Cmp gives -1, 0 or 1.
func (a U128) Cmp(b U128) int {
	switch {
	case a.Hi != b.Hi:
		return less(a.Hi < b.Hi)
	case a.Lo != b.Lo:
		return less(a.Lo < b.Lo)
	}
	return 0
}

// QuoRem gives quotient and remainder; b is not 0.
func (a U128) QuoRem(b U128) (q, r U128) {
	if b.Hi == 0 {
		var rem uint64
		q.Hi, rem = bits.Div64(0, a.Hi, b.Lo)
		q.Lo, rem = bits.Div64(rem, a.Lo, b.Lo)
		return q, U128{rem, 0}
	}
	bq, br := new(big.Int).QuoRem(a.Big(), b.Big(), new(big.Int))
	wq, wr := wordsOf(bq), wordsOf(br)
	return U128{wq[0], wq[1]}, U128{wr[0], wr[1]}
}

// Float64 gives the nearest float.
func (a U128) Float64() float64 { return float64(a.Hi)*(1<<64) + float64(a.Lo) }

// Big gives a as a big integer.
func (a U128) Big() *big.Int { return bigOf(a.Lo, a.Hi) }

// String gives a in decimal digits.
func (a U128) String() string { return a.Big().String() }

// U128FromBig gives the low 128 bits of v.
func U128FromBig(v *big.Int) U128 {
	w := wordsOf(v)
	return U128{w[0], w[1]}
}

// Add gives a+b, wrapping around.
func (a I256) Add(b I256) I256 { return I256(add4(a, b)) }

// Sub gives a-b, wrapping around.
func (a I256) Sub(b I256) I256 { return I256(sub4(a, b)) }

// Neg gives -a.
func (a I256) Neg() I256 { return I256{}.Sub(a) }

// Negative tells whether a < 0.
func (a I256) Negative() bool { return int64(a[3]) < 0 }

// Cmp gives -1, 0 or 1.
func (a I256) Cmp(b I256) int {
	if a[3] != b[3] {
		return less(int64(a[3]) < int64(b[3]))
	}
	return cmp4(a, b)
}

// Big gives a as a big integer.
func (a I256) Big() *big.Int {
	if a.Negative() {
		n := a.Neg()
		b := bigOf(n[0], n[1], n[2], n[3])
		return b.Neg(b)
	}
	return bigOf(a[0], a[1], a[2], a[3])
}

// Float64 gives the nearest float.
func (a I256) Float64() float64 { return bigFloat(a.Big()) }

// String gives a in decimal digits.
func (a I256) String() string { return a.Big().String() }

// I256FromBig gives the low 256 bits of v.
func I256FromBig(v *big.Int) I256 { return I256(wordsOf(v)) }

// Add gives a+b, wrapping around.
func (a U256) Add(b U256) U256 { return U256(add4(a, b)) }

// Cmp gives -1, 0 or 1.
func (a U256) Cmp(b U256) int { return cmp4(a, b) }

// Big gives a as a big integer.
func (a U256) Big() *big.Int { return bigOf(a[0], a[1], a[2], a[3]) }

// Float64 gives the nearest float.
func (a U256) Float64() float64 { return bigFloat(a.Big()) }

// String gives a in decimal digits.
func (a U256) String() string { return a.Big().String() }

// U256FromBig gives the low 256 bits of v.
func U256FromBig(v *big.Int) U256 { return U256(wordsOf(v)) }

func add4(a, b [4]uint64) (r [4]uint64) {
	var c uint64
	for i := range r {
		r[i], c = bits.Add64(a[i], b[i], c)
	}
	return r
}

func sub4(a, b [4]uint64) (r [4]uint64) {
	var c uint64
	for i := range r {
		r[i], c = bits.Sub64(a[i], b[i], c)
	}
	return r
}

func cmp4(a, b [4]uint64) int {
	for i := 3; i >= 0; i-- {
		if a[i] != b[i] {
			return less(a[i] < b[i])
		}
	}
	return 0
}

func bigOf(words ...uint64) *big.Int {
	r := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		r.Lsh(r, 64)
		r.Or(r, new(big.Int).SetUint64(words[i]))
	}
	return r
}

// wordsOf gives the low 256 bits of v in two's complement.
func wordsOf(v *big.Int) (w [4]uint64) {
	abs := new(big.Int).Abs(v)
	mask := new(big.Int).SetUint64(math.MaxUint64)
	for i := range w {
		w[i] = new(big.Int).And(abs, mask).Uint64()
		abs.Rsh(abs, 64)
	}
	if v.Sign() < 0 {
		w = sub4([4]uint64{}, w)
	}
	return w
}

func bigFloat(v *big.Int) float64 {
	f, _ := new(big.Float).SetInt(v).Float64()
	return f
}
