package plan

import (
	"sort"

	"lakeserver/expr"
)

// orderFilters puts conditions that cost little before those that cost much.
// Only conditions that cannot fail move: a later one may rely on an earlier
// one (x != 0 AND 10 / x > 1).
func orderFilters(n Node) Node {
	return rewrite(n, func(n Node) Node {
		switch n := n.(type) {
		case *Filter:
			if c, ok := cheapFirst(n.Conditions); ok {
				return &Filter{Input: n.Input, Conditions: c, Having: n.Having}
			}
		case *Scan:
			if c, ok := cheapFirst(n.Filter); ok {
				out := *n
				out.Filter = c
				return &out
			}
		}
		return n
	})
}

func cheapFirst(conds []expr.Expr) ([]expr.Expr, bool) {
	out := append([]expr.Expr(nil), conds...)
	sort.SliceStable(out, func(i, j int) bool { return cost(out[i]) < cost(out[j]) })
	for i := range out {
		if out[i] != conds[i] {
			return out, true
		}
	}
	return nil, false
}

var cheap = map[string]int{
	"equals": 1, "notEquals": 1, "less": 1, "greater": 1, "lessOrEquals": 1, "greaterOrEquals": 1,
	"isNull": 0, "isNotNull": 0, "in": 2, "notIn": 2,
}

// cost is small for a comparison of a column with a constant and large for all
// that might fail or is dear. Strings cost more than numbers.
func cost(e expr.Expr) int {
	const dear = 10
	c, ok := e.(*expr.Call)
	if !ok {
		return dear
	}
	base, ok := cheap[c.Fn.Name]
	if !ok {
		return dear
	}
	for _, a := range c.Args {
		if !trivial(a) {
			return dear
		}
		if a.Type().Bytes() == 0 {
			base += 4
		}
	}
	return base
}
