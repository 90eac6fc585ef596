package parquet

import (
	"math"
	"math/big"
	"math/bits"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

var errDecimal = cherr.New(cherr.DecimalOverflow, "a decimal does not fit into the wanted type")

// decimalTo gives integers that stand for decimals of a scale as a decimal of
// the same or a greater scale. Floats and integers of other types are left to
// the general conversions.
func decimalTo[S integer](scale int, t *types.Type) convertFunc {
	up := t.Scale() - scale
	if !t.IsDecimal() || up < 0 {
		return nil
	}
	switch t.Physical() {
	case types.PhysInt32:
		return scaleUp[S, int32](up)
	case types.PhysInt64:
		return scaleUp[S, int64](up)
	case types.PhysInt128:
		k := power128(up)
		return func(v *vec) (column.Column, error) {
			src := view[S](v.fixed)
			out := make([]types.I128, len(src))
			for i, x := range src {
				out[i] = widen(x).Mul(k)
			}
			return column.NewFixed(out), nil
		}
	}
	k := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(up)), nil)
	return func(v *vec) (column.Column, error) {
		src := view[S](v.fixed)
		out := make([]types.I256, len(src))
		for i, x := range src {
			out[i] = types.I256FromBig(new(big.Int).Mul(widen(x).Big(), k))
		}
		return column.NewFixed(out), nil
	}
}

func widen[S integer](x S) types.I128 {
	if x > 0 {
		return types.UintToI128(uint64(x))
	}
	return types.ToI128(int64(x))
}

func power128(n int) types.I128 {
	k := types.ToI128(1)
	for range n {
		k = k.Mul(types.ToI128(10))
	}
	return k
}

func scaleUp[S integer, T int32 | int64](up int) convertFunc {
	if up == 0 && sameForm[S, T]() {
		return cast[S, T]
	}
	if up >= len(pow10) {
		return nil
	}
	k := pow10[up]
	return func(v *vec) (column.Column, error) {
		src := view[S](v.fixed)
		out := make([]T, len(src))
		for i, x := range src {
			y, ok := scaled64(int64(x), k)
			if !ok || int64(T(y)) != y {
				return nil, errDecimal
			}
			out[i] = T(y)
		}
		return column.NewFixed(out), nil
	}
}

func scaled64(x, k int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(k))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, x == 0
	}
	if x < 0 {
		return -int64(lo), true
	}
	return int64(lo), true
}

// bigEndianTo gives decimals that lie as big-endian two's complement.
func bigEndianTo(t *types.Type, scale int) convertFunc {
	up := t.Scale() - scale
	if up < 0 {
		return nil
	}
	switch t.Physical() {
	case types.PhysInt32:
		return bytesTo64[int32](up)
	case types.PhysInt64:
		return bytesTo64[int64](up)
	case types.PhysInt128:
		return bytesTo128(up)
	}
	k := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(up)), nil)
	return func(v *vec) (column.Column, error) {
		out := make([]types.I256, v.str.Len())
		for i := range out {
			w, ok := signExtend[[4]uint64](v.str.At(i))
			if !ok {
				return nil, errDecimal
			}
			out[i] = types.I256{w[0], w[1], w[2], w[3]}
			if up > 0 {
				out[i] = types.I256FromBig(new(big.Int).Mul(out[i].Big(), k))
			}
		}
		return column.NewFixed(out), nil
	}
}

func bytesTo64[T int32 | int64](up int) convertFunc {
	if up >= len(pow10) {
		return nil
	}
	k := pow10[up]
	return func(v *vec) (column.Column, error) {
		out := make([]T, v.str.Len())
		for i := range out {
			w, ok := signExtend[[1]uint64](v.str.At(i))
			y, fits := scaled64(int64(w[0]), k)
			if !ok || !fits || int64(T(y)) != y {
				return nil, errDecimal
			}
			out[i] = T(y)
		}
		return column.NewFixed(out), nil
	}
}

func bytesTo128(up int) convertFunc {
	k := power128(up)
	return func(v *vec) (column.Column, error) {
		out := make([]types.I128, v.str.Len())
		for i := range out {
			w, ok := signExtend[[2]uint64](v.str.At(i))
			if !ok {
				return nil, errDecimal
			}
			out[i] = types.I128{Lo: w[0], Hi: int64(w[1])}
			if up > 0 {
				out[i] = out[i].Mul(k)
			}
		}
		return column.NewFixed(out), nil
	}
}

// signExtend reads a big-endian number into words, lowest first. ok is false
// when it needs more of them. An empty value is zero.
func signExtend[W [1]uint64 | [2]uint64 | [4]uint64](b []byte) (w W, ok bool) {
	if len(b) == 0 {
		return w, true
	}
	sign := uint64(int64(int8(b[0])) >> 63)
	for len(b) > 8*len(w) {
		if b[0] != byte(sign) {
			return w, false
		}
		b = b[1:]
	}
	if int64(int8(b[0]))>>63 != int64(sign) && len(b) == 8*len(w) {
		return w, false
	}
	for k := range len(w) {
		v := sign
		end := len(b) - 8*k
		for i := max(0, end-8); i < end; i++ {
			v = v<<8 | uint64(b[i])
		}
		w[k] = v
	}
	return w, true
}
