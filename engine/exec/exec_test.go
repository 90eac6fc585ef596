package exec_test

import (
	"context"
	"math"
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/aggregate"
	"lakeserver/types"

	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/internal/exectest"
)

// bind binds an aggregate function.
func bind(t testing.TB, name string, args ...*types.Type) *functions.BoundAggregate {
	t.Helper()
	r, err := functions.NewRegistry(aggregate.Set())
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.BindAggregate(&functions.Env{}, name, nil, args)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func header(names string, ts ...*types.Type) column.Header {
	out := make(column.Header, len(ts))
	for i, t := range ts {
		out[i] = column.Field{Name: names[i : i+1], Type: t}
	}
	return out
}

func nullable[T column.Element](null []uint8, v ...T) column.Column {
	return &column.Nullable{Values: column.NewFixed(v), Null: null}
}

// people has a Nullable key, a string key and a value.
func people() *exectest.Table {
	return &exectest.Table{
		Fields: header("ksv", types.Nullable(types.Int32), types.String, types.UInt64),
		Blocks: []*column.Block{
			column.NewBlock(nullable([]uint8{0, 1, 0, 0}, int32(1), 9, 2, 1), column.NewStr("a", "b", "a", ""), column.NewFixed([]uint64{1, 2, 3, 4})),
			column.NewBlock(nullable([]uint8{1, 0, 0}, int32(0), 3, -1), column.NewStr("b", "c", "a"), column.NewFixed([]uint64{5, 6, 7})),
		},
	}
}

// call makes a call of an aggregate over columns of a header.
func call(t testing.TB, name string, h column.Header, cols ...int) plan.AggregateCall {
	var ts []*types.Type
	for _, c := range cols {
		ts = append(ts, h[c].Type)
	}
	return plan.AggregateCall{Fn: bind(t, name, ts...), Args: cols, Name: name}
}

func group(in plan.Node, keys []int, calls ...plan.AggregateCall) *plan.Aggregate {
	a := &plan.Aggregate{Input: in, Keys: keys, Calls: calls}
	for _, k := range keys {
		a.Fields = append(a.Fields, in.Header()[k])
	}
	for _, c := range calls {
		a.Fields = append(a.Fields, column.Field{Name: c.Name, Type: c.Fn.Result})
	}
	return a
}

func TestAggregate(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []int
		want []string
	}{
		{"none", nil, []string{"7 28 1 7"}},
		{"nullable", []int{0}, []string{"1 2 5 1 4", `\N 2 7 2 5`, "2 1 3 3 3", "3 1 6 6 6", "-1 1 7 7 7"}},
		{"string", []int{1}, []string{"a 3 11 1 7", "b 2 7 2 5", " 1 4 4 4", "c 1 6 6 6"}},
		{"two", []int{1, 0}, []string{"a 1 1 1 1 1", `b \N 2 7 2 5`, "a 2 1 3 3 3", " 1 1 4 4 4", "c 3 1 6 6 6", "a -1 1 7 7 7"}},
		{"two fixed", []int{0, 2}, []string{"1 1 1 1 1 1", `\N 2 1 2 2 2`, "2 3 1 3 3 3", "1 4 1 4 4 4", `\N 5 1 5 5 5`, "3 6 1 6 6 6", "-1 7 1 7 7 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exectest.Run(t, exectest.Case{
				Inputs: []*exectest.Table{people()}, Want: c.want,
				Build: func(in []plan.Node) plan.Node {
					h := in[0].Header()
					return group(in[0], c.keys, call(t, "count", h), call(t, "sum", h, 2), call(t, "min", h, 2), call(t, "max", h, 2))
				},
			})
		})
	}
}

