package json

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addJSONPath("JSON_EXISTS", "Whether a JSONPath finds anything.", types.UInt8)
	_ = addJSONPath("JSON_VALUE", "The first scalar that a JSONPath finds.", types.String)
	_ = addJSONPath("JSON_QUERY", "What a JSONPath finds, as an array.", types.String)
)

// pathStep is one step of a JSONPath: a member, or ranges of elements.
type pathStep struct {
	member string
	ranges [][2]int // half-open
	all    bool     // [*]
}

func parseJSONPath(s string) ([]pathStep, error) {
	bad := func() ([]pathStep, error) {
		return nil, cherr.New(cherr.BadArguments, "Unable to parse JSONPath %s", s)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "$")
	if !ok {
		return bad()
	}
	var out []pathStep
	for rest != "" {
		switch {
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			name := strings.Trim(rest[1:1+end], `"`)
			if name == "" {
				return bad()
			}
			out = append(out, pathStep{member: name})
			rest = rest[1+end:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return bad()
			}
			step, ok := parseBrackets(strings.TrimSpace(rest[1:end]))
			if !ok {
				return bad()
			}
			out = append(out, step)
			rest = rest[end+1:]
		default:
			return bad()
		}
	}
	return out, nil
}

func parseBrackets(s string) (pathStep, bool) {
	if s == "*" {
		return pathStep{all: true}, true
	}
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return pathStep{member: s[1 : len(s)-1]}, true
	}
	var step pathStep
	for _, part := range strings.Split(s, ",") {
		from, to, isRange := strings.Cut(part, " to ")
		lo, err := strconv.Atoi(strings.TrimSpace(from))
		if err != nil {
			return step, false
		}
		hi := lo + 1
		if isRange {
			if hi, err = strconv.Atoi(strings.TrimSpace(to)); err != nil {
				return step, false
			}
		}
		step.ranges = append(step.ranges, [2]int{lo, hi})
	}
	return step, true
}

// find calls f for each value that the path leads to.
func find(node []byte, steps []pathStep, f func(node []byte)) {
	if len(steps) == 0 {
		f(node)
		return
	}
	s, rest := steps[0], steps[1:]
	if s.member != "" {
		p := path{}
		if v, _, ok := p.member(node, []byte(s.member)); ok {
			find(v, rest, f)
		}
		return
	}
	if node[0] != '[' {
		return
	}
	n := 0
	each(node, func(_, v []byte) bool {
		for _, r := range s.ranges {
			if n >= r[0] && n < r[1] {
				find(v, rest, f)
			}
		}
		if s.all {
			find(v, rest, f)
		}
		n++
		return true
	})
}

func addJSONPath(name, summary string, result *types.Type) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(json, path)", Summary: summary, Examples: []string{"SELECT " + name + `('{"a": 1}', '$.a')`}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "S", args); err != nil {
				return nil, err
			}
			text, ok := args[1].ConstString()
			if !ok {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "The second argument (JSONPath) of function %s must be constant string", name)
			}
			steps, err := parseJSONPath(text)
			if err != nil {
				return nil, err
			}
			complexValues := env.Settings.Bool("function_json_value_return_type_allow_complex")
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				in := kernel.Strings(args[0])
				hits := func(i int, f func(node []byte)) {
					if doc, ok := document(in.At(i)); ok {
						find(doc, steps, f)
					}
				}
				switch name {
				case "JSON_EXISTS":
					return kernel.Each(rows, func(i int) uint8 {
						found := false
						hits(i, func([]byte) { found = true })
						return kernel.Bool(found)
					}), nil
				case "JSON_VALUE":
					return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendFirst(dst, i, complexValues, hits) }), nil
				}
				return kernel.EachStr(rows, func(dst []byte, i int) []byte { return appendHits(dst, i, hits) }), nil
			}), nil
		},
	})
}

func appendFirst(dst []byte, i int, complexValues bool, hits func(i int, f func(node []byte))) []byte {
	done := false
	hits(i, func(node []byte) {
		scalar := node[0] != '{' && node[0] != '['
		if !done && (scalar || complexValues) {
			done = true
			dst = appendText(dst, node)
		}
	})
	return dst
}

func appendHits(dst []byte, i int, hits func(i int, f func(node []byte))) []byte {
	n := 0
	hits(i, func(node []byte) {
		if n == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ", "...)
		}
		n++
		dst = compact.appendValue(dst, node, 0)
	})
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}
