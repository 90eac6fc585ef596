package hashes

import (
	"encoding/binary"
	"hash/crc32"
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

// Bounds of the arguments, as ClickHouse has them.
const (
	maxShingle   = 1000
	maxMinHashes = 25
	minWord      = 4 // bytes of a word that counts
)

var _ = addSimilarityHashes()

func addSimilarityHashes() bool {
	for _, grams := range []bool{true, false} {
		for _, utf8 := range []bool{false, true} {
			for _, fold := range []bool{false, true} {
				addSimilarity(shingler{grams: grams, utf8: utf8, fold: fold})
			}
		}
	}
	return true
}

func addSimilarity(s shingler) {
	of, suffix, what := "wordShingle", "", "shingles of words"
	if s.grams {
		of, what = "ngram", "n-grams"
	}
	if s.fold {
		suffix = "CaseInsensitive"
	}
	if s.utf8 {
		suffix += "UTF8"
	}
	sim := of + "SimHash" + suffix
	add(functions.Scalar{
		Name: sim, MinArgs: 1, MaxArgs: 2,
		Doc: functions.Doc{Syntax: sim + "(s[, size])", Summary: "A hash that differs in few bits for texts with many " + what + " in common.", Examples: []string{"SELECT " + sim + "('what a cute cat')"}},
		Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
			size, err := boundedArg(sim, args, 1, 3, maxShingle)
			if err != nil {
				return nil, err
			}
			return kernel.Fn(types.UInt64, func(args []column.Column, rows int) (column.Column, error) {
				in, k := kernel.Strings(args[0]), s
				k.size = size
				return kernel.Each(rows, func(i int) uint64 { return k.simHash(in.At(i)) }), nil
			}), nil
		},
	})
	for _, words := range []bool{false, true} {
		name, summary := of+"MinHash"+suffix, "Two hashes: of the least and of the greatest hashes of a text's "+what+"."
		if words {
			name, summary = of+"MinHashArg"+suffix, "The "+what+" with the least and with the greatest hashes."
		}
		add(functions.Scalar{
			Name: name, MinArgs: 1, MaxArgs: 3,
			Doc:  functions.Doc{Syntax: name + "(s[, size[, hashes]])", Summary: summary, Examples: []string{"SELECT " + name + "('what a cute cat')"}},
			Bind: bindMinHash(name, s, words),
		})
	}
}

// boundedArg reads a constant argument that counts something.
func boundedArg(name string, args []functions.Arg, i, def, most int) (int, error) {
	if err := kernel.Check(name, "si", args); err != nil {
		return 0, err
	}
	if i >= len(args) {
		return def, nil
	}
	n, ok := args[i].ConstInt()
	if !ok {
		return 0, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function %s must be a constant unsigned integer", i+1, name)
	}
	if n < 1 || n > int64(most) {
		return 0, cherr.New(cherr.ArgumentOutOfBound, "Argument %d of function %s should be from 1 to %d, got %d", i+1, name, most, n)
	}
	return int(n), nil
}

func bindMinHash(name string, s shingler, words bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		size, err := boundedArg(name, args, 1, 3, maxShingle)
		if err != nil {
			return nil, err
		}
		count, err := boundedArg(name, args, 2, 6, maxMinHashes)
		if err != nil {
			return nil, err
		}
		s.size = size
		if !words {
			return kernel.Fn(types.Tuple([]*types.Type{types.UInt64, types.UInt64}, nil), func(args []column.Column, rows int) (column.Column, error) {
				in, k := kernel.Strings(args[0]), s
				least, greatest := make([]uint64, rows), make([]uint64, rows)
				for i := range rows {
					lo, hi := k.extremes(in.At(i), count)
					least[i], greatest[i] = foldHashes(lo), foldHashes(hi)
				}
				return column.NewTuple(column.NewFixed(least), column.NewFixed(greatest)), nil
			}), nil
		}
		texts := make([]*types.Type, count)
		for i := range texts {
			texts[i] = types.String
		}
		side := types.Tuple(texts, nil)
		return kernel.Fn(types.Tuple([]*types.Type{side, side}, nil), func(args []column.Column, rows int) (column.Column, error) {
			in, k := kernel.Strings(args[0]), s
			var sides [2][]*column.Str
			for n := range sides {
				for range count {
					sides[n] = append(sides[n], kernel.NewStr(rows, 0))
				}
			}
			for i := range rows {
				lo, hi := k.extremes(in.At(i), count)
				appendShingles(sides[0], lo)
				appendShingles(sides[1], hi)
			}
			return column.NewTuple(tupleOf(sides[0], rows), tupleOf(sides[1], rows)), nil
		}), nil
	}
}

func appendShingles(cols []*column.Str, found []shingle) {
	for i, c := range cols {
		if i < len(found) {
			c.Append(found[i].text)
		} else {
			c.Append(nil)
		}
	}
}

func tupleOf(cols []*column.Str, rows int) *column.Tuple {
	t := &column.Tuple{N: rows}
	for _, c := range cols {
		t.Elems = append(t.Elems, c)
	}
	return t
}

// foldHashes joins hashes in their order.
func foldHashes(found []shingle) uint64 {
	var h uint64
	for _, s := range found {
		h = hash128to64(h, s.hash)
	}
	return h
}

// shingler cuts texts into n-grams of bytes or code points, or into runs of
// words, and hashes each by CRC-32C.
type shingler struct {
	grams, utf8, fold bool
	size              int
}

type shingle struct {
	hash uint64
	text []byte
}

