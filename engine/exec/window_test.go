package exec_test

import (
	"testing"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"

	"lakeserver/engine/plan"
	"lakeserver/functions"
	"lakeserver/functions/window"
	"lakeserver/internal/exectest"
)

// TestWindowFrames holds sums over frames as ClickHouse gives them for
// SELECT p, o, sum(o) OVER (PARTITION BY p ORDER BY o …).
func TestWindowFrames(t *testing.T) {
	in := &exectest.Table{Fields: header("po", types.UInt8, types.UInt64), Blocks: []*column.Block{
		column.NewBlock(column.NewFixed([]uint8{1, 0, 1, 0}), column.NewFixed([]uint64{3, 0, 1, 2})),
		column.NewBlock(column.NewFixed([]uint8{0, 0}), column.NewFixed([]uint64{2, 7})),
	}}
	two := column.NewFixed([]uint64{2})
	one := column.NewFixed([]uint64{1})
	for _, c := range []struct {
		name  string
		frame plan.Frame
		want  []string
	}{
		{"default", plan.DefaultFrame, []string{"0 0 0", "0 2 4", "0 2 4", "0 7 11", "1 1 1", "1 3 4"}},
		{"rows", plan.Frame{Mode: plan.FrameRows, Start: plan.UnboundedPreceding, End: plan.CurrentRow}, []string{"0 0 0", "0 2 2", "0 2 4", "0 7 11", "1 1 1", "1 3 4"}},
		{"all", plan.Frame{Mode: plan.FrameRows, Start: plan.UnboundedPreceding, End: plan.UnboundedFollowing}, []string{"0 0 11", "0 2 11", "0 2 11", "0 7 11", "1 1 4", "1 3 4"}},
		{"sliding", plan.Frame{Mode: plan.FrameRows, Start: plan.Preceding, StartOffset: one, End: plan.Following, EndOffset: one}, []string{"0 0 2", "0 2 4", "0 2 11", "0 7 9", "1 1 4", "1 3 4"}},
		{"range", plan.Frame{Mode: plan.FrameRange, Start: plan.Preceding, StartOffset: two, End: plan.CurrentRow}, []string{"0 0 0", "0 2 4", "0 2 4", "0 7 7", "1 1 1", "1 3 4"}},
		{"groups", plan.Frame{Mode: plan.FrameGroups, Start: plan.Preceding, StartOffset: one, End: plan.CurrentRow}, []string{"0 0 0", "0 2 4", "0 2 4", "0 7 11", "1 1 1", "1 3 4"}},
		{"following", plan.Frame{Mode: plan.FrameRows, Start: plan.CurrentRow, End: plan.UnboundedFollowing}, []string{"0 0 11", "0 2 11", "0 2 9", "0 7 7", "1 1 4", "1 3 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exectest.Run(t, exectest.Case{
				Inputs: []*exectest.Table{in}, Want: c.want, Ordered: true,
				Build: func(nodes []plan.Node) plan.Node {
					h := nodes[0].Header()
					agg := call(t, "sum", h, 1)
					return &plan.Window{
						Input: nodes[0], PartitionBy: []int{0}, OrderBy: []plan.SortKey{{Column: 1}},
						Calls:  []plan.WindowCall{{Agg: agg.Fn, Args: agg.Args, Name: "sum", Frame: c.frame}},
						Fields: append(append(column.Header(nil), h...), column.Field{Name: "s", Type: types.UInt64}),
					}
				},
			})
		})
	}
}

