package parquet

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"lakeserver/column"
	"lakeserver/types"
)

// oracleColumns are columns of n rows in which dictionaries serve, are given up
// at once, and are given up midway.
func oracleColumns(n int) (column.Header, *column.Block) {
	h := column.Header{
		{Name: "few", Type: types.Int32},
		{Name: "many", Type: types.Int64},
		{Name: "text", Type: types.Nullable(types.String)},
		{Name: "later", Type: types.String},
		{Name: "f", Type: types.Float64},
		{Name: "one", Type: types.UInt32},
		{Name: "list", Type: types.Array(types.Int32)},
	}
	few, many, f, one, null := make([]int32, n), make([]int64, n), make([]float64, n), make([]uint32, n), make([]uint8, n)
	text, later, list := &column.Str{}, &column.Str{}, &column.Array{Offsets: []uint64{0}}
	var elems []int32
	for i := range n {
		few[i], many[i], f[i], one[i], null[i] = int32(i/100%7)-3, int64(i)*7919-5, float64(i%10), 4_000_000_000, uint8(i%11/10)
		if i%10 == 9 {
			f[i] = math.NaN()
		}
		text.AppendString(fmt.Sprint("é", i%300))
		if i < n/2 {
			later.AppendString(fmt.Sprint("x", i%50))
		} else {
			later.AppendString(fmt.Sprintf("%090d", i))
		}
		for k := range i % 4 {
			elems = append(elems, int32(k))
		}
		list.Offsets = append(list.Offsets, uint64(len(elems)))
	}
	list.Elems = column.NewFixed(elems)
	return h, column.NewBlock(column.NewFixed(few), column.NewFixed(many), column.NewNullable(text, null), later, column.NewFixed(f), column.NewFixed(one), list)
}

// TestWrittenAsAnotherReads: another implementation reads what the writer
// wrote, page by page, and its statistics.
func TestWrittenAsAnotherReads(t *testing.T) { // long: one check a column
	const n = 100_000
	h, b := oracleColumns(n)
	for _, codec := range []Codec{CodecNone, CodecZstd, CodecSnappy, CodecGzip, CodecBrotli, CodecLZ4Raw} {
		data := writeColumns(t, h, []*column.Block{b.Slice(0, 5000), b.Slice(5000, n)}, WriterOptions{Codec: codec, GroupRows: 60_000, Workers: 2})
		r, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		row, elem := 0, 0
		list := b.Columns[6].(*column.Array)
		for g := range r.NumRowGroups() {
			group := r.RowGroup(g)
			rows := int(group.NumRows())
			each := func(c int, read func(col file.ColumnChunkReader) int64) {
				col, err := group.Column(c)
				if err != nil {
					t.Fatal(err)
				}
				if read(col) < int64(rows) {
					t.Fatalf("%s: column %d of group %d is short", codec, c, g)
				}
			}
			def, rep := make([]int16, 3*rows), make([]int16, 3*rows)
			i32, i64, f64, text := make([]int32, 3*rows), make([]int64, rows), make([]float64, rows), make([]parquet.ByteArray, rows)
			each(0, func(c file.ColumnChunkReader) int64 {
				got, _, err := c.(*file.Int32ColumnChunkReader).ReadBatch(int64(rows), i32, nil, nil)
				for i := range rows {
					if err != nil || i32[i] != column.Values[int32](b.Columns[0])[row+i] {
						t.Fatalf("%s few, row %d: %d (%v)", codec, row+i, i32[i], err)
					}
				}
				return got
			})
			each(1, func(c file.ColumnChunkReader) int64 {
				got, _, err := c.(*file.Int64ColumnChunkReader).ReadBatch(int64(rows), i64, nil, nil)
				for i := range rows {
					if err != nil || i64[i] != column.Values[int64](b.Columns[1])[row+i] {
						t.Fatalf("%s many, row %d: %d (%v)", codec, row+i, i64[i], err)
					}
				}
				return got
			})
			each(2, func(c file.ColumnChunkReader) int64 {
				got, have, err := c.(*file.ByteArrayColumnChunkReader).ReadBatch(int64(rows), text, def, nil)
				v := 0
				for i := range rows {
					want := column.At(b.Columns[2], row+i)
					if err != nil || (want == nil) != (def[i] == 0) || want != nil && string(text[v]) != want {
						t.Fatalf("%s text, row %d (%v)", codec, row+i, err)
					}
					v += int(def[i])
				}
				if v != have {
					t.Fatalf("%s: %d texts, not %d", codec, have, v)
				}
				return got
			})
			each(3, func(c file.ColumnChunkReader) int64 {
				got, _, err := c.(*file.ByteArrayColumnChunkReader).ReadBatch(int64(rows), text, nil, nil)
				for i := range rows {
					if err != nil || string(text[i]) != column.At(b.Columns[3], row+i) {
						t.Fatalf("%s later, row %d: %s (%v)", codec, row+i, text[i], err)
					}
				}
				return got
			})
			each(4, func(c file.ColumnChunkReader) int64 {
				got, _, err := c.(*file.Float64ColumnChunkReader).ReadBatch(int64(rows), f64, nil, nil)
				for i, want := range column.Values[float64](b.Columns[4])[row : row+rows] {
					if err != nil || math.Float64bits(f64[i]) != math.Float64bits(want) {
						t.Fatalf("%s f, row %d: %v (%v)", codec, row+i, f64[i], err)
					}
				}
				return got
			})
			each(6, func(c file.ColumnChunkReader) int64 {
				got, have, err := c.(*file.Int32ColumnChunkReader).ReadBatch(int64(3*rows), i32, def, rep)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range i32[:have] {
					if want := column.Values[int32](list.Elems)[elem]; x != want {
						t.Fatalf("%s list, element %d: %d, not %d", codec, elem, x, want)
					}
					elem++
				}
				return got
			})
			for i, want := range map[int]string{0: "-3 3", 4: "-0 8", 5: "4000000000 4000000000"} {
				chunk, err := group.MetaData().ColumnChunk(i)
				if err != nil {
					t.Fatal(err)
				}
				s, err := chunk.Statistics()
				if err != nil || !s.HasMinMax() {
					t.Fatalf("%s: no statistics of column %d (%v)", codec, i, err)
				}
				got := fmt.Sprint(plainNumber(s.EncodeMin(), i), " ", plainNumber(s.EncodeMax(), i))
				if got != want {
					t.Errorf("%s: bounds of column %d: %s, not %s", codec, i, got, want)
				}
			}
			row += rows
		}
		if row != n {
			t.Fatal("rows", row)
		}
	}
}

func plainNumber(b []byte, column int) any {
	switch column {
	case 0:
		return int32(le32(b))
	case 5:
		return le32(b)
	}
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return math.Float64frombits(v)
}

func le32(b []byte) (v uint32) {
	for i, x := range b {
		v |= uint32(x) << (8 * i)
	}
	return v
}
