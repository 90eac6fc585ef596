package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/exec"
	"lakeserver/engine/parse"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/aggregate"
	"lakeserver/functions/scalar/arith"
	"lakeserver/functions/scalar/arrays"
	"lakeserver/functions/scalar/compare"
	"lakeserver/functions/scalar/conditional"
	"lakeserver/functions/scalar/convert"
	"lakeserver/functions/scalar/info"
	"lakeserver/functions/scalar/logic"
	stringfuncs "lakeserver/functions/scalar/strings"
	"lakeserver/functions/tablefunc"
	windowfuncs "lakeserver/functions/window"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/types"
)

// tables has t(a UInt64, b UInt64, s String) and u(a UInt64, c UInt64).
type tables struct{}

func (tables) Table(_ context.Context, _, name string, _ *functions.TimeTravel) (table.Table, *analyze.View, error) {
	num := func(v ...uint64) column.Column { return &column.Fixed[uint64]{Values: v} }
	a := table.Column{Name: "a", Type: types.UInt64}
	switch name {
	case "t":
		s := column.NewBuilder(types.String, 4)
		for _, v := range []string{"x", "y", "x", "z"} {
			s.AppendValue(v)
		}
		return &tablefunc.Rows{
			Cols:   []table.Column{a, {Name: "b", Type: types.UInt64}, {Name: "s", Type: types.String}},
			Blocks: []*column.Block{column.NewBlock(num(1, 2, 3, 4), num(10, 0, 30, 40), s.Finish())},
		}, nil, nil
	case "u":
		return &tablefunc.Rows{
			Cols:   []table.Column{a, {Name: "c", Type: types.UInt64}},
			Blocks: []*column.Block{column.NewBlock(num(1, 1, 3, 7, 8, 9, 10, 11, 12), num(0, 5, 6, 7, 8, 9, 1, 2, 3))},
		}, nil, nil
	}
	return nil, nil, cherr.New(cherr.UnknownTable, "no table %s", name)
}

func environment(t *testing.T) *analyze.Env {
	t.Helper()
	reg, err := functions.NewRegistry(arith.Set(), arrays.Set(), compare.Set(), conditional.Set(), convert.Set(), info.Set(), logic.Set(),
		stringfuncs.Set(), aggregate.Set(), tablefunc.Set(), windowfuncs.Set(), randomSet())
	if err != nil {
		t.Fatal(err)
	}
	return &analyze.Env{
		Registry: reg, Tables: tables{}, Parse: parse.ParseExpr,
		Functions: &functions.Env{Settings: settings.Default(), Zone: time.UTC, Now: time.Unix(0, 0), Random: func() uint64 { return 7 }, Registry: reg},
	}
}

// randomSet has a function that never gives the same value twice.
func randomSet() functions.Set {
	n := uint64(0)
	next := func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		out := make([]uint64, rows)
		for i := range out {
			n++
			out[i] = n
		}
		return &column.Fixed[uint64]{Values: out}, nil
	}
	return functions.Set{Family: "random", Scalars: []functions.Scalar{{
		Name: "everNew", Bind: func(*functions.Env, []functions.Arg) (*expr.Function, error) {
			return &expr.Function{Result: types.UInt64, Volatile: true, Kernel: next}, nil
		},
	}}}
}

// planned gives the plan of a query, printed, under the rules but the disabled ones.
func planned(t *testing.T, sql string, disabled ...string) (plan.Node, string) {
	t.Helper()
	stmt, err := parse.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	r, err := analyze.Analyze(context.Background(), environment(t), stmt)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	off := map[string]bool{}
	for _, d := range disabled {
		off[d] = true
	}
	n, err := plan.Optimize(context.Background(), r.Plan, &plan.Options{Settings: settings.Default(), Disabled: off})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := plan.Explain(context.Background(), n, plan.ExplainOptions{Actions: true, Header: true})
	if err != nil {
		t.Fatal(err)
	}
	return n, strings.Join(lines, "\n")
}