func TestWindowFunctions(t *testing.T) {
	r, err := functions.NewRegistry(window.Set())
	if err != nil {
		t.Fatal(err)
	}
	in := &exectest.Table{Fields: header("o", types.UInt64), Blocks: []*column.Block{column.NewBlock(column.NewFixed([]uint64{5, 1, 3, 3}))}}
	exectest.Run(t, exectest.Case{
		Inputs: []*exectest.Table{in}, Ordered: true,
		Want: []string{"1 1 1 1 0 0.25 1 0 3", "3 2 2 2 0.3333333333333333 0.75 1 1 3", "3 3 2 2 0.3333333333333333 0.75 2 3 5", "5 4 4 3 1 1 2 3 0"},
		Build: func(nodes []plan.Node) plan.Node {
			n := &plan.Window{
				Input:   &plan.Project{Input: nodes[0], Exprs: []expr.Expr{&expr.Column{Index: 0, T: types.UInt64}, expr.NewLiteral(types.UInt8, uint8(2))}, Fields: header("on", types.UInt64, types.UInt8)},
				OrderBy: []plan.SortKey{{Column: 0}}, Fields: header("on", types.UInt64, types.UInt8),
			}
			for _, c := range []struct {
				name string
				args []int
			}{{"row_number", nil}, {"rank", nil}, {"denseRank", nil}, {"percent_rank", nil}, {"cume_dist", nil}, {"ntile", []int{1}}, {"lag", []int{0}}, {"lead", []int{0}}} {
				f, _ := r.Window(c.name)
				args := []functions.Arg{{Type: types.UInt64}}
				b, err := f.Bind(&functions.Env{}, args[:len(c.args)])
				if err != nil {
					t.Fatal(err)
				}
				n.Calls = append(n.Calls, plan.WindowCall{Fn: b, Args: c.args, Name: c.name, Frame: plan.DefaultFrame})
				n.Fields = append(n.Fields, column.Field{Name: c.name, Type: b.Result})
			}
			p := &plan.Project{Input: n}
			for i, f := range n.Fields {
				if i != 1 {
					p.Exprs = append(p.Exprs, &expr.Column{Index: i, T: f.Type})
					p.Fields = append(p.Fields, f)
				}
			}
			return p
		},
	})
}

func TestFill(t *testing.T) {
	in := &exectest.Table{Fields: header("os", types.UInt8, types.String), Blocks: []*column.Block{column.NewBlock(column.NewFixed([]uint8{1, 4, 4}), column.NewStr("a", "b", "c"))}}
	lit := func(v uint8) *expr.Literal { return expr.NewLiteral(types.UInt8, v) }
	for _, c := range []struct {
		key  plan.FillKey
		want []string
	}{
		{plan.FillKey{}, []string{"1 a", "2 ", "3 ", "4 b", "4 c"}},
		{plan.FillKey{From: lit(0), To: lit(7), Step: lit(2)}, []string{"0 ", "1 a", "2 ", "4 b", "4 c", "6 "}},
		{plan.FillKey{To: lit(6)}, []string{"1 a", "2 ", "3 ", "4 b", "4 c", "5 "}},
		{plan.FillKey{Staleness: lit(2)}, []string{"1 a", "2 ", "4 b", "4 c", "5 "}},
	} {
		exectest.Run(t, exectest.Case{
			Inputs: []*exectest.Table{in}, Want: c.want, Ordered: true, OneStream: true,
			Build: func(nodes []plan.Node) plan.Node {
				return &plan.Fill{Input: nodes[0], Keys: []plan.FillKey{c.key}}
			},
		})
	}
}

// TestFillTwo holds what ClickHouse gives for two keys.
func TestFillTwo(t *testing.T) {
	in := &exectest.Table{Fields: header("ab", types.UInt8, types.UInt8), Blocks: []*column.Block{column.NewBlock(column.NewFixed([]uint8{1, 1, 3}), column.NewFixed([]uint8{1, 3, 2}))}}
	lit := func(v uint8) *expr.Literal { return expr.NewLiteral(types.UInt8, v) }
	for _, c := range []struct {
		keys   []plan.FillKey
		prefix []plan.SortKey
		want   []string
	}{
		{[]plan.FillKey{{}, {Key: plan.SortKey{Column: 1}, From: lit(1), To: lit(4)}}, nil, []string{"1 1", "1 2", "1 3", "2 1", "2 2", "2 3", "3 1", "3 2", "3 3"}},
		{[]plan.FillKey{{}, {Key: plan.SortKey{Column: 1}}}, nil, []string{"1 1", "1 2", "1 3", "2 0", "3 2"}},
		{[]plan.FillKey{{Key: plan.SortKey{Column: 1}, From: lit(0), To: lit(4)}}, []plan.SortKey{{Column: 0}}, []string{"1 0", "1 1", "1 2", "1 3", "3 0", "3 1", "3 2", "3 3"}},
	} {
		exectest.Run(t, exectest.Case{
			Inputs: []*exectest.Table{in}, Want: c.want, Ordered: true, OneStream: true,
			Build: func(nodes []plan.Node) plan.Node {
				return &plan.Fill{Input: nodes[0], Keys: c.keys, Prefix: c.prefix}
			},
		})
	}
}
