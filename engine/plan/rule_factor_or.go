package plan

import (
	"lakeserver/expr"
	"lakeserver/types"
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

// impliedBy gives what an OR demands of columns [from, to) alone: each branch
// must say something of them.
//
//	(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)
//
// demands of a that x is 1 or 3. The functions are those of the whole, which
// take some of their operands as well: none of these is Nullable where the
// function's result is not. nil is nothing.
func impliedBy(c expr.Expr, from, to int) expr.Expr {
	or, ok := c.(*expr.Call)
	branches := disjuncts(c)
	if !ok || len(branches) < 2 || !isTruth(or.Fn.Result) {
		return nil
	}
	parts := make([]expr.Expr, len(branches))
	for i, b := range branches {
		var here []expr.Expr
		for _, e := range expr.Conjuncts(b) {
			if within(e, from, to) && simpleTest(e) && isTruth(e.Type()) {
				here = append(here, e)
			}
		}
		switch and, isAnd := b.(*expr.Call); {
		case len(here) == 0:
			return nil
		case len(here) == 1 || !isAnd || and.Fn.Name != "and" || !isTruth(and.Fn.Result):
			parts[i] = here[0]
		default:
			parts[i] = &expr.Call{Fn: and.Fn, Args: here}
		}
	}
	return &expr.Call{Fn: or.Fn, Args: parts}
}

func isTruth(t *types.Type) bool { return types.Unwrap(t).Kind() == types.KindUInt8 }

// simpleTest is a comparison, or IN of a column and constants.
func simpleTest(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	if ok && c.Fn.Set != nil && len(c.Args) > 0 {
		return trivial(c.Args[0])
	}
	return simpleComparison(e) && len(expr.Columns(e)) > 0
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
