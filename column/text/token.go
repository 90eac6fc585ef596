package text

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"lakeserver/cherr"
)

// token takes the text of one value that is not nested off the front of src:
// its bytes without quotes and escapes, which may stand in scratch, the bytes
// used, and whether it stood in quotes.
func token(src []byte, f Form, o *Options, scratch []byte) (text []byte, n int, quoted bool, err error) {
	switch f {
	case Plain:
		return src, len(src), false, nil
	case Escaped:
		text, n = escapedToken(src, scratch)
		return text, n, false, nil
	case CSV:
		return csvToken(src, o.delimiter(), scratch)
	}
	skip := spaces(src)
	if skip < len(src) {
		switch q := src[skip]; {
		case q == '\'' && f == Quoted, q == '"' && f == JSON:
			unquote := Unquote
			if f == JSON {
				unquote = UnquoteJSON
			}
			text, n, err = unquote(src[skip:], scratch)
			return text, skip + n, true, err
		}
	}
	n = skip
	for n < len(src) && !ends[src[n]] {
		n++
	}
	return src[skip:n], n, false, nil
}

// ends are the bytes that end a bare word in SQL and JSON.
var ends = [256]bool{',': true, ')': true, ']': true, '}': true, ':': true, ' ': true, '\t': true, '\n': true, '\r': true, '[': true, '{': true, '(': true, ';': true}

func spaces(src []byte) int {
	n := 0
	for n < len(src) && (src[n] == ' ' || src[n] == '\t' || src[n] == '\n' || src[n] == '\r') {
		n++
	}
	return n
}

func escapedToken(src, scratch []byte) ([]byte, int) {
	n, escaped := 0, false
	for n < len(src) && src[n] != '\t' && src[n] != '\n' {
		if src[n] == '\\' && n+1 < len(src) {
			escaped = true
			n++
		}
		n++
	}
	if !escaped {
		return src[:n], n
	}
	return unescape(scratch, src[:n]), n
}

func csvToken(src []byte, delimiter byte, scratch []byte) ([]byte, int, bool, error) {
	if len(src) == 0 || src[0] != '"' {
		n := 0
		for n < len(src) && src[n] != delimiter && src[n] != '\n' && src[n] != '\r' {
			n++
		}
		return bytes.TrimRight(src[:n], " \t"), n, false, nil
	}
	out := scratch
	for i := 1; i < len(src); i++ {
		if src[i] != '"' {
			out = append(out, src[i])
			continue
		}
		if i+1 < len(src) && src[i+1] == '"' {
			out = append(out, '"')
			i++
			continue
		}
		return out, i + 1, true, nil
	}
	return nil, 0, true, cherr.New(cherr.CannotParseQuotedString, "Cannot parse quoted string: expected closing quote")
}

// Unquote takes an SQL string in single quotes off the front of src;
// the text is appended to scratch.
func Unquote(src, scratch []byte) (text []byte, n int, err error) {
	if len(src) == 0 || src[0] != '\'' {
		got := ""
		if len(src) > 0 {
			got = string(src[:1])
		}
		return nil, 0, cherr.New(cherr.CannotParseQuotedString, "Cannot parse quoted string: expected opening quote ''', got '%s'", got)
	}
	quote := src[0]
	from := 1
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case quote:
			if i+1 < len(src) && src[i+1] == quote {
				scratch = append(unescape(scratch, src[from:i]), quote)
				i++
				from = i + 1
				continue
			}
			return unescape(scratch, src[from:i]), i + 1, nil
		}
	}
	return nil, 0, cherr.New(cherr.CannotParseQuotedString, "Cannot parse quoted string: expected closing quote")
}

// unescape appends src without its backslashes.
func unescape(dst, src []byte) []byte {
	for {
		i := bytes.IndexByte(src, '\\')
		if i < 0 || i+1 >= len(src) {
			return append(dst, src...)
		}
		dst = append(dst, src[:i]...)
		e := src[i+1]
		src = src[i+2:]
		switch e {
		case 'a':
			dst = append(dst, '\a')
		case 'b':
			dst = append(dst, '\b')
		case 'e':
			dst = append(dst, 0x1b)
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'v':
			dst = append(dst, '\v')
		case '0':
			dst = append(dst, 0)
		case 'x':
			if len(src) >= 2 && hexValue(src[0]) >= 0 && hexValue(src[1]) >= 0 {
				dst = append(dst, byte(hexValue(src[0])<<4|hexValue(src[1])))
				src = src[2:]
				continue
			}
			dst = append(dst, '\\', 'x')
		case '\\', '\'', '"', '`', '/', '=':
			dst = append(dst, e)
		default:
			if e > 0x1f { // a control sign is only protected; other unknown escapes stay
				dst = append(dst, '\\')
			}
			dst = append(dst, e)
		}
	}
}

func hexValue(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// UnquoteJSON takes a JSON string off the front of src; the text is appended
// to scratch. Lone surrogates become U+FFFD.
func UnquoteJSON(src, scratch []byte) (text []byte, n int, err error) {
	if len(src) == 0 || src[0] != '"' {
		return nil, 0, cherr.New(cherr.CannotParseQuotedString, "Cannot parse JSON string: expected opening quote")
	}
	from := 1
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '"':
			return append(scratch, src[from:i]...), i + 1, nil
		case '\\':
			scratch = append(scratch, src[from:i]...)
			if i+1 >= len(src) {
				return nil, 0, errJSONString
			}
			i++
			if src[i] == 'u' {
				r, used := jsonRune(src[i+1:])
				if used == 0 {
					return nil, 0, cherr.New(cherr.CannotParseEscapeSequence, "Cannot parse escape sequence: less than 4 hex digits after \\u")
				}
				scratch = utf8.AppendRune(scratch, r)
				i += used
			} else {
				scratch = unescape(scratch, src[i-1:i+1])
			}
			from = i + 1
		}
	}
	return nil, 0, errJSONString
}

var errJSONString = cherr.New(cherr.CannotParseQuotedString, "Cannot parse JSON string: expected closing quote")

// jsonRune reads the four digits after \u, and a second half after them.
func jsonRune(src []byte) (r rune, used int) {
	four := func(b []byte) rune {
		if len(b) < 4 {
			return -1
		}
		v := 0
		for _, d := range b[:4] {
			h := hexValue(d)
			if h < 0 {
				return -1
			}
			v = v<<4 | h
		}
		return rune(v)
	}
	r = four(src)
	if r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(src) >= 10 && src[4] == '\\' && src[5] == 'u' {
		if low := four(src[6:]); low >= 0 {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 10
			}
		}
	}
	return r, 4
}

// SkipJSON gives the bytes of the JSON value at the front of src, spaces
// before it counted.
func SkipJSON(src []byte) (int, error) {
	n := spaces(src)
	depth := 0
	for n < len(src) {
		switch src[n] {
		case '"':
			_, used, err := UnquoteJSON(src[n:], nil)
			if err != nil {
				return 0, err
			}
			n += used
		case '[', '{':
			depth++
			n++
			continue
		case ']', '}':
			depth--
			n++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return n, cherr.New(cherr.IncorrectData, "Cannot parse JSON: a value is expected")
			}
			n++
			continue
		default:
			for n < len(src) && !ends[src[n]] {
				n++
			}
		}
		if depth <= 0 {
			return n, nil
		}
	}
	return 0, cherr.New(cherr.IncorrectData, "Cannot parse JSON: unexpected end of data")
}
