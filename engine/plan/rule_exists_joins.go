package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
)

// existsJoins makes SEMI and ANTI joins of joins whose only use is to tell
// whether there was a match:
//
//	SELECT … FROM t WHERE EXISTS (SELECT * FROM u WHERE u.k = t.k)
//
// comes as a LEFT ANY JOIN with a column of ones, and a filter on it. A SEMI
// join can tell the scans below which keys matter, and needs no row without a
// match.
func existsJoins(n Node) Node {
	return rewrite(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok || f.Having {
			return n
		}
		j, ok := f.Input.(*Join)
		if !ok || j.Kind != LeftJoin || j.Strictness != AnyStrictness || !j.RightUnused {
			return n
		}
		var rest []expr.Expr
		to := AnyStrictness
		for _, c := range f.Conditions {
			switch s := j.wantedBy(c); {
			case s == AnyStrictness, to != AnyStrictness && s != to:
				rest = append(rest, c)
			default:
				to = s
			}
		}
		if to == AnyStrictness {
			return n
		}
		c := *j
		c.Strictness = to
		return above(&c, rest)
	})
}

// wantedBy tells what a condition on the column of ones makes of the join.
func (n *Join) wantedBy(c expr.Expr) Strictness {
	want := SemiStrictness
	if call, ok := c.(*expr.Call); ok && call.Fn.Name == "not" && len(call.Args) == 1 {
		c, want = call.Args[0], AntiStrictness
	}
	x, ok := c.(*expr.Column)
	p, isProject := n.Right.(*Project)
	at := 0
	if ok {
		at = x.Index - len(n.Left.Header())
	}
	if !ok || !isProject || at < 0 {
		return AnyStrictness
	}
	if v := expr.Constant(p.Exprs[at]); v == nil || column.At(v, 0) != column.Value(uint8(1)) {
		return AnyStrictness
	}
	return want
}
