package exec

import (
	"encoding/binary"
	"math"

	"lakeserver/column"
	"lakeserver/types"

	"lakeserver/engine/plan"
)

// sortKeys is the sort keys of some rows as words whose order is the rows'
// order, with what the words cannot tell in columns beside.
type sortKeys struct {
	parts []sortPart
	rows  int
}

// sortPart is one step of a comparison: by word, then, where words cannot tell
// all, by the column.
type sortPart struct {
	words []uint64
	rest  column.Column // nil: equal words are equal values
	sign  int           // of a comparison of rest
	nulls int           // column.Compare's nulls for rest
}

// newSortKeys makes the keys of a block's rows. The parts depend on the types
// alone, so that keys of several blocks may be joined.
func newSortKeys(h column.Header, keys []plan.SortKey, b *column.Block) sortKeys {
	s := sortKeys{rows: b.Rows}
	for _, k := range keys {
		c := b.Columns[k.Column]
		if k.Collate != "" {
			c = collated(k.Collate, c)
		}
		s.addKey(types.WithoutLowCardinality(h[k.Column].Type), k, column.Full(c))
	}
	return s
}

func (s *sortKeys) addKey(t *types.Type, k plan.SortKey, c column.Column) {
	if t.Kind() == types.KindNullable {
		values, null := column.SplitNulls(c)
		rank := make([]uint64, s.rows)
		isNull, other := uint64(1), uint64(0)
		if k.NullsFirst {
			isNull, other = 0, 1
		}
		_, nothing := values.(*column.Nothing)
		for i := range rank {
			rank[i] = other
			if nothing || null != nil && null[i] != 0 {
				rank[i] = isNull
			}
		}
		s.parts = append(s.parts, sortPart{words: rank})
		at := len(s.parts)
		s.addKey(t.Elem(), k, values)
		for _, p := range s.parts[at:] { // what lies under a NULL does not count
			for i, n := range null {
				if n != 0 {
					p.words[i] = 0
				}
			}
		}
		return
	}
	words, exact := orderWords(t, c, s.rows, k)
	if k.Desc {
		for _, w := range words {
			for i := range w {
				w[i] = ^w[i]
			}
		}
	}
	if t.IsFloat() {
		nansTo(t, c, words[0], k.NullsFirst)
	}
	for i, w := range words {
		p := sortPart{words: w}
		if !exact && i == len(words)-1 {
			p.rest, p.sign, p.nulls = c, 1, 1
			if k.NullsFirst {
				p.nulls = -1
			}
			if k.Desc {
				p.sign, p.nulls = -1, -p.nulls
			}
		}
		s.parts = append(s.parts, p)
	}
}

// orderWords gives unsigned words in the values' ascending order, the first
// the most significant; exact is false when equal words may hide a difference.
func orderWords(t *types.Type, c column.Column, rows int, k plan.SortKey) (words [][]uint64, exact bool) { // long: one case a form
	one := make([]uint64, rows)
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		unsignedWords(c.Values, one)
	case *column.Fixed[uint16]:
		if t.Kind() == types.KindBFloat16 {
			for i, v := range c.Values {
				one[i] = floatOrder(float64(math.Float32frombits(uint32(v) << 16)))
			}
			break
		}
		unsignedWords(c.Values, one)
	case *column.Fixed[uint32]:
		unsignedWords(c.Values, one)
	case *column.Fixed[uint64]:
		unsignedWords(c.Values, one)
	case *column.Fixed[int8]:
		signedWords(c.Values, one)
	case *column.Fixed[int16]:
		signedWords(c.Values, one)
	case *column.Fixed[int32]:
		signedWords(c.Values, one)
	case *column.Fixed[int64]:
		signedWords(c.Values, one)
	case *column.Fixed[float32]:
		for i, v := range c.Values {
			one[i] = floatOrder(float64(v))
		}
	case *column.Fixed[float64]:
		for i, v := range c.Values {
			one[i] = floatOrder(v)
		}
	case *column.Fixed[types.U128]:
		two := make([]uint64, rows)
		for i, v := range c.Values {
			one[i], two[i] = v.Hi, v.Lo
		}
		return [][]uint64{one, two}, true
	case *column.Fixed[types.I128]:
		two := make([]uint64, rows)
		for i, v := range c.Values {
			one[i], two[i] = uint64(v.Hi)^1<<63, v.Lo
		}
		return [][]uint64{one, two}, true
	case *column.Fixed[types.Addr6]:
		two := make([]uint64, rows)
		for i := range c.Values {
			v := &c.Values[i]
			one[i], two[i] = binary.BigEndian.Uint64(v[:8]), binary.BigEndian.Uint64(v[8:])
		}
		return [][]uint64{one, two}, true
	case *column.Str:
		for i := range one {
			one[i] = prefixWord(c.At(i))
		}
		return [][]uint64{one}, false
	case *column.Nothing:
	default:
		return [][]uint64{one}, false
	}
	return [][]uint64{one}, true
}

