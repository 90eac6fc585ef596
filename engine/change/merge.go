package change

import (
	"slices"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/table"
)

// Merge finds the rows of MERGE INTO: a join of target and source, in which the
// first clause that fits decides what becomes of a row.
func (t *Target) Merge(m *ast.Merge) (*Query, error) {
	if t.Alias == "" {
		t.Alias = t.Name
	}
	g := &merge{t: t, m: m, source: sourceAlias(m.Source)}
	if err := g.check(); err != nil {
		return nil, err
	}
	return g.query()
}

// merge is one MERGE on its way.
type merge struct {
	t      *Target
	m      *ast.Merge
	source string // what the source's columns may be qualified by
}

func sourceAlias(s *ast.TableExpr) string {
	switch {
	case s.Alias != "":
		return s.Alias
	case s.Name != nil:
		return s.Name.Table
	case s.Function != nil:
		return s.Function.Name
	}
	return sourceName
}

// check refuses clauses that say nothing sensible, as Spark does.
func (g *merge) check() error {
	last := map[[2]bool]bool{} // kinds of clauses whose last has no condition
	for _, c := range g.m.Clauses {
		kind := [2]bool{c.Matched, c.BySource}
		insert := c.Action == "INSERT"
		switch {
		case last[kind]:
			return cherr.New(cherr.BadArguments, "Only the last WHEN clause of its kind may be without a condition")
		case insert != (!c.Matched && !c.BySource) && c.Action != "DO NOTHING":
			return cherr.New(cherr.BadArguments, "%s is not possible WHEN %s", c.Action, kindWords(c))
		case c.BySource && c.Action == "UPDATE" && c.Set == nil:
			return cherr.New(cherr.BadArguments, "UPDATE SET * is not possible WHEN %s", kindWords(c))
		case insert && c.Columns != nil && len(c.Columns) != len(c.Values):
			return cherr.New(cherr.NumberOfColumnsDoesntMatch, "INSERT of MERGE names %d columns and gives %d values", len(c.Columns), len(c.Values))
		}
		last[kind] = c.And == nil
	}
	return nil
}

func kindWords(c *ast.MergeClause) string {
	switch {
	case c.Matched:
		return "MATCHED"
	case c.BySource:
		return "NOT MATCHED BY SOURCE"
	}
	return "NOT MATCHED"
}

// has tells whether a clause of the kind is there.
func (g *merge) has(matched, bySource bool) bool {
	return slices.ContainsFunc(g.m.Clauses, func(c *ast.MergeClause) bool { return c.Matched == matched && c.BySource == bySource })
}

// unique tells whether a target row with two source rows is an error: with
// nothing but an unconditional DELETE all of them say the same.
func (g *merge) unique() bool {
	var matched []*ast.MergeClause
	for _, c := range g.m.Clauses {
		if c.Matched {
			matched = append(matched, c)
		}
	}
	return len(matched) > 1 || len(matched) == 1 && (matched[0].Action != "DELETE" || matched[0].And != nil)
}

func (g *merge) join() *ast.Join {
	kind := ast.JoinInner
	switch byTarget, bySource := g.has(false, false), g.has(false, true); {
	case byTarget && bySource:
		kind = ast.JoinFull
	case byTarget:
		kind = ast.JoinRight
	case bySource:
		kind = ast.JoinLeft
	}
	target := &ast.Select{From: &ast.TableExpr{Name: g.t.from().Name}}
	left := &ast.TableExpr{Query: target, Alias: g.t.Alias}
	add := func(name, as string) {
		target.Columns = append(target.Columns, named(ast.NewIdentifier(name), place("t", len(target.Columns))))
		left.Columns = append(left.Columns, as)
	}
	for i, name := range g.t.RowID {
		add(name, place("r", i))
	}
	for _, c := range g.t.Columns {
		if c.DefaultKind != "EPHEMERAL" {
			add(c.Name, c.Name)
		}
	}
	target.Columns = append(target.Columns, named(ast.NewUint(1), targetName))
	left.Columns = append(left.Columns, targetName)
	right := &ast.TableExpr{
		Query: &ast.Select{Columns: []ast.Expr{&ast.Asterisk{}, named(ast.NewUint(1), sourceName)}, From: g.m.Source},
		Alias: g.source,
	}
	return &ast.Join{Left: left, Right: right, Kind: kind, Strictness: ast.JoinAll, On: g.m.On}
}

func (g *merge) query() (*Query, error) {
	q := &Query{Tagged: true, Values: true, Unique: g.unique()}
	s := &ast.Select{From: g.join(), Settings: []*ast.Setting{{Name: "join_use_nulls", Value: ast.NewUint(0)}}}
	for i := range g.t.RowID {
		s.Columns = append(s.Columns, ast.NewIdentifier(g.t.Alias, place("r", i)))
	}
	matched := ast.Call("and", ast.NewIdentifier(targetName), ast.NewIdentifier(sourceName))
	stored := g.t.stored()
	branches := make([][]ast.Expr, len(stored)) // of each column's value
	clause := []ast.Expr{}
	for _, c := range g.m.Clauses {
		values, err := g.clause(q, c)
		if err != nil {
			return nil, err
		}
		here := ast.NewUint(uint64(len(q.Clauses)))
		if c.Action == "DO NOTHING" {
			here = ast.NewUint(0)
		}
		clause = append(clause, g.condition(c, matched), here)
		for i, v := range values {
			if v != nil {
				branches[i] = append(branches[i], ast.Call("equals", ast.NewIdentifier(clauseName), here), v)
			}
		}
	}
	s.Columns = append(s.Columns, named(ast.Call("multiIf", append(clause, ast.NewUint(0))...), clauseName))
	s.Where = ast.Call("greater", ast.NewIdentifier(clauseName), ast.NewUint(0))
	if q.Unique {
		var ids []ast.Expr
		for i := range g.t.RowID {
			ids = append(ids, ast.NewIdentifier(g.t.Alias, place("r", i)))
		}
		// As a tuple: a part that is NULL would make the whole hash NULL.
		s.Columns = append(s.Columns, named(ast.Call("sipHash128", ast.Call("tuple", ids...)), hashName))
		s.Where = ast.Call("or", s.Where, matched)
	}
	for i, c := range stored {
		v := g.t.column(c.Name)
		if branches[i] != nil {
			v = cast(ast.Call("multiIf", append(branches[i], v)...), c)
		}
		s.Columns = append(s.Columns, named(v, place("c", i)))
	}
	q.Select = s
	return q, nil
}

