package analyze

import (
	"lakeserver/column"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// semiJoin answers EXISTS of a subquery that only joins and filters without its
// domain: a row of the outer query is joined to any row of the subquery's FROM
// that fits the conditions. The last column of the join is 1 where there is
// one. It is nil for subqueries of another form, or that compare no outer
// column for equality.
//
//	EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_tax > 0)
func (d *domain) semiJoin(outer plan.Node, places []int, n plan.Node) *plan.Join {
	from, conds := d.takeApart(n)
	if from == nil {
		return nil
	}
	width, outerWidth := len(d.refs), len(outer.Header())
	j := &plan.Join{Left: outer, Kind: plan.LeftJoin, Strictness: plan.AnyStrictness, RightUnused: true}
	var own []expr.Expr // conditions on the subquery's rows alone
	for _, c := range conds {
		if l, r, ok := d.equality(c, outer, places, from); ok {
			j.LeftKeys, j.RightKeys = append(j.LeftKeys, l), append(j.RightKeys, r)
			continue
		}
		inner := len(expr.Columns(c)) > 0
		for _, i := range expr.Columns(c) {
			inner = inner && i >= width
		}
		if inner {
			own = append(own, expr.Remap(c, func(i int) int { return i - width }))
			continue
		}
		j.Residual = append(j.Residual, expr.Remap(c, func(i int) int {
			if i < width {
				return places[i]
			}
			return outerWidth + i - width
		}))
	}
	if len(j.LeftKeys) == 0 {
		return nil
	}
	if len(own) > 0 {
		from = &plan.Filter{Input: from, Conditions: own}
	}
	p := &plan.Project{Input: from, Exprs: append(passed(from.Header()), valueOf(types.UInt8, uint8(1)))}
	p.Fields = append(append(column.Header(nil), from.Header()...), column.Field{Name: "exists", Type: types.UInt8})
	j.Right = p
	j.Fields = append(append(column.Header(nil), outer.Header()...), p.Fields...)
	return j
}

// takeApart gives what the domain was joined to and the conditions over both,
// when nothing but projections stands above; nil otherwise.
func (d *domain) takeApart(n plan.Node) (from plan.Node, conds []expr.Expr) {
	for {
		p, ok := n.(*plan.Project)
		if !ok {
			break
		}
		for _, e := range p.Exprs {
			if !expr.Deterministic(e) {
				return nil, nil
			}
		}
		n = p.Input
	}
	for {
		f, ok := n.(*plan.Filter)
		if !ok {
			break
		}
		for _, c := range f.Conditions {
			if !expr.Deterministic(c) {
				return nil, nil
			}
			conds = append(expr.Conjuncts(c), conds...)
		}
		n = f.Input
	}
	if j, ok := n.(*plan.Join); ok && j.Kind == plan.CrossJoin && j.Left == d.node {
		return j.Right, conds
	}
	return nil, nil
}

// equality reads a condition as outer column = inner column of one type, which
// a join can use as key; floats stay conditions.
func (d *domain) equality(c expr.Expr, outer plan.Node, places []int, from plan.Node) (left, right int, ok bool) {
	call, isCall := c.(*expr.Call)
	if !isCall || call.Fn.Name != "equals" || len(call.Args) != 2 {
		return 0, 0, false
	}
	a, okA := call.Args[0].(*expr.Column)
	b, okB := call.Args[1].(*expr.Column)
	if !okA || !okB {
		return 0, 0, false
	}
	width := len(d.refs)
	if a.Index >= width {
		a, b = b, a
	}
	if a.Index >= width || b.Index < width {
		return 0, 0, false
	}
	left, right = places[a.Index], b.Index-width
	l, r := outer.Header()[left].Type, from.Header()[right].Type
	return left, right, l.Equal(r) && !types.Unwrap(l).IsFloat()
}
