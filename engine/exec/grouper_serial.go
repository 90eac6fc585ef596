package exec

import (
	"encoding/binary"
	"math"

	"lakeserver/column"
	"lakeserver/types"
)

// serialGrouper has any other keys: rows are written as bytes, equal for equal
// rows, and those are numbered.
type serialGrouper struct {
	ts    []*types.Type
	table strTable
	kept  []column.Builder  // the keys of groups not in done yet; nil when nobody asks
	done  [][]column.Column // finished parts of each key
	buf   serialRows
}

func (g *serialGrouper) assign(keys []column.Column, rows int, out []uint32) {
	g.buf.write(keys, rows)
	fresh := g.table.number(rows, g.buf.at, out, nil)
	if g.kept == nil || len(fresh) == 0 {
		return
	}
	for i, c := range keys {
		if g.kept[i] == nil {
			g.kept[i] = column.NewBuilder(g.ts[i], len(fresh))
		}
		g.kept[i].AppendRows(c, fresh)
	}
}

func (g *serialGrouper) find(keys []column.Column, rows int, out []uint32) {
	var buf serialRows
	buf.write(keys, rows)
	for i := range rows {
		k := buf.at(i)
		out[i] = g.table.lookup(k, column.HashBytes(k))
	}
}

func (g *serialGrouper) hash(keys []column.Column, rows int, out []uint64) {
	var buf serialRows
	buf.write(keys, rows)
	for i := range rows {
		out[i] = column.HashBytes(buf.at(i))
	}
}

func (g *serialGrouper) count() int { return g.table.keys.Len() }

func (g *serialGrouper) keys(from, to int) []column.Column {
	out := make([]column.Column, len(g.ts))
	for i, t := range g.ts {
		if g.kept[i] != nil {
			g.done[i] = append(g.done[i], g.kept[i].Finish())
			g.kept[i] = nil
		}
		if len(g.done[i]) > 1 {
			g.done[i] = []column.Column{column.Concat(t, g.done[i])}
		}
		out[i] = g.done[i][0].Slice(from, to)
	}
	return out
}

func (g *serialGrouper) size() int64 {
	n := g.table.size()
	if g.kept != nil {
		n *= 2 // the keys are held once as bytes, once as columns
	}
	return n
}

// serialRows is rows written one behind the other.
type serialRows struct {
	data []byte
	ends []int
}

func (s *serialRows) at(i int) []byte {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.data[from:s.ends[i]]
}

// write writes columns of one row side by side: first the lengths, then the
// bytes column by column, each into its place.
func (s *serialRows) write(cols []column.Column, rows int) {
	s.ends = append(s.ends[:0], make([]int, rows)...)
	flat := make([]flatKey, len(cols))
	for i, c := range cols {
		flat[i] = flatten(c, rows)
		flat[i].lengths(s.ends)
	}
	at := 0
	starts := make([]int, rows)
	for i, n := range s.ends {
		starts[i] = at
		at += n
		s.ends[i] = at
	}
	if cap(s.data) < at {
		s.data = make([]byte, at)
	}
	s.data = s.data[:at]
	for i := range flat {
		flat[i].put(s.data, starts)
	}
}

// flatKey is one key column as bytes: strings, or fixed-width words.
type flatKey struct {
	null  []uint8
	words []uint64 // of fixed-width values up to 8 bytes
	str   *column.Str
}

// flatten turns forms without a kernel into strings of their rows' bytes.
func flatten(c column.Column, rows int) flatKey {
	values, null := column.SplitNulls(c)
	f := flatKey{null: null}
	switch v := values.(type) {
	case *column.Str:
		f.str = v
	case *column.Nothing:
		f.words = make([]uint64, rows)
	case *column.Fixed[types.U128], *column.Fixed[types.I128], *column.Fixed[types.U256], *column.Fixed[types.I256],
		*column.Fixed[types.Addr6], *column.Array, *column.Tuple, *column.Map, *column.Variant:
		f.str = &column.Str{Start: make([]uint32, 0, rows), Lns: make([]uint32, 0, rows)}
		for i := range rows {
			at := len(f.str.Data)
			f.str.Data = appendKey(f.str.Data, v, i)
			f.str.Seal(at)
		}
	default:
		f.words = make([]uint64, rows)
		packValues(values, 0, f.words)
	}
	return f
}

