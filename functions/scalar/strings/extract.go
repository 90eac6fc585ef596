package strings

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "extract", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "extract(s, pattern)", Summary: "The first match of a regular expression, or its first group if it has groups; empty when there is none.", Examples: []string{"SELECT extract('n: 100', '\\\\d+')"}},
		Bind: bindExtract,
	})
	_ = add(functions.Scalar{
		Name: "extractAll", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "extractAll(s, pattern)", Summary: "All matches of a regular expression, or their first groups.", Examples: []string{"SELECT extractAll('a1b22', '\\\\d+')"}},
		Bind: bindExtractAll,
	})
	_ = add(functions.Scalar{
		Name: "regexpExtract", AnyCase: []string{"REGEXP_EXTRACT", "REGEXP_SUBSTR"}, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "regexpExtract(s, pattern[, group])", Summary: "A group (1 by default, 0 for all of it) of the first match.", Examples: []string{"SELECT regexpExtract('100-200', '(\\\\d+)-(\\\\d+)', 2)"}},
		Bind: bindRegexpExtract,
	})
	_ = add(functions.Scalar{
		Name: "extractGroups", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "extractGroups(s, pattern)", Summary: "The groups of the first match.", Examples: []string{"SELECT extractGroups('a=1', '(\\\\w)=(\\\\w)')"}},
		Bind: bindGroups("extractGroups", groupsOfFirst),
	})
	_ = add(functions.Scalar{
		Name: "extractAllGroupsVertical", Aliases: []string{"extractAllGroups"}, MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "extractAllGroupsVertical(s, pattern)", Summary: "For each match the array of its groups.", Examples: []string{"SELECT extractAllGroupsVertical('a=1, b=2', '(\\\\w)=(\\\\w)')"}},
		Bind: bindGroups("extractAllGroupsVertical", groupsByMatch),
	})
	_ = add(functions.Scalar{
		Name: "extractAllGroupsHorizontal", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "extractAllGroupsHorizontal(s, pattern)", Summary: "For each group the array of what it matched.", Examples: []string{"SELECT extractAllGroupsHorizontal('a=1, b=2', '(\\\\w)=(\\\\w)')"}},
		Bind: bindGroups("extractAllGroupsHorizontal", groupsByGroup),
	})
	_ = add(functions.Scalar{
		Name: "countMatches", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "countMatches(s, pattern)", Summary: "How often a regular expression matches, without overlaps.", Examples: []string{"SELECT countMatches('a1b22', '\\\\d+')"}},
		Bind: bindCountMatches("countMatches", false),
	})
	_ = add(functions.Scalar{
		Name: "countMatchesCaseInsensitive", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "countMatchesCaseInsensitive(s, pattern)", Summary: "countMatches without regard to case.", Examples: []string{"SELECT countMatchesCaseInsensitive('aAb', 'a')"}},
		Bind: bindCountMatches("countMatchesCaseInsensitive", true),
	})
)

// constPattern compiles the constant pattern at argument i.
func constPattern(name string, args []functions.Arg, i int, fold bool) (*pattern, error) {
	if err := kernel.Check(name, "ss", args[:i+1]); err != nil {
		return nil, err
	}
	text, ok := args[i].ConstString()
	if !ok {
		return nil, kernel.NotConst(name, i)
	}
	return compile(text, fold)
}

func bindExtract(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	p, err := constPattern("extract", args, 1, false)
	if err != nil {
		return nil, err
	}
	group := min(p.re.NumSubexp(), 1)
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		return kernel.Parts(kernel.Strings(args[0]), rows, func(_ int, s []byte) (int, int) {
			return p.group(s, group)
		}), nil
	}), nil
}

// group gives the place of a group of the first match, an empty one for none.
func (p *pattern) group(s []byte, n int) (int, int) {
	if !p.mayMatch(s) {
		return 0, 0
	}
	m := p.re.FindSubmatchIndex(s)
	if m == nil || m[2*n] < 0 {
		return 0, 0
	}
	return m[2*n], m[2*n+1]
}

func bindExtractAll(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	p, err := constPattern("extractAll", args, 1, false)
	if err != nil {
		return nil, err
	}
	group := min(p.re.NumSubexp(), 1)
	return kernel.Fn(types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Strings(args[0]), kernel.NewStrArray(rows)
		for i := range rows {
			s := in.At(i)
			p.each(s, func(m []int) {
				if group == 0 || m[2] >= 0 {
					out.Elems.Append(s[m[2*group]:m[2*group+1]])
				} else {
					out.Elems.Append(nil)
				}
			})
			out.End()
		}
		return out.Column(), nil
	}), nil
}

// each calls f with the places of the match and its groups, match by match;
// an empty match ends the walk, as in ClickHouse.
func (p *pattern) each(s []byte, f func(m []int)) {
	if !p.mayMatch(s) {
		return
	}
	for _, m := range p.re.FindAllSubmatchIndex(s, -1) {
		if m[0] == m[1] {
			return
		}
		f(m)
	}
}

