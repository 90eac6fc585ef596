package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// pushFilters lets every condition sink as far as it may, into scans at best.
//
// It may not sink below what it depends on: LIMIT, an aggregate's result, the
// side of an outer join whose missing rows it would have to see:
//
//	SELECT * FROM a LEFT JOIN b USING k WHERE b.x = 0   -- x is 0 where b misses
func pushFilters(n Node) Node { return sink(n, nil) }

// sink gives n with the conditions, which are over n's header, applied.
func sink(n Node, conds []expr.Expr) Node { // long: one case a node
	switch n := n.(type) {
	case *Filter:
		if n.Having {
			return above(n.WithInputs([]Node{sink(n.Input, nil)}), conds)
		}
		return sink(n.Input, append(append([]expr.Expr(nil), n.Conditions...), conds...))
	case *Project:
		down, stay := split(conds, func(c expr.Expr) bool { return stable(c, n.Exprs) })
		for i := range down {
			down[i] = substitute(down[i], n.Exprs)
		}
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *Aggregate:
		down, stay := split(conds, func(c expr.Expr) bool {
			return n.Sets == nil && !n.Totals && len(n.Keys) > 0 && within(c, 0, len(n.Keys)) && len(expr.Columns(c)) > 0
		})
		for i := range down {
			down[i] = expr.Remap(down[i], func(k int) int { return n.Keys[k] })
		}
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *Window:
		down, stay := split(conds, func(c expr.Expr) bool { return subset(c, n.PartitionBy) })
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *Join:
		return sinkJoin(n, conds)
	case *Sort:
		if n.Limit == 0 {
			return n.WithInputs([]Node{sink(n.Input, conds)})
		}
	case *Distinct:
		down, stay := split(conds, func(c expr.Expr) bool { return n.Columns == nil || subset(c, n.Columns) })
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *LimitBy:
		down, stay := split(conds, func(c expr.Expr) bool { return subset(c, n.Columns) })
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *ArrayJoin:
		down, stay := split(conds, func(c expr.Expr) bool { return disjoint(c, n.Columns) })
		return above(n.WithInputs([]Node{sink(n.Input, down)}), stay)
	case *SetOp:
		down, stay := split(conds, expr.Deterministic)
		parts := make([]Node, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = sink(p, down)
		}
		return above(n.WithInputs(parts), stay)
	case *BuildSets:
		in := n.Inputs()
		for i := range in {
			if i == 0 {
				in[i] = sink(in[i], conds)
			} else {
				in[i] = sink(in[i], nil)
			}
		}
		return n.WithInputs(in)
	case *Scan:
		return sinkScan(n, conds)
	}
	in := append([]Node(nil), n.Inputs()...)
	for i := range in {
		in[i] = sink(in[i], nil)
	}
	if len(in) > 0 {
		n = n.WithInputs(in)
	}
	return above(n, conds)
}

func sinkScan(n *Scan, conds []expr.Expr) Node {
	down, stay := split(conds, expr.Deterministic)
	down, never := decided(down)
	if never {
		return &Values{Fields: n.Fields}
	}
	if n.Limit > 0 || n.TopN != nil {
		return above(n, append(down, stay...))
	}
	if len(down) > 0 {
		c := *n
		c.Filter = append([]expr.Expr(nil), n.Filter...)
		for _, e := range down {
			c.Filter = append(c.Filter, expr.Remap(e, func(i int) int { return n.Columns[i] }))
		}
		n = &c
	}
	return above(n, stay)
}

// decided drops conditions that are constantly true; never says that one is
// constantly false or NULL.
func decided(conds []expr.Expr) (rest []expr.Expr, never bool) {
	for _, c := range conds {
		v := expr.Constant(c)
		if v == nil {
			rest = append(rest, c)
			continue
		}
		switch x := column.At(v, 0).(type) {
		case nil:
			return nil, true
		case uint8:
			if x == 0 {
				return nil, true
			}
		default:
			rest = append(rest, c)
		}
	}
	return rest, false
}

// above leaves the conditions as a Filter over n.
func above(n Node, conds []expr.Expr) Node {
	conds, never := decided(conds)
	if never {
		return &Values{Fields: n.Header()}
	}
	if len(conds) == 0 {
		return n
	}
	return &Filter{Input: n, Conditions: conds}
}

