package strings

import (
	"math"
	"regexp/syntax"
	"unicode/utf8"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addFuzzy("multiFuzzyMatchAny", "Whether any of the regular expressions occurs with at most so many edits.", types.UInt8)
	_ = addFuzzy("multiFuzzyMatchAnyIndex", "Index, from 1, of a regular expression that occurs with at most so many edits; 0 for none.", types.UInt64)
	_ = addFuzzy("multiFuzzyMatchAllIndices", "Indexes, from 1, of all the regular expressions that occur with at most so many edits.", types.Array(types.UInt64))
)

func addFuzzy(name, summary string, result *types.Type) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 3, MaxArgs: 3,
		Doc: functions.Doc{Syntax: name + "(s, edits, [pattern, …])", Summary: summary, Examples: []string{"SELECT " + name + "('abc', 1, ['a1c'])"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "s", args[:1]); err != nil {
				return nil, err
			}
			if !args[1].Type.IsUnsigned() {
				return nil, kernel.WrongType(name, 1, args[1].Type)
			}
			if e := types.WithoutLowCardinality(args[2].Type); e.Kind() != types.KindArray || !e.Elem().IsString() && e.Elem().Kind() != types.KindNothing {
				return nil, kernel.WrongType(name, 2, args[2].Type)
			}
			edits, ok := args[1].ConstInt()
			if !ok || edits > math.MaxUint32 || edits < 0 {
				return nil, cherr.New(cherr.IllegalColumn, "The number of edits of function %s must be a constant of at most 32 bits", name)
			}
			return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
				return fuzzyRows(result, int(edits), args, rows)
			}), nil
		},
	})
}

func fuzzyRows(result *types.Type, edits int, args []column.Column, rows int) (column.Column, error) {
	hay, arr := kernel.Strings(args[0]), kernel.Arrays(args[2])
	out := kernel.NewNumArray[uint64](rows)
	single := make([]uint64, rows)
	cache := map[string]*fuzzyPattern{}
	for i := range rows {
		n := uint64(0)
		for e, to := arr.Bounds(i); e < to; e++ {
			n++
			text := kernel.Strings(arr.Elems).Str(e)
			p, err := fuzzyOf(cache, text, edits)
			if err != nil {
				return nil, err
			}
			if result.Kind() != types.KindArray && single[i] != 0 || !p.match(hay.At(i), edits) {
				continue
			}
			single[i] = n
			out.Elems = append(out.Elems, n)
		}
		out.End()
	}
	switch result.Kind() {
	case types.KindArray:
		return out.Column(), nil
	case types.KindUInt8:
		return kernel.Each(rows, func(i int) uint8 { return kernel.Bool(single[i] > 0) }), nil
	}
	return column.NewFixed(single), nil
}

// fuzzyPattern is a regular expression as an automaton whose states carry the
// edits that led there.
type fuzzyPattern struct {
	prog      *syntax.Prog
	now, next []int // edits by state, -1: not reached
}

func fuzzyOf(cache map[string]*fuzzyPattern, text string, edits int) (*fuzzyPattern, error) {
	if p, ok := cache[text]; ok {
		return p, nil
	}
	re, err := syntax.Parse(text, syntax.Perl|syntax.DotNL)
	if err != nil {
		return nil, cherr.New(cherr.BadArguments, "Pattern '%s' failed with error '%s'", text, err)
	}
	if edits > 0 && edits >= leastLength(re) {
		return nil, cherr.New(cherr.BadArguments, "Pattern '%s' failed with error 'Approximate matching patterns that reduce to vacuous patterns are disallowed.'", text)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, cherr.New(cherr.BadArguments, "Pattern '%s' failed with error '%s'", text, err)
	}
	p := &fuzzyPattern{prog: prog, now: make([]int, len(prog.Inst)), next: make([]int, len(prog.Inst))}
	cache[text] = p
	return p, nil
}

// leastLength is the shortest text that an expression takes.
func leastLength(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return leastLength(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * leastLength(re.Sub[0])
	case syntax.OpConcat:
		for _, s := range re.Sub {
			n += leastLength(s)
		}
	case syntax.OpAlternate:
		n = math.MaxInt
		for _, s := range re.Sub {
			n = min(n, leastLength(s))
		}
	}
	return n
}

// match steps through the text with all states at once.
func (p *fuzzyPattern) match(s []byte, edits int) bool {
	for i := range p.now {
		p.now[i] = -1
	}
	before := rune(-1)
	for at := 0; ; {
		r, size := rune(-1), 0
		if at < len(s) {
			r, size = utf8.DecodeRune(s[at:])
		}
		flags := syntax.EmptyOpContext(before, r)
		// States that were stepped into are followed on; a match may begin anywhere.
		stepped := append([]int(nil), p.now...)
		for i := range p.now {
			p.now[i] = -1
		}
		if p.reach(p.now, uint32(p.prog.Start), 0, edits, flags) {
			return true
		}
		for pc, e := range stepped {
			if e >= 0 && p.reach(p.now, uint32(pc), e, edits, flags) {
				return true
			}
		}
		if size == 0 {
			return false
		}
		p.step(r, edits)
		before = r
		at += size
	}
}

// reach enters a state with all that follow without a sign of the text; it
// tells whether the expression is at its end.
func (p *fuzzyPattern) reach(set []int, pc uint32, e, edits int, flags syntax.EmptyOp) bool {
	if e > edits || set[pc] >= 0 && set[pc] <= e {
		return false
	}
	set[pc] = e
	i := &p.prog.Inst[pc]
	switch i.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return p.reach(set, i.Out, e, edits, flags) || p.reach(set, i.Arg, e, edits, flags)
	case syntax.InstCapture, syntax.InstNop:
		return p.reach(set, i.Out, e, edits, flags)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(i.Arg)&^flags == 0 && p.reach(set, i.Out, e, edits, flags)
	case syntax.InstFail:
		return false
	}
	return p.reach(set, i.Out, e+1, edits, flags) // the text lacks this sign
}

// step takes one sign: as the expression has it, in its place, or beside it.
func (p *fuzzyPattern) step(r rune, edits int) {
	for i := range p.next {
		p.next[i] = -1
	}
	put := func(pc uint32, e int) {
		if e <= edits && (p.next[pc] < 0 || e < p.next[pc]) {
			p.next[pc] = e
		}
	}
	for pc, e := range p.now {
		if e < 0 {
			continue
		}
		i := &p.prog.Inst[pc]
		switch i.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if i.MatchRune(r) {
				put(i.Out, e)
			}
			put(i.Out, e+1)
			put(uint32(pc), e+1)
		case syntax.InstEmptyWidth: // a sign too many before $
			put(uint32(pc), e+1)
		}
	}
	p.now, p.next = p.next, p.now
}
