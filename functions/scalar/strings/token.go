package strings

import (
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addTokens()

func addTokens() bool {
	for _, fold := range []bool{false, true} {
		for _, orNull := range []bool{false, true} {
			name, insensitive := "hasToken", false
			if fold {
				name, insensitive = "hasTokenCaseInsensitive", true
			}
			if orNull {
				name += "OrNull"
			}
			add(functions.Scalar{
				Name: name, CaseInsensitive: insensitive, MinArgs: 2, MaxArgs: 2,
				Doc:  functions.Doc{Syntax: name + "(haystack, token)", Summary: "Whether a token stands in a text between separators.", Examples: []string{"SELECT " + name + "('a b', 'b')"}},
				Bind: bindHasToken(name, fold, orNull),
			})
		}
	}
	add(functions.Scalar{
		Name: "tokens", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "tokens(s)", Summary: "The tokens of a text: runs of ASCII letters and digits and of other code points.", Examples: []string{"SELECT tokens('a, b')"}},
		Bind: bindSplitRuns("tokens", isTokenByte),
	})
	add(functions.Scalar{
		Name: "hasAnyTokens", Aliases: []string{"hasAnyToken"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hasAnyTokens(s, [token, …])", Summary: "Whether a text has any of the tokens.", Examples: []string{"SELECT hasAnyTokens('a b', ['b'])"}},
		Bind: bindHasTokens("hasAnyTokens", false),
	})
	return add(functions.Scalar{
		Name: "hasAllTokens", Aliases: []string{"hasAllToken"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hasAllTokens(s, [token, …])", Summary: "Whether a text has all of the tokens.", Examples: []string{"SELECT hasAllTokens('a b', ['b'])"}},
		Bind: bindHasTokens("hasAllTokens", true),
	})
}

func bindHasToken(name string, fold, orNull bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "sS", args); err != nil {
			return nil, err
		}
		token, ok := args[1].ConstString()
		if !ok {
			return nil, kernel.NotConst(name, 1)
		}
		bad := false
		for i := range len(token) {
			bad = bad || !isTokenByte(token[i])
		}
		result := types.UInt8
		if orNull {
			result = types.Nullable(types.UInt8)
		}
		if bad && !orNull {
			return nil, cherr.New(cherr.BadArguments, "Needle must not contain whitespace or separator characters")
		}
		m := searchModes[kernel.Bool(fold)]
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			if token == "" {
				return column.NewConst(noToken(orNull), rows), nil
			}
			if bad {
				return column.NewConst(column.Default(result, 1), rows), nil
			}
			in, s := kernel.Strings(args[0]), &searcher{searchMode: m}
			needle := s.foldNeedle([]byte(token))
			out := kernel.Each(rows, func(i int) uint8 { return kernel.Bool(hasToken(s.foldHay(in.At(i)), needle)) })
			if orNull {
				return column.NewNullable(out, nil), nil
			}
			return out, nil
		}), nil
	}
}

// noToken is the answer for an empty token: it stands nowhere.
func noToken(orNull bool) column.Column {
	out := column.Column(column.NewFixed([]uint8{0}))
	if orNull {
		out = column.NewNullable(out, []uint8{0})
	}
	return out
}

func hasToken(s, token []byte) bool {
	for from := 0; ; {
		at := bytes.Index(s[from:], token)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(token)
		if (at == 0 || !isTokenByte(s[at-1])) && (end == len(s) || !isTokenByte(s[end])) {
			return true
		}
		from = end
	}
}

func bindHasTokens(name string, all bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "sx", args); err != nil {
			return nil, err
		}
		if args[1].Const == nil {
			return nil, kernel.NotConst(name, 1)
		}
		var tokens [][]byte
		switch v := column.At(args[1].Const, 0).(type) {
		case string:
			splitRuns(isTokenByte)([]byte(v), func(part []byte) bool {
				tokens = append(tokens, part)
				return true
			})
		case column.Row:
			for _, e := range v {
				t, ok := e.(string)
				if !ok {
					return nil, kernel.WrongType(name, 1, args[1].Type)
				}
				tokens = append(tokens, []byte(t))
			}
		default:
			return nil, kernel.WrongType(name, 1, args[1].Type)
		}
		return kernel.Fn(types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Strings(args[0])
			return kernel.Each(rows, func(i int) uint8 {
				found := 0
				for _, t := range tokens {
					found += int(kernel.Bool(hasToken(in.At(i), t)))
				}
				return kernel.Bool(found > 0 && (!all || found == len(tokens)))
			}), nil
		}), nil
	}
}

var _ = addSubsequences()

func addSubsequences() bool {
	for _, m := range searchModes {
		name := "hasSubsequence" + m.suffix
		add(functions.Scalar{
			Name: name, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: name + "(haystack, needle)", Summary: "Whether the characters of a string occur in another in their order.", Examples: []string{"SELECT " + name + "('garbage', 'arg')"}},
			Bind: kernel.Typed(name, "s", types.UInt8, func(args []column.Column, rows int) (column.Column, error) {
				hay, needle := kernel.Strings(args[0]), kernel.Strings(args[1])
				s := &searcher{searchMode: m}
				return kernel.Each(rows, func(i int) uint8 {
					h, n := s.foldHay(hay.At(i)), s.foldNeedle(needle.At(i))
					for _, c := range h {
						if len(n) > 0 && n[0] == c {
							n = n[1:]
						}
					}
					return kernel.Bool(len(n) == 0)
				}), nil
			}),
		})
	}
	return true
}
