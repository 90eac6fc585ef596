package iceberg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"lakeserver/functions/storage"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/types"
)

// testCall makes comparisons with kernels of this test's own, so that what is
// tested is pruning against plain evaluation and nothing else.
func testCall(name string, test func(c int) bool, args ...expr.Expr) expr.Expr {
	fn := &expr.Function{Name: name, Result: types.Nullable(types.UInt8), KeepNulls: true, Kernel: func(_ context.Context, cols []column.Column, rows int) (column.Column, error) {
		out, null := make([]uint8, rows), make([]uint8, rows)
		for i := range rows {
			a, b := column.At(cols[0], i), column.At(cols[1], 0)
			switch {
			case a == nil || b == nil:
				null[i] = 1
			case isNaN(a) || isNaN(b):
				out[i] = b2u(name == "notEquals")
			default:
				out[i] = b2u(test(column.Compare(cols[0], i, cols[1], i, 1)))
			}
		}
		return &column.Nullable{Values: column.NewFixed(out), Null: null}, nil
	}}
	return &expr.Call{Fn: fn, Args: args}
}

func isNaN(v column.Value) bool {
	switch x := v.(type) {
	case float32:
		return x != x
	case float64:
		return x != x
	}
	return false
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// three-valued logic: 0, 1, 2 for NULL.
func testLogic(name string, f func(v []uint8) uint8, args ...expr.Expr) expr.Expr {
	fn := &expr.Function{Name: name, Result: types.Nullable(types.UInt8), KeepNulls: true, Kernel: func(_ context.Context, cols []column.Column, rows int) (column.Column, error) {
		out, null := make([]uint8, rows), make([]uint8, rows)
		for i := range rows {
			var v []uint8
			for _, c := range cols {
				if x := column.At(c, i); x == nil {
					v = append(v, 2)
				} else if n, ok := x.(uint8); ok {
					v = append(v, n)
				} else {
					v = append(v, 1)
				}
			}
			if out[i] = f(v); out[i] == 2 {
				out[i], null[i] = 0, 1
			}
		}
		return &column.Nullable{Values: column.NewFixed(out), Null: null}, nil
	}}
	return &expr.Call{Fn: fn, Args: args}
}

func and(v []uint8) uint8 {
	switch {
	case v[0] == 0 || v[1] == 0:
		return 0
	case v[0] == 2 || v[1] == 2:
		return 2
	}
	return 1
}

func or(v []uint8) uint8 {
	switch {
	case v[0] == 1 || v[1] == 1:
		return 1
	case v[0] == 2 || v[1] == 2:
		return 2
	}
	return 0
}

func not(v []uint8) uint8 {
	if v[0] == 2 {
		return 2
	}
	return 1 - v[0]
}

type filterMaker struct {
	rnd    *rand.Rand
	t      *Table
	values map[int][]column.Value
	cols   []int
}

func (m *filterMaker) make(depth int) expr.Expr {
	switch n := m.rnd.IntN(10); {
	case depth < 2 && n == 0:
		return testLogic("and", and, m.make(depth+1), m.make(depth+1))
	case depth < 2 && n <= 2:
		return testLogic("or", or, m.make(depth+1), m.make(depth+1))
	case depth < 3 && n == 3:
		return testLogic("not", not, m.make(depth+1))
	}
	c := m.cols[m.rnd.IntN(len(m.cols))]
	ct := m.t.columns[c].Type
	col := &expr.Column{Index: c, Name: m.t.columns[c].Name, T: ct}
	switch m.rnd.IntN(9) {
	case 0:
		return testLogic("isNull", func(v []uint8) uint8 { return b2u(v[0] == 2) }, col)
	case 1:
		return testLogic("isNotNull", func(v []uint8) uint8 { return b2u(v[0] != 2) }, col)
	}
	plain := types.WithoutNullable(ct)
	lit := expr.NewLiteral(plain, m.values[c][m.rnd.IntN(len(m.values[c]))])
	ops := []struct {
		name string
		test func(int) bool
	}{
		{"equals", func(c int) bool { return c == 0 }},
		{"equals", func(c int) bool { return c == 0 }},
		{"notEquals", func(c int) bool { return c != 0 }},
		{"less", func(c int) bool { return c < 0 }},
		{"lessOrEquals", func(c int) bool { return c <= 0 }},
		{"greater", func(c int) bool { return c > 0 }},
		{"greaterOrEquals", func(c int) bool { return c >= 0 }},
	}
	op := ops[m.rnd.IntN(len(ops))]
	return testCall(op.name, op.test, col, lit)
}

// Whatever the filter, the rows with pruning are the rows without; and enough
// files are pruned, so that keeping everything does not pass.
func TestPruningKeepsEveryMatch(t *testing.T) {
	root := fixtureRoot(t)
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(root)}, form: storage.Local, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
	ctx := context.Background()
	files, _ := filepath.Glob(filepath.Join(root, "iceberg", "*"))
	filesKept, filesAll, kept := 0, 0, 0
	for _, dir := range files {
		name := filepath.Base(dir)
		if orcNames.MatchString(name) || strings.HasPrefix(name, "layout_broken") || name == "layout_format_v4" || name == "wide" {
			continue
		}
		tab, err := opened(ctx, o, "iceberg/"+name, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		k, a, n := checkPruning(ctx, t, tab, name)
		filesKept, filesAll, kept = filesKept+k, filesAll+a, kept+n
	}
	t.Logf("%d of %d files kept, %d rows", filesKept, filesAll, kept)
	if filesKept*3 > filesAll*2 {
		t.Errorf("only %d of %d files were pruned", filesAll-filesKept, filesAll)
	}
}

func checkPruning(ctx context.Context, t *testing.T, tab *Table, name string) (kept, all, rows int) {
	m := &filterMaker{rnd: rand.New(rand.NewPCG(7, uint64(len(name)))), t: tab, values: map[int][]column.Value{}}
	out := []int{}
	var ts []*iceberg.Type
	for i := range tab.columns {
		f := tab.all[i].Field
		if f.Type.Nested() || f.Type.Kind == iceberg.Unknown || f.Type.Kind == iceberg.Variant {
			continue
		}
		out, ts = append(out, i), append(ts, f.Type)
	}
	streams, err := tab.Scan(ctx, &table.ScanRequest{Columns: out, Streams: 1})
	if err != nil {
		t.Fatal(name, err)
	}
	blocks, err := column.ReadAll(ctx, streams[0])
	if err != nil {
		t.Fatal(name, err)
	}
	for _, b := range blocks {
		for i, c := range b.Columns {
			for r := 0; r < b.Rows; r += 1 + b.Rows/50 {
				if v := column.At(c, r); v != nil {
					m.values[out[i]] = append(m.values[out[i]], v)
				}
			}
		}
	}
	for _, c := range out {
		if len(m.values[c]) > 0 {
			m.cols = append(m.cols, c)
		}
	}
	if len(m.cols) == 0 {
		return 0, 0, 0
	}
	off := settings.Default()
	for _, s := range []string{"use_iceberg_partition_pruning", "input_format_parquet_filter_push_down"} {
		if off, err = off.With(s, "0"); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		e := m.make(0)
		with := &table.ScanRequest{Columns: out, Streams: 2, Filter: []expr.Expr{e}}
		got, err := scanRows(ctx, tab, with, ts)
		if err != nil {
			t.Fatal(name, e, err)
		}
		want, err := scanRows(ctx, tab, &table.ScanRequest{Columns: out, Streams: 1, Filter: []expr.Expr{e}, Settings: off}, ts)
		if err != nil {
			t.Fatal(name, e, err)
		}
		sort.Strings(want)
		if err := firstDifference(got, want); err != nil {
			t.Errorf("%s WHERE %s: %v", name, e, err)
		}
		whole, _ := tab.plan(ctx, nil)
		kept, all, rows = kept+int(with.Report.Parts), all+whole.Report.Files, rows+len(got)
	}
	return kept, all, rows
}

func TestEngineArguments(t *testing.T) {
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(t.TempDir())}, form: storage.Local}
	for _, c := range []struct {
		options string
		code    int
	}{{"foo", 115}, {"iceberg_snapshot_id", 115}, {"iceberg_use_version_hint", 107}, {"input_format_parquet_max_block_size", 107}} {
		_, err := opened(context.Background(), o, "nothing", map[string]string{c.options: "1"})
		if fmt.Sprint(codeOf(err)) != fmt.Sprint(c.code) {
			t.Errorf("%s: %v", c.options, err)
		}
	}
}
