package strings

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addDistance("byteHammingDistance", []string{"mismatches"}, "In how many bytes two strings differ, the longer one's rest included.", types.UInt64, false, func(a, b []rune) uint64 {
		n := 0
		for i := range min(len(a), len(b)) {
			n += int(kernel.Bool(a[i] != b[i]))
		}
		return uint64(n + max(len(a), len(b)) - min(len(a), len(b)))
	})
	_ = addDistance("editDistance", []string{"levenshteinDistance"}, "Levenshtein distance in bytes.", types.UInt64, false, levenshtein)
	_ = addDistance("editDistanceUTF8", []string{"levenshteinDistanceUTF8"}, "Levenshtein distance in code points.", types.UInt64, true, levenshtein)
	_ = addDistance("damerauLevenshteinDistance", nil, "Levenshtein distance in which neighbours may change places.", types.UInt64, false, damerau)
	_ = addDistance("jaroSimilarity", nil, "Jaro similarity.", types.Float64, false, jaro)
	_ = addDistance("jaroWinklerSimilarity", nil, "Jaro-Winkler similarity.", types.Float64, false, jaroWinkler)
	_ = addDistance("stringJaccardIndex", nil, "Common bytes by all bytes.", types.Float64, false, jaccard)
	_ = addDistance("stringJaccardIndexUTF8", nil, "Common code points by all code points.", types.Float64, true, jaccard)
)

// maxDistance bounds the work: ClickHouse refuses longer strings.
const maxDistance = 1 << 16

func addDistance[T column.Element](name string, aliases []string, summary string, result *types.Type, points bool, f func(a, b []rune) T) bool {
	return add(functions.Scalar{
		Name: name, Aliases: aliases, MinArgs: 2, MaxArgs: 2,
		Doc: functions.Doc{Syntax: name + "(a, b)", Summary: summary, Examples: []string{"SELECT " + name + "('kitten', 'sitting')"}},
		Bind: kernel.Typed(name, "s", result, func(args []column.Column, rows int) (column.Column, error) {
			x, y := kernel.Strings(args[0]), kernel.Strings(args[1])
			out := make([]T, rows)
			for i := range out {
				a, b := units32(x.At(i), points), units32(y.At(i), points)
				if len(a) > maxDistance || len(b) > maxDistance {
					return nil, cherr.New(cherr.TooLargeStringSize, "The string size is too big for function %s, should be at most %d", name, maxDistance)
				}
				out[i] = f(a, b)
			}
			return column.NewFixed(out), nil
		}),
	})
}

func levenshtein(a, b []rune) uint64 {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range b {
			next := min(row[j+1]+1, row[j]+1, diagonal+int(kernel.Bool(c != d)))
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return uint64(row[len(b)])
}

func damerau(a, b []rune) uint64 {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		now[0] = i + 1
		for j := range b {
			now[j+1] = min(last[j+1]+1, now[j]+1, last[j]+int(kernel.Bool(a[i] != b[j])))
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return uint64(last[len(b)])
}

func jaro(a, b []rune) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	window := max(max(len(a), len(b))/2-1, 0)
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	matches := 0
	for i, c := range a {
		for j := max(i-window, 0); j < min(i+window+1, len(b)); j++ {
			if !usedB[j] && b[j] == c {
				usedA[i], usedB[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0
	}
	moved, j := 0, 0
	for i := range a {
		if !usedA[i] {
			continue
		}
		for !usedB[j] {
			j++
		}
		moved += int(kernel.Bool(a[i] != b[j]))
		j++
	}
	m := float64(matches)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved/2))/m) / 3
}

func jaroWinkler(a, b []rune) float64 {
	s := jaro(a, b)
	if s <= 0.7 { // the prefix counts only for strings that are alike
		return s
	}
	prefix := 0
	for prefix < min(len(a), len(b), 4) && a[prefix] == b[prefix] {
		prefix++
	}
	return s + float64(prefix)*0.1*(1-s)
}

func jaccard(a, b []rune) float64 {
	x, y := distinct(a), distinct(b)
	common := 0
	for _, r := range x {
		if _, ok := slices.BinarySearch(y, r); ok {
			common++
		}
	}
	return float64(common) / float64(len(x)+len(y)-common)
}

func distinct(s []rune) []rune {
	slices.Sort(s)
	return slices.Compact(s)
}
