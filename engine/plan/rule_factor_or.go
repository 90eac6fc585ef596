package plan

import (
	"lakeserver/expr"
)

// factorOr takes out of an OR what all of its branches demand, so that it can
// sink or become a join key:
//
//	WHERE (a.k = b.k AND a.x = 1) OR (a.k = b.k AND b.y = 2)
//
// becomes a.k = b.k AND (…). The OR stays whole: no function has to be bound,
// and a condition that is true already costs little. A row kept by the OR is
// kept by each common condition, also where NULLs are among the operands.
//
// A condition that may fail is not taken out of its branch's order:
//
//	WHERE (x != 0 AND 10 / x > 1 AND p) OR (x != 0 AND 10 / x > 1 AND q)
//
// so only comparisons of columns with columns or literals are.
func factorOr(n Node) Node {
	return rewrite(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		var common []expr.Expr
		for _, c := range f.Conditions {
			for _, e := range expr.Conjuncts(c) {
				common = append(common, commonToAll(e)...)
			}
		}
		if len(common) == 0 {
			return n
		}
		c := *f
		c.Conditions = append(common, f.Conditions...)
		return &c
	})
}

// commonToAll gives the comparisons that stand in every branch of an OR.
func commonToAll(e expr.Expr) []expr.Expr {
	branches := disjuncts(e)
	if len(branches) < 2 {
		return nil
	}
	var common []expr.Expr
	for i, b := range branches {
		has := map[string]bool{}
		var here []expr.Expr
		for _, c := range expr.Conjuncts(b) {
			if simpleComparison(c) && !has[c.String()] {
				has[c.String()] = true
				here = append(here, c)
			}
		}
		if i == 0 {
			common = here
			continue
		}
		var both []expr.Expr
		for _, c := range common {
			if has[c.String()] {
				both = append(both, c)
			}
		}
		if common = both; len(common) == 0 {
			return nil
		}
	}
	return common
}

// disjuncts takes an OR apart into its operands.
func disjuncts(e expr.Expr) []expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn.Name != "or" {
		return []expr.Expr{e}
	}
	var out []expr.Expr
	for _, a := range c.Args {
		out = append(out, disjuncts(a)...)
	}
	return out
}

func simpleComparison(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	if !ok {
		return false
	}
	switch c.Fn.Name {
	case "equals", "notEquals", "less", "greater", "lessOrEquals", "greaterOrEquals":
	default:
		return false
	}
	for _, a := range c.Args {
		if !trivial(a) {
			return false
		}
	}
	return true
}
