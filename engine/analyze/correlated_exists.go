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
	var keys [][2]expr.Expr
	var own, rest []expr.Expr // conditions on the subquery's rows alone, and others
	for _, c := range conds {
		lo, hi := 1<<30, -1
		for _, i := range expr.Columns(c) {
			lo, hi = min(lo, i), max(hi, i)
		}
		if l, r, ok := d.equality(c); ok {
			keys = append(keys, [2]expr.Expr{
				expr.Remap(l, func(i int) int { return places[i] }),
				expr.Remap(r, func(i int) int { return i - width }),
			})
		} else if hi >= 0 && lo >= width {
			own = append(own, expr.Remap(c, func(i int) int { return i - width }))
		} else {
			rest = append(rest, c)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if len(own) > 0 {
		from = &plan.Filter{Input: from, Conditions: own}
	}
	j := &plan.Join{Kind: plan.LeftJoin, Strictness: plan.AnyStrictness, RightUnused: true}
	left, right := projected(outer), projected(from)
	for _, k := range keys {
		j.LeftKeys = append(j.LeftKeys, withKey(left, k[0]))
		j.RightKeys = append(j.RightKeys, withKey(right, k[1]))
	}
	right.Exprs = append(right.Exprs, valueOf(types.UInt8, uint8(1)))
	right.Fields = append(right.Fields, column.Field{Name: "exists", Type: types.UInt8})
	j.Left, j.Right = outer, right
	if len(left.Exprs) > outerWidth {
		j.Left = left
	}
	for _, c := range rest {
		j.Residual = append(j.Residual, expr.Remap(c, func(i int) int {
			if i < width {
				return places[i]
			}
			return len(j.Left.Header()) + i - width
		}))
	}
	j.Fields = append(append(column.Header(nil), j.Left.Header()...), right.Fields...)
	return j
}

func projected(n plan.Node) *plan.Project {
	return &plan.Project{Input: n, Exprs: passed(n.Header()), Fields: append(column.Header(nil), n.Header()...)}
}

// withKey gives the place of a join key, which is computed behind the columns
// when it is not one of them.
func withKey(p *plan.Project, e expr.Expr) int {
	if c, ok := e.(*expr.Column); ok {
		return c.Index
	}
	p.Exprs = append(p.Exprs, e)
	p.Fields = append(p.Fields, column.Field{Name: e.String(), Type: e.Type()})
	return len(p.Exprs) - 1
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

// equality reads a condition as something of the outer columns = something of
// the subquery's, of one type but for NULL, which a join can use as key. Floats
// stay conditions: NaN is a key of its own to a hash table.
func (d *domain) equality(c expr.Expr) (outer, inner expr.Expr, ok bool) {
	call, isCall := c.(*expr.Call)
	if !isCall || call.Fn.Name != "equals" || len(call.Args) != 2 {
		return nil, nil, false
	}
	a, b := call.Args[0], call.Args[1]
	if !d.onlyOuter(a) {
		a, b = b, a
	}
	cols := expr.Columns(b)
	ok = d.onlyOuter(a) && len(cols) > 0
	for _, i := range cols {
		ok = ok && i >= len(d.refs)
	}
	l, r := types.WithoutNullable(a.Type()), types.WithoutNullable(b.Type())
	return a, b, ok && l.Equal(r) && !types.Unwrap(l).IsFloat()
}

func (d *domain) onlyOuter(e expr.Expr) bool {
	cols := expr.Columns(e)
	for _, i := range cols {
		if i >= len(d.refs) {
			return false
		}
	}
	return len(cols) > 0
}
