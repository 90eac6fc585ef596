package iceberg

import (
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/types"
)

// EncodeBound gives a value in the spec's single-value form (appendix D); the
// value is in the physical form of its ClickHouse type.
func EncodeBound(t *Type, v column.Value) []byte {
	switch x := v.(type) {
	case uint8:
		return []byte{x}
	case int32:
		if t.Kind == Decimal {
			return minBytes(types.ToI256(int64(x)))
		}
		return binary.LittleEndian.AppendUint32(nil, uint32(x))
	case int64:
		if t.Kind == Decimal {
			return minBytes(types.ToI256(x))
		}
		return binary.LittleEndian.AppendUint64(nil, uint64(x))
	case float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x))
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	case string:
		return []byte(x)
	case types.U128:
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, x.Hi), x.Lo)
	}
	wide, ok := toI256(v)
	if !ok {
		cherr.Bug("no single-value form of a %T as %s", v, t)
	}
	return minBytes(wide)
}

// TruncateLower cuts a lower bound of text or bytes to n code points or bytes;
// a shorter lower bound is a lower one.
func TruncateLower(t *Type, b []byte, n int) []byte {
	switch t.Kind {
	case String:
		return []byte(firstRunes(string(b), n))
	case Binary:
		return b[:min(n, len(b))]
	}
	return b
}

// TruncateUpper cuts an upper bound and raises it, so that it stays above what
// was cut off; ok is false when nothing of that length is above.
func TruncateUpper(t *Type, b []byte, n int) (out []byte, ok bool) {
	switch t.Kind {
	case String:
		cut := firstRunes(string(b), n)
		if len(cut) == len(b) {
			return b, true
		}
		return nextText(cut)
	case Binary:
		if len(b) <= n {
			return b, true
		}
		for i := n - 1; i >= 0; i-- {
			if b[i] != 0xff {
				out = append(out, b[:i]...)
				return append(out, b[i]+1), true
			}
		}
		return nil, false
	}
	return b, true
}

// nextText raises the last code point that can be raised and drops what
// follows; surrogates are no code points of their own.
func nextText(s string) ([]byte, bool) {
	for len(s) > 0 {
		r, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
		switch {
		case r == utf8.RuneError && size <= 1: // no UTF-8: no next one either
			continue
		case r == 0xd7ff:
			r = 0xe000
		case r == utf8.MaxRune:
			continue
		default:
			r++
		}
		return utf8.AppendRune([]byte(s), r), true
	}
	return nil, false
}

// encodeValue appends a partition value in the Avro form of its type.
func encodeValue(e *avro.Encoder, t *Type, v column.Value) {
	switch x := v.(type) {
	case uint8:
		e.Bool(x != 0)
	case int32:
		if t.Kind == Decimal {
			e.Fixed(fixedDecimal(t, types.ToI256(int64(x))))
			return
		}
		e.Long(int64(x))
	case int64:
		if t.Kind == Decimal {
			e.Fixed(fixedDecimal(t, types.ToI256(x)))
			return
		}
		e.Long(x)
	case float32:
		e.Float(x)
	case float64:
		e.Double(x)
	case string:
		if t.Kind == Fixed {
			e.Fixed([]byte(x))
			return
		}
		e.Text(x)
	case types.U128:
		e.Fixed(EncodeBound(t, x))
	default:
		wide, ok := toI256(v)
		if !ok {
			cherr.Bug("no Avro form of a %T as %s", v, t)
		}
		e.Fixed(fixedDecimal(t, wide))
	}
}

// fixedDecimal gives an unscaled value in the width that the precision needs.
func fixedDecimal(t *Type, v types.I256) []byte {
	b := minBytes(v)
	n := DecimalWidth(t.Precision)
	out := make([]byte, n)
	if v.Negative() {
		for i := range out {
			out[i] = 0xff
		}
	}
	copy(out[max(0, n-len(b)):], b[max(0, len(b)-n):])
	return out
}

// DecimalWidth gives the fewest bytes that hold a precision.
func DecimalWidth(precision int) int {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return limit.BitLen()/8 + 1
}

// CompareValues orders two values of one type as bounds are ordered: UUIDs and
// text by unsigned bytes, -0 before +0; NaN must not be among them.
func CompareValues(a, b column.Value) int { // long: one case a form
	switch x := a.(type) {
	case uint8:
		return column.CompareElements(x, b.(uint8), 1)
	case int32:
		return column.CompareElements(x, b.(int32), 1)
	case int64:
		return column.CompareElements(x, b.(int64), 1)
	case float32:
		return compareZeros(float64(x), float64(b.(float32)))
	case float64:
		return compareZeros(x, b.(float64))
	case types.I128:
		return x.Cmp(b.(types.I128))
	case types.I256:
		return x.Cmp(b.(types.I256))
	case types.U128:
		return x.Cmp(b.(types.U128))
	case string:
		y := b.(string)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	cherr.Bug("values of %T have no order", a)
	return 0
}

func compareZeros(a, b float64) int {
	if c := column.CompareElements(a, b, 1); c != 0 || a != 0 {
		return c
	}
	an, bn := math.Signbit(a), math.Signbit(b)
	switch {
	case an == bn:
		return 0
	case an:
		return -1
	}
	return 1
}

func isNaN(v column.Value) bool {
	switch x := v.(type) {
	case float32:
		return x != x
	case float64:
		return x != x
	}
	return false
}
