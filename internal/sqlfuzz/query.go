package sqlfuzz

import (
	"fmt"
	"strings"
)

// Query makes one query.
func (g *Generator) Query() *Node {
	var q *Node
	switch k := g.p.IntN(100); {
	case k < 35:
		q = g.plain()
	case k < 60:
		q = g.grouped()
	case k < 75:
		q = g.joined()
	case k < 85:
		q = g.windowed()
	case k < 93:
		q = g.combined()
	default:
		q = g.unrolled()
	}
	return &Node{Form: hole + hole, Args: []*Node{q, g.settings()}}
}

// settings gives a few that change results.
func (g *Generator) settings() *Node {
	if !g.p.chance(20) {
		return empty
	}
	return optional(" SETTINGS "+hole, list("", ", ", 1, text("", g.p.of([]string{
		"join_use_nulls = 1", "group_by_use_nulls = 1", "transform_null_in = 1", "aggregate_functions_null_for_empty = 1",
		"cast_keep_nullable = 1", "session_timezone = 'Asia/Tokyo'", "max_block_size = 2", "enable_optimize_predicate_expression = 0",
		"short_circuit_function_evaluation = 'disable'", "max_threads = 2", "any_join_distinct_right_table_keys = 1",
		"prefer_column_name_to_alias = 1", "decimal_check_overflow = 0", "date_time_output_format = 'iso'", "output_format_json_quote_denormals = 1",
	}))))
}

// items are the things selected, with names.
func (g *Generator) items(s *scope, n, depth int, class string) *Node {
	out := list("", ", ", 1)
	for i := range n {
		out.Args = append(out.Args, item(g.expr(s, class, depth), fmt.Sprintf("r%d", i)))
	}
	return out
}

func item(e *Node, name string) *Node {
	return &Node{Form: hole + " AS " + name, Args: []*Node{e}}
}

// where is sometimes a filter.
func (g *Generator) where(s *scope) *Node {
	if g.p.chance(50) {
		return empty
	}
	return optional(" WHERE "+hole, g.expr(s, "bool", 3))
}

func from(t *Node) *Node { return &Node{Form: " FROM " + hole, Args: []*Node{t}} }

