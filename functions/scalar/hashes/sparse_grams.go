package hashes

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addSparseGrams("sparseGrams", false, false)
	_ = addSparseGrams("sparseGramsUTF8", true, false)
	_ = addSparseGrams("sparseGramsHashes", false, true)
	_ = addSparseGrams("sparseGramsHashesUTF8", true, true)
)

func addSparseGrams(name string, utf8, hashes bool) bool {
	summary := "All substrings whose outermost n-grams have greater hashes than those within."
	if hashes {
		summary = "The hashes of the sparse grams of a text."
	}
	return add(functions.Scalar{
		Name: name, MinArgs: 1, MaxArgs: 4,
		Doc: functions.Doc{Syntax: name + "(s[, shortest[, longest[, cutoff]]])", Summary: summary, Examples: []string{"SELECT " + name + "('hello world')"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			if err := kernel.Check(name, "Si", args); err != nil {
				return nil, err
			}
			g := sparseGrams{utf8: utf8, shortest: 3, longest: 100}
			for i, into := range []*int{&g.shortest, &g.longest, &g.cutoff} {
				if i+1 >= len(args) {
					break
				}
				n, ok := args[i+1].ConstInt()
				if !ok {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function %s must be a constant number", i+2, name)
				}
				*into = int(n)
			}
			if err := g.check(len(args) > 3); err != nil {
				return nil, err
			}
			if hashes {
				return kernel.Fn(types.Array(types.UInt32), func(args []column.Column, rows int) (column.Column, error) {
					in, out, g := kernel.Strings(args[0]), kernel.NewNumArray[uint32](rows), g
					for i := range rows {
						g.each(in.At(i), func(s []byte) { out.Elems = append(out.Elems, weakHash(s)) })
						out.End()
					}
					return out.Column(), nil
				}), nil
			}
			return kernel.Fn(types.Array(types.String), func(args []column.Column, rows int) (column.Column, error) {
				in, out, g := kernel.Strings(args[0]), kernel.NewStrArray(rows), g
				for i := range rows {
					g.each(in.At(i), func(s []byte) { out.Elems.Append(s) })
					out.End()
				}
				return out.Column(), nil
			}), nil
		},
	})
}

type sparseGrams struct {
	utf8                      bool
	shortest, longest, cutoff int
	hull                      []border
}

// border is an n-gram at which a sparse gram may begin: one after which only
// lesser ones came.
type border struct {
	at, symbol int
	hash       uint32
}

func (g *sparseGrams) check(cut bool) error {
	switch {
	case g.shortest < 3:
		return cherr.New(cherr.BadArguments, "Argument 'min_ngram_length' must be greater or equal to 3")
	case g.longest < g.shortest:
		return cherr.New(cherr.BadArguments, "Argument 'max_ngram_length' must be greater or equal to 'min_ngram_length'")
	case cut && g.cutoff < g.shortest:
		return cherr.New(cherr.BadArguments, "Argument 'min_cutoff_length' must be greater or equal to 'min_ngram_length'")
	case cut && g.cutoff > g.longest:
		return cherr.New(cherr.BadArguments, "Argument 'min_cutoff_length' must be less or equal to 'max_ngram_length'")
	}
	return nil
}

func (g *sparseGrams) next(s []byte, at int) int {
	if g.utf8 {
		return nextPoint(s, at, len(s))
	}
	return at + 1
}

// each calls f for every sparse gram, in the order of their ends.
func (g *sparseGrams) each(s []byte, f func([]byte)) {
	g.hull = g.hull[:0]
	left, right, symbol := 0, 0, 0
	for range g.shortest - 2 {
		if right >= len(s) {
			return
		}
		right = g.next(s, right)
		symbol++
	}
	give := func(b border, to int) bool {
		length := symbol - b.symbol + g.shortest - 1
		if length > g.longest {
			return false
		}
		if length >= g.cutoff {
			f(s[b.at:to])
		}
		return true
	}
	for right < len(s) {
		to := g.next(s, right)
		h := weakHash(s[left:to])
		for len(g.hull) > 0 && g.hull[len(g.hull)-1].hash < h {
			if !give(g.hull[len(g.hull)-1], to) {
				g.hull = g.hull[:0]
				break
			}
			g.hull = g.hull[:len(g.hull)-1]
		}
		if len(g.hull) > 0 {
			give(g.hull[len(g.hull)-1], to)
		}
		for len(g.hull) > 0 && g.hull[len(g.hull)-1].hash == h {
			g.hull = g.hull[:len(g.hull)-1]
		}
		g.hull = append(g.hull, border{left, symbol, h})
		right, left = to, g.next(s, left)
		symbol++
	}
}
