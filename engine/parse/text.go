package parse

import (
	"strconv"
	"strings"

	"lakeserver/engine/ast"
)

// unquote undoes the quoting of a string or a quoted identifier token.
func unquote(raw string) string {
	if raw[0] >= 0x80 { // typographic quotes of three bytes, no escapes inside
		return raw[3 : len(raw)-3]
	}
	q, s := raw[0], raw[1:len(raw)-1]
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, q) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == q: // doubled
			b = append(b, c)
			i++
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] == 'x' {
				if i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
					b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
					i += 2
					continue
				}
			}
			if s[i] == 'N' { // \N is NULL's sign in text formats and nothing in a literal
				continue
			}
			if e := unescape[s[i]]; e.known {
				b = append(b, e.value)
			} else {
				b = append(b, '\\', s[i]) // \% and \_ matter to LIKE; the unknown stay
			}
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// brokenEscape tells whether a \x lacks its two digits because the string or
// another escape comes first.
func brokenEscape(raw string) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] == 'x' && (i+4 > len(raw)-1 || raw[i+2] == '\\' || raw[i+3] == '\\') {
			return true
		}
		i++
	}
	return false
}

var unescape = [256]struct {
	value byte
	known bool
}{
	'b': {'\b', true}, 'f': {'\f', true}, 'n': {'\n', true}, 'r': {'\r', true}, 't': {'\t', true},
	'0': {0, true}, 'a': {'\a', true}, 'v': {'\v', true}, 'e': {0x1b, true},
	'\\': {'\\', true}, '\'': {'\'', true}, '"': {'"', true}, '`': {'`', true}, '/': {'/', true}, '=': {'=', true},
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// hexString is x'4142'; an odd first digit stands alone.
func hexString(s string) (string, bool) {
	b := make([]byte, 0, len(s)/2+1)
	for i := range len(s) {
		if !isHex(s[i]) {
			return "", false
		}
	}
	if len(s)%2 == 1 {
		b = append(b, unhex(s[0]))
		s = s[1:]
	}
	for ; len(s) > 0; s = s[2:] {
		b = append(b, unhex(s[0])<<4|unhex(s[1]))
	}
	return string(b), true
}

// binString is b'01000001'.
func binString(s string) (string, bool) {
	n := (len(s) + 7) / 8
	b := make([]byte, n)
	for i := range len(s) {
		c := s[len(s)-1-i]
		if c != '0' && c != '1' {
			return "", false
		}
		b[n-1-i/8] |= (c - '0') << (i % 8)
	}
	return string(b), true
}

// number makes the literal of a number token, negative when it follows a minus.
// Integers beyond 64 bits are floats, as in ClickHouse.
func number(raw string, negative bool) (*ast.Literal, bool) {
	text := raw
	if strings.IndexByte(text, '_') >= 0 {
		text = strings.ReplaceAll(text, "_", "")
	}
	l := &ast.Literal{Text: text}
	if negative {
		l.Text = "-" + text
	}
	if u, err := strconv.ParseUint(integerDigits(text)); err == nil {
		return integer(l, u, negative), true
	}
	f, err := strconv.ParseFloat(floatDigits(text), 64)
	if err != nil && f == 0 {
		return nil, false
	}
	if negative {
		f = -f
	}
	l.Kind, l.Float = ast.Float, f
	return l, true
}

func integer(l *ast.Literal, u uint64, negative bool) *ast.Literal {
	switch {
	case !negative || u == 0:
		l.Kind, l.Uint = ast.Uint, u
		if u == 0 {
			l.Text = "0"
		}
	case u <= 1<<63:
		l.Kind, l.Int = ast.Int, -int64(u-1)-1
	default:
		l.Kind, l.Float = ast.Float, -float64(u)
	}
	return l
}

func integerDigits(s string) (digits string, base, bits int) {
	if len(s) > 2 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return s[2:], 16, 64
		case 'b':
			return s[2:], 2, 64
		}
	}
	return s, 10, 64
}

func floatDigits(s string) string {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && !strings.ContainsAny(s, "pP") {
		return s + "p0"
	}
	return s
}
