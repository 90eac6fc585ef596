package strings

import (
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
		Name: "concat", CaseInsensitive: true, MinArgs: 0, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "concat(a, b, …)", Summary: "The texts of the arguments one after the other; arrays, maps and tuples are joined as such.", Examples: []string{"SELECT concat('a', 1)"}},
		Bind: bindConcat,
	})
	_ = add(functions.Scalar{
		Name: "concatAssumeInjective", MinArgs: 0, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "concatAssumeInjective(a, b, …)", Summary: "concat, promising that different arguments give different results.", Examples: []string{"SELECT concatAssumeInjective('a', 'b')"}},
		Bind: bindConcat,
	})
	_ = add(functions.Scalar{
		Name: "concatWithSeparator", AnyCase: []string{"concat_ws"}, MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "concatWithSeparator(sep, a, b, …)", Summary: "The texts of the arguments with a separator between them.", Examples: []string{"SELECT concatWithSeparator(',', 'a', 'b')"}},
		Bind: bindConcatWithSeparator,
	})
	_ = add(functions.Scalar{
		Name: "concatWithSeparatorAssumeInjective", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "concatWithSeparatorAssumeInjective(sep, a, b, …)", Summary: "concatWithSeparator, promising that different arguments give different results.", Examples: []string{"SELECT concatWithSeparatorAssumeInjective(',', 'a', 'b')"}},
		Bind: bindConcatWithSeparator,
	})
)

func bindConcat(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if len(args) > 0 {
		joined := map[types.Kind]string{types.KindArray: "arrayConcat", types.KindMap: "mapConcat", types.KindTuple: "tupleConcat"}[args[0].Type.Kind()]
		same := joined != ""
		for _, a := range args {
			same = same && a.Type.Kind() == args[0].Type.Kind()
		}
		if same {
			return env.Registry.BindScalar(env, joined, args)
		}
	}
	texts, err := kernel.BindTexts(env, args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, err := texts.Read(ctx, args)
		if err != nil {
			return nil, err
		}
		return joinAll(in, nil, rows), nil
	}}, nil
}

func joinAll(in []kernel.Strs, separator *kernel.Strs, rows int) column.Column {
	size := 0
	for _, s := range in {
		for _, l := range s.Col.Lns {
			size += int(l)
		}
	}
	out := kernel.NewStr(rows, size)
	for i := range rows {
		from := len(out.Data)
		for k, s := range in {
			if k > 0 && separator != nil {
				out.Data = append(out.Data, separator.At(i)...)
			}
			out.Data = append(out.Data, s.At(i)...)
		}
		out.Seal(from)
	}
	return out
}

func bindConcatWithSeparator(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if !args[0].Type.IsString() {
		return nil, kernel.WrongType("concatWithSeparator", 0, args[0].Type)
	}
	texts, err := kernel.BindTexts(env, args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, err := texts.Read(ctx, args)
		if err != nil {
			return nil, err
		}
		return joinAll(in[1:], &in[0], rows), nil
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "format", MinArgs: 1, MaxArgs: -1,
	Doc:  functions.Doc{Syntax: "format(pattern, a, b, …)", Summary: "The pattern with {} or {n} replaced by the arguments; {{ and }} stand for braces.", Examples: []string{"SELECT format('{1} {0}', 'a', 'b')"}},
	Bind: bindFormat,
})

func bindFormat(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	pattern, ok := args[0].ConstString()
	if !args[0].Type.IsString() {
		return nil, kernel.WrongType("format", 0, args[0].Type)
	}
	if !ok {
		return nil, kernel.NotConst("format", 0)
	}
	pieces, err := parseFormat(pattern, len(args)-1)
	if err != nil {
		return nil, err
	}
	texts, err := kernel.BindTexts(env, args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, err := texts.Read(ctx, args)
		if err != nil {
			return nil, err
		}
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			for _, p := range pieces {
				dst = append(dst, p.text...)
				if p.arg >= 0 {
					dst = append(dst, in[p.arg+1].At(i)...)
				}
			}
			return dst
		}), nil
	}}, nil
}

// formatPiece is text and then an argument, -1 for none.
type formatPiece struct {
	text string
	arg  int
}

func parseFormat(pattern string, n int) ([]formatPiece, error) { // long: a small automaton
	bad := func(msg string) ([]formatPiece, error) {
		return nil, cherr.New(cherr.BadArguments, "%s in the pattern of function format", msg)
	}
	var out []formatPiece
	var text []byte
	next, plain, numbered := 0, false, false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		doubled := i+1 < len(pattern) && pattern[i+1] == c
		switch {
		case (c == '{' || c == '}') && doubled:
			text = append(text, c)
			i++
		case c == '}':
			return bad("Closed curly brace isn't opened")
		case c == '{':
			arg, digits := 0, 0
			for i++; i < len(pattern) && pattern[i] != '}'; i++ {
				if pattern[i] < '0' || pattern[i] > '9' {
					return bad("Not a number in curly braces")
				}
				arg = arg*10 + int(pattern[i]-'0')
				if digits++; digits > 3 {
					return bad("Too big number for arguments")
				}
			}
			if i == len(pattern) {
				return bad("Last brace is not closed")
			}
			if digits == 0 {
				arg, next, plain = next, next+1, true
			} else {
				numbered = true
			}
			if plain && numbered {
				return bad("Cannot switch between automatic field numbering and manual field specification")
			}
			if arg >= n {
				return bad("Argument is too big for formatting")
			}
			out = append(out, formatPiece{string(text), arg})
			text = text[:0]
		default:
			text = append(text, c)
		}
	}
	return append(out, formatPiece{string(text), -1}), nil
}
