package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
)

// mergeProjects makes one Project of two and drops those that do nothing.
//
//	SELECT a + 1 FROM (SELECT b AS a FROM t)
//
// An inner expression that is used twice stays where it is, so that it is
// computed once: SELECT x, x FROM (SELECT f(a) AS x FROM t).
func mergeProjects(n Node) Node {
	return rewrite(n, func(n Node) Node {
		p, ok := n.(*Project)
		if !ok {
			return n
		}
		if in, ok := p.Input.(*Project); ok && mergeable(p, in) {
			out := &Project{Input: in.Input, Fields: p.Fields}
			for _, e := range p.Exprs {
				out.Exprs = append(out.Exprs, substitute(e, in.Exprs))
			}
			p = out
		}
		if identity(p) {
			return p.Input
		}
		return p
	})
}

func mergeable(p, in *Project) bool {
	uses := make([]int, len(in.Exprs))
	for _, e := range p.Exprs {
		expr.Walk(e, func(x expr.Expr) {
			if c, ok := x.(*expr.Column); ok {
				uses[c.Index]++
			}
		})
	}
	for i, e := range in.Exprs {
		if uses[i] > 1 && !trivial(e) {
			return false
		}
	}
	return true
}

func trivial(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Column, *expr.Literal:
		return true
	}
	return false
}

// substitute puts expressions in the place of the columns they compute.
func substitute(e expr.Expr, by []expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok {
			return by[c.Index]
		}
		return x
	})
}

// identity tells whether a Project gives its input unchanged, names and all.
func identity(p *Project) bool {
	h := p.Input.Header()
	if len(h) != len(p.Exprs) {
		return false
	}
	for i, e := range p.Exprs {
		c, ok := e.(*expr.Column)
		if !ok || c.Index != i || p.Fields[i].Name != h[i].Name || !p.Fields[i].Type.Equal(h[i].Type) {
			return false
		}
	}
	return true
}

// passing gives every column of a header as an expression.
func passing(h column.Header) []expr.Expr {
	out := make([]expr.Expr, len(h))
	for i, f := range h {
		out[i] = &expr.Column{Index: i, Name: f.Name, T: f.Type}
	}
	return out
}