func bindRegexpExtract(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	p, err := constPattern("regexpExtract", args, 1, false)
	if err != nil {
		return nil, err
	}
	if len(args) == 3 {
		if err := kernel.Check("regexpExtract", "ssi", args); err != nil {
			return nil, err
		}
	}
	groups := p.re.NumSubexp()
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		index := kernel.Integers(column.NewConst(column.NewFixed([]uint8{uint8(min(groups, 1))}), rows))
		if len(args) == 3 {
			index = kernel.Integers(args[2])
		}
		for i := range rows {
			if n := index.At(i); n < 0 || n > int64(groups) {
				return nil, cherr.New(cherr.IndexOfPositionalArgumentIsOutOfRange, "Index value %d is out of range, should be in [0, %d]", n, groups)
			}
		}
		return kernel.Parts(kernel.Strings(args[0]), rows, func(i int, s []byte) (int, int) {
			return p.group(s, int(index.At(i)))
		}), nil
	}), nil
}

type groupsKernel struct {
	nested bool // Array(Array(String))
	row    func(p *pattern, s []byte, out *groupsOut)
	// limited: by regexp_max_matches_per_row
	limited bool
}

// groupsOut collects Array(Array(String)).
type groupsOut struct {
	inner *kernel.StrArray
	outer []uint64
	rows  int // rows of inner

	matches int // of the row with the most, where they are counted
}

func (g *groupsOut) add(s []byte, m []int, n int) {
	if m[2*n] < 0 {
		g.inner.Elems.Append(nil)
		return
	}
	g.inner.Elems.Append(s[m[2*n]:m[2*n+1]])
}

func (g *groupsOut) end() { g.inner.End(); g.rows++ }

var groupsOfFirst = groupsKernel{nested: false, row: func(p *pattern, s []byte, out *groupsOut) {
	if m := p.re.FindSubmatchIndex(s); m != nil {
		for n := 1; n <= p.re.NumSubexp(); n++ {
			out.add(s, m, n)
		}
	}
	out.end()
}}

var groupsByMatch = groupsKernel{nested: true, row: func(p *pattern, s []byte, out *groupsOut) {
	for _, m := range p.allWithin(s) {
		for n := 1; n <= p.re.NumSubexp(); n++ {
			out.add(s, m, n)
		}
		out.end()
	}
}}

// allWithin gives the places of all matches that begin before the end of s.
func (p *pattern) allWithin(s []byte) [][]int {
	all := p.re.FindAllSubmatchIndex(s, -1)
	if n := len(all) - 1; n >= 0 && len(s) > 0 && all[n][0] == len(s) {
		all = all[:n]
	}
	return all
}

var groupsByGroup = groupsKernel{nested: true, limited: true, row: func(p *pattern, s []byte, out *groupsOut) {
	all := p.allWithin(s)
	out.matches = max(out.matches, len(all))
	for n := 1; n <= p.re.NumSubexp(); n++ {
		for _, m := range all {
			out.add(s, m, n)
		}
		out.end()
	}
}}

func bindGroups(name string, k groupsKernel) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		p, err := constPattern(name, args, 1, false)
		if err != nil {
			return nil, err
		}
		most := env.Settings.Int("regexp_max_matches_per_row")
		if p.re.NumSubexp() == 0 {
			return nil, cherr.New(cherr.BadArguments, "There are no groups in regexp: %s", p.re)
		}
		result := types.Array(types.String)
		if k.nested {
			result = types.Array(result)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Strings(args[0])
			out := &groupsOut{inner: kernel.NewStrArray(rows), outer: make([]uint64, 1, rows+1)}
			for i := range rows {
				k.row(p, in.At(i), out)
				if k.limited && int64(out.matches) > most {
					return nil, cherr.New(cherr.TooLargeArraySize, "Too many matches per row (> %d) in the result of function %s", most, name)
				}
				out.outer = append(out.outer, uint64(out.rows))
			}
			if !k.nested {
				return out.inner.Column(), nil
			}
			return &column.Array{Offsets: out.outer, Elems: out.inner.Column()}, nil
		}), nil
	}
}

func bindCountMatches(name string, fold bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		p, err := constPattern(name, args, 1, fold)
		if err != nil {
			return nil, err
		}
		stop := env.Settings.Bool("count_matches_stop_at_empty_match") && p.re.Match(nil)
		return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
			in := kernel.Strings(args[0])
			return kernel.Each(rows, func(i int) uint64 {
				n, end := uint64(0), 0
				if s := in.At(i); p.mayMatch(s) {
					for _, m := range p.re.FindAllIndex(s, -1) {
						if stop && m[0] > end { // an empty match was in between
							break
						}
						if m[1] > m[0] {
							n, end = n+1, m[1]
						}
					}
				}
				return n
			}), nil
		}), nil
	}
}
