package iceberg_test

import (
	"context"
	"testing"

	"lakeserver/column"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/types"
	write "lakeserver/write/iceberg"
)

// A rewrite keeps what ClickHouse's types cannot say: lists that are NULL stay
// apart from empty ones; row ids and the numbers of the last change stay too.
func TestRewriteKeeps(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	store := objstore.NewLocal(dir)
	list := &iceberg.Type{Kind: iceberg.List, Elem: &iceberg.Field{Name: "element", Type: iceberg.ParseType("int")}}
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{
		FormatVersion: 3, Location: dir + "/tab", Fields: []iceberg.Field{{Name: "id", Required: true, Type: iceberg.ParseType("long")}, {Name: "a", Type: list}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = (&write.Folder{Loader: &metadata.Loader{Store: store}, Root: "tab/"}).Create(ctx, m); err != nil {
		t.Fatal(err)
	}
	tab := openTable(store, m, nil)
	for i := range int64(3) {
		w, err := write.NewRowWriter(tab, m, write.RowOptions{SpecID: -1, KeepNulls: true})
		if err != nil {
			t.Fatal(err)
		}
		lists := &column.Nullable{Values: column.NewArray([]uint64{0, 0, 1}, column.NewNullable(column.NewFixed([]int32{5}), nil)), Null: []uint8{1, 0, 0}}
		if err := w.Write(ctx, column.NewBlock(column.NewFixed([]int64{i, i + 10, i + 20}), lists)); err != nil {
			t.Fatal(err)
		}
		files, err := w.Close(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if m, err = tab.Commit(ctx, &write.Producer{Table: tab, Added: files}); err != nil {
			t.Fatal(err)
		}
	}
	before := rowsWithIDs(t, tab, m)
	res, err := tab.RewriteDataFiles(ctx, write.RewriteOptions{MinInputFiles: 2})
	if err != nil || res.RewrittenFiles != 3 || res.AddedFiles != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	m = fresh(t, tab)
	after := rowsWithIDs(t, tab, m)
	if len(before) != 9 || len(after) != 9 {
		t.Fatalf("%d rows before, %d after", len(before), len(after))
	}
	nulls := 0
	for id, row := range before {
		if after[id] != row {
			t.Errorf("row %d was %v, is %v", id, row, after[id])
		}
		if row.null {
			nulls++
		}
	}
	if nulls != 3 {
		t.Errorf("%d NULL lists, want 3", nulls)
	}
	checkWhole(t, "rewrite", tab, m, nil)
}

type kept struct {
	null       bool
	elems      int
	rowID, seq int64
}

func rowsWithIDs(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) map[int64]kept {
	t.Helper()
	src := &read.Source{Loader: tab.Loader, Meta: m, Snapshot: m.Snapshot(m.CurrentSnapshotID), Paths: tab.Paths, Schema: m.CurrentSchema()}
	plan, err := read.PlanIceberg(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := types.Nullable(types.Int64)
	req := &read.Request{Source: src, Streams: 1, KeepNulls: true, Output: []int{0, 1, 2, 3}, Columns: []read.Column{
		{Name: "id", Type: types.Int64, Field: &src.Schema.Fields[0]},
		{Name: "a", Type: types.Array(types.Nullable(types.Int32)), Field: &src.Schema.Fields[1]},
		{Name: "_row_id", Type: long, Virtual: read.VirtualRowID},
		{Name: "_last_updated_sequence_number", Type: long, Virtual: read.VirtualLast},
	}}
	_, streams := read.Start(req, plan)
	defer streams[0].Close()
	out := map[int64]kept{}
	for {
		b, err := streams[0].Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		for i := range b.Rows {
			k := kept{rowID: column.At(b.Columns[2], i).(int64), seq: column.At(b.Columns[3], i).(int64)}
			if v := column.At(b.Columns[1], i); v == nil {
				k.null = true
			} else {
				k.elems = len(v.(column.Row))
			}
			out[column.At(b.Columns[0], i).(int64)] = k
		}
	}
}
