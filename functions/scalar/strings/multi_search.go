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

var _ = addMultiSearch()

func addMultiSearch() bool {
	for _, m := range searchModes {
		for _, f := range []struct {
			name, summary string
			bind          func(name string, m searchMode) kernel.Bind
		}{
			{"multiSearchAny", "Whether any of the needles occurs.", bindSearchAny},
			{"multiSearchFirstIndex", "Index, from 1, of the first needle in the list that occurs; 0 for none.", bindSearchFirstIndex},
			{"multiSearchFirstPosition", "The leftmost position at which any needle occurs; 0 for none.", bindSearchFirstPosition},
			{"multiSearchAllPositions", "For each needle the position at which it occurs first, 0 for none.", bindSearchAllPositions},
		} {
			name := f.name + m.suffix
			add(functions.Scalar{
				Name: name, MinArgs: 2, MaxArgs: 2,
				Doc:  functions.Doc{Syntax: name + "(haystack, [needle, …])", Summary: f.summary, Examples: []string{"SELECT " + name + "('hello', ['x', 'l'])"}},
				Bind: f.bind(name, m),
			})
		}
	}
	return true
}

// maxNeedles is what ClickHouse's needle numbers, of eight bits, allow.
const maxNeedles = 255

// needles walks rows of a haystack and an array of needles.
type needles struct {
	s    searcher
	hay  kernel.Strs
	arr  kernel.Arrs
	elem kernel.Strs
}

func openNeedles(name string, m searchMode, args []column.Column, rows int) (*needles, error) {
	n := &needles{s: searcher{searchMode: m}, hay: kernel.Strings(args[0]), arr: kernel.Arrays(args[1])}
	if _, none := n.arr.Elems.(*column.Nothing); none {
		n.elem = kernel.Strings(column.NewStr())
	} else {
		n.elem = kernel.Strings(n.arr.Elems)
	}
	for i := range rows {
		if a, b := n.arr.Bounds(i); b-a > maxNeedles {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Number of arguments for function %s doesn't match: passed %d, should be at most %d", name, b-a, maxNeedles)
		}
	}
	return n, nil
}

func bindNeedles(name string, m searchMode, result *types.Type, f func(n *needles, rows int) column.Column) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "sa", args); err != nil {
			return nil, err
		}
		if e := args[1].Type.Elem(); e.Kind() != types.KindString && e.Kind() != types.KindNothing {
			return nil, kernel.WrongType(name, 1, args[1].Type)
		}
		return kernel.Fn(result, func(args []column.Column, rows int) (column.Column, error) {
			n, err := openNeedles(name, m, args, rows)
			if err != nil {
				return nil, err
			}
			return f(n, rows), nil
		}), nil
	}
}

func bindSearchAny(name string, m searchMode) kernel.Bind {
	return bindNeedles(name, m, types.UInt8, func(n *needles, rows int) column.Column {
		return kernel.Each(rows, func(i int) uint8 { return kernel.Bool(n.firstIndex(i) > 0) })
	})
}

func bindSearchFirstIndex(name string, m searchMode) kernel.Bind {
	return bindNeedles(name, m, types.UInt64, func(n *needles, rows int) column.Column {
		return kernel.Each(rows, func(i int) uint64 { return uint64(n.firstIndex(i)) })
	})
}

func (n *needles) firstIndex(i int) int {
	hay := n.s.foldHay(n.hay.At(i))
	from, to := n.arr.Bounds(i)
	for e := from; e < to; e++ {
		if bytes.Contains(hay, n.s.foldNeedle(n.elem.At(e))) {
			return e - from + 1
		}
	}
	return 0
}

func bindSearchFirstPosition(name string, m searchMode) kernel.Bind {
	return bindNeedles(name, m, types.UInt64, func(n *needles, rows int) column.Column {
		return kernel.Each(rows, func(i int) uint64 {
			hay, best := n.s.foldHay(n.hay.At(i)), 0
			from, to := n.arr.Bounds(i)
			for e := from; e < to; e++ {
				if p := n.s.index(hay, n.s.foldNeedle(n.elem.At(e)), 0); p > 0 && (best == 0 || p < best) {
					best = p
				}
			}
			return uint64(best)
		})
	})
}

func bindSearchAllPositions(name string, m searchMode) kernel.Bind {
	return bindNeedles(name, m, types.Array(types.UInt64), func(n *needles, rows int) column.Column {
		out := kernel.NewNumArray[uint64](rows)
		for i := range rows {
			hay := n.s.foldHay(n.hay.At(i))
			from, to := n.arr.Bounds(i)
			for e := from; e < to; e++ {
				out.Elems = append(out.Elems, uint64(n.s.index(hay, n.s.foldNeedle(n.elem.At(e)), 0)))
			}
			out.End()
		}
		return out.Column()
	})
}
