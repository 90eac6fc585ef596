package text

import (
	"math"
	"math/big"
	"strconv"

	"lakeserver/types"
)

// AppendFloat64 writes the shortest text that reads back as v; with an
// exponent below 1e-6 and from 1e21 on.
func AppendFloat64(dst []byte, v float64) []byte { return appendFloat(dst, v, 64) }

// AppendFloat32 is AppendFloat64 for the narrower type.
func AppendFloat32(dst []byte, v float32) []byte { return appendFloat(dst, float64(v), 32) }

// Float32OfBFloat16 widens the upper half of a float32.
func Float32OfBFloat16(v uint16) float32 { return math.Float32frombits(uint32(v) << 16) }

func appendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case v != v:
		return append(dst, "nan"...)
	case v > math.MaxFloat64:
		return append(dst, "inf"...)
	case v < -math.MaxFloat64:
		return append(dst, "-inf"...)
	}
	if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e21 {
		if v == math.Trunc(v) && a < 1<<53 && (v != 0 || !math.Signbit(v)) && bits == 64 {
			return strconv.AppendInt(dst, int64(v), 10)
		}
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, bits)
	// Go writes e+21 and e-07, ClickHouse e21 and e-7.
	for i := from; i < len(dst); i++ {
		if dst[i] != 'e' {
			continue
		}
		tail := append([]byte(nil), dst[i+1:]...)
		dst = dst[:i+1]
		if tail[0] == '-' {
			dst = append(dst, '-')
		}
		tail = tail[1:]
		for len(tail) > 1 && tail[0] == '0' {
			tail = tail[1:]
		}
		return append(dst, tail...)
	}
	return dst
}

// AppendDecimal writes unscaled/10^scale; zeros keeps zeros at the end.
func AppendDecimal(dst []byte, unscaled int64, scale int, zeros bool) []byte {
	neg := unscaled < 0
	u := uint64(unscaled)
	if neg {
		u = -u
	}
	var buf [24]byte
	return appendScaled(dst, strconv.AppendUint(buf[:0], u, 10), neg, scale, zeros)
}

// AppendDecimal128 is AppendDecimal for 128 bits.
func AppendDecimal128(dst []byte, v types.I128, scale int, zeros bool) []byte {
	if v.FitsInt64() {
		return AppendDecimal(dst, int64(v.Lo), scale, zeros)
	}
	return appendBigDecimal(dst, v.Big(), scale, zeros)
}

// AppendDecimal256 is AppendDecimal for 256 bits.
func AppendDecimal256(dst []byte, v types.I256, scale int, zeros bool) []byte {
	return appendBigDecimal(dst, v.Big(), scale, zeros)
}

func appendBigDecimal(dst []byte, v *big.Int, scale int, zeros bool) []byte {
	return appendScaled(dst, new(big.Int).Abs(v).Append(nil, 10), v.Sign() < 0, scale, zeros)
}

func appendScaled(dst, digits []byte, neg bool, scale int, zeros bool) []byte {
	if neg {
		dst = append(dst, '-')
	}
	if scale == 0 {
		return append(dst, digits...)
	}
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:whole]...)
	}
	dst = append(dst, '.')
	for i := whole; i < 0; i++ {
		dst = append(dst, '0')
	}
	dst = append(dst, digits[max(whole, 0):]...)
	if zeros {
		return dst
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	return dst
}
