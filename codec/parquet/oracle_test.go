package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"lakeserver/column"
	"lakeserver/types"
)

// arrowTable reads a file with arrow-go, the other hand that we are held against.
func arrowTable(data []byte) (arrow.Table, error) {
	pf, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	fr, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	return fr.ReadTable(context.Background())
}

// arrowColumn boxes a column as ours of type t are.
func arrowColumn(c *arrow.Chunked, t *types.Type) []column.Value {
	var out []column.Value
	for _, a := range c.Chunks() {
		for i := range a.Len() {
			out = append(out, arrowValue(a, i, t))
		}
	}
	return out
}

func arrowValue(a arrow.Array, i int, t *types.Type) column.Value { // long: one case a type
	if x, ok := a.(array.ExtensionArray); ok {
		return arrowValue(x.Storage(), i, t)
	}
	if a.IsNull(i) {
		switch {
		case t.IsNullable():
			return nil
		case t.Kind() == types.KindTuple:
			s := a.(*array.Struct)
			row := column.Row{}
			for k, et := range t.Elems() {
				row = append(row, arrowUnderNull(s.Field(k), et))
			}
			return row
		case t.Kind() == types.KindMap:
			return column.Entries{}
		case t.Kind() == types.KindArray:
			return column.Row{}
		}
		return column.At(column.Default(t, 1), 0)
	}
	switch a := a.(type) { // a map is like a list too, and comes first
	case *array.Boolean:
		return b2u(a.Value(i))
	case *array.Int8:
		return a.Value(i)
	case *array.Uint8:
		return a.Value(i)
	case *array.Int16:
		return a.Value(i)
	case *array.Uint16:
		return a.Value(i)
	case *array.Int32:
		return a.Value(i)
	case *array.Uint32:
		return a.Value(i)
	case *array.Int64:
		return a.Value(i)
	case *array.Uint64:
		return a.Value(i)
	case *array.Float16:
		return a.Value(i).Float32()
	case *array.Float32:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.Dictionary:
		return arrowValue(a.Dictionary(), a.GetValueIndex(i), t)
	case *array.Binary:
		return string(a.Value(i))
	case *array.FixedSizeBinary:
		if types.Unwrap(t).Kind() == types.KindUUID {
			return uuidOf(a.Value(i))
		}
		return string(a.Value(i))
	case *array.Date32:
		return int32(a.Value(i))
	case *array.Time32:
		return int64(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Decimal128:
		return decimalValue(a.Value(i).BigInt(), t)
	case *array.Decimal256:
		return decimalValue(a.Value(i).BigInt(), t)
	case *array.Map:
		from, to := a.ValueOffsets(i)
		out := column.Entries{}
		for e := from; e < to; e++ {
			out = append(out, column.Entry{Key: arrowValue(a.Keys(), int(e), t.Elems()[0]), Value: arrowValue(a.Items(), int(e), t.Elems()[1])})
		}
		return out
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		out := column.Row{}
		for e := from; e < to; e++ {
			out = append(out, arrowValue(a.ListValues(), int(e), t.Elem()))
		}
		return out
	case *array.Struct:
		out := column.Row{}
		for k, et := range t.Elems() {
			out = append(out, arrowValue(a.Field(k), i, et))
		}
		return out
	}
	panic(a.DataType().String())
}

// arrowUnderNull gives what stands in a struct that is NULL.
func arrowUnderNull(a arrow.Array, t *types.Type) column.Value {
	if t.IsNullable() {
		return nil
	}
	switch t.Kind() {
	case types.KindTuple:
		row := column.Row{}
		for k, et := range t.Elems() {
			row = append(row, arrowUnderNull(a.(*array.Struct).Field(k), et))
		}
		return row
	case types.KindMap:
		return column.Entries{}
	}
	return column.At(column.Default(t, 1), 0)
}

func decimalValue(b *big.Int, t *types.Type) column.Value {
	switch types.Unwrap(t).Physical() {
	case types.PhysInt32:
		return int32(b.Int64())
	case types.PhysInt64:
		return b.Int64()
	case types.PhysInt128:
		return types.I128FromBig(b)
	}
	return types.I256FromBig(b)
}

// compareTable holds our reading of a file against the columns of a table, in
// several window sizes and with selections.
func compareTable(t *testing.T, data []byte, table arrow.Table) {
	t.Helper()
	r := openBytes(t, data)
	wants := wantAll(r)
	if len(wants) != int(table.NumCols()) {
		t.Fatalf("%d columns, not %d", len(wants), table.NumCols())
	}
	expect := make([][]string, len(wants))
	for i, w := range wants {
		for _, v := range arrowColumn(table.Column(i).Data(), w.Type) {
			expect[i] = append(expect[i], text(v))
		}
	}
	for _, mode := range []struct {
		every   int
		windows []int
	}{{0, []int{1 << 20}}, {0, []int{100, 7, 1, 64}}, {3, []int{1000}}, {97, []int{128, 13}}} {
		got, err := readAll(r, wants, mode.every, mode.windows...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range wants {
			want := pick(r, expect[i], mode.every)
			if len(got[i]) != len(want) {
				t.Fatalf("%s %+v: %d rows, not %d", wants[i].Node.Name, mode, len(got[i]), len(want))
			}
			for row, v := range got[i] {
				if text(v) != want[row] {
					t.Fatalf("%s %s %+v row %d: %s, not %s", wants[i].Node.Name, wants[i].Type, mode, row, text(v), want[row])
				}
			}
		}
	}
}

// pick keeps every so many rows of each row group.
func pick(r *Reader, all []string, every int) []string {
	if every < 2 {
		return all
	}
	var out []string
	at := 0
	for _, g := range r.RowGroups() {
		for i := range int(g.Rows()) {
			if i%every == 0 {
				out = append(out, all[at+i])
			}
		}
		at += int(g.Rows())
	}
	return out
}

// writeArrow writes a record with arrow-go.
func writeArrow(t testing.TB, rec arrow.RecordBatch, groupRows int64, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	var buf bytes.Buffer
	opts = append(opts, parquet.WithMaxRowGroupLength(groupRows))
	w, err := pqarrow.NewFileWriter(rec.Schema(), &buf, parquet.NewWriterProperties(opts...), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func be64(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }
