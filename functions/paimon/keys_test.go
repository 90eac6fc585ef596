package paimon

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/table"
	"lakeserver/types"
)

// compared makes a comparison with a kernel of this test's own.
func compared(name string, holds func(c int) bool, col *expr.Column, v column.Value) expr.Expr {
	fn := &expr.Function{Name: name, Result: types.UInt8, KeepNulls: true, Kernel: func(_ context.Context, cols []column.Column, rows int) (column.Column, error) {
		out := make([]uint8, rows)
		for i := range out {
			if column.At(cols[0], i) != nil && holds(column.Compare(cols[0], i, cols[1], 0, 1)) {
				out[i] = 1
			}
		}
		return column.NewFixed(out), nil
	}}
	return &expr.Call{Fn: fn, Args: []expr.Expr{col, expr.NewLiteral(types.WithoutNullable(col.T), v)}}
}

// Conditions on a key are asked of records before they are merged: the rows are
// those that a filter over the merged rows leaves.
func TestFiltersOnKeys(t *testing.T) {
	root := fixtureRoot(t)
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(root)}, form: storage.Local, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
	files, _ := filepath.Glob(filepath.Join(root, "expected-paimon", "pk.*.json"))
	cases := 0
	for _, file := range files {
		f := loadFixture(t, file)
		if f.Columns == nil || f.Rows == nil || hasORC(root, f) {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			tab, err := opened(t.Context(), o, f.Path)
			if err != nil {
				t.Fatal(err)
			}
			cases += checkKeys(t, tab)
		})
	}
	if cases < 400 {
		t.Errorf("%d filters were tried", cases)
	}
}

func checkKeys(t *testing.T, tab *Table) (cases int) {
	all := make([]int, len(tab.columns))
	for i := range all {
		all[i] = i
	}
	whole := blocksOf(t, tab, &table.ScanRequest{Columns: all, Streams: 2})
	for _, key := range tab.src.Schema.TrimmedKeys() {
		at := slices.IndexFunc(tab.columns, func(c table.Column) bool { return c.Name == key.Name })
		col := &expr.Column{Index: at, Name: key.Name, T: tab.columns[at].Type}
		for _, v := range someValues(whole, at) {
			for name, holds := range map[string]func(int) bool{
				"equals": func(c int) bool { return c == 0 }, "less": func(c int) bool { return c < 0 }, "greaterOrEquals": func(c int) bool { return c >= 0 },
			} {
				e := compared(name, holds, col, v)
				want := []string{}
				for _, b := range whole {
					c, err := e.(*expr.Call).Fn.Kernel(t.Context(), []column.Column{b.Columns[at], expr.Constant(expr.NewLiteral(types.WithoutNullable(col.T), v))}, b.Rows)
					if err != nil {
						t.Fatal(err)
					}
					for i := range b.Rows {
						if column.At(c, i) == uint8(1) {
							want = append(want, plainRow(b, i))
						}
					}
				}
				got := []string{}
				for _, b := range blocksOf(t, tab, &table.ScanRequest{Columns: all, Streams: 2, Filter: []expr.Expr{e}}) {
					for i := range b.Rows {
						got = append(got, plainRow(b, i))
					}
				}
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) {
					t.Errorf("%s %s %v: %d rows, want %d", key.Name, name, v, len(got), len(want))
				}
				cases++
			}
		}
	}
	return cases
}

func blocksOf(t *testing.T, tab *Table, req *table.ScanRequest) (out []*column.Block) {
	t.Helper()
	streams, err := tab.Scan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		blocks, err := column.ReadAll(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, blocks...)
	}
	return out
}

// someValues gives up to eight values of a column.
func someValues(blocks []*column.Block, at int) (out []column.Value) {
	seen := map[string]bool{}
	for _, b := range blocks {
		for i := 0; i < b.Rows && len(out) < 8; i += 1 + b.Rows/8 {
			v := column.At(b.Columns[at], i)
			if v != nil && !seen[fmt.Sprint(v)] {
				seen[fmt.Sprint(v)] = true
				out = append(out, v)
			}
		}
	}
	return out
}

func plainRow(b *column.Block, i int) string {
	var parts []string
	for _, c := range b.Columns {
		parts = append(parts, fmt.Sprint(column.At(c, i)))
	}
	return strings.Join(parts, " | ")
}