// TestAggregateMany has enough groups to be partitioned, with NULL keys and an
// aggregate over strings.
func TestAggregateMany(t *testing.T) {
	const rows, groups = 400_000, 70_000
	h := header("kv", types.Nullable(types.UInt64), types.UInt64)
	var blocks []*column.Block
	sums := make([]uint64, groups)
	counts := make([]uint64, groups)
	for at := 0; at < rows; at += 50_000 {
		k, v, null := make([]uint64, 50_000), make([]uint64, 50_000), make([]uint8, 50_000)
		for i := range k {
			n := uint64(at+i) * 7919 % groups
			k[i], v[i] = n, uint64(at+i)
			if n == 0 {
				null[i] = 1
			}
			sums[n] += v[i]
			counts[n]++
		}
		blocks = append(blocks, column.NewBlock(&column.Nullable{Values: column.NewFixed(k), Null: null}, column.NewFixed(v)))
	}
	for _, threads := range []int{1, 3} {
		in := exectest.Scan(&exectest.Table{Fields: h, Blocks: blocks})
		node := group(in, []int{0}, call(t, "sum", h, 1), call(t, "count", h), call(t, "uniqExact", h, 1), call(t, "groupArray", h, 1))
		r, err := exec.Build(context.Background(), node, exec.Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.All(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if out.Rows != groups {
			t.Fatalf("%d groups, want %d", out.Rows, groups)
		}
		for i := range out.Rows {
			n, _ := column.At(out.Columns[0], i).(uint64)
			if column.At(out.Columns[1], i) != sums[n] || column.At(out.Columns[2], i) != counts[n] || column.At(out.Columns[3], i) != counts[n] ||
				len(column.At(out.Columns[4], i).(column.Row)) != int(counts[n]) {
				t.Fatalf("group %d: %v", n, exectest.Rows([]*column.Block{out.Slice(i, i+1)}))
			}
		}
	}
}

func TestSort(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []plan.SortKey
		lim  int64
		want []string
	}{
		{"nulls last", []plan.SortKey{{Column: 0}, {Column: 2, Desc: true}}, 0, []string{"-1 a 7", "1  4", "1 a 1", "2 a 3", "3 c 6", `\N b 5`, `\N b 2`}},
		{"nulls first", []plan.SortKey{{Column: 0, Desc: true, NullsFirst: true}, {Column: 2}}, 0, []string{`\N b 2`, `\N b 5`, "3 c 6", "2 a 3", "1 a 1", "1  4", "-1 a 7"}},
		{"string", []plan.SortKey{{Column: 1, Desc: true}, {Column: 2}}, 4, []string{"3 c 6", `\N b 2`, `\N b 5`, "1 a 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exectest.Run(t, exectest.Case{
				Inputs: []*exectest.Table{people()}, Want: c.want, Ordered: true,
				Build: func(in []plan.Node) plan.Node { return &plan.Sort{Input: in[0], Keys: c.keys, Limit: c.lim} },
			})
		})
	}
}