func rowsOf(t *testing.T, n plan.Node) string {
	t.Helper()
	r, err := exec.Build(context.Background(), n, exec.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := column.ReadAll(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range blocks {
		for i := range b.Rows {
			row := ""
			for _, c := range b.Columns {
				row += fmt.Sprint(column.At(c, i)) + " "
			}
			out = append(out, row)
		}
	}
	return strings.Join(out, "\n")
}

// TestRules: each rule changes the plan where it should and leaves it alone
// where it must; in both cases the rows are what they are without it.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule, sql string
		fires     bool
	}{
		{"MergeProjects", "SELECT x + 1 FROM (SELECT a + 1 AS x FROM t)", true},
		{"PushFilters", "SELECT a FROM (SELECT a, b + 1 AS x FROM t) WHERE x > 5 ORDER BY a", true},
		{"PushFilters", "SELECT * FROM (SELECT a, count() AS n FROM u GROUP BY a) WHERE a > 2 ORDER BY a", true},
		{"PushFilters", "SELECT * FROM (SELECT a FROM t ORDER BY a LIMIT 2) WHERE a > 1", false},
		{"PushFilters", "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE t.b > 5 ORDER BY t.a, u.c", true},
		{"PushFilters", "SELECT t.a, u.c FROM t, u WHERE t.a = u.a ORDER BY ALL", true},
		{"OrderFilters", "SELECT a FROM t WHERE s LIKE '%x%' AND a > 1 ORDER BY a", true},
		{"OrderFilters", "SELECT a FROM t WHERE b != 0 AND intDiv(10, b) < 2 ORDER BY a", false},
		{"RemoveRedundant", "SELECT count() FROM (SELECT a + b AS x FROM t ORDER BY x)", true},
		{"RemoveRedundant", "SELECT groupArray(a) FROM (SELECT a FROM t ORDER BY b)", false},
		{"RemoveRedundant", "SELECT DISTINCT a FROM (SELECT a, count() FROM u GROUP BY a) ORDER BY a", true},
		{"RemoveRedundant", "SELECT DISTINCT s FROM (SELECT a, s FROM t GROUP BY a, s) ORDER BY s", false},
		{"PruneColumns", "SELECT a FROM (SELECT a, b, sum(b) OVER () AS w FROM t) ORDER BY a", true},
		{"PruneColumns", "SELECT a, b, s FROM t", false},
		{"AnswerFromMetadata", "SELECT count() FROM t", true},
		{"AnswerFromMetadata", "SELECT count() FROM t WHERE a > 1", false},
		{"AnswerFromMetadata", "SELECT count(), sum(a) FROM t", false},
		{"PushLimits", "SELECT a FROM (SELECT a FROM t UNION ALL SELECT a FROM u) LIMIT 1", true},
		{"PushLimits", "SELECT DISTINCT a FROM u LIMIT 2", false},
		{"PushLimits", "SELECT a FROM t ORDER BY a LIMIT 1 WITH TIES", false},
		{"TopN", "SELECT a FROM t WHERE b > 0 ORDER BY b DESC LIMIT 2", true},
		{"TopN", "SELECT a FROM t ORDER BY b + 1 LIMIT 2", false},
		{"TopN", "SELECT t.a FROM t JOIN u ON t.a = u.a ORDER BY t.b, u.c LIMIT 2", false},
		{"SwapJoin", "SELECT t.a, u.c FROM t JOIN u ON t.a = u.a ORDER BY ALL", true},
		{"SwapJoin", "SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.a ORDER BY ALL", false},
		{"ShareExpressions", "SELECT concat(s, '!') AS x, length(concat(s, '!')) FROM t ORDER BY x", true},
		{"ShareExpressions", "SELECT everNew() = everNew() FROM t", true},
		{"ShareExpressions", "SELECT if(b = 0, 0, intDiv(10, b)), if(b != 0, intDiv(10, b), 1) FROM t", false},
	} {
		with, printed := planned(t, c.sql)
		without, plain := planned(t, c.sql, c.rule)
		if fired := printed != plain; fired != c.fires {
			t.Errorf("%s: fired is %v for %s\n%s", c.rule, fired, c.sql, printed)
		}
		if got, want := rowsOf(t, with), rowsOf(t, without); got != want && !strings.Contains(c.sql, "everNew()") {
			t.Errorf("%s changes the rows of %s:\n%s\nwithout it:\n%s", c.rule, c.sql, got, want)
		}
	}
}

// TestOuterJoinKeepsFilter: a condition on the side that may be missing sees
// the missing rows.
func TestOuterJoinKeepsFilter(t *testing.T) {
	n, printed := planned(t, "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.c = 0 ORDER BY t.a")
	if !strings.Contains(printed, "Condition") {
		t.Errorf("the condition sank into the right side:\n%s", printed)
	}
	if got := rowsOf(t, n); got != "1 \n2 \n4 " {
		t.Errorf("rows %q", got)
	}
}

func TestRandomIsShared(t *testing.T) {
	n, _ := planned(t, "SELECT everNew() = everNew() FROM t LIMIT 1")
	if got := rowsOf(t, n); got != "1 " {
		t.Errorf("everNew() = everNew() gives %q", got)
	}
}
