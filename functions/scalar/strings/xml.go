package strings

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
)

var (
	_ = add(functions.Scalar{
		Name: "encodeXMLComponent", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "encodeXMLComponent(s)", Summary: "The characters <, &, >, \" and ' as entities.", Examples: []string{"SELECT encodeXMLComponent('<a>')"}},
		Bind: kernel.StrToStr("encodeXMLComponent", func(dst, s []byte) []byte {
			for _, c := range s {
				switch c {
				case '<':
					dst = append(dst, "&lt;"...)
				case '>':
					dst = append(dst, "&gt;"...)
				case '&':
					dst = append(dst, "&amp;"...)
				case '"':
					dst = append(dst, "&quot;"...)
				case '\'':
					dst = append(dst, "&apos;"...)
				default:
					dst = append(dst, c)
				}
			}
			return dst
		}),
	})
	_ = add(functions.Scalar{
		Name: "decodeXMLComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "decodeXMLComponent(s)", Summary: "XML's five entities and numeric references decoded.", Examples: []string{"SELECT decodeXMLComponent('&lt;a&gt;')"}},
		Bind: kernel.StrToStr("decodeXMLComponent", appendDecodedXML),
	})
	_ = add(functions.Scalar{
		Name: "decodeHTMLComponent", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "decodeHTMLComponent(s)", Summary: "HTML's entities and numeric references decoded.", Examples: []string{"SELECT decodeHTMLComponent('&eacute;')"}},
		Bind: kernel.StrToStr("decodeHTMLComponent", func(dst, s []byte) []byte { return appendDecoded(dst, s, htmlEntity) }),
	})
)

func appendDecodedXML(dst, s []byte) []byte {
	return appendDecoded(dst, s, func(name string) (string, bool) {
		r, ok := xmlEntity(name)
		return string(r), ok
	})
}

// htmlEntity knows the names of HTML 5, which must be whole.
func htmlEntity(name string) (string, bool) {
	if strings.HasPrefix(name, "#") {
		r, ok := xmlEntity(name)
		return string(r), ok
	}
	text := html.UnescapeString("&" + name + ";")
	if strings.HasPrefix(text, "&"+name) || strings.HasSuffix(text, ";") && name != "semi" {
		return "", false
	}
	return text, true
}

func appendDecoded(dst, s []byte, entity func(name string) (string, bool)) []byte {
	for {
		at := bytes.IndexByte(s, '&')
		if at < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:at]...), s[at:]
		end := bytes.IndexByte(s, ';')
		if end < 0 {
			return append(dst, s...)
		}
		text, ok := entity(string(s[1:end]))
		if !ok {
			dst, s = append(dst, '&'), s[1:]
			continue
		}
		dst, s = append(dst, text...), s[end+1:]
	}
}

func xmlEntity(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseInt(digits, base, 32)
	return rune(v), err == nil && v <= utf8.MaxRune
}
