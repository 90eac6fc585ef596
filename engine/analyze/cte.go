package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// with enters the elements of WITH: queries with names, and expressions with
// names, which are aliases like all others.
func (sc *scope) with(sel *ast.Select) error {
	for _, w := range sel.With {
		if w.Query == nil {
			if err := sc.collect(w.Expr, false); err != nil {
				return err
			}
			if w.Name != "" {
				if err := sc.enter(&ast.Aliased{At: w.At, Expr: ast.Unalias(w.Expr), Alias: w.Name}, false); err != nil {
					return err
				}
			}
			continue
		}
		sc.ctes[w.Name] = &cte{item: w, scope: sc, columns: w.Columns}
	}
	return nil
}

// useCTE analyses the query anew at each use.
func (sc *scope) useCTE(ctx context.Context, c *cte, src *source) (*relation, error) {
	if c.working != nil {
		return sc.relationOf(c.working, src), nil
	}
	n, err := sc.cteQuery(ctx, c)
	if err != nil {
		return nil, err
	}
	if len(c.columns) > 0 {
		if len(c.columns) != len(n.Header()) {
			return nil, at(c.item, cherr.BadArguments, "The WITH query %s gives %d columns, %d are named", c.item.Name, len(n.Header()), len(c.columns))
		}
		h := append(column.Header(nil), n.Header()...)
		for i := range h {
			h[i].Name = c.columns[i]
		}
		n = renamed(n, h)
	}
	return sc.relationOf(n, src), nil
}

func (sc *scope) cteQuery(ctx context.Context, c *cte) (plan.Node, error) {
	c.busy = true
	defer func() { c.busy = false }()
	if u, ok := c.item.Query.(*ast.SelectUnion); ok && mentions(u, c.item.Name) {
		return sc.recursive(ctx, c, u)
	}
	return sc.a.query(ctx, c.item.Query, c.scope.child())
}

// mentions tells whether a query reads a table of the name.
func mentions(q ast.Node, name string) bool {
	found := false
	ast.Walk(q, func(n ast.Node) bool {
		if t, ok := n.(*ast.TableName); ok && t.Database == "" && t.Table == name {
			found = true
		}
		return !found
	})
	return found
}

// recursive is WITH RECURSIVE: the branches that do not mention the query
// itself are where it begins, the others are its step.
func (sc *scope) recursive(ctx context.Context, c *cte, u *ast.SelectUnion) (plan.Node, error) {
	var base, step []ast.Query
	for _, q := range u.Inputs {
		if mentions(q, c.item.Name) {
			step = append(step, q)
		} else {
			base = append(base, q)
		}
	}
	if len(base) == 0 {
		return nil, at(c.item, cherr.UnsupportedMethod, "Recursive CTE %s has no part that does not refer to itself", c.item.Name)
	}
	head, err := sc.a.query(ctx, branches(u, base), c.scope.child())
	if err != nil {
		return nil, err
	}
	h := append(column.Header(nil), head.Header()...)
	for i := range c.columns {
		if i < len(h) {
			h[i].Name = c.columns[i]
		}
	}
	out := &plan.Recursive{MaxRounds: sc.settings().Int("max_recursive_cte_evaluation_depth"), Distinct: u.Op == ast.UnionDistinct}
	for {
		out.Working = &plan.WorkingTable{Fields: h}
		c.working = out.Working
		next, err := sc.a.query(ctx, branches(u, step), c.scope.child())
		c.working = nil
		if err != nil {
			return nil, err
		}
		if len(next.Header()) != len(h) {
			return nil, at(c.item, cherr.TypeMismatch, "The parts of recursive CTE %s give different numbers of columns", c.item.Name)
		}
		// The step may need wider types (n + 1 of a UInt8 is a UInt16): it is
		// analysed again over those until they hold.
		wider, err := sc.widened(h, next.Header())
		if err != nil {
			return nil, err
		}
		if wider != nil {
			h = wider
			continue
		}
		if out.Base, err = sc.converted(ctx, renamed(head, named(head.Header(), h)), h); err != nil {
			return nil, err
		}
		out.Step, err = sc.converted(ctx, next, h)
		return out, err
	}
}

// widened gives the common types of both headers under the names of the
// first; nil when those are the first's.
func (sc *scope) widened(h, step column.Header) (column.Header, error) {
	out := append(column.Header(nil), h...)
	changed := false
	for i := range out {
		t, err := sc.super([]*types.Type{h[i].Type, step[i].Type})
		if err != nil {
			return nil, err
		}
		changed = changed || !t.Equal(h[i].Type)
		out[i].Type = t
	}
	if !changed {
		return nil, nil
	}
	return out, nil
}