// TestSortMany sorts enough rows for the radix sort and a top-N that trims.
func TestSortMany(t *testing.T) {
	const rows = 200_000
	v := make([]float64, rows)
	s := &column.Str{}
	for i := range v {
		n := i * 7919 % rows
		v[i] = float64(n) - 1000
		if n%1000 == 7 {
			v[i] = math.NaN()
		}
		s.AppendString("common prefix " + string(rune('a'+n%26)) + string(rune('a'+n/26%26)))
	}
	h := header("vs", types.Float64, types.String)
	blocks := exectest.Cut([]*column.Block{column.NewBlock(column.NewFixed(v), s)}, 30_000)
	for _, keys := range [][]plan.SortKey{{{Column: 0}}, {{Column: 0, Desc: true}}, {{Column: 1}, {Column: 0}}, {{Column: 1, Desc: true}, {Column: 0, NullsFirst: true}}} {
		for _, limit := range []int64{0, 10} {
			for _, threads := range []int{1, 3} {
				r, err := exec.Build(context.Background(), &plan.Sort{Input: exectest.Scan(&exectest.Table{Fields: h, Blocks: blocks}), Keys: keys, Limit: limit}, exec.Options{Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				out, err := r.All(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if want := max(limit, 0); limit == 0 && out.Rows != rows || limit > 0 && out.Rows != int(want) {
					t.Fatalf("%d rows", out.Rows)
				}
				for i := 1; i < out.Rows; i++ {
					if compareRows(out, i-1, i, keys) > 0 {
						t.Fatalf("keys %v, limit %d, threads %d: rows %d and %d are out of order", keys, limit, threads, i-1, i)
					}
				}
			}
		}
	}
}

func compareRows(b *column.Block, i, j int, keys []plan.SortKey) int {
	for _, k := range keys {
		nulls := 1
		if k.NullsFirst != k.Desc {
			nulls = -1
		}
		c := column.Compare(b.Columns[k.Column], i, b.Columns[k.Column], j, nulls)
		if k.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// TestJoin holds rows that ClickHouse gives for these joins.
func TestJoin(t *testing.T) {
	left := &exectest.Table{Fields: header("ka", types.Nullable(types.Int32), types.UInt8), Blocks: []*column.Block{
		column.NewBlock(nullable([]uint8{0, 0, 1, 0}, int32(1), 2, 0, 1), column.NewFixed([]uint8{1, 2, 3, 4})),
	}}
	right := &exectest.Table{Fields: header("kb", types.Int32, types.String), Blocks: []*column.Block{
		column.NewBlock(column.NewFixed([]int32{1, 1, 3}), column.NewStr("x", "y", "z")),
	}}
	pairs := []string{"1 1 1 x", "1 1 1 y", "1 4 1 x", "1 4 1 y"}
	for _, c := range []struct {
		name   string
		kind   plan.JoinKind
		strict plan.Strictness
		one    bool
		want   []string
	}{
		{"inner", plan.InnerJoin, plan.AllStrictness, false, pairs},
		{"left", plan.LeftJoin, plan.AllStrictness, false, append([]string{"2 2 0 ", `\N 3 0 `}, pairs...)},
		{"right", plan.RightJoin, plan.AllStrictness, false, append([]string{`\N 0 3 z`}, pairs...)},
		{"full", plan.FullJoin, plan.AllStrictness, false, append([]string{`\N 0 3 z`, "2 2 0 ", `\N 3 0 `}, pairs...)},
		{"any left", plan.LeftJoin, plan.AnyStrictness, true, []string{"1 1 1 x", "2 2 0 ", `\N 3 0 `, "1 4 1 x"}},
		{"any inner", plan.InnerJoin, plan.AnyStrictness, true, []string{"1 1 1 x"}},
		{"any right", plan.RightJoin, plan.AnyStrictness, true, []string{"1 1 1 x", "1 1 1 y", `\N 0 3 z`}},
		{"semi left", plan.LeftJoin, plan.SemiStrictness, true, []string{"1 1 1 x", "1 4 1 x"}},
		{"semi right", plan.RightJoin, plan.SemiStrictness, true, []string{"1 1 1 x", "1 1 1 y"}},
		{"anti left", plan.LeftJoin, plan.AntiStrictness, false, []string{"2 2 0 ", `\N 3 0 `}},
		{"anti right", plan.RightJoin, plan.AntiStrictness, false, []string{`\N 0 3 z`}},
		{"cross", plan.CrossJoin, plan.AllStrictness, false, []string{"1 1 1 x", "2 2 1 x", `\N 3 1 x`, "1 4 1 x", "1 1 1 y", "2 2 1 y", `\N 3 1 y`, "1 4 1 y", "1 1 3 z", "2 2 3 z", `\N 3 3 z`, "1 4 3 z"}},
	} {
		for _, swap := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				exectest.Run(t, exectest.Case{
					Inputs: []*exectest.Table{left, right}, Want: c.want, OneStream: c.one,
					Build: func(in []plan.Node) plan.Node {
						j := &plan.Join{Left: in[0], Right: in[1], Kind: c.kind, Strictness: c.strict, BuildLeft: swap, Fields: append(append(column.Header(nil), left.Fields...), right.Fields...)}
						if c.kind != plan.CrossJoin {
							j.LeftKeys, j.RightKeys = []int{0}, []int{0}
						}
						return j
					},
				})
			})
		}
	}
}

// less is a condition between columns of a block.
func less(i, j int) expr.Expr {
	return &expr.Call{
		Args: []expr.Expr{&expr.Column{Index: i, T: types.UInt8}, &expr.Column{Index: j, T: types.UInt8}},
		Fn: &expr.Function{Name: "less", Result: types.UInt8, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]uint8, rows)
			for r := range out {
				if column.Compare(args[0], r, args[1], r, 1) < 0 {
					out[r] = 1
				}
			}
			return column.NewFixed(out), nil
		}},
	}
}