func split(conds []expr.Expr, may func(expr.Expr) bool) (down, stay []expr.Expr) {
	for _, c := range conds {
		if expr.Deterministic(c) && may(c) {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	return down, stay
}

// stable tells whether what the condition reads is computed the same each time.
func stable(c expr.Expr, by []expr.Expr) bool {
	for _, i := range expr.Columns(c) {
		if !expr.Deterministic(by[i]) {
			return false
		}
	}
	return true
}

func within(c expr.Expr, from, to int) bool {
	for _, i := range expr.Columns(c) {
		if i < from || i >= to {
			return false
		}
	}
	return true
}

func subset(c expr.Expr, of []int) bool {
	cols := expr.Columns(c)
	for _, i := range cols {
		if !contains(of, i) {
			return false
		}
	}
	return len(cols) > 0
}

func disjoint(c expr.Expr, from []int) bool {
	for _, i := range expr.Columns(c) {
		if contains(from, i) {
			return false
		}
	}
	return true
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// sinkJoin gives each side the conditions on it alone, and makes keys of
// equalities between the sides of inner and cross joins.
func sinkJoin(n *Join, conds []expr.Expr) Node {
	width := len(n.Left.Header())
	inner := (n.Kind == InnerJoin || n.Kind == CrossJoin) && n.Strictness == AllStrictness
	mayLeft := inner || n.Kind == LeftJoin
	mayRight := inner || n.Kind == RightJoin
	if n.Kind == InnerJoin && n.Strictness != AllStrictness || n.Kind == PasteJoin {
		mayLeft, mayRight = false, false
	}
	if n.Kind == RightJoin && n.Strictness == AsofStrictness {
		mayRight = false
	}
	j := *n
	j.LeftKeys = append([]int(nil), n.LeftKeys...)
	j.RightKeys = append([]int(nil), n.RightKeys...)
	var left, right, stay []expr.Expr
	for _, c := range conds {
		switch {
		case !expr.Deterministic(c) || len(expr.Columns(c)) == 0:
			stay = append(stay, c)
		case mayLeft && within(c, 0, width):
			left = append(left, c)
		case mayRight && within(c, width, 1<<30):
			right = append(right, expr.Remap(c, func(i int) int { return i - width }))
		case inner && j.equate(c, width):
		default:
			stay = append(stay, c)
			if e := impliedBy(c, 0, width); e != nil && mayLeft {
				left = append(left, e)
			}
			if e := impliedBy(c, width, 1<<30); e != nil && mayRight {
				right = append(right, expr.Remap(e, func(i int) int { return i - width }))
			}
		}
	}
	// What holds for a key on one side holds for its partner.
	if j.NullSafe == nil && (inner || n.Kind == LeftJoin || n.Kind == RightJoin) && n.Strictness != AsofStrictness {
		fromLeft, fromRight := translated(left, j.LeftKeys, j.RightKeys, &j), translated(right, j.RightKeys, j.LeftKeys, &j)
		if inner || n.Kind == LeftJoin {
			right = append(right, fromLeft...)
		}
		if inner || n.Kind == RightJoin {
			left = append(left, fromRight...)
		}
	}
	j.Left, j.Right = sink(n.Left, left), sink(n.Right, right)
	return above(&j, stay)
}

// translated gives the conditions on keys of one side for the other side's
// columns; those whose types differ stay behind.
func translated(conds []expr.Expr, keys, partners []int, j *Join) []expr.Expr {
	l, r := j.Left.Header(), j.Right.Header()
	to := map[int]int{}
	for i, k := range keys {
		if l[j.LeftKeys[i]].Type.Equal(r[j.RightKeys[i]].Type) && !types.Unwrap(l[j.LeftKeys[i]].Type).IsFloat() {
			to[k] = partners[i]
		}
	}
	var out []expr.Expr
	for _, c := range conds {
		cols := expr.Columns(c)
		ok := len(cols) > 0
		for _, i := range cols {
			_, known := to[i]
			ok = ok && known
		}
		if ok {
			out = append(out, expr.Remap(c, func(i int) int { return to[i] }))
		}
	}
	return out
}

// equate makes left = right a key of the join, which is a join by value then.
// Floats stay conditions: NaN is a key of its own to a hash table.
func (n *Join) equate(c expr.Expr, width int) bool {
	call, ok := c.(*expr.Call)
	if !ok || call.Fn.Name != "equals" || len(call.Args) != 2 {
		return false
	}
	l, lok := call.Args[0].(*expr.Column)
	r, rok := call.Args[1].(*expr.Column)
	if !lok || !rok || !l.T.Equal(r.T) || types.Unwrap(l.T).IsFloat() {
		return false
	}
	if l.Index >= width {
		l, r = r, l
	}
	if l.Index >= width || r.Index < width {
		return false
	}
	n.Kind = InnerJoin
	n.LeftKeys, n.RightKeys = append(n.LeftKeys, l.Index), append(n.RightKeys, r.Index-width)
	if n.NullSafe != nil {
		n.NullSafe = append(append([]bool(nil), n.NullSafe...), false)
	}
	return true
}