// named gives the columns of h the names of another header.
func named(h, names column.Header) column.Header {
	out := append(column.Header(nil), h...)
	for i := range out {
		out[i].Name = names[i].Name
	}
	return out
}

func branches(u *ast.SelectUnion, qs []ast.Query) ast.Query {
	if len(qs) == 1 {
		return qs[0]
	}
	return &ast.SelectUnion{At: u.At, Op: u.Op, Inputs: qs}
}

// renamed gives the columns other names.
func renamed(n plan.Node, h column.Header) plan.Node {
	return &plan.Project{Input: n, Exprs: passed(n.Header()), Fields: h}
}

// converted casts a plan's columns to the types of a header and takes its names.
func (sc *scope) converted(ctx context.Context, n plan.Node, h column.Header) (plan.Node, error) {
	same := true
	p := &plan.Project{Input: n, Fields: h}
	for i, f := range n.Header() {
		e, err := sc.cast(ctx, &expr.Column{Index: i, Name: f.Name, T: f.Type}, h[i].Type)
		if err != nil {
			return nil, err
		}
		same = same && f.Name == h[i].Name && f.Type.Equal(h[i].Type)
		p.Exprs = append(p.Exprs, e)
	}
	if same {
		return n, nil
	}
	return p, nil
}

// union combines queries column by column under the names of the first.
func (a *analyzer) union(ctx context.Context, u *ast.SelectUnion, outer *scope) (plan.Node, error) {
	kind, err := setKind(u, outer)
	if err != nil {
		return nil, err
	}
	parts := make([]plan.Node, len(u.Inputs))
	for i, q := range u.Inputs {
		if parts[i], err = a.query(ctx, q, outer.child()); err != nil {
			return nil, err
		}
		if n := len(parts[0].Header()); len(parts[i].Header()) != n {
			return nil, at(u, cherr.UnionAllResultStructuresMismatch, "Different number of columns in UNION elements: %d and %d", n, len(parts[i].Header()))
		}
	}
	h := append(column.Header(nil), parts[0].Header()...)
	for c := range h {
		ts := make([]*types.Type, len(parts))
		for i := range parts {
			ts[i] = parts[i].Header()[c].Type
		}
		t, err := outer.super(ts)
		if err != nil {
			return nil, err
		}
		h[c].Type = t
	}
	for i := range parts {
		if parts[i], err = outer.converted(ctx, parts[i], h); err != nil {
			return nil, err
		}
	}
	return &plan.SetOp{Kind: kind, Parts: parts, Fields: h}, nil
}

// super is the common type; equal types are their own, whatever they are.
func (sc *scope) super(ts []*types.Type) (*types.Type, error) {
	same := true
	for _, t := range ts[1:] {
		same = same && t.Equal(ts[0])
	}
	if same {
		return ts[0], nil
	}
	return functions.CommonType(sc.fenv, ts...)
}

func setKind(u *ast.SelectUnion, sc *scope) (plan.SetKind, error) {
	mode := func(setting string, all, distinct plan.SetKind) (plan.SetKind, error) {
		switch sc.settings().Get(setting) {
		case "ALL":
			return all, nil
		case "DISTINCT":
			return distinct, nil
		}
		return 0, at(u, cherr.ExpectedAllOrDistinct, "Expected ALL or DISTINCT in SelectWithUnion query; because setting (%s) is empty", setting)
	}
	switch u.Op {
	case ast.UnionAll:
		return plan.UnionAll, nil
	case ast.UnionDistinct:
		return plan.UnionDistinct, nil
	case ast.UnionDefault:
		return mode("union_default_mode", plan.UnionAll, plan.UnionDistinct)
	case ast.IntersectAll:
		return plan.IntersectAll, nil
	case ast.IntersectDistinct:
		return plan.IntersectDistinct, nil
	case ast.IntersectDefault:
		return mode("intersect_default_mode", plan.IntersectAll, plan.IntersectDistinct)
	case ast.ExceptAll:
		return plan.ExceptAll, nil
	case ast.ExceptDistinct:
		return plan.ExceptDistinct, nil
	}
	return mode("except_default_mode", plan.ExceptAll, plan.ExceptDistinct)
}
