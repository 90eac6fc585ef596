package strings

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "match", AnyCase: []string{"REGEXP_MATCHES"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "match(s, pattern)", Summary: "Whether a regular expression (RE2) occurs in a string.", Examples: []string{"SELECT match('abc', 'b.')"}},
		Bind: bindMatch("match", false, false),
	})
	_ = add(functions.Scalar{
		Name: "notMatch", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "notMatch(s, pattern)", Summary: "The opposite of match.", Examples: []string{"SELECT notMatch('abc', 'b.')"}},
		Bind: bindMatch("notMatch", false, true),
	})
	_ = add(functions.Scalar{
		Name: "matchCaseInsensitive", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "matchCaseInsensitive(s, pattern)", Summary: "match without regard to case.", Examples: []string{"SELECT matchCaseInsensitive('ABC', 'b.')"}},
		Bind: bindMatch("matchCaseInsensitive", true, false),
	})
	_ = add(functions.Scalar{
		Name: "notMatchCaseInsensitive", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "notMatchCaseInsensitive(s, pattern)", Summary: "The opposite of matchCaseInsensitive.", Examples: []string{"SELECT notMatchCaseInsensitive('ABC', 'b.')"}},
		Bind: bindMatch("notMatchCaseInsensitive", true, true),
	})
)

func bindMatch(name string, fold, negate bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.IsEnum() {
			return kernel.OverText(env, name, args)
		}
		if err := kernel.Check(name, "ss", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			hay, exprs := kernel.Strings(args[0]), kernel.Strings(args[1])
			cache := patterns{fold: fold}
			out := make([]uint8, rows)
			for i := range out {
				p, err := cache.get(exprs.Str(i))
				if err != nil {
					return nil, err
				}
				if exprs.Const() && p.plain {
					containsText(hay, p.required, out)
					break
				}
				out[i] = kernel.Bool(p.match(hay.At(i)))
			}
			for i := range out {
				if negate {
					out[i] ^= 1
				}
			}
			return column.NewFixed(out), nil
		}), nil
	}
}

var (
	_ = add(functions.Scalar{
		Name: "multiMatchAny", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "multiMatchAny(s, [pattern, …])", Summary: "Whether any of the regular expressions occurs.", Examples: []string{"SELECT multiMatchAny('abc', ['x', 'b'])"}},
		Bind: bindMultiMatch("multiMatchAny", types.UInt8, func(s []byte, ps []*pattern) uint8 { return kernel.Bool(firstMatch(s, ps) > 0) }),
	})
	_ = add(functions.Scalar{
		Name: "multiMatchAnyIndex", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "multiMatchAnyIndex(s, [pattern, …])", Summary: "Index, from 1, of a regular expression that occurs; 0 for none.", Examples: []string{"SELECT multiMatchAnyIndex('abc', ['x', 'b'])"}},
		Bind: bindMultiMatch("multiMatchAnyIndex", types.UInt64, func(s []byte, ps []*pattern) uint64 { return uint64(firstMatch(s, ps)) }),
	})
	_ = add(functions.Scalar{
		Name: "multiMatchAllIndices", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "multiMatchAllIndices(s, [pattern, …])", Summary: "Indexes, from 1, of all the regular expressions that occur.", Examples: []string{"SELECT multiMatchAllIndices('abc', ['a', 'x', 'b'])"}},
		Bind: bindMultiMatchAll,
	})
)

func firstMatch(s []byte, ps []*pattern) int {
	for n, p := range ps {
		if p.match(s) {
			return n + 1
		}
	}
	return 0
}

func eachPatterns(args []column.Column, rows int, f func(i int, s []byte, ps []*pattern)) error {
	hay, arr := kernel.Strings(args[0]), kernel.Arrays(args[1])
	if _, none := arr.Elems.(*column.Nothing); none {
		for i := range rows {
			f(i, hay.At(i), nil)
		}
		return nil
	}
	elems := kernel.Strings(arr.Elems)
	cache := patterns{}
	var ps []*pattern
	for i := range rows {
		if i == 0 || !arr.Const() {
			ps = ps[:0]
			for e, to := arr.Bounds(i); e < to; e++ {
				p, err := cache.get(elems.Str(e))
				if err != nil {
					return err
				}
				ps = append(ps, p)
			}
		}
		f(i, hay.At(i), ps)
	}
	return nil
}

func bindMultiMatch[T column.Element](name string, result *types.Type, answer func(s []byte, ps []*pattern) T) kernel.Bind {
	return kernel.Typed(name, "sa", result, func(args []column.Column, rows int) (column.Column, error) {
		out := make([]T, rows)
		err := eachPatterns(args, rows, func(i int, s []byte, ps []*pattern) { out[i] = answer(s, ps) })
		return column.NewFixed(out), err
	})
}

func bindMultiMatchAll(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("multiMatchAllIndices", "sa", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.Array(types.UInt64), func(args []column.Column, rows int) (column.Column, error) {
		out := kernel.NewNumArray[uint64](rows)
		err := eachPatterns(args, rows, func(_ int, s []byte, ps []*pattern) {
			for n, p := range ps {
				if p.match(s) {
					out.Elems = append(out.Elems, uint64(n+1))
				}
			}
			out.End()
		})
		return out.Column(), err
	}), nil
}
