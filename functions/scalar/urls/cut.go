package urls

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addCuts()

func addCuts() bool {
	for _, p := range []struct {
		name, summary string
		f             part // what is cut out
	}{
		{"cutWWW", "The URL without www. before its host.", func(u []byte) (int, int) {
			from, sure := hostStart(u)
			if sure && bytes.HasPrefix(u[from:], []byte("www.")) {
				return from, from + 4
			}
			return 0, 0
		}},
		{"cutQueryString", "The URL without question mark and query.", func(u []byte) (int, int) {
			at := bytes.IndexAny(u, "?#")
			if at < 0 || u[at] == '#' {
				return 0, 0
			}
			_, to := queryString(u)
			return at, to
		}},
		{"cutFragment", "The URL without number sign and fragment.", func(u []byte) (int, int) {
			if at := bytes.IndexByte(u, '#'); at >= 0 {
				return at, len(u)
			}
			return 0, 0
		}},
		{"cutQueryStringAndFragment", "The URL without query and fragment.", func(u []byte) (int, int) {
			if at := bytes.IndexAny(u, "?#"); at >= 0 {
				return at, len(u)
			}
			return 0, 0
		}},
	} {
		add(functions.Scalar{
			Name: p.name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: p.name + "(url)", Summary: p.summary, Examples: []string{"SELECT " + p.name + "('http://www.example.com/?a=1#b')"}},
			Bind: kernel.StrToStr(p.name, func(dst, s []byte) []byte {
				from, to := p.f(s)
				return append(append(dst, s[:from]...), s[to:]...)
			}),
		})
	}
	return true
}

var (
	_ = add(functions.Scalar{
		Name: "extractURLParameter", MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: "extractURLParameter(url, name)", Summary: "The value of a parameter, empty when it is not there.", Examples: []string{"SELECT extractURLParameter('http://e.com/?a=1', 'a')"}},
		Bind: kernel.Typed("extractURLParameter", "S", types.String, func(args []column.Column, rows int) (column.Column, error) {
			names := kernel.Strings(args[1])
			return kernel.Parts(kernel.Strings(args[0]), rows, func(i int, s []byte) (int, int) {
				_, from, to := parameter(s, names.At(i))
				return from, to
			}), nil
		}),
	})
	_ = add(functions.Scalar{
		Name: "cutURLParameter", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "cutURLParameter(url, name | [name, …])", Summary: "The URL without some parameters.", Examples: []string{"SELECT cutURLParameter('http://e.com/?a=1&b=2', 'a')"}},
		Bind: bindCutParameter,
	})
	_ = add(functions.Scalar{
		Name: "extractURLParameters", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "extractURLParameters(url)", Summary: "All name=value pairs.", Examples: []string{"SELECT extractURLParameters('http://e.com/?a=1&b=2')"}},
		Bind: bindParameters("extractURLParameters", func(p []byte) []byte { return p }),
	})
	_ = add(functions.Scalar{
		Name: "extractURLParameterNames", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "extractURLParameterNames(url)", Summary: "The names of all parameters.", Examples: []string{"SELECT extractURLParameterNames('http://e.com/?a=1&b=2')"}},
		Bind: bindParameters("extractURLParameterNames", func(p []byte) []byte {
			name, _, _ := bytes.Cut(p, []byte("="))
			return name
		}),
	})
)

// parameter finds name=value after a ?, & or #: where the name starts and the
// place of the value.
func parameter(u, name []byte) (start, from, to int) {
	at := bytes.IndexAny(u, "?#")
	if at < 0 {
		return 0, 0, 0
	}
	for i := at; i < len(u); i++ {
		if c := u[i]; c != '?' && c != '&' && c != '#' {
			continue
		}
		rest := u[i+1:]
		if bytes.HasPrefix(rest, name) && len(rest) > len(name) && rest[len(name)] == '=' {
			from = i + 1 + len(name) + 1
			to = from
			for to < len(u) && u[to] != '&' && u[to] != '#' {
				to++
			}
			return i + 1, from, to
		}
	}
	return 0, 0, 0
}

// appendWithout takes a parameter out, with the & that joined it.
func appendWithout(dst, u, name []byte) []byte {
	start, _, to := parameter(u, name)
	if to == 0 {
		return append(dst, u...)
	}
	if to < len(u) && u[to] == '&' {
		to++
	} else if u[start-1] == '&' {
		start--
	}
	return append(append(dst, u[:start]...), u[to:]...)
}

func bindCutParameter(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[1].Type.Kind() != types.KindArray {
		return kernel.Typed("cutURLParameter", "S", types.String, func(args []column.Column, rows int) (column.Column, error) {
			in, names := kernel.Strings(args[0]), kernel.Strings(args[1])
			return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendWithout(dst, in.At(i), names.At(i)) }), nil
		})(nil, args)
	}
	if err := kernel.Check("cutURLParameter", "Sa", args); err != nil {
		return nil, err
	}
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in, names := kernel.Strings(args[0]), kernel.Arrays(args[1])
		if _, none := names.Elems.(*column.Nothing); none {
			return args[0], nil
		}
		elems := kernel.Strings(names.Elems)
		var now, next []byte
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			now = append(now[:0], in.At(i)...)
			for e, to := names.Bounds(i); e < to; e++ {
				next = appendWithout(next[:0], now, elems.At(e))
				now, next = next, now
			}
			return append(dst, now...)
		}), nil
	}), nil
}

func bindParameters(name string, f func(p []byte) []byte) kernel.Bind {
	return kernel.Typed(name, "S", types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), kernel.NewStrArray(rows)
		for i := range rows {
			u := in.At(i)
			if at := bytes.IndexAny(u, "?#"); at >= 0 {
				appendParameters(&out.Elems, u[at+1:], f)
			}
			out.End()
		}
		return out.Column(), nil
	})
}

// appendParameters takes what ends with & or #, and what has a = in it.
func appendParameters(out *column.Str, u []byte, f func(p []byte) []byte) {
	for len(u) > 0 {
		end := bytes.IndexAny(u, "=&#")
		if end < 0 {
			return
		}
		if u[end] == '=' {
			rest := bytes.IndexAny(u[end:], "&#")
			if rest < 0 {
				out.Append(f(u))
				return
			}
			end += rest
		}
		out.Append(f(u[:end]))
		u = u[end+1:]
	}
}
