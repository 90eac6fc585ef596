package strings

import (
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = addNgramDistances()

func addNgramDistances() bool {
	for _, m := range searchModes {
		for _, search := range []bool{false, true} {
			name, summary := "ngramDistance", "Share of the n-grams of two texts that are not in both: 0 for alike, 1 for foreign."
			if search {
				name, summary = "ngramSearch", "Share of the needle's n-grams that the haystack has."
			}
			name += m.suffix
			add(functions.Scalar{
				Name: name, MinArgs: 2, MaxArgs: 2,
				Doc: functions.Doc{Syntax: name + "(haystack, needle)", Summary: summary + " An n-gram is four bytes, or three code points.", Examples: []string{"SELECT " + name + "('ClickHouse', 'ClickBench')"}},
				Bind: kernel.Typed(name, "s", types.Float32, func(args []column.Column, rows int) (column.Column, error) {
					hay, needle := kernel.Strings(args[0]), kernel.Strings(args[1])
					s := &searcher{searchMode: m}
					counts := map[string]int{}
					return kernel.Each(rows, func(i int) float32 {
						return ngramShare(s.foldHay(hay.At(i)), s.foldNeedle(needle.At(i)), m.utf8, search, counts)
					}), nil
				}),
			})
		}
	}
	return true
}

// maxNgramText: longer haystacks are foreign to everything.
const maxNgramText = 1 << 15

// eachNgram calls f for every n-gram and gives their number.
func eachNgram(s []byte, points bool, f func(gram []byte)) int {
	n := 0
	if !points {
		for ; n+4 <= len(s); n++ {
			f(s[n : n+4])
		}
		return n
	}
	for codePoints := countCodePoints(s); n+3 <= codePoints; n++ {
		f(s[:codePointOffset(s, 3)])
		_, size := utf8.DecodeRune(s)
		s = s[size:]
	}
	return n
}

func ngramShare(hay, needle []byte, points, search bool, counts map[string]int) float32 {
	if len(hay) > maxNgramText {
		return float32(1 - int(kernel.Bool(search)))
	}
	clear(counts)
	needles := eachNgram(needle, points, func(gram []byte) { counts[string(gram)]++ })
	distance := needles
	hays := eachNgram(hay, points, func(gram []byte) {
		switch {
		case counts[string(gram)] > 0:
			distance--
			counts[string(gram)]--
		case !search:
			distance++
		}
	})
	if search {
		return 1 - float32(distance)/float32(max(needles, 1))
	}
	return float32(distance) / float32(max(needles+hays, 1))
}
