package plan

import (
	"fmt"

	"lakeserver/column"
	"lakeserver/expr"
)

// shareExpressions computes an expression once that stands several times in a
// Project. As in ClickHouse that holds for rand() too: SELECT rand() = rand()
// is always 1. What stands only where it may not be evaluated (a branch of if)
// stays there, because it might fail.
func shareExpressions(n Node) Node {
	return rewrite(n, func(n Node) Node {
		p, ok := n.(*Project)
		if !ok {
			return n
		}
		return share(p)
	})
}

type sharing struct {
	prints map[expr.Expr]string
	total  map[string]int
	eager  map[string]bool
}

func (s *sharing) print(e expr.Expr) string {
	t, ok := s.prints[e]
	if !ok {
		t = e.String()
		s.prints[e] = t
	}
	return t
}

func (s *sharing) count(e expr.Expr, lazy bool) {
	c, ok := e.(*expr.Call)
	if !ok {
		for _, x := range e.Children() {
			s.count(x, lazy)
		}
		return
	}
	t := s.print(c)
	s.total[t]++
	if !lazy {
		s.eager[t] = true
	}
	if s.total[t] > 1 {
		return // what is inside is shared with it
	}
	for i, a := range c.Args {
		s.count(a, lazy || c.Fn.Lazy != nil && i > 0)
	}
}

func share(p *Project) Node {
	s := &sharing{prints: map[expr.Expr]string{}, total: map[string]int{}, eager: map[string]bool{}}
	calls := 0
	for _, e := range p.Exprs {
		if _, ok := e.(*expr.Call); ok {
			calls++
		}
	}
	if calls == 0 {
		return p
	}
	for _, e := range p.Exprs {
		s.count(e, false)
	}
	in := p.Input.Header()
	inner := &Project{Input: p.Input, Exprs: passing(in), Fields: append(column.Header(nil), in...)}
	place := map[string]int{}
	var replace func(e expr.Expr) expr.Expr
	replace = func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Call); ok {
			t := s.print(c)
			if s.total[t] > 1 && s.eager[t] {
				i, ok := place[t]
				if !ok {
					i = len(inner.Exprs)
					place[t] = i
					inner.Exprs = append(inner.Exprs, e)
					inner.Fields = append(inner.Fields, column.Field{Name: fmt.Sprintf("_shared_%d", i), Type: e.Type()})
				}
				return &expr.Column{Index: i, Name: inner.Fields[i].Name, T: e.Type()}
			}
		}
		children := e.Children()
		if len(children) == 0 {
			return e
		}
		next := make([]expr.Expr, len(children))
		changed := false
		for i, c := range children {
			next[i] = replace(c)
			changed = changed || next[i] != c
		}
		if !changed {
			return e
		}
		return e.WithChildren(next)
	}
	out := &Project{Input: inner, Fields: p.Fields}
	for _, e := range p.Exprs {
		out.Exprs = append(out.Exprs, replace(e))
	}
	if len(place) == 0 {
		return p
	}
	return out
}
