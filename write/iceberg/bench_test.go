package iceberg_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// BenchmarkCommit is an append of one file to a table with a history.
func BenchmarkCommit(b *testing.B) {
	t := &testing.T{}
	dir := b.TempDir()
	tab := newTableIn(t, objstore.NewLocal(dir), dir, 2, nil, write.NewLines())
	add := func(i int) {
		p := &write.Producer{Table: tab, Added: []write.NewFile{file(tab.Meta, fmt.Sprint("f", i), 1, 10)}}
		if _, err := tab.Commit(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 400 {
		add(i)
	}
	b.ResetTimer()
	for i := range b.N {
		add(400 + i)
	}
}

// BenchmarkRows writes wide rows into one data file.
func BenchmarkRows(b *testing.B) {
	dir := b.TempDir()
	fields := []iceberg.Field{}
	for i, t := range []string{"long", "int", "long", "double", "timestamp", "date", "string", "string", "string", "int", "float", "long"} {
		fields = append(fields, iceberg.Field{Name: fmt.Sprint("c", i), Required: i < 11, Type: iceberg.ParseType(t)})
	}
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{FormatVersion: 2, Location: dir + "/tab", Fields: fields})
	if err != nil {
		b.Fatal(err)
	}
	const rows = 1 << 16
	block := wideBlock(rows)
	b.SetBytes(block.Size())
	tab := openTable(objstore.NewLocal(dir), m, nil)
	b.ResetTimer()
	w, err := write.NewRowWriter(tab, m, write.RowOptions{SpecID: -1, Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		if err := w.Write(context.Background(), block); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

func wideBlock(rows int) *column.Block {
	r := rand.New(rand.NewPCG(1, 2))
	id, b, ts, n := make([]int64, rows), make([]int64, rows), make([]int64, rows), make([]int64, rows)
	a, d, e := make([]int32, rows), make([]int32, rows), make([]int32, rows)
	c, f, null := make([]float64, rows), make([]float32, rows), make([]uint8, rows)
	s1, s2, url := &column.Str{}, &column.Str{}, &column.Str{}
	for i := range rows {
		id[i], a[i], b[i], c[i], ts[i], d[i] = int64(i), int32(i%1000), int64(r.Uint64()), float64(i)/7, int64(i)*1e6, int32(19000+i%365)
		s1.AppendString(fmt.Sprint(r.Uint64()))
		s2.AppendString(fmt.Sprint("city", r.IntN(4500)))
		url.AppendString(fmt.Sprint("https://example.com/", r.IntN(250000), "/path"))
		e[i], f[i], n[i], null[i] = int32(i%7), float32(i%100), int64(i%50), uint8(i%10/9)
	}
	return column.NewBlock(column.NewFixed(id), column.NewFixed(a), column.NewFixed(b), column.NewFixed(c), column.NewFixed(ts), column.NewFixed(d),
		s1, s2, url, column.NewFixed(e), column.NewFixed(f), column.NewNullable(column.NewFixed(n), null))
}
