package text

import (
	"math/big"
	"strconv"
	"strings"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/types"
)

// syntaxError is the error for text of which only n bytes are a value.
func syntaxError(text []byte, n int, name string) error {
	if n == 0 {
		return cherr.New(cherr.CannotParseText, "Cannot parse string '%s' as %s: syntax error at begin of string", text, name)
	}
	return cherr.New(cherr.CannotParseText, "Cannot parse string '%s' as %s: syntax error at position %d (parsed just '%s')", text, name, n, text[:n])
}

func shortError(name string) error {
	return cherr.New(cherr.AttemptToReadAfterEof, "Attempt to read after eof: Cannot parse %s from String, because value is too short", name)
}

// native is the integers that Go computes with.
type native interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

// parseInteger reads digits with a sign; as in ClickHouse, too large a value
// wraps around.
func parseInteger[T native](text []byte, name string) (T, error) {
	var zero T
	neg, i, err := sign(text, zero-1 < zero, name)
	if err != nil {
		return 0, err
	}
	var v uint64
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		v = v*10 + uint64(text[i]-'0')
		i++
	}
	if i < len(text) || i == from {
		return 0, numberError(text, i, from, name)
	}
	if neg {
		v = -v
	}
	return T(v), nil
}

// fits tells whether the digits of text are those of v.
func fits[T native](text []byte, v T) bool {
	if len(text) < 3 {
		return true
	}
	neg := text[0] == '-'
	if neg || text[0] == '+' {
		text = text[1:]
	}
	for len(text) > 1 && text[0] == '0' {
		text = text[1:]
	}
	var buf [24]byte
	digits := buf[:0]
	if v < 0 {
		digits = strconv.AppendInt(digits, int64(v), 10)[1:]
	} else {
		digits = strconv.AppendUint(digits, uint64(v), 10)
	}
	return neg == (v < 0) && string(digits) == string(text) || v == 0 && len(text) == 1 && text[0] == '0'
}

func sign(text []byte, signed bool, name string) (neg bool, n int, err error) {
	if len(text) == 0 {
		return false, 0, shortError(name)
	}
	switch text[0] {
	case '-':
		if !signed {
			return false, 0, cherr.New(cherr.CannotParseNumber, "Unsigned type must not contain '-' symbol: Cannot parse %s from String", name)
		}
		return true, 1, nil
	case '+':
		return false, 1, nil
	}
	return false, 0, nil
}

func numberError(text []byte, at, digitsFrom int, name string) error {
	if at == digitsFrom && digitsFrom > 0 {
		return cherr.New(cherr.CannotParseNumber, "Cannot parse number without any digits: Cannot parse %s from String", name)
	}
	if at == digitsFrom {
		at = 0
	}
	return syntaxError(text, at, name)
}

// parseWide reads digits of up to 256 bits; too large a value wraps around.
func parseWide(text []byte, signed bool, name string) (types.I256, error) {
	neg, i, err := sign(text, signed, name)
	if err != nil {
		return types.I256{}, err
	}
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	if i < len(text) || i == from {
		return types.I256{}, numberError(text, i, from, name)
	}
	v, _ := new(big.Int).SetString(string(text[from:]), 10)
	if neg {
		v.Neg(v)
	}
	return types.I256FromBig(v), nil
}

// ParseFloat reads a number, inf or nan that is the whole text.
func ParseFloat(text []byte, bits int, name string) (float64, error) {
	n := floatPrefix(text)
	if n == 0 {
		return 0, cherr.New(cherr.CannotParseNumber, "Cannot read floating point value here: %s: Cannot parse %s from String", text, name)
	}
	if n < len(text) {
		return 0, syntaxError(text, n, name)
	}
	v, err := strconv.ParseFloat(unsafeString(text), bits)
	if err != nil && v-v == 0 { // out of range gives an infinity or zero
		return 0, syntaxError(text, 0, name)
	}
	return v, nil
}

