package strings

import (
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "replaceAll", AnyCase: []string{"replace"}, MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "replaceAll(s, what, by)", Summary: "Every occurrence of a text replaced.", Examples: []string{"SELECT replaceAll('a-b-c', '-', '+')"}},
		Bind: bindReplace("replaceAll", -1),
	})
	_ = add(functions.Scalar{
		Name: "replaceOne", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "replaceOne(s, what, by)", Summary: "The first occurrence of a text replaced.", Examples: []string{"SELECT replaceOne('a-b-c', '-', '+')"}},
		Bind: bindReplace("replaceOne", 1),
	})
	_ = add(functions.Scalar{
		Name: "replaceRegexpAll", AnyCase: []string{"REGEXP_REPLACE"}, MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "replaceRegexpAll(s, pattern, by)", Summary: "Every match of a regular expression replaced; \\0 … \\9 in the replacement stand for the match and its groups.", Examples: []string{"SELECT replaceRegexpAll('abc', '[ab]', '<\\\\0>')"}},
		Bind: bindReplaceRegexp("replaceRegexpAll", false),
	})
	_ = add(functions.Scalar{
		Name: "replaceRegexpOne", MinArgs: 3, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "replaceRegexpOne(s, pattern, by)", Summary: "The first match of a regular expression replaced.", Examples: []string{"SELECT replaceRegexpOne('abc', '[ab]', '-')"}},
		Bind: bindReplaceRegexp("replaceRegexpOne", true),
	})
)

func bindReplace(name string, limit int) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.IsEnum() {
			return kernel.OverText(env, name, args)
		}
		if err := kernel.Check(name, "s", args); err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			in, what, by := kernel.Strings(args[0]), kernel.Strings(args[1]), kernel.Strings(args[2])
			if err := roomToReplace(ctx, in, what, by, rows); err != nil {
				return nil, err
			}
			return kernel.EachStr(rows, func(dst []byte, i int) []byte {
				return appendReplaced(dst, in.At(i), what.At(i), by.At(i), limit)
			}), nil
		}}, nil
	}
}

// countedReplaced is how large a result must be able to get before occurrences
// are counted to learn its size.
const countedReplaced = 64 << 20

// roomToReplace asks for room where a replacement longer than what it stands
// for makes a column many times larger.
func roomToReplace(ctx context.Context, in, what, by kernel.Strs, rows int) error {
	most := 0
	for i := range rows {
		most += len(in.At(i)) / max(len(what.At(i)), 1) * len(by.At(i))
	}
	if most < countedReplaced {
		return nil
	}
	most = 0
	for i := range rows {
		if w := what.At(i); len(w) > 0 {
			most += len(in.At(i)) + bytes.Count(in.At(i), w)*max(len(by.At(i))-len(w), 0)
		}
	}
	return expr.Room(ctx, int64(most))
}

func appendReplaced(dst, s, what, by []byte, limit int) []byte {
	if len(what) == 0 {
		return append(dst, s...)
	}
	for ; limit != 0; limit-- {
		at := bytes.Index(s, what)
		if at < 0 {
			break
		}
		dst = append(append(dst, s[:at]...), by...)
		s = s[at+len(what):]
	}
	return append(dst, s...)
}

func bindReplaceRegexp(name string, once bool) kernel.Bind {
	return kernel.Typed(name, "s", types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, exprs, by := kernel.Strings(args[0]), kernel.Strings(args[1]), kernel.Strings(args[2])
		var cache patterns
		var r replacement
		var places []int
		var failed error
		out := kernel.EachStr(rows, func(dst []byte, i int) []byte {
			p, err := cache.get(exprs.Str(i))
			if err == nil && (i == 0 || !by.Const() || !exprs.Const()) {
				r, err = parseReplacement(by.At(i), p)
			}
			if err != nil {
				failed = err
				return dst
			}
			return r.append(dst, in.At(i), p, once, &places)
		})
		return out, failed
	})
}

// replacement is text and group numbers in turn; group -1 is no group.
type replacement []struct {
	text  []byte
	group int
}

func parseReplacement(by []byte, p *pattern) (replacement, error) {
	var r replacement
	var text []byte
	for i := 0; i < len(by); i++ {
		if by[i] == '\\' && i+1 < len(by) {
			n := by[i+1]
			if n >= '0' && n <= '9' {
				if g := int(n - '0'); g > p.re.NumSubexp() {
					return nil, cherr.New(cherr.BadArguments, "Substitution '%s' in replacement argument is invalid, regexp has only %d capturing groups", by[i:i+2], p.re.NumSubexp())
				}
				r = append(r, struct {
					text  []byte
					group int
				}{text, int(n - '0')})
				text = nil
				i++
				continue
			}
			if n == '\\' {
				i++
			}
		}
		text = append(text, by[i])
	}
	return append(r, struct {
		text  []byte
		group int
	}{text, -1}), nil
}

// append appends s with its matches replaced; places is room for one.
func (r replacement) append(dst, s []byte, p *pattern, once bool, places *[]int) []byte {
	if p.empty || !p.mayMatch(s) {
		return append(dst, s...)
	}
	limit := -1
	if once {
		limit = 1
	}
	if p.line != nil { // it matches at the start only, so once
		m, matched, done := p.line.find(s, *places)
		*places = m
		if done && !matched {
			return append(dst, s...)
		}
		if done {
			return append(r.appendOne(dst, s, m), s[m[1]:]...)
		}
	}
	done := 0
	for _, m := range p.re.FindAllSubmatchIndex(s, limit) {
		dst = r.appendOne(append(dst, s[done:m[0]]...), s, m)
		done = m[1]
	}
	return append(dst, s[done:]...)
}

// appendOne appends what stands for one match.
func (r replacement) appendOne(dst, s []byte, m []int) []byte {
	for _, piece := range r {
		dst = append(dst, piece.text...)
		if g := piece.group; g >= 0 && m[2*g] >= 0 {
			dst = append(dst, s[m[2*g]:m[2*g+1]]...)
		}
	}
	return dst
}
