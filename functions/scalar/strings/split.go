package strings

import (
	"bytes"
	"context"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// splitter hands the parts of s to emit, until emit says stop.
type splitter func(s []byte, emit func(part []byte) bool)

var (
	_ = add(functions.Scalar{
		Name: "splitByChar", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "splitByChar(sep, s[, max])", Summary: "The parts of a string between separators of one byte.", Examples: []string{"SELECT splitByChar(',', 'a,b')"}},
		Bind: bindSplitBy("splitByChar"),
	})
	_ = add(functions.Scalar{
		Name: "splitByString", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "splitByString(sep, s[, max])", Summary: "The parts of a string between separators; for an empty one its bytes.", Examples: []string{"SELECT splitByString(', ', 'a, b')"}},
		Bind: bindSplitBy("splitByString"),
	})
	_ = add(functions.Scalar{
		Name: "splitByRegexp", MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "splitByRegexp(pattern, s[, max])", Summary: "The parts of a string between matches of a regular expression.", Examples: []string{"SELECT splitByRegexp('\\\\d+', 'a12b')"}},
		Bind: bindSplitBy("splitByRegexp"),
	})
	_ = add(functions.Scalar{
		Name: "splitByWhitespace", MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "splitByWhitespace(s[, max])", Summary: "The parts of a string between white space.", Examples: []string{"SELECT splitByWhitespace(' a b ')"}},
		Bind: bindSplitRuns("splitByWhitespace", func(c byte) bool { return c != ' ' && (c < '\t' || c > '\r') }),
	})
	_ = add(functions.Scalar{
		Name: "splitByNonAlpha", MinArgs: 1, MaxArgs: 2,
		Doc: functions.Doc{Syntax: "splitByNonAlpha(s[, max])", Summary: "The parts of a string between white space and punctuation.", Examples: []string{"SELECT splitByNonAlpha('a, b!')"}},
		Bind: bindSplitRuns("splitByNonAlpha", func(c byte) bool {
			return c != ' ' && (c < '\t' || c > '\r') && !isPunctuation(c)
		}),
	})
	_ = add(functions.Scalar{
		Name: "alphaTokens", Aliases: []string{"splitByAlpha"}, MinArgs: 1, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "alphaTokens(s[, max])", Summary: "The runs of ASCII letters.", Examples: []string{"SELECT alphaTokens('ab1c')"}},
		Bind: bindSplitRuns("alphaTokens", func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }),
	})
	_ = add(functions.Scalar{
		Name: "ngrams", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "ngrams(s, n)", Summary: "All runs of n code points.", Examples: []string{"SELECT ngrams('abcd', 3)"}},
		Bind: bindNgrams,
	})
)

func isPunctuation(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

func splitBytes(sep []byte) splitter {
	return func(s []byte, emit func(part []byte) bool) {
		for {
			at := bytes.Index(s, sep)
			if at < 0 {
				emit(s)
				return
			}
			if !emit(s[:at]) {
				return
			}
			s = s[at+len(sep):]
		}
	}
}

func splitEach(s []byte, emit func(part []byte) bool) {
	for i := range s {
		if !emit(s[i : i+1]) {
			return
		}
	}
}

func splitRegexp(p *pattern) splitter {
	return func(s []byte, emit func(part []byte) bool) {
		for {
			m := p.re.FindIndex(s)
			if m == nil || m[1] == m[0] {
				emit(s)
				return
			}
			if !emit(s[:m[0]]) {
				return
			}
			s = s[m[1]:]
		}
	}
}

func bindSplitBy(name string) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "Ssi", args); err != nil {
			return nil, err
		}
		sep, ok := args[0].ConstString()
		if !ok {
			return nil, kernel.NotConst(name, 0)
		}
		split := splitter(splitEach)
		switch {
		case name == "splitByChar":
			if len(sep) != 1 {
				return nil, cherr.New(cherr.BadArguments, "Illegal separator for function splitByChar. Must be exactly one byte")
			}
			split = splitBytes([]byte(sep))
		case sep == "":
		case name == "splitByString":
			split = splitBytes([]byte(sep))
		default:
			p, err := compile(sep, false)
			if err != nil {
				return nil, err
			}
			split = splitRegexp(p)
		}
		return kernel.Fn(types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
			return splitRows(kernel.Strings(args[1]), args[2:], rows, split), nil
		}), nil
	}
}

