package paimon

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// sortRows writes a stream's rows in the order that the compaction asks for.
// The rows of one bucket are held in memory, which is counted.
func (x *compacting) sortRows(ctx context.Context, s column.Stream, w *appendFiles) error {
	held := int64(0)
	defer func() { x.opt.Memory.Shrink(held) }()
	var blocks []*column.Block
	for {
		b, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		b = column.FullBlock(b)
		n := 2 * b.Size() // it is copied into its order
		if err := x.opt.Memory.Grow(n); err != nil {
			return err
		}
		held += n
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		return nil
	}
	all := &column.Block{}
	for _, b := range blocks {
		all.Rows += b.Rows
	}
	for at, f := range x.out.layout.stored {
		parts := make([]column.Column, len(blocks))
		for i, b := range blocks {
			parts[i] = b.Columns[at]
		}
		all.Columns = append(all.Columns, column.Concat(f.Type, parts))
	}
	order, err := x.order(all)
	if err != nil {
		return err
	}
	for from := 0; from < len(order); from += column.MaxBlockRows {
		if err := w.write(ctx, all.Gather(order[from:min(from+column.MaxBlockRows, len(order))])); err != nil {
			return err
		}
	}
	return nil
}

// order gives the rows in the order of the columns to sort by.
func (x *compacting) order(b *column.Block) ([]uint32, error) {
	var cols []column.Column
	for _, name := range x.opt.SortBy {
		at := -1
		for i := range x.c.schema.Fields {
			if f := &x.c.schema.Fields[i]; f.Name == name && !f.Type.Nested() {
				at = i
			}
		}
		if at < 0 {
			return nil, invalid("Paimon table %s has no column `%s` to sort by", x.c.ctx.Root, name)
		}
		cols = append(cols, b.Columns[at])
	}
	order := make([]uint32, b.Rows)
	for i := range order {
		order[i] = uint32(i)
	}
	if x.opt.ZOrder {
		curve := zValues(cols, b.Rows)
		width := 8 * len(cols)
		slices.SortStableFunc(order, func(i, j uint32) int {
			return bytes.Compare(curve[int(i)*width:int(i+1)*width], curve[int(j)*width:int(j+1)*width])
		})
		return order, nil
	}
	var compare []func(i, j int) int
	for _, c := range cols {
		compare = append(compare, comparer(c))
	}
	slices.SortStableFunc(order, func(i, j uint32) int {
		for _, c := range compare {
			if d := c(int(i), int(j)); d != 0 {
				return d
			}
		}
		return 0
	})
	return order, nil
}

// zValues gives each row's place on the Z-order curve: eight bytes a column that
// keep the column's order, bit by bit in turn.
func zValues(cols []column.Column, rows int) []byte {
	words := make([][]uint64, len(cols))
	for i, c := range cols {
		words[i] = orderedWords(column.SplitNulls(column.Full(c)))
	}
	out := make([]byte, 8*len(cols)*rows)
	for r := range rows {
		key, at := out[8*len(cols)*r:], 0
		for bit := 63; bit >= 0; bit-- {
			for i := range words {
				key[at>>3] |= byte(words[i][r]>>bit&1) << (7 - at&7)
				at++
			}
		}
	}
	return out
}

// orderedWords maps values to words that compare as the values do; NULL is the
// least.
func orderedWords(c column.Column, null []uint8) []uint64 { // long: one case a form
	out := make([]uint64, c.Len())
	const sign = uint64(1) << 63
	for i := range out {
		if null != nil && null[i] != 0 {
			continue
		}
		switch v := column.At(c, i).(type) {
		case bool:
			if v {
				out[i] = sign
			}
		case int8:
			out[i] = uint64(int64(v))<<56 ^ sign
		case int16:
			out[i] = uint64(int64(v))<<48 ^ sign
		case int32:
			out[i] = uint64(int64(v))<<32 ^ sign
		case int64:
			out[i] = uint64(v) ^ sign
		case uint8:
			out[i] = uint64(v) << 56
		case float32:
			out[i] = floatWord(float64(v))
		case float64:
			out[i] = floatWord(v)
		case types.I128:
			out[i] = uint64(v.Hi) ^ sign
		case string:
			var first [8]byte
			copy(first[:], v)
			out[i] = binary.BigEndian.Uint64(first[:])
		default:
			cherr.Bug("no order of a %T", v)
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