// prefixWord is the first eight bytes, zeros behind a shorter string.
func prefixWord(v []byte) uint64 {
	if len(v) >= 8 {
		return binary.BigEndian.Uint64(v)
	}
	var w uint64
	for i, b := range v {
		w |= uint64(b) << (56 - 8*i)
	}
	return w
}

func unsignedWords[T uint8 | uint16 | uint32 | uint64](v []T, out []uint64) {
	for i, x := range v {
		out[i] = uint64(x)
	}
}

func signedWords[T int8 | int16 | int32 | int64](v []T, out []uint64) {
	for i, x := range v {
		out[i] = uint64(int64(x)) ^ 1<<63
	}
}

// floatOrder maps floats to words in their order; 0 and -0 are one. No number
// maps to 0 or to the greatest word.
func floatOrder(v float64) uint64 {
	if v == 0 {
		v = 0
	}
	w := math.Float64bits(v)
	if w>>63 != 0 {
		if w == 1<<63 {
			return 1 << 63
		}
		return ^w
	}
	return w | 1<<63
}

// nansTo puts NaN before or behind all numbers, whatever the direction.
func nansTo(t *types.Type, c column.Column, words []uint64, first bool) {
	to := uint64(math.MaxUint64)
	if first {
		to = 0
	}
	switch c := c.(type) {
	case *column.Fixed[float32]:
		for i, v := range c.Values {
			if v != v {
				words[i] = to
			}
		}
	case *column.Fixed[float64]:
		for i, v := range c.Values {
			if v != v {
				words[i] = to
			}
		}
	case *column.Fixed[uint16]:
		for i, v := range c.Values {
			if v&0x7FFF > 0x7F80 {
				words[i] = to
			}
		}
	}
}

// compare orders row i against row j.
func (s *sortKeys) compare(i, j uint32) int {
	for p := range s.parts {
		part := &s.parts[p]
		if a, b := part.words[i], part.words[j]; a != b {
			if a < b {
				return -1
			}
			return 1
		}
		if part.rest != nil {
			if r := column.Compare(part.rest, int(i), part.rest, int(j), part.nulls); r != 0 {
				return r * part.sign
			}
		}
	}
	return 0
}

// compareKeys orders row i of one block against row j of another.
func compareKeys(a *sortKeys, i uint32, b *sortKeys, j uint32) int {
	for p := range a.parts {
		x, y := &a.parts[p], &b.parts[p]
		if v, w := x.words[i], y.words[j]; v != w {
			if v < w {
				return -1
			}
			return 1
		}
		if x.rest != nil {
			if r := column.Compare(x.rest, int(i), y.rest, int(j), x.nulls); r != 0 {
				return r * x.sign
			}
		}
	}
	return 0
}

func (s *sortKeys) size() int64 { return int64(len(s.parts)) * int64(s.rows) * 8 }