// splitRows splits all rows; limits is empty or holds the most parts a row may
// have (0: any number).
func splitRows(in kernel.Strs, limits []column.Column, rows int, split splitter) column.Column {
	most := kernel.Integers(column.NewConst(column.NewFixed([]uint8{0}), rows))
	if len(limits) > 0 {
		most = kernel.Integers(limits[0])
	}
	out := kernel.NewStrArray(rows)
	for i := range rows {
		s, limit, n := in.At(i), most.At(i), int64(0)
		split(s, func(part []byte) bool {
			out.Elems.Append(part)
			n++
			return limit <= 0 || n < limit
		})
		out.End()
	}
	return out.Column()
}

func splitRuns(in func(c byte) bool) splitter {
	return func(s []byte, emit func(part []byte) bool) {
		for i := 0; i < len(s); {
			if !in(s[i]) {
				i++
				continue
			}
			from := i
			for i < len(s) && in(s[i]) {
				i++
			}
			if !emit(s[from:i]) {
				return
			}
		}
	}
}

func bindSplitRuns(name string, in func(c byte) bool) kernel.Bind {
	return kernel.Typed(name, "Si", types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		return splitRows(kernel.Strings(args[0]), args[1:], rows, splitRuns(in)), nil
	})
}

// isTokenByte: tokens are runs of ASCII letters and digits and of all bytes
// beyond ASCII.
func isTokenByte(c byte) bool {
	return c >= utf8.RuneSelf || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func bindNgrams(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("ngrams", "si", args); err != nil {
		return nil, err
	}
	n, ok := args[1].ConstInt()
	if !ok || n < 1 || n > 8 {
		return nil, cherr.New(cherr.BadArguments, "Ngrams argument size parameter must be between 1 and 8")
	}
	return kernel.Fn(types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), kernel.NewStrArray(rows)
		for i := range rows {
			s := in.At(i)
			for len(s) > 0 && countCodePoints(s) >= int(n) {
				out.Elems.Append(s[:codePointOffset(s, n)])
				s = s[codePointOffset(s, 1):]
			}
			out.End()
		}
		return out.Column(), nil
	}), nil
}

var _ = add(functions.Scalar{
	Name: "arrayStringConcat", AnyCase: []string{"array_to_string"}, MinArgs: 1, MaxArgs: 2,
	Doc:  functions.Doc{Syntax: "arrayStringConcat(arr[, separator])", Summary: "The texts of the elements, without NULLs, with a separator between them.", Examples: []string{"SELECT arrayStringConcat(['a', 'b'], ',')"}},
	Bind: bindArrayStringConcat,
})

func bindArrayStringConcat(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayStringConcat", "aS", args); err != nil {
		return nil, err
	}
	elem := types.Unwrap(args[0].Type.Elem())
	toText, err := kernel.Cast(env, elem, types.String)
	if err != nil && elem.Kind() != types.KindNothing {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		a := kernel.Arrays(args[0])
		values, null := column.SplitNulls(a.Elems)
		if _, none := values.(*column.Nothing); none {
			return column.NewConst(column.NewStr(""), rows), nil
		}
		text, err := toText.Apply(ctx, values)
		if err != nil {
			return nil, err
		}
		elems := kernel.Strings(text)
		separators := kernel.Strings(column.NewConst(column.NewStr(""), rows))
		if len(args) == 2 {
			separators = kernel.Strings(args[1])
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			first := true
			for e, to := a.Bounds(i); e < to; e++ {
				if null != nil && null[e] != 0 {
					continue
				}
				if !first {
					dst = append(dst, separators.At(i)...)
				}
				first = false
				dst = append(dst, elems.At(e)...)
			}
			return dst
		}), nil
	}}, nil
}
