package parquet

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"

	"lakeserver/column"
	"lakeserver/types"
)

// within tells whether a value lies inside bounds; NULL and NaN always do.
func within(t *types.Type, v column.Value, b Bounds) bool {
	if v == nil || isNaN(v) {
		return true
	}
	one := func(v column.Value) column.Column { return column.Full(column.FromValue(t, v, 1)) }
	return column.Compare(one(b.Min), 0, one(v), 0, 1) <= 0 && column.Compare(one(v), 0, one(b.Max), 0, 1) <= 0
}

// TestBounds checks that statistics, page index and bloom filter never deny a
// value that is there, and that most types have them at all.
func TestBounds(t *testing.T) {
	rnd := rand.New(rand.NewSource(4))
	rec := randomRecord(flatFields(), 2000, rnd, 0.1, 1<<21)
	data := writeArrow(t, rec, 1000, parquet.WithDataPageSize(1000), parquet.WithBatchSize(50), parquet.WithDictionaryDefault(false),
		parquet.WithPageIndexEnabled(true), parquet.WithBloomFilterEnabled(true))
	r := openBytes(t, data)
	wants := wantAll(r)
	values, err := readAll(r, wants, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	bounded, pruned, blooms := 0, 0, 0
	for i, w := range wants {
		typ := w.Type
		at := 0
		for g := range r.RowGroups() {
			group := &r.RowGroups()[g]
			c := group.Chunk(i)
			rows := values[i][at : at+int(group.Rows())]
			at += len(rows)
			if b, ok := c.Bounds(typ); ok {
				bounded++
				for _, v := range rows {
					if !within(typ, v, b) {
						t.Fatalf("%s: %v outside of %v", w.Node.Name, v, b)
					}
				}
			}
			pages, err := c.PageStats(context.Background(), typ)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pages {
				for _, v := range rows[p.FirstRow : p.FirstRow+p.Rows] {
					if p.HasBounds && !within(typ, v, p.Bounds) || p.AllNull && v != nil {
						t.Fatalf("%s: %v outside of page %+v", w.Node.Name, v, p)
					}
				}
			}
			if len(pages) > 1 {
				pruned++
			}
			bloom, err := c.Bloom(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if bloom != nil && bloomDenies(t, bloom, typ, rows) {
				blooms++
			}
		}
	}
	if bounded < 80 || pruned < 60 || blooms < 20 {
		t.Errorf("%d chunks have bounds, %d pages, %d useful bloom filters", bounded, pruned, blooms)
	}
}

// bloomDenies checks the values that are there and tells whether the filter
// denies any that are not.
func bloomDenies(t *testing.T, b *Bloom, typ *types.Type, rows []column.Value) bool {
	t.Helper()
	for _, v := range rows {
		if v != nil && !b.MightContain(typ, v) {
			t.Fatalf("the bloom filter of %s denies %v", b.leaf.Name, v)
		}
	}
	denied := false
	for i := range 200 {
		switch types.Unwrap(typ).Kind() {
		case types.KindInt64:
			denied = denied || !b.MightContain(typ, int64(i)*3+1)
		case types.KindInt32:
			denied = denied || !b.MightContain(typ, int32(i)*3+1)
		case types.KindString:
			denied = denied || !b.MightContain(typ, fmt.Sprint("nothing", i))
		case types.KindFloat64:
			denied = denied || !b.MightContain(typ, float64(i)+0.123)
		case types.KindDateTime64:
			denied = denied || !b.MightContain(typ, int64(i)*3+1)
		}
	}
	return denied
}

// TestBoundsNarrowed refuses bounds that lost bits in a smaller type.
func TestBoundsNarrowed(t *testing.T) {
	rec := randomRecord([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, 100, rand.New(rand.NewSource(5)), 0, 1<<21)
	r := openBytes(t, writeArrow(t, rec, 1000))
	c := r.RowGroups()[0].Chunk(0)
	if _, ok := c.Bounds(types.Int64); !ok {
		t.Error("no bounds as Int64")
	}
	if b, ok := c.Bounds(types.Int32); ok {
		t.Errorf("bounds %v as Int32", b)
	}
}
