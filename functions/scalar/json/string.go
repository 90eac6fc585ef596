package json

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"lakeserver/column/text"
)

// appendString appends what a string literal, with its quotes, stands for.
func appendString(dst, lit []byte) []byte {
	s := lit[1 : len(lit)-1]
	for {
		at := bytes.IndexByte(s, '\\')
		if at < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:at]...)
		c := s[at+1]
		s = s[at+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex4(s)
			s = s[4:]
			if utf16.IsSurrogate(r) && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
				r = utf16.DecodeRune(r, hex4(s[2:]))
				s = s[6:]
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
}

func hex4(s []byte) rune {
	r := rune(0)
	for _, c := range s[:4] {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}

// appendQuoted writes a string as JSON with no more escapes than needed.
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// style is how a value is written anew.
type style struct {
	comma, colon string
	indent       bool
}

var compact = style{",", ":", false}

// appendValue writes a value anew, as ClickHouse's parser prints what it read:
// without white space, floats in their shortest form.
func (st style) appendValue(dst, node []byte, depth int) []byte {
	switch node[0] {
	case '"':
		return appendQuoted(dst, appendString(nil, node))
	case '{', '[':
		open, end := node[0], node[0]+2
		dst = append(dst, open)
		n := 0
		each(node, func(key, value []byte) bool {
			if n > 0 {
				dst = append(dst, st.comma...)
			}
			n++
			dst = st.line(dst, depth+1)
			if key != nil {
				dst = append(appendQuoted(dst, appendString(nil, key)), st.colon...)
			}
			dst = st.appendValue(dst, value, depth+1)
			return true
		})
		if n > 0 {
			dst = st.line(dst, depth)
		}
		return append(dst, end)
	case 't', 'f', 'n':
		return append(dst, node...)
	}
	if !bytes.ContainsAny(node, ".eE") {
		return append(dst, node...)
	}
	f, err := strconv.ParseFloat(string(node), 64)
	if err != nil {
		return append(dst, node...)
	}
	return text.AppendFloat64(dst, f)
}

func (st style) line(dst []byte, depth int) []byte {
	if !st.indent {
		return dst
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "    "...)
	}
	return dst
}