func (f *flatKey) lengths(n []int) {
	if f.str == nil {
		for i := range n {
			n[i] += 9
		}
		return
	}
	for i, l := range f.str.Lns {
		n[i] += 5
		if f.null == nil || f.null[i] == 0 {
			n[i] += int(l)
		}
	}
}

// put writes each row at its start and moves the start on.
func (f *flatKey) put(dst []byte, starts []int) {
	for i, at := range starts {
		null := f.null != nil && f.null[i] != 0
		flag := byte(0)
		if null {
			flag = 1
		}
		dst[at] = flag
		switch {
		case f.str == nil:
			w := f.words[i]
			if null {
				w = 0
			}
			binary.LittleEndian.PutUint64(dst[at+1:], w)
			starts[i] = at + 9
		case null:
			binary.LittleEndian.PutUint32(dst[at+1:], 0)
			starts[i] = at + 5
		default:
			v := f.str.At(i)
			binary.LittleEndian.PutUint32(dst[at+1:], uint32(len(v)))
			copy(dst[at+5:], v)
			starts[i] = at + 5 + len(v)
		}
	}
}

// appendKey writes one row of any form; the slow way, for nested keys.
func appendKey(dst []byte, c column.Column, row int) []byte { // long: one case a form
	switch c := c.(type) {
	case *column.Const:
		return appendKey(dst, c.Value, 0)
	case *column.Dict:
		return appendKey(dst, c.Values, int(c.Codes[row]))
	case *column.Nullable:
		if c.IsNull(row) {
			return append(dst, 1)
		}
		return appendKey(append(dst, 0), c.Values, row)
	case *column.Str:
		v := c.At(row)
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...)
	case *column.Array:
		from, to := c.Bounds(row)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(to-from))
		for i := from; i < to; i++ {
			dst = appendKey(dst, c.Elems, i)
		}
		return dst
	case *column.Map:
		from, to := c.Bounds(row)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(to-from))
		for i := from; i < to; i++ {
			dst = appendKey(appendKey(dst, c.Keys, i), c.Values, i)
		}
		return dst
	case *column.Tuple:
		for _, e := range c.Elems {
			dst = appendKey(dst, e, row)
		}
		return dst
	case *column.Nothing:
		return append(dst, 1)
	case *column.Variant:
		k := c.Kinds[row]
		if k == column.NullVariant {
			return append(dst, 1)
		}
		name := c.Types[k].String()
		dst = append(binary.LittleEndian.AppendUint32(append(dst, 0), uint32(len(name))), name...)
		return appendKey(dst, c.Parts[k], int(c.Rows[row]))
	case *column.Fixed[types.U128]:
		v := c.Values[row]
		return appendWords(dst, v.Lo, v.Hi)
	case *column.Fixed[types.I128]:
		v := c.Values[row]
		return appendWords(dst, v.Lo, uint64(v.Hi))
	case *column.Fixed[types.U256]:
		return appendWords(dst, c.Values[row][:]...)
	case *column.Fixed[types.I256]:
		return appendWords(dst, c.Values[row][:]...)
	case *column.Fixed[types.Addr6]:
		return append(dst, c.Values[row][:]...)
	case *column.Fixed[float32]:
		return appendWords(dst, floatWord(float64(c.Values[row])))
	case *column.Fixed[float64]:
		return appendWords(dst, floatWord(c.Values[row]))
	}
	var word [1]uint64
	packValues(c.Slice(row, row+1), 0, word[:])
	return appendWords(dst, word[0])
}

func appendWords(dst []byte, words ...uint64) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

func floatWord(v float64) uint64 {
	if v != v {
		v = math.NaN()
	}
	return math.Float64bits(v)
}