func TestJoinResidual(t *testing.T) {
	side := func(k, v []uint8) *exectest.Table {
		return &exectest.Table{Fields: header("kv", types.UInt8, types.UInt8), Blocks: []*column.Block{column.NewBlock(column.NewFixed(k), column.NewFixed(v))}}
	}
	left, right := side([]uint8{1, 1, 2}, []uint8{1, 5, 1}), side([]uint8{1, 1, 3}, []uint8{2, 4, 9})
	for _, c := range []struct {
		kind   plan.JoinKind
		strict plan.Strictness
		want   []string
	}{
		{plan.InnerJoin, plan.AllStrictness, []string{"1 1 1 2", "1 1 1 4"}},
		{plan.LeftJoin, plan.AllStrictness, []string{"1 1 1 2", "1 1 1 4", "1 5 0 0", "2 1 0 0"}},
		{plan.FullJoin, plan.AllStrictness, []string{"1 1 1 2", "1 1 1 4", "1 5 0 0", "2 1 0 0", "0 0 3 9"}},
		{plan.LeftJoin, plan.AntiStrictness, []string{"1 5 0 0", "2 1 0 0"}},
		{plan.RightJoin, plan.AntiStrictness, []string{"0 0 3 9"}},
	} {
		for _, swap := range []bool{false, true} {
			exectest.Run(t, exectest.Case{
				Inputs: []*exectest.Table{left, right}, Want: c.want,
				Build: func(in []plan.Node) plan.Node {
					return &plan.Join{
						Left: in[0], Right: in[1], Kind: c.kind, Strictness: c.strict, BuildLeft: swap, LeftKeys: []int{0}, RightKeys: []int{0},
						Residual: []expr.Expr{less(1, 3)}, Fields: append(append(column.Header(nil), left.Fields...), right.Fields...),
					}
				},
			})
		}
	}
}

func TestJoinAsof(t *testing.T) {
	side := func(k, v []uint8) *exectest.Table {
		return &exectest.Table{Fields: header("kv", types.UInt8, types.UInt8), Blocks: []*column.Block{column.NewBlock(column.NewFixed(k), column.NewFixed(v))}}
	}
	left, right := side([]uint8{1, 1, 1, 2}, []uint8{1, 4, 9, 3}), side([]uint8{1, 1, 1}, []uint8{8, 4, 2})
	for op, want := range map[string][]string{
		">=": {"1 1 0 0", "1 4 1 4", "1 9 1 8", "2 3 0 0"},
		">":  {"1 1 0 0", "1 4 1 2", "1 9 1 8", "2 3 0 0"},
		"<=": {"1 1 1 2", "1 4 1 4", "1 9 0 0", "2 3 0 0"},
		"<":  {"1 1 1 2", "1 4 1 8", "1 9 0 0", "2 3 0 0"},
	} {
		exectest.Run(t, exectest.Case{
			Inputs: []*exectest.Table{left, right}, Want: want,
			Build: func(in []plan.Node) plan.Node {
				return &plan.Join{
					Left: in[0], Right: in[1], Kind: plan.LeftJoin, Strictness: plan.AsofStrictness, AsofOp: op, LeftKeys: []int{0, 1}, RightKeys: []int{0, 1},
					Fields: append(append(column.Header(nil), left.Fields...), right.Fields...),
				}
			},
		})
	}
}
