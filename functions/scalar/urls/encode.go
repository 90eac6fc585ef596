package urls

import (
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
)

var (
	_ = add(functions.Scalar{
		Name: "decodeURLComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "decodeURLComponent(s)", Summary: "Percent escapes decoded.", Examples: []string{"SELECT decodeURLComponent('a%20b')"}},
		Bind: kernel.StrToStr("decodeURLComponent", func(dst, s []byte) []byte { return appendDecoded(dst, s, false) }),
	})
	_ = add(functions.Scalar{
		Name: "decodeURLFormComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "decodeURLFormComponent(s)", Summary: "Percent escapes decoded and + read as a space.", Examples: []string{"SELECT decodeURLFormComponent('a+b')"}},
		Bind: kernel.StrToStr("decodeURLFormComponent", func(dst, s []byte) []byte { return appendDecoded(dst, s, true) }),
	})
	_ = add(functions.Scalar{
		Name: "encodeURLComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "encodeURLComponent(s)", Summary: "All but letters, digits and -_.~ escaped.", Examples: []string{"SELECT encodeURLComponent('a b')"}},
		Bind: kernel.StrToStr("encodeURLComponent", func(dst, s []byte) []byte { return appendEncoded(dst, s, false) }),
	})
	_ = add(functions.Scalar{
		Name: "encodeURLFormComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "encodeURLFormComponent(s)", Summary: "encodeURLComponent with + for a space.", Examples: []string{"SELECT encodeURLFormComponent('a b')"}},
		Bind: kernel.StrToStr("encodeURLFormComponent", func(dst, s []byte) []byte { return appendEncoded(dst, s, true) }),
	})
)

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func appendDecoded(dst, s []byte, form bool) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
			c = byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2]))
			i += 2
		} else if c == '+' && form {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}

func appendEncoded(dst, s []byte, form bool) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range s {
		switch {
		case isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.' || c == '~':
			dst = append(dst, c)
		case c == ' ' && form:
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}