// each calls f for every shingle of s; only tells that there is no more than
// the text itself, which ClickHouse does not spread over bits.
func (k *shingler) each(s []byte, f func(h uint64, text []byte, only bool)) {
	switch {
	case !k.grams:
		k.eachWords(s, f)
	case k.utf8:
		k.eachPoints(s, f)
	case len(s) < k.size:
		f(k.hash(^uint64(0), s), s, true)
	default:
		for i := 0; i+k.size <= len(s); i++ {
			f(k.hash(^uint64(0), s[i:i+k.size]), s[i:i+k.size], false)
		}
	}
}

// eachPoints: the first n-gram is left out, as in ClickHouse.
func (k *shingler) eachPoints(s []byte, f func(h uint64, text []byte, only bool)) {
	from, to := 0, 0
	for range k.size {
		if to >= len(s) {
			f(k.hash(^uint64(0), s), s, true)
			return
		}
		to = nextPoint(s, to, len(s))
	}
	for to < len(s) {
		from = nextPoint(s, from, to)
		to = nextPoint(s, to, len(s))
		f(k.hash(^uint64(0), s[from:to]), s[from:to], false)
	}
}

// nextPoint goes over one code point by its first byte.
func nextPoint(s []byte, at, end int) int {
	n := 1
	switch c := s[at]; {
	case c >= 0xf0:
		n = 4
	case c >= 0xe0:
		n = 3
	case c >= 0xc0:
		n = 2
	}
	return min(at+n, end)
}

type span struct{ from, to int }

// nextWord gives the next run of letters, digits and bytes beyond ASCII.
func nextWord(s []byte, at int) span {
	mark := func(c byte) bool {
		return c < 0x80 && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
	}
	for at < len(s) && mark(s[at]) {
		at++
	}
	w := span{at, at}
	for w.to < len(s) && !mark(s[w.to]) {
		w.to++
	}
	return w
}

// eachWords keeps the last words in a ring.
func (k *shingler) eachWords(s []byte, f func(h uint64, text []byte, only bool)) {
	var ring []span
	at := 0
	for at < len(s) && len(ring) < k.size {
		w := nextWord(s, at)
		if at = w.to; w.to-w.from >= minWord {
			ring = append(ring, w)
		}
	}
	if len(ring) == 0 {
		return
	}
	f(k.hashWords(s, ring, 0), s[ring[0].from:ring[len(ring)-1].to], false)
	for first := 0; at < len(s); {
		w := nextWord(s, at)
		if at = w.to; w.to-w.from < minWord {
			continue
		}
		ring[first] = w
		if first++; first >= k.size {
			first = 0
		}
		text := s
		if from := ring[min(first, len(ring)-1)].from; from <= w.to {
			text = s[from:w.to]
		}
		f(k.hashWords(s, ring, first), text, false)
	}
}

func (k *shingler) hashWords(s []byte, ring []span, first int) uint64 {
	h := ^uint64(0)
	for i := first; i < len(ring); i++ {
		h = k.hash(h, s[ring[i].from:ring[i].to])
	}
	for _, w := range ring[:min(first, len(ring))] {
		h = k.hash(h, s[w.from:w.to])
	}
	return h
}

// hash goes on with a checksum. Bit 0x20 of every byte is set where case does
// not count.
func (k *shingler) hash(h uint64, s []byte) uint64 {
	if len(s) == 0 {
		return h
	}
	if !k.fold {
		return uint64(^crc32.Update(^uint32(h), castagnoli, s))
	}
	var buf [64]byte
	for len(s) > 0 {
		n := copy(buf[:], s)
		for i := range buf[:n] {
			buf[i] |= 0x20
		}
		h = uint64(^crc32.Update(^uint32(h), castagnoli, buf[:n]))
		s = s[n:]
	}
	return h
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// simHash lets every shingle vote on every bit.
func (k *shingler) simHash(s []byte) uint64 {
	var votes [64]int32
	var whole uint64
	alone := false
	k.each(s, func(h uint64, _ []byte, only bool) {
		whole, alone = h, only
		for b := range votes {
			votes[b] += int32(h>>b&1)*2 - 1
		}
	})
	if alone {
		return whole
	}
	var out uint64
	for b, v := range votes {
		if v > 0 {
			out |= 1 << b
		}
	}
	return out
}

// extremes gives the shingles of the least hashes, greatest first, and of the
// greatest, least first.
func (k *shingler) extremes(s []byte, count int) (least, greatest []shingle) {
	seen := map[uint64]int{}
	var all []shingle
	k.each(s, func(h uint64, text []byte, _ bool) {
		if _, ok := seen[h]; !ok {
			seen[h] = len(all)
			all = append(all, shingle{h, text})
		}
	})
	sort.Slice(all, func(i, j int) bool { return all[i].hash < all[j].hash })
	n := min(count, len(all))
	for i := range n {
		least = append(least, all[n-1-i])
	}
	return least, all[len(all)-n:]
}

// weakHash is the checksum by which ClickHouse hashes short texts: eight bytes
// a step, and the length with the rest.
func weakHash(s []byte) uint32 {
	step := func(h uint32, w uint64) uint32 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], w)
		return ^crc32.Update(^h, castagnoli, b[:])
	}
	if len(s) < 8 {
		var b [8]byte
		copy(b[:], s)
		b[7] = byte(len(s))
		return step(0, binary.LittleEndian.Uint64(b[:]))
	}
	h, rest := uint32(0), s
	for ; len(rest) >= 8; rest = rest[8:] {
		h = step(h, binary.LittleEndian.Uint64(rest))
	}
	if n := len(rest); n > 0 {
		w := binary.LittleEndian.Uint64(s[len(s)-8:])
		h = step(h, w&(^uint64(0)<<(8*(8-n)))|uint64(n))
	}
	return h
}
