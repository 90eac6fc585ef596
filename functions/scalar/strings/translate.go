package strings

import (
	"bytes"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "translate", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "translate(s, from, to)", Summary: "Each byte of from replaced by the one at its place in to, or dropped when to is shorter.", Examples: []string{"SELECT translate('hello', 'el', 'ip')"}},
		Bind: bindTranslate("translate", false),
	})
	_ = add(functions.Scalar{
		Name: "translateUTF8", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "translateUTF8(s, from, to)", Summary: "translate over code points.", Examples: []string{"SELECT translateUTF8('häl', 'ä', 'a')"}},
		Bind: bindTranslate("translateUTF8", true),
	})
	_ = add(functions.Scalar{
		Name: "appendTrailingCharIfAbsent", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "appendTrailingCharIfAbsent(s, c)", Summary: "A string that is not empty with a byte at its end if it is not there.", Examples: []string{"SELECT appendTrailingCharIfAbsent('a', '/')"}},
		Bind: kernel.Typed("appendTrailingCharIfAbsent", "S", types.String, trailing),
	})
	_ = add(functions.Scalar{
		Name: "toValidUTF8", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "toValidUTF8(s)", Summary: "Each run of bytes that is no UTF-8 replaced by U+FFFD.", Examples: []string{"SELECT toValidUTF8('a\\xffb')"}},
		Bind: kernel.StrToStr("toValidUTF8", func(dst, s []byte) []byte {
			return append(dst, bytes.ToValidUTF8(s, []byte("\uFFFD"))...)
		}),
	})
	_ = add(functions.Scalar{
		Name: "isValidUTF8", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "isValidUTF8(s)", Summary: "Whether a string is valid UTF-8.", Examples: []string{"SELECT isValidUTF8('a')"}},
		Bind: kernel.StrToFixed("isValidUTF8", types.UInt8, func(s []byte) uint8 { return kernel.Bool(utf8.Valid(s)) }),
	})
	_ = add(functions.Scalar{
		Name: "isValidASCII", Aliases: []string{"isASCII"}, MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "isValidASCII(s)", Summary: "Whether a string has ASCII bytes only.", Examples: []string{"SELECT isValidASCII('a')"}},
		Bind: kernel.StrToFixed("isValidASCII", types.UInt8, func(s []byte) uint8 {
			for _, c := range s {
				if c >= utf8.RuneSelf {
					return 0
				}
			}
			return 1
		}),
	})
	_ = add(functions.Scalar{
		Name: "firstLine", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "firstLine(s)", Summary: "The text before the first line end.", Examples: []string{"SELECT firstLine('a\\nb')"}},
		Bind: kernel.Typed("firstLine", "S", types.String, func(args []column.Column, rows int) (column.Column, error) {
			return kernel.Parts(kernel.Strings(args[0]), rows, func(_ int, s []byte) (int, int) {
				if at := bytes.IndexAny(s, "\r\n"); at >= 0 {
					return 0, at
				}
				return 0, len(s)
			}), nil
		}),
	})
)

func trailing(args []column.Column, rows int) (column.Column, error) {
	in, ends := kernel.Strings(args[0]), kernel.Strings(args[1])
	for i := range rows {
		if len(ends.At(i)) != 1 {
			return nil, cherr.New(cherr.BadArguments, "Second argument of function appendTrailingCharIfAbsent must be a one-character string")
		}
	}
	return kernel.EachStr(rows, func(dst []byte, i int) []byte {
		s := in.At(i)
		dst = append(dst, s...)
		if c := ends.At(i)[0]; len(s) > 0 && s[len(s)-1] != c {
			dst = append(dst, c)
		}
		return dst
	}), nil
}

func bindTranslate(name string, points bool) kernel.Bind {
	return kernel.Typed(name, "sSS", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, from, to := kernel.Strings(args[0]), kernel.Strings(args[1]), kernel.Strings(args[2])
		var table map[rune]rune
		var failed error
		out := kernel.EachStr(rows, func(dst []byte, i int) []byte {
			if table == nil || !from.Const() || !to.Const() {
				if table, failed = translation(name, from.At(i), to.At(i), points); failed != nil {
					return dst
				}
			}
			return appendTranslated(dst, in.At(i), table, points)
		})
		return out, failed
	})
}

func units32(s []byte, points bool) []rune {
	if points {
		return []rune(string(s))
	}
	out := make([]rune, len(s))
	for i, c := range s {
		out[i] = rune(c)
	}
	return out
}

// translation maps each unit of from; -1 drops it.
func translation(name string, from, to []byte, points bool) (map[rune]rune, error) {
	f, t := units32(from, points), units32(to, points)
	if len(t) > len(f) {
		return nil, cherr.New(cherr.BadArguments, "Second argument of function %s must not be shorter than the third argument", name)
	}
	table := map[rune]rune{}
	for i, r := range f {
		if _, ok := table[r]; ok {
			continue
		}
		table[r] = -1
		if i < len(t) {
			table[r] = t[i]
		}
	}
	return table, nil
}

func appendTranslated(dst, s []byte, table map[rune]rune, points bool) []byte {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if points {
			r, n = utf8.DecodeRune(s[i:])
		}
		by, ok := table[r]
		switch {
		case !ok:
			dst = append(dst, s[i:i+n]...)
		case by < 0:
		case points:
			dst = utf8.AppendRune(dst, by)
		default:
			dst = append(dst, byte(by))
		}
		i += n
	}
	return dst
}
