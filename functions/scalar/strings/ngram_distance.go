package strings

import (
	"encoding/binary"
	"hash/crc32"
	"math"
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
					counts := &ngramCounter{points: m.utf8}
					return kernel.Each(rows, func(i int) float32 {
						return counts.share(s.foldHay(hay.At(i)), s.foldNeedle(needle.At(i)), search)
					}), nil
				}),
			})
		}
	}
	return true
}

// maxNgramText: longer haystacks are foreign to everything.
const maxNgramText = 1 << 15

// ngramCounter counts n-grams by 16 bits of their hash, as ClickHouse does:
// ngramDistanceUTF8('kHo', 'kBe') is 0 there, for the third code point starts the
// checksum of the others.
type ngramCounter struct {
	points bool
	counts [1 << 16]uint16
	grams  []uint16 // of the text just cut
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ngramHash is the CRC-32C of eight bytes, from a start and without the final
// inversion.
func ngramHash(start uint32, x uint64) uint16 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return uint16(^crc32.Update(^start, castagnoli, b[:]))
}

// cut gives the hashes of all n-grams of s, valid until the next call.
func (c *ngramCounter) cut(s []byte) []uint16 {
	c.grams = c.grams[:0]
	if !c.points {
		for ; len(s) >= 4; s = s[1:] {
			c.grams = append(c.grams, ngramHash(math.MaxUint32, uint64(binary.LittleEndian.Uint32(s))))
		}
		return c.grams
	}
	var p [3]uint32
	for n := 1; len(s) > 0; n++ {
		r, size := utf8.DecodeRune(s)
		s = s[size:]
		p[0], p[1], p[2] = p[1], p[2], uint32(r)
		if n >= 3 {
			c.grams = append(c.grams, ngramHash(p[2], uint64(p[0])<<32|uint64(p[1])))
		}
	}
	return c.grams
}

func (c *ngramCounter) share(hay, needle []byte, search bool) float32 {
	if len(hay) > maxNgramText {
		return float32(1 - int(kernel.Bool(search)))
	}
	for _, g := range c.cut(needle) {
		c.counts[g]++
	}
	needles := len(c.grams)
	distance := needles
	hays := c.cut(hay)
	for _, g := range hays {
		switch {
		case c.counts[g] > 0:
			distance--
			c.counts[g]--
		case !search:
			distance++
		}
	}
	total := needles + len(hays)
	for _, g := range c.cut(needle) {
		c.counts[g] = 0
	}
	if search {
		return 1 - float32(distance)/float32(max(needles, 1))
	}
	return float32(distance) / float32(max(total, 1))
}