// condition is true for the rows that a clause is for.
func (g *merge) condition(c *ast.MergeClause, matched ast.Expr) ast.Expr {
	var e ast.Expr
	switch {
	case c.Matched:
		e = ast.Clone(matched)
	case c.BySource:
		e = ast.Call("not", ast.NewIdentifier(sourceName))
	default:
		e = ast.Call("not", ast.NewIdentifier(targetName))
	}
	if c.And != nil {
		e = ast.Call("and", e, g.sided(c, c.And))
	}
	return e
}

// clause enters a clause and gives the new values of the stored columns, nil
// where they stay.
func (g *merge) clause(q *Query, c *ast.MergeClause) ([]ast.Expr, error) {
	if c.And != nil {
		g.mustResolve(q, c, c.And)
	}
	switch c.Action {
	case "DELETE":
		q.Clauses = append(q.Clauses, table.DeleteRows)
	case "UPDATE":
		q.Clauses = append(q.Clauses, table.UpdateRows)
		return g.update(q, c)
	case "INSERT":
		q.Clauses = append(q.Clauses, table.InsertRows)
		return g.insert(q, c)
	}
	return nil, nil
}

func (g *merge) update(q *Query, c *ast.MergeClause) ([]ast.Expr, error) {
	set := c.Set
	if set == nil {
		for _, col := range g.given() {
			set = append(set, &ast.Assignment{Column: ast.NewIdentifier(col.Name), Expr: ast.NewIdentifier(g.source, col.Name)})
		}
	}
	sided := make([]*ast.Assignment, len(set))
	for i, a := range set {
		g.mustResolve(q, c, a.Expr)
		sided[i] = &ast.Assignment{At: a.At, Column: a.Column, Expr: g.sided(c, a.Expr)}
	}
	assigned, err := g.t.assigned(sided)
	if err != nil {
		return nil, err
	}
	values, err := g.t.updated(assigned)
	if err != nil {
		return nil, err
	}
	for i, col := range g.t.stored() {
		if assigned[col.Name] == nil && col.DefaultKind != "MATERIALIZED" {
			values[i] = nil
		}
	}
	return values, nil
}

func (g *merge) insert(q *Query, c *ast.MergeClause) ([]ast.Expr, error) {
	columns, exprs := c.Columns, c.Values
	if exprs == nil || columns == nil {
		star := exprs == nil
		for _, col := range g.given() {
			columns = append(columns, ast.NewIdentifier(col.Name))
			if star {
				exprs = append(exprs, ast.NewIdentifier(g.source, col.Name))
			}
		}
		if len(columns) != len(exprs) {
			return nil, cherr.New(cherr.NumberOfColumnsDoesntMatch, "INSERT of MERGE gives %d values for %d columns", len(exprs), len(columns))
		}
	}
	given := map[string]ast.Expr{}
	for i, id := range columns {
		name := g.t.nameOf(id)
		col, ok := g.t.find(name)
		switch {
		case !ok:
			return nil, cherr.New(cherr.NoSuchColumnInTable, "There is no column %s in table", ast.Format(id))
		case col.DefaultKind == "MATERIALIZED" || col.DefaultKind == "ALIAS":
			return nil, cherr.New(cherr.IllegalColumn, "Cannot insert column %s, because it is %s column", name, col.DefaultKind)
		case given[name] != nil:
			return nil, cherr.New(cherr.DuplicateColumn, "Column %s is specified more than once", name)
		}
		g.mustResolve(q, c, exprs[i])
		given[name] = cast(g.sided(c, exprs[i]), col)
	}
	return g.t.inserted(given)
}

// given are the columns that * stands for: those that an INSERT fills.
func (g *merge) given() []table.Column {
	return slices.DeleteFunc(slices.Clone(g.t.Columns), func(c table.Column) bool {
		return c.DefaultKind != "" && c.DefaultKind != "DEFAULT"
	})
}

// sided qualifies the names of the target's columns where only one side of the
// join has a row: without, they could be read from the other.
func (g *merge) sided(c *ast.MergeClause, e ast.Expr) ast.Expr {
	if c.Matched {
		return ast.Clone(e)
	}
	side := g.source
	if c.BySource {
		side = g.t.Alias
	}
	values := map[string]ast.Expr{}
	for _, col := range g.t.Columns {
		values[col.Name] = ast.NewIdentifier(side, col.Name)
	}
	out, _ := substitute(e, values)
	return out
}

// mustResolve notes that an expression may only name the columns of the side
// that its clause has rows of.
func (g *merge) mustResolve(q *Query, c *ast.MergeClause, e ast.Expr) {
	if c.Matched {
		return
	}
	from := g.m.Source
	if c.BySource {
		from = g.t.from()
	}
	q.Checks = append(q.Checks, &ast.Select{Columns: []ast.Expr{ast.Clone(e)}, From: ast.Clone(from)})
}