// ordered is an order over all that is selected, and sometimes a limit: equal
// rows alone are in an open order.
func (g *Generator) ordered() *Node {
	if g.p.chance(60) {
		return empty
	}
	return optional(" ORDER BY ALL"+g.p.of([]string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"})+hole, g.limit())
}

func (g *Generator) limit() *Node {
	if g.p.chance(50) {
		return empty
	}
	return optional(g.p.of([]string{" LIMIT 3", " LIMIT 2 OFFSET 1", " LIMIT 1, 3", " LIMIT 2 WITH TIES", " LIMIT 1 BY 1", " OFFSET 2 ROWS"}))
}

func (g *Generator) plain() *Node {
	t, s := g.tableOf("")
	items := g.items(s, 1+g.p.IntN(3), 3, "any")
	distinct := empty
	if g.p.chance(15) {
		distinct = optional("DISTINCT ")
	}
	return &Node{Form: "SELECT " + strings.Repeat(hole, 5), Args: []*Node{distinct, items, from(t), g.where(s), g.ordered()}}
}

func (g *Generator) grouped() *Node {
	t, s := g.tableOf("")
	items := list("", ", ", 1)
	var keys []string
	for i := range g.p.IntN(3) {
		keys = append(keys, fmt.Sprintf("k%d", i))
		items.Args = append(items.Args, item(g.expr(s, "ord", 1+g.p.IntN(2)), keys[i]))
	}
	for i := range 1 + g.p.IntN(3) {
		items.Args = append(items.Args, item(g.aggregate(s, 2), fmt.Sprintf("r%d", i)))
	}
	by, having := empty, empty
	if len(keys) > 0 {
		if form := g.p.IntN(6); form < 3 {
			by = optional(" GROUP BY ALL")
		} else {
			all := strings.Join(keys, ", ")
			by = optional([]string{
				" GROUP BY " + all, " GROUP BY " + all + " WITH TOTALS", " GROUP BY ROLLUP(" + all + ")", " GROUP BY CUBE(" + all + ")",
			}[g.p.IntN(4)])
		}
	}
	if g.p.chance(20) {
		having = optional(" HAVING "+hole+" > 1", g.apply(s, rule{"int", "{=count|sum}({int})"}, 2, g.expr))
	}
	return &Node{Form: "SELECT " + strings.Repeat(hole, 6), Args: []*Node{items, from(t), g.where(s), by, having, g.ordered()}}
}

func (g *Generator) joined() *Node {
	l, ls := g.tableOf("l")
	r, rs := g.tableOf("r")
	both := &scope{columns: map[string][]string{}}
	for _, s := range []*scope{ls, rs} {
		for c, names := range s.columns {
			both.columns[c] = append(both.columns[c], names...)
		}
	}
	kind := g.p.of([]string{
		"INNER", "LEFT", "RIGHT", "FULL", "LEFT ANY", "INNER ANY", "RIGHT ANY", "LEFT SEMI", "LEFT ANTI", "RIGHT SEMI", "RIGHT ANTI", "CROSS", "ASOF", "LEFT ASOF",
	})
	on := &Node{}
	switch {
	case kind == "CROSS":
	case strings.Contains(kind, "ASOF"):
		on = &Node{Form: " ON lb = rb AND la " + g.p.of([]string{"<", "<=", ">", ">="}) + " ra"}
	case strings.Contains(kind, "SEMI"), strings.Contains(kind, "ANTI"):
		on = &Node{Form: " ON " + hole, Args: []*Node{text("", g.p.of([]string{"la = ra", "lb = rb", "la = ra AND lb = rb"}))}}
	default:
		on = &Node{Form: " ON " + hole + hole, Args: []*Node{
			text("", g.p.of([]string{"la = ra", "lb = rb", "la = ra AND lb = rb", "la + 1 = ra", "lower(lb) = rb"})),
			g.residual(kind, both),
		}}
	}
	items := g.items(both, 1+g.p.IntN(3), 1, "any")
	if strings.Contains(kind, "ANY") || strings.Contains(kind, "ASOF") { // which row is found is open
		items = list("", ", ", 1, text("", "count()"), text("", "sum(la)"))
	}
	join := &Node{Form: "(SELECT * FROM " + hole + ") AS x " + kind + " JOIN (SELECT * FROM " + hole + ") AS y" + hole, Args: []*Node{l, r, on}}
	return &Node{Form: "SELECT " + strings.Repeat(hole, 4), Args: []*Node{items, from(join), g.where(both), g.ordered()}}
}

// residual is a condition beside the equal keys.
func (g *Generator) residual(kind string, both *scope) *Node {
	if strings.Contains(kind, "ANY") || !g.p.chance(30) {
		return empty
	}
	return optional(" AND "+hole, g.expr(both, "bool", 2))
}

func (g *Generator) windowed() *Node {
	t, s := g.tableOf("")
	items := list("", ", ", 1)
	all := make([]string, 0, len(s.classes))
	for _, names := range sorted(s.columns) {
		all = append(all, s.columns[names]...)
	}
	order := " ORDER BY " + strings.Join(all, ", ")
	for i := range 1 + g.p.IntN(3) {
		class := g.p.of([]string{"int", "int", "str", "float"})
		rs := g.windowing[class]
		f := g.apply(s, rs[g.p.IntN(len(rs))], 2, g.expr)
		over := &Node{Form: " OVER (" + hole + order + hole + ")", Args: []*Node{empty, empty}}
		if g.p.chance(60) {
			over.Args[0] = optional("PARTITION BY "+hole, g.expr(s, "ord", 1))
		}
		if g.p.chance(50) && !ranking(f.Form) {
			over.Args[1] = optional(g.p.of([]string{
				" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
				" ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
				" ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
			}))
		}
		items.Args = append(items.Args, item(&Node{Form: hole + hole, Args: []*Node{f, over}, Class: ""}, fmt.Sprintf("r%d", i)))
	}
	return &Node{Form: "SELECT " + strings.Repeat(hole, 4), Args: []*Node{items, from(t), g.where(s), g.ordered()}}
}

func ranking(form string) bool {
	return strings.Contains(form, "rank") || strings.Contains(form, "ntile") || strings.HasPrefix(form, "lag(") || strings.HasPrefix(form, "lead(")
}

// combined puts two queries together.
func (g *Generator) combined() *Node {
	t, s := g.tableOf("")
	class := g.p.of([]string{"int", "str", "num", "tim", "dec"})
	one := &Node{Form: "SELECT " + hole + " AS v" + hole + hole, Args: []*Node{g.expr(s, class, 2), from(t), g.where(s)}}
	t2, s2 := g.tableOf("")
	two := &Node{Form: "SELECT " + hole + " AS v" + hole + hole, Args: []*Node{g.expr(s2, class, 2), from(t2), g.where(s2)}}
	if g.p.chance(30) {
		return &Node{Form: "SELECT " + hole + " AS r" + hole + " WHERE " + hole + " " + g.p.of([]string{"IN", "NOT IN", "GLOBAL IN"}) + " (" + hole + ")", Args: []*Node{
			g.expr(s, "any", 1), from(t), g.expr(s, class, 1), two,
		}}
	}
	op := g.p.of([]string{"UNION ALL", "UNION DISTINCT", "INTERSECT", "EXCEPT", "INTERSECT DISTINCT", "EXCEPT DISTINCT"})
	both := &Node{Form: hole + " " + op + " " + hole, Args: []*Node{one, two}}
	if g.p.chance(50) {
		return both
	}
	vs := &scope{columns: map[string][]string{}}
	vs.add(g.p.class(class), "v")
	return &Node{Form: "SELECT " + hole + " FROM (" + hole + ")", Args: []*Node{g.items(vs, 2, 2, "any"), both}}
}

// unrolled is an ARRAY JOIN.
func (g *Generator) unrolled() *Node {
	t, s := g.tableOf("")
	class := g.p.of([]string{"ints", "strs"})
	e := g.expr(s, class, 2)
	with := s.with(map[string]string{"ints": "int", "strs": "str"}[class], "el")
	items := g.items(with, 1+g.p.IntN(2), 2, "any")
	items.Args = append(items.Args, item(text("", "el"), "e2"))
	kind := g.p.of([]string{" ARRAY JOIN ", " LEFT ARRAY JOIN "})
	return &Node{Form: "SELECT " + hole + hole + kind + hole + " AS el" + hole, Args: []*Node{items, from(t), e, g.where(with)}}
}