// floatPrefix gives the bytes at the front that make a number.
func floatPrefix(text []byte) int {
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	rest := strings.ToLower(string(text[i:min(len(text), i+8)]))
	for _, w := range []string{"infinity", "inf", "nan"} {
		if strings.HasPrefix(rest, w) {
			return i + len(w)
		}
	}
	digits := 0
	for i < len(text) && text[i]-'0' <= 9 {
		i++
		digits++
	}
	if i < len(text) && text[i] == '.' {
		i++
		for i < len(text) && text[i]-'0' <= 9 {
			i++
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		if j < len(text) && text[j]-'0' <= 9 {
			for j < len(text) && text[j]-'0' <= 9 {
				j++
			}
			i = j
		}
	}
	return i
}

func unsafeString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// ParseDecimal reads a number as unscaled digits of scale; digits past the
// scale are cut off. More than precision digits are ARGUMENT_OUT_OF_BOUND.
func ParseDecimal(text []byte, precision, scale int, name string) (types.I256, error) {
	if v, ok := shortDecimal(text, precision, scale); ok {
		return types.ToI256(v), nil
	}
	n := floatPrefix(text)
	if n == 0 || text[n-1]|0x20 >= 'a' {
		if len(text) == 0 {
			return types.I256{}, shortError(name)
		}
		return types.I256{}, syntaxError(text, 0, name)
	}
	if n < len(text) {
		return types.I256{}, syntaxError(text, n, name)
	}
	neg := text[0] == '-'
	exponent := scale
	var digits []byte
	point := false
	for i, b := range text {
		if b|0x20 == 'e' {
			e, err := strconv.Atoi(string(text[i+1:]))
			if err != nil {
				return types.I256{}, syntaxError(text, i, name)
			}
			exponent += e
			break
		}
		switch {
		case b == '.':
			point = true
		case b-'0' <= 9:
			if point {
				exponent--
			}
			if b != '0' || len(digits) > 0 {
				digits = append(digits, b)
			}
		}
	}
	if len(digits) == 0 {
		return types.I256{}, nil
	}
	if len(digits)+exponent > precision {
		return types.I256{}, cherr.New(cherr.ArgumentOutOfBound, "Too many digits (%d > %d) in decimal value", len(digits)+exponent-scale, precision)
	}
	for ; exponent > 0; exponent-- {
		digits = append(digits, '0')
	}
	if len(digits)+exponent <= 0 {
		return types.I256{}, nil
	}
	v, _ := new(big.Int).SetString(string(digits[:len(digits)+exponent]), 10)
	if neg {
		v.Neg(v)
	}
	return types.I256FromBig(v), nil
}

// shortDecimal reads what fits 18 digits and has no exponent.
func shortDecimal(text []byte, precision, scale int) (int64, bool) {
	i, neg := 0, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		neg = text[0] == '-'
		i++
	}
	if len(text)-i == 0 || len(text)-i > 18 {
		return 0, false
	}
	v, fraction, point, digits := int64(0), 0, false, 0
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case b == '.' && !point:
			point = true
		case b-'0' <= 9:
			digits++
			if point {
				if fraction == scale {
					continue
				}
				fraction++
			}
			v = v*10 + int64(b-'0')
		default:
			return 0, false
		}
	}
	if digits == 0 || scale-fraction > 18-digits {
		return 0, false
	}
	v *= Pow10(scale - fraction)
	if precision <= 18 && v >= Pow10(precision) {
		return 0, false
	}
	if neg {
		v = -v
	}
	return v, true
}

// ParseBool reads the words that ClickHouse takes for a Bool.
func ParseBool(text []byte, o *Options) (uint8, error) {
	s := string(text)
	if s == o.bool(true) {
		return 1, nil
	}
	if s == o.bool(false) {
		return 0, nil
	}
	switch strings.ToLower(s) {
	case "1", "true", "t", "y", "yes", "on", "enable", "enabled":
		return 1, nil
	case "0", "false", "f", "n", "no", "off", "disable", "disabled":
		return 0, nil
	}
	return 0, cherr.New(cherr.CannotParseBool, "Cannot parse boolean value here: '%s', should be 'true' or 'false' controlled by setting bool_true_representation and bool_false_representation", text)
}
