package strings

import (
	"unicode"
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
)

var (
	_ = add(functions.Scalar{
		Name: "lower", Aliases: []string{"lcase"}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "lower(s)", Summary: "ASCII letters to lower case.", Examples: []string{"SELECT lower('AbC')"}},
		Bind: bindASCII("lower", 'A', 'Z'),
	})
	_ = add(functions.Scalar{
		Name: "upper", Aliases: []string{"ucase"}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "upper(s)", Summary: "ASCII letters to upper case.", Examples: []string{"SELECT upper('AbC')"}},
		Bind: bindASCII("upper", 'a', 'z'),
	})
	_ = add(functions.Scalar{
		Name: "lowerUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "lowerUTF8(s)", Summary: "Letters of UTF-8 text to lower case.", Examples: []string{"SELECT lowerUTF8('ÄB')"}},
		Bind: kernel.StrToStr("lowerUTF8", appendLowerUTF8),
	})
	_ = add(functions.Scalar{
		Name: "upperUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "upperUTF8(s)", Summary: "Letters of UTF-8 text to upper case.", Examples: []string{"SELECT upperUTF8('äb')"}},
		Bind: kernel.StrToStr("upperUTF8", appendUpperUTF8),
	})
	_ = add(functions.Scalar{
		Name: "initcap", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "initcap(s)", Summary: "First letter of each word to upper case, the others to lower (ASCII).", Examples: []string{"SELECT initcap('building for fast')"}},
		Bind: kernel.StrToStr("initcap", appendInitcap),
	})
	_ = add(functions.Scalar{
		Name: "initcapUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "initcapUTF8(s)", Summary: "First letter of each word to upper case, the others to lower.", Examples: []string{"SELECT initcapUTF8('ärger über')"}},
		Bind: kernel.StrToStr("initcapUTF8", appendInitcapUTF8),
	})
	_ = add(functions.Scalar{
		Name: "caseFoldUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "caseFoldUTF8(s)", Summary: "UTF-8 text in a form that compares without regard to case.", Examples: []string{"SELECT caseFoldUTF8('Straße')"}},
		Bind: kernel.StrToStr("caseFoldUTF8", appendFolded),
	})
)

// bindASCII flips the case bit of the letters from lo to hi; the type stays.
func bindASCII(name string, lo, hi byte) kernel.Bind {
	var table [256]byte
	for c := range table {
		table[c] = byte(c)
		if byte(c) >= lo && byte(c) <= hi {
			table[c] ^= 0x20
		}
	}
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		return kernel.Fn(args[0].Type, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Strings(args[0])
			if s := in.Col; !in.Const() && covers(s) {
				out := &column.Str{Data: make([]byte, len(s.Data)), Start: s.Start, Lns: s.Lns}
				for i, c := range s.Data {
					out.Data[i] = table[c]
				}
				return out, nil
			}
			return kernel.MapStr(in, rows, func(dst, s []byte) []byte {
				for _, c := range s {
					dst = append(dst, table[c])
				}
				return dst
			}), nil
		}), nil
	}
}

// covers tells whether the rows are at least half of the buffer, so that work
// on the buffer as a whole pays.
func covers(s *column.Str) bool {
	n := 0
	for _, l := range s.Lns {
		n += int(l)
	}
	return n*2 >= len(s.Data)
}

func appendLowerUTF8(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		switch {
		case r == 'İ': // its full lower case is two code points
			dst = append(dst, "i\u0307"...)
		case r == 'Σ' && finalSigma(s, i, n):
			dst = append(dst, "ς"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}

// finalSigma: a capital sigma at the end of a word has a lower case of its own.
func finalSigma(s []byte, at, n int) bool {
	before, _ := utf8.DecodeLastRune(s[:at])
	after, _ := utf8.DecodeRune(s[at+n:])
	return unicode.IsLetter(before) && !unicode.IsLetter(after)
}

func appendUpperUTF8(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= 'a' && c <= 'z' {
				c &^= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if full, ok := fullUpper[r]; ok {
			dst = append(dst, full...)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToUpper(r))
		}
		i += n
	}
	return dst
}

// fullUpper holds the letters whose upper case is more than one code point.
var fullUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
}

func appendInitcap(dst, s []byte) []byte {
	inWord := false
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z' && !inWord:
			c &^= 0x20
			inWord = true
		case c >= 'A' && c <= 'Z':
			if inWord {
				c |= 0x20
			}
			inWord = true
		default:
			inWord = c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendInitcapUTF8(dst, s []byte) []byte {
	inWord := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		i += n
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case word && !inWord:
			r = unicode.ToUpper(r)
		case word:
			r = unicode.ToLower(r)
		}
		inWord = word
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func appendFolded(dst, s []byte) []byte {
	for _, r := range string(s) {
		switch full, ok := fullUpper[r]; {
		case ok:
			dst = appendLowerUTF8(dst, []byte(full))
		case r == 'ς':
			dst = append(dst, "σ"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return dst
}
