package iceberg

import (
	"encoding/binary"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// zOrder gives the one key that interleaves the bits of several columns.
func zOrder(schema *iceberg.Schema, columns []string) ([]sortKey, error) {
	var paths [][]int
	for _, name := range columns {
		f := schema.Lookup(name)
		if f == nil || f.Type.Nested() {
			return nil, cherr.New(cherr.BadArguments, "Unknown field to sort by %s.", name)
		}
		path, t := columnPath(schema.Fields, f.ID)
		if t == nil {
			return nil, cherr.New(cherr.BadArguments, "Column %s cannot be sorted by: it is inside of a list or map", name)
		}
		paths = append(paths, path)
	}
	return []sortKey{{curve: paths}}, nil
}

// zValues gives each row's place on the curve: eight bytes a column that keep
// the column's order (iceberg.md §3.3), bit by bit in turn.
func zValues(b *column.Block, paths [][]int) *column.Str {
	words := make([][]uint64, len(paths))
	for i, path := range paths {
		words[i] = orderedWords(atPath(b.Columns, path))
	}
	out := &column.Str{}
	key := make([]byte, 8*len(paths))
	for r := range b.Rows {
		clear(key)
		at := 0
		for bit := 63; bit >= 0; bit-- {
			for i := range words {
				key[at>>3] |= byte(words[i][r]>>bit&1) << (7 - at&7)
				at++
			}
		}
		out.Append(key)
	}
	return out
}

// orderedWords maps values to words that compare as the values do; NULL is the
// least.
func orderedWords(c column.Column, null []uint8) []uint64 { // long: one case a form
	out := make([]uint64, c.Len())
	const sign = uint64(1) << 63
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		for i, v := range c.Values {
			out[i] = uint64(v) << 56
		}
	case *column.Fixed[int32]:
		for i, v := range c.Values {
			out[i] = uint64(int64(v))<<32 ^ sign
		}
	case *column.Fixed[int64]:
		for i, v := range c.Values {
			out[i] = uint64(v) ^ sign
		}
	case *column.Fixed[float32]:
		for i, v := range c.Values {
			out[i] = floatWord(float64(v))
		}
	case *column.Fixed[float64]:
		for i, v := range c.Values {
			out[i] = floatWord(v)
		}
	case *column.Fixed[types.I128]:
		for i, v := range c.Values {
			out[i] = uint64(v.Hi) ^ sign
		}
	case *column.Fixed[types.U128]:
		for i, v := range c.Values {
			out[i] = v.Hi
		}
	case *column.Str:
		for i := range out {
			var first [8]byte
			copy(first[:], c.At(i))
			out[i] = binary.BigEndian.Uint64(first[:])
		}
	}
	for i, n := range null {
		if n != 0 {
			out[i] = 0
		}
	}
	return out
}

func floatWord(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}
