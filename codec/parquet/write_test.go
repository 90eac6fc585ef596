package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// enum8 is an Enum8 of two names.
func enum8(t testing.TB) *types.Type {
	e, err := types.NewEnum(types.KindEnum8, []string{"a", "long name"}, []int16{-3, 7})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// writeTypes are the types that the writer knows, nested ones among them.
func writeTypes(t testing.TB) []*types.Type {
	flat := []*types.Type{
		types.UInt8, types.UInt16, types.UInt32, types.UInt64, types.Int8, types.Int16, types.Int32, types.Int64,
		types.Int128, types.UInt128, types.Int256, types.UInt256, types.Float32, types.Float64, types.Bool, types.String,
		types.FixedString(3), types.Date, types.Date32, types.DateTime, types.DateTime64(0, "", nil), types.DateTime64(3, "", nil),
		types.DateTime64(5, "", nil), types.DateTime64(9, "", nil), types.Decimal(7, 2), types.Decimal(17, 3),
		types.Decimal(33, 3), types.Decimal(70, 3), enum8(t), types.UUID, types.IPv4, types.IPv6,
	}
	out := append([]*types.Type{}, flat...)
	for _, f := range flat {
		out = append(out, types.Nullable(f), types.Array(types.Nullable(f)))
	}
	point := types.Tuple([]*types.Type{types.Int64, types.Nullable(types.String), types.Array(types.UInt8)}, []string{"x", "y", "z"})
	return append(out, point, types.Array(point), types.Map(types.String, types.Array(types.Array(types.Int32))),
		types.Map(types.UInt64, point), types.LowCardinality(types.Nullable(types.String)), types.Array(types.LowCardinality(types.String)))
}

// randomValue makes a boxed value of a type.
func randomValue(t *types.Type, rnd *rand.Rand) column.Value { // long: one case a form
	t = types.WithoutLowCardinality(t)
	x := rnd.Int63() >> rnd.Intn(60)
	switch t.Kind() {
	case types.KindNullable:
		if rnd.Intn(4) == 0 {
			return nil
		}
		return randomValue(t.Elem(), rnd)
	case types.KindArray:
		out := column.Row{}
		for range rnd.Intn(4) {
			out = append(out, randomValue(t.Elem(), rnd))
		}
		return out
	case types.KindTuple:
		out := column.Row{}
		for _, e := range t.Elems() {
			out = append(out, randomValue(e, rnd))
		}
		return out
	case types.KindMap:
		out := column.Entries{}
		for range rnd.Intn(3) {
			out = append(out, column.Entry{Key: randomValue(t.Elems()[0], rnd), Value: randomValue(t.Elems()[1], rnd)})
		}
		return out
	case types.KindString:
		return fmt.Sprint("s", x%1000)
	case types.KindFixedString:
		return fmt.Sprintf("%03d", x%1000)
	case types.KindBool:
		return uint8(x & 1)
	case types.KindEnum8:
		return []column.Value{int8(-3), int8(7)}[x&1]
	case types.KindDecimal32:
		return int32(x%1e7) - 5e6
	case types.KindDateTime64:
		return x%1e15 - 5e14
	}
	switch t.Physical() {
	case types.PhysUInt8:
		return uint8(x)
	case types.PhysUInt16:
		return uint16(x)
	case types.PhysUInt32:
		return uint32(x)
	case types.PhysUInt64:
		return uint64(x) * 3
	case types.PhysInt8:
		return int8(x)
	case types.PhysInt16:
		return int16(x)
	case types.PhysInt32:
		return int32(x)
	case types.PhysInt64:
		return -x % 1e17
	case types.PhysUInt128:
		return types.U128{Lo: uint64(x), Hi: uint64(x) * 7}
	case types.PhysInt128:
		return types.ToI128(-x)
	case types.PhysInt256:
		return types.ToI256(-x)
	case types.PhysUInt256:
		return types.U256{uint64(x), 1, 2, uint64(x)}
	case types.PhysFloat32:
		return float32(x) / 3
	case types.PhysFloat64:
		return float64(x) / 3
	case types.PhysIPv6:
		return types.Addr6{1, 2, byte(x), byte(x >> 8)}
	}
	panic(t.String())
}

func writeColumns(t testing.TB, header column.Header, blocks []*column.Block, opt WriterOptions) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, header, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if err := w.Write(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestWrite writes every type and reads it back, as the type it was.
func TestWrite(t *testing.T) {
	rnd := rand.New(rand.NewSource(8))
	var header column.Header
	for i, typ := range writeTypes(t) {
		header = append(header, column.Field{Name: fmt.Sprint("c", i), Type: typ})
	}
	for _, opt := range []WriterOptions{
		{Codec: CodecZstd, GroupRows: 300},
		{Codec: CodecSnappy, SmallDecimals: true, LocalTimestamps: true, PageBytes: 500},
	} {
		var blocks []*column.Block
		expect := make([][]string, len(header))
		for range 4 {
			b := &column.Block{Rows: 130}
			for i, f := range header {
				bld := column.NewBuilder(f.Type, b.Rows)
				for range b.Rows {
					v := randomValue(f.Type, rnd)
					expect[i] = append(expect[i], text(v))
					bld.AppendValue(v)
				}
				b.Columns = append(b.Columns, bld.Finish())
			}
			blocks = append(blocks, b.Slice(0, 70), b.Slice(70, 130)) // offsets that do not begin at 0
		}
		r := openBytes(t, writeColumns(t, header, blocks, opt))
		if r.Rows() != 4*130 {
			t.Fatal("rows:", r.Rows())
		}
		var wants []Want
		for i, f := range header {
			wants = append(wants, Want{Node: r.Schema().Children[i], Type: f.Type})
		}
		got, err := readAll(r, wants, 0, 77)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range header {
			for row, v := range got[i] {
				if text(v) != expect[i][row] {
					t.Fatalf("%s row %d: %s, not %s", f.Type, row, text(v), expect[i][row])
				}
			}
		}
	}
}

// TestWriteNulls: a row group without a value has no dictionary.
func TestWriteNulls(t *testing.T) {
	h := column.Header{{Name: "s", Type: types.Nullable(types.String)}, {Name: "n", Type: types.Nullable(types.Int64)}}
	b := column.NewBlock(column.NewNullable(column.NewStr("", "", ""), []uint8{1, 1, 1}), column.NewNullable(column.NewFixed([]int64{0, 7, 0}), []uint8{1, 0, 1}))
	r := openBytes(t, writeColumns(t, h, []*column.Block{b.Slice(0, 1), b}, WriterOptions{GroupRows: 3}))
	got, err := readAll(r, []Want{{Node: r.Schema().Children[0], Type: h[0].Type}, {Node: r.Schema().Children[1], Type: h[1].Type}}, 0, 10)
	if err != nil || fmt.Sprint(got) != "[[<nil> <nil> <nil> <nil>] [<nil> <nil> 7 <nil>]]" {
		t.Fatal(got, err)
	}
}

// TestWriteSchema keeps field ids and the types that ClickHouse would infer.
func TestWriteSchema(t *testing.T) {
	point := types.Tuple([]*types.Type{types.Int64, types.Nullable(types.String)}, []string{"x", "y"})
	header := column.Header{{Name: "p", Type: types.Array(point)}, {Name: "m", Type: types.Map(types.String, types.Decimal(9, 2))}}
	data := writeColumns(t, header, nil, WriterOptions{
		SmallDecimals: true,
		CreatedBy:     "us", KeyValues: []KeyValue{{"k", "v"}},
		Fields: []Field{
			{ID: 1, Children: []Field{{ID: 3, Children: []Field{{ID: 4}, {ID: 5}}}}},
			{ID: 2, Children: []Field{{ID: 6}, {ID: 7}}},
		},
	})
	r := openBytes(t, data)
	var ids []int
	for _, n := range r.Leaves() {
		ids = append(ids, n.FieldID)
	}
	p, m := r.Schema().Children[0], r.Schema().Children[1]
	if fmt.Sprint(ids, p.FieldID, m.FieldID) != "[4 5 6 7] 1 2" {
		t.Error("field ids", ids, p.FieldID, m.FieldID)
	}
	if TypeOf(p).String() != header[0].Type.String() || TypeOf(m).String() != header[1].Type.String() {
		t.Error("types", TypeOf(p), TypeOf(m))
	}
	if v, _ := r.KeyValue("k"); v != "v" || r.CreatedBy() != "us" || r.Rows() != 0 {
		t.Error("metadata", v, r.CreatedBy(), r.Rows())
	}
	_, err := NewWriter(&bytes.Buffer{}, column.Header{{Name: "t", Type: types.Time}}, WriterOptions{})
	if !cherr.Is(err, cherr.UnknownType) {
		t.Error("Time is written:", err)
	}
}
