package change

import (
	"slices"

	"lakeserver/engine/ast"
	"lakeserver/table"
)

// Mutation is one DELETE, or with Set one UPDATE.
type Mutation struct {
	Set   []*ast.Assignment
	Where ast.Expr
}

// Mutate finds the rows of mutations that are done one after the other, as one
// change.
func (t *Target) Mutate(list []Mutation) (*Query, error) {
	if len(list) == 1 {
		return t.single(list[0])
	}
	return t.several(list)
}

// single is one mutation: the rows of its condition.
func (t *Target) single(m Mutation) (*Query, error) {
	q := &Query{Select: &ast.Select{From: t.from(), Where: m.Where}, Clauses: []table.RowChange{table.DeleteRows}}
	for i, name := range t.RowID {
		q.Select.Columns = append(q.Select.Columns, named(ast.NewIdentifier(name), place("r", i)))
	}
	if m.Set == nil {
		return q, nil
	}
	assigned, err := t.assigned(m.Set)
	if err != nil {
		return nil, err
	}
	values, err := t.updated(assigned)
	if err != nil {
		return nil, err
	}
	q.Clauses, q.Values = []table.RowChange{table.UpdateRows}, true
	q.Select.Columns = append(q.Select.Columns, placed(values)...)
	return q, nil
}

func placed(values []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(values))
	for i, v := range values {
		out[i] = named(v, place("c", i))
	}
	return out
}

// several is a query over a query for each mutation, innermost the first. A row
// that none of the conditions takes as it is stands outside of all of them: the
// first to take it would see it unchanged.
func (t *Target) several(list []Mutation) (*Query, error) {
	where := list[0].Where
	for _, m := range list[1:] {
		where = ast.Call("or", where, m.Where)
	}
	inner := &ast.Select{From: t.from(), Where: where}
	stored := t.stored()
	for i, name := range t.RowID {
		inner.Columns = append(inner.Columns, named(ast.NewIdentifier(name), place("r", i)))
	}
	for i, c := range stored {
		inner.Columns = append(inner.Columns, named(ast.NewIdentifier(c.Name), place("c", i)))
	}
	inner.Columns = append(inner.Columns, named(ast.NewUint(0), goneName))
	for _, m := range list {
		next, err := t.layer(inner, m)
		if err != nil {
			return nil, err
		}
		inner = next
	}
	from := &ast.TableExpr{Query: inner}
	out := &ast.Select{From: from}
	for i := range t.RowID {
		from.Columns = append(from.Columns, place("r", i))
		out.Columns = append(out.Columns, ast.NewIdentifier(place("r", i)))
	}
	clause := ast.Call("if", ast.NewIdentifier(goneName), ast.NewUint(1), ast.NewUint(2))
	out.Columns = append(out.Columns, named(clause, clauseName))
	for i := range stored {
		from.Columns = append(from.Columns, place("c", i))
		out.Columns = append(out.Columns, ast.NewIdentifier(place("c", i)))
	}
	from.Columns = append(from.Columns, goneName)
	return &Query{Select: out, Tagged: true, Values: true, Clauses: []table.RowChange{table.DeleteRows, table.UpdateRows}}, nil
}

// layer does one mutation to the rows of a query of ours.
func (t *Target) layer(inner *ast.Select, m Mutation) (*ast.Select, error) {
	stored := t.stored()
	from := &ast.TableExpr{Query: inner, Alias: t.Name}
	for i := range t.RowID {
		from.Columns = append(from.Columns, place("r", i))
	}
	for _, c := range stored {
		from.Columns = append(from.Columns, c.Name)
	}
	from.Columns = append(from.Columns, goneName)
	where, err := t.withAliases(m.Where)
	if err != nil {
		return nil, err
	}
	hit := ast.Call("and", ast.Call("not", ast.NewIdentifier(goneName)), where)
	out := &ast.Select{From: from}
	for i := range t.RowID {
		name := place("r", i)
		out.Columns = append(out.Columns, ast.NewIdentifier(name))
	}
	if m.Set == nil {
		for i, c := range stored {
			out.Columns = append(out.Columns, named(ast.NewIdentifier(c.Name), place("c", i)))
		}
		out.Columns = append(out.Columns, named(ast.Call("if", hit, ast.NewUint(1), ast.NewIdentifier(goneName)), place("g", 0)))
		return out, nil
	}
	assigned, err := t.assigned(m.Set)
	if err != nil {
		return nil, err
	}
	for k, v := range assigned {
		if assigned[k], err = t.withAliases(v); err != nil {
			return nil, err
		}
	}
	values, err := t.updated(assigned)
	if err != nil {
		return nil, err
	}
	for i, c := range stored {
		if id, ok := values[i].(*ast.Identifier); !ok || !slices.Equal(id.Parts, []string{c.Name}) {
			values[i] = cast(ast.Call("if", ast.Clone(hit), values[i], ast.NewIdentifier(c.Name)), c)
		}
	}
	out.Columns = append(out.Columns, placed(values)...)
	out.Columns = append(out.Columns, ast.NewIdentifier(goneName))
	return out, nil
}

// withAliases puts the expressions of ALIAS columns in their names' place.
func (t *Target) withAliases(e ast.Expr) (ast.Expr, error) {
	for range t.Columns { // an alias may name another
		values := map[string]ast.Expr{}
		for _, c := range t.Columns {
			if c.DefaultKind != "ALIAS" {
				continue
			}
			of, err := t.Parse(c.DefaultExpr)
			if err != nil {
				return nil, err
			}
			values[c.Name] = of
		}
		next, hit := substitute(e, values)
		if !hit {
			return e, nil
		}
		e = next
	}
	return e, nil
}

// Known gives the conjuncts of a condition that hold without a query's help,
// and whether they are all of it.
func Known(where ast.Expr) (conjuncts []ast.Expr, all bool) {
	all = true
	var split func(e ast.Expr)
	split = func(e ast.Expr) {
		if f, ok := e.(*ast.Function); ok && f.Name == "and" {
			for _, a := range f.Args {
				split(a)
			}
			return
		}
		plain := true
		ast.Walk(e, func(n ast.Node) bool {
			if _, ok := n.(*ast.Subquery); ok {
				plain = false
			}
			return plain
		})
		if !plain {
			all = false
			return
		}
		conjuncts = append(conjuncts, e)
	}
	split(where)
	return conjuncts, all
}
