package strings

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "substringIndex", AnyCase: []string{"SUBSTRING_INDEX"}, MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "substringIndex(s, delimiter, n)", Summary: "The text before the n-th delimiter, or after the n-th from the end if negative.", Examples: []string{"SELECT substringIndex('www.a.com', '.', 2)"}},
		Bind: bindSubstringIndex("substringIndex"),
	})
	_ = add(functions.Scalar{
		Name: "substringIndexUTF8", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "substringIndexUTF8(s, delimiter, n)", Summary: "substringIndex for UTF-8 text.", Examples: []string{"SELECT substringIndexUTF8('aäb', 'ä', 1)"}},
		Bind: bindSubstringIndex("substringIndexUTF8"),
	})
	_ = add(functions.Scalar{
		Name: "regexpQuoteMeta", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "regexpQuoteMeta(s)", Summary: "A backslash before each character that means something in a regular expression.", Examples: []string{"SELECT regexpQuoteMeta('a.b')"}},
		Bind: kernel.StrToStr("regexpQuoteMeta", func(dst, s []byte) []byte {
			for _, c := range s {
				switch {
				case c == 0:
					dst = append(dst, `\0`...)
					continue
				case bytes.IndexByte([]byte(`\|()^$.[]?*+{:-`), c) >= 0:
					dst = append(dst, '\\')
				}
				dst = append(dst, c)
			}
			return dst
		}),
	})
	_ = add(functions.Scalar{
		Name: "soundex", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "soundex(s)", Summary: "Soundex code of a name.", Examples: []string{"SELECT soundex('Robert')"}},
		Bind: kernel.StrToStr("soundex", appendSoundex),
	})
)

func bindSubstringIndex(name string) kernel.Bind {
	bind := kernel.Typed(name, "SSi", types.String, substringIndexes)
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		f, err := bind(env, args)
		if err != nil {
			return nil, err
		}
		delimiter, ok := args[1].ConstString()
		if !ok {
			return nil, kernel.NotConst(name, 1)
		}
		n := len(delimiter)
		if strings.HasSuffix(name, "UTF8") {
			n = utf8.RuneCountInString(delimiter)
		}
		if n != 1 {
			return nil, cherr.New(cherr.BadArguments, "Argument delim for function %s should be a single character, got '%s'", name, delimiter)
		}
		return f, nil
	}
}

func substringIndexes(args []column.Column, rows int) (column.Column, error) {
	delimiters, counts := kernel.Strings(args[1]), kernel.Integers(args[2])
	return kernel.Parts(kernel.Strings(args[0]), rows, func(i int, s []byte) (int, int) {
		return indexRange(s, delimiters.At(i), counts.At(i))
	}), nil
}

func indexRange(s, delimiter []byte, n int64) (from, to int) {
	if len(delimiter) == 0 || n == 0 {
		return 0, 0
	}
	if n > 0 {
		for pos := 0; ; n-- {
			at := bytes.Index(s[pos:], delimiter)
			switch {
			case at < 0:
				return 0, len(s)
			case n == 1:
				return 0, pos + at
			}
			pos += at + len(delimiter)
		}
	}
	for end := len(s); ; n++ {
		at := bytes.LastIndex(s[:end], delimiter)
		switch {
		case at < 0:
			return 0, len(s)
		case n == -1:
			return at + len(delimiter), len(s)
		}
		end = at
	}
}

// appendSoundex codes letters by sound; any silent letter parts equal codes.
func appendSoundex(dst, s []byte) []byte {
	const codes = "01230120022455012623010202" // a … z; 0 is silent
	from, last := len(dst), byte(0)
	for _, c := range s {
		l := c | 0x20
		if l < 'a' || l > 'z' || c < 'A' {
			continue
		}
		code := codes[l-'a']
		switch {
		case len(dst) == from:
			dst = append(dst, l&^0x20)
		case code != '0' && code != last:
			dst = append(dst, code)
		}
		if last = code; len(dst) == from+4 {
			return dst
		}
	}
	for len(dst) < from+4 {
		dst = append(dst, '0')
	}
	return dst
}
