package analyze

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// arrayJoin resolves the clause ARRAY JOIN: each expression's elements become
// a column, under its alias or in the place of the array that it names.
func (sc *scope) arrayJoin(ctx context.Context, j *ast.ArrayJoin) (*relation, error) {
	var in *relation
	var err error
	if j.Input == nil {
		in = sc.one()
	} else if in, err = sc.from(ctx, j.Input); err != nil {
		return nil, err
	}
	inner := sc.helper()
	inner.parent = sc.parent
	inner.aliases = sc.freshAliases()
	inner.rel = in
	inner.noAggregate = "ARRAY JOIN"
	out := &relation{st: in.st, using: in.using, joins: in.joins}
	out.cols = append(out.cols, in.cols...)
	node := &plan.ArrayJoin{Left: j.Left, Unaligned: sc.setting("enable_unaligned_array_join")}
	src := &source{}
	exprs, err := inner.arrayJoinList(ctx, j)
	if err != nil {
		return nil, err
	}
	for _, e := range exprs {
		if err := inner.arrayJoined(ctx, e, out, node, src); err != nil {
			return nil, err
		}
	}
	node.Input = out.st.node
	node.Fields = append(column.Header(nil), out.st.node.Header()...)
	for _, i := range node.Columns {
		t, _ := elementType(node.Fields[i].Type)
		node.Fields[i].Type = t
	}
	out.st.node = node
	return out, nil
}

// arrayJoinList puts single arrays in the place of matchers and of the names of
// Nested columns: n stands for n.a and n.b, n AS m makes them m.a and m.b.
func (sc *scope) arrayJoinList(ctx context.Context, j *ast.ArrayJoin) ([]ast.Expr, error) {
	var out []ast.Expr
	for _, e := range j.Exprs {
		switch e.(type) {
		case *ast.Asterisk, *ast.Columns:
			items, err := sc.matcher(ctx, e)
			if err != nil {
				return nil, err
			}
			for _, it := range items {
				out = append(out, it.ast)
			}
		default:
			out = append(out, sc.nestedArrays(e)...)
		}
	}
	if len(out) == 0 {
		return nil, at(j, cherr.NumberOfArgumentsDoesntMatch, "ARRAY JOIN requires at least one array")
	}
	return out, nil
}

// nestedArrays gives the arrays of a Nested column, or the expression itself.
func (sc *scope) nestedArrays(e ast.Expr) []ast.Expr {
	bare, alias := e, ""
	if a, ok := e.(*ast.Aliased); ok {
		bare, alias = a.Expr, a.Alias
	}
	id, ok := bare.(*ast.Identifier)
	if !ok || id.Params != nil || sc.rel == nil {
		return []ast.Expr{e}
	}
	prefix := id.Parts[len(id.Parts)-1]
	var out []ast.Expr
	for _, c := range sc.rel.cols {
		if c.name == prefix && !c.hidden {
			return []ast.Expr{e}
		}
		part, ok := strings.CutPrefix(c.name, prefix+".")
		if !ok || c.hidden || c.t.Kind() != types.KindArray {
			continue
		}
		var x ast.Expr = &ast.Identifier{At: id.At, Parts: append(append([]string(nil), id.Parts...), part)}
		if alias != "" {
			x = &ast.Aliased{Expr: x, Alias: alias + "." + part}
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return []ast.Expr{e}
	}
	return out
}

func (sc *scope) arrayJoined(ctx context.Context, e ast.Expr, out *relation, node *plan.ArrayJoin, src *source) error {
	name := sc.nameOf(e)
	if a, ok := e.(*ast.Aliased); ok {
		delete(sc.aliases, a.Alias)
		e = a.Expr
	}
	x, err := sc.resolve(ctx, e)
	if err != nil {
		return err
	}
	arrays := []expr.Expr{x}
	names := []string{name}
	if x.Type().Kind() != types.KindArray && x.Type().Kind() != types.KindMap {
		return at(e, cherr.TypeMismatch, "ARRAY JOIN requires an array or a map, got %s", x.Type())
	}
	for i, arr := range arrays {
		low, err := out.st.lowerAll(ctx, []expr.Expr{arr})
		if err != nil {
			return err
		}
		place := out.st.push(low[0], names[i])
		node.Columns = append(node.Columns, place)
		t, _ := elementType(arr.Type())
		c := &relCol{ref: ref{id: sc.a.id(), name: names[i], t: t}, src: src, hidden: true}
		// An array that is joined without another name is hidden by its elements.
		if id, ok := e.(*ast.Identifier); ok && (names[i] == id.Parts[len(id.Parts)-1] || names[i] == strings.Join(id.Parts, ".")) {
			for k, o := range out.cols {
				if r, isRef := arr.(*ref); isRef && o.id == r.id {
					c.src, c.hidden = o.src, false
					out.cols[k] = c
				}
			}
		}
		found := false
		for _, o := range out.cols {
			found = found || o == c
		}
		if !found {
			out.cols = append(out.cols, c)
		}
		out.st.at[c.node().String()] = place
	}
	return nil
}
