package strings

import (
	"bytes"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addPositions()

func addPositions() bool {
	for _, m := range searchModes {
		f := functions.Scalar{
			Name: "position" + m.suffix, CaseInsensitive: m.suffix == "", MinArgs: 2, MaxArgs: 3,
			Doc: functions.Doc{
				Syntax:   "position" + m.suffix + "(haystack, needle[, start])",
				Summary:  "Position, counted from 1, of a string in another; 0 when it is not there.",
				Examples: []string{"SELECT position" + m.suffix + "('hello', 'l')"},
			},
			Bind: bindPosition("position"+m.suffix, m, false),
		}
		if m.suffix == "CaseInsensitive" {
			f.AnyCase = []string{"instr"}
		}
		add(f)
	}
	return add(functions.Scalar{
		Name: "locate", CaseInsensitive: true, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "locate(needle, haystack[, start])", Summary: "position with the first two arguments exchanged, as in MySQL.", Examples: []string{"SELECT locate('l', 'hello')"}},
		Bind: bindPosition("locate", searchModes[0], true),
	})
}

func bindPosition(name string, m searchMode, needleFirst bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if args[0].Type.IsEnum() {
			return kernel.OverText(env, name, args)
		}
		if err := kernel.Check(name, "ssi", args); err != nil {
			return nil, err
		}
		h, n := 0, 1
		if needleFirst {
			h, n = 1, 0
		}
		return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
			starts := kernel.Integers(column.NewConst(column.NewFixed([]uint8{1}), rows))
			if len(args) == 3 {
				starts = kernel.Integers(args[2])
			}
			return positions(m, kernel.Strings(args[h]), kernel.Strings(args[n]), starts, rows), nil
		}), nil
	}
}

func positions(m searchMode, hay, needle kernel.Strs, starts kernel.Nums[int64], rows int) column.Column {
	s := &searcher{searchMode: m}
	return kernel.Each(rows, func(i int) uint64 {
		h, n := hay.At(i), s.foldNeedle(needle.At(i))
		start := starts.At(i)
		if start < 0 {
			return 0
		}
		if len(n) == 0 {
			if start = max(start, 1); start <= int64(s.size(h))+1 {
				return uint64(start)
			}
			return 0
		}
		return uint64(s.index(s.foldHay(h), n, int(max(start, 1)-1)))
	})
}

var _ = addCounts()

func addCounts() bool {
	for _, m := range searchModes {
		if m.suffix == "UTF8" {
			continue
		}
		name := "countSubstrings" + m.suffix
		add(functions.Scalar{
			Name: name, CaseInsensitive: m.suffix == "", MinArgs: 2, MaxArgs: 3,
			Doc: functions.Doc{
				Syntax:   name + "(haystack, needle[, start])",
				Summary:  "How often a string occurs in another, without overlaps.",
				Examples: []string{"SELECT " + name + "('aaa', 'a')"},
			},
			Bind: bindCount(name, m),
		})
	}
	return true
}

func bindCount(name string, m searchMode) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "ssi", args); err != nil {
			return nil, err
		}
		return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
			hay, needle := kernel.Strings(args[0]), kernel.Strings(args[1])
			starts := kernel.Integers(column.NewConst(column.NewFixed([]uint8{1}), rows))
			if len(args) == 3 {
				starts = kernel.Integers(args[2])
			}
			s := &searcher{searchMode: m}
			return kernel.Each(rows, func(i int) uint64 {
				n := s.foldNeedle(needle.At(i))
				if len(n) == 0 {
					return 0
				}
				h := s.foldHay(hay.At(i))
				return uint64(bytes.Count(h[s.offset(h, int(max(starts.At(i), 1)-1)):], n))
			}), nil
		}), nil
	}
}
