package plan

import "lakeserver/expr"

// removeRedundant drops sorts that nothing sees and DISTINCT of what is
// distinct already.
//
//	SELECT count() FROM (SELECT a FROM t ORDER BY a)
//	SELECT * FROM (SELECT a FROM t ORDER BY a) ORDER BY b
//
// A sort under LIMIT stays, and one whose order an aggregate shows
// (groupArray).
func removeRedundant(n Node) Node {
	return rewrite(n, func(n Node) Node {
		switch n := n.(type) {
		case *Sort:
			if in, ok := withoutSort(n.Input); ok {
				return n.WithInputs([]Node{in})
			}
		case *Aggregate:
			for _, c := range n.Calls {
				if !orderFree[c.Fn.Name] {
					return n
				}
			}
			if in, ok := withoutSort(n.Input); ok {
				return n.WithInputs([]Node{in})
			}
		case *Distinct:
			if distinctBelow(n.Input, n.Columns) {
				return n.Input
			}
		}
		return n
	})
}

// orderFree are the aggregates whose result does not depend on the order of rows.
var orderFree = map[string]bool{
	"count": true, "sum": true, "min": true, "max": true, "avg": true, "uniqExact": true, "countIf": true, "sumIf": true,
	"minIf": true, "maxIf": true, "avgIf": true, "uniqExactIf": true,
}

func withoutSort(n Node) (Node, bool) {
	switch n := n.(type) {
	case *Sort:
		if n.Limit == 0 {
			return n.Input, true
		}
	case *Project:
		for _, e := range n.Exprs { // rowNumberInAllBlocks and its like see the order
			if !expr.Deterministic(e) {
				return n, false
			}
		}
		if in, ok := withoutSort(n.Input); ok {
			return n.WithInputs([]Node{in}), true
		}
	}
	return n, false
}

// distinctBelow tells whether rows differ in the columns already.
func distinctBelow(n Node, cols []int) bool {
	if cols == nil {
		for i := range n.Header() {
			cols = append(cols, i)
		}
	}
	switch n := n.(type) {
	case *Project:
		var below []int
		for _, c := range cols {
			if x, ok := n.Exprs[c].(*expr.Column); ok {
				below = append(below, x.Index)
			}
		}
		return len(below) > 0 && distinctBelow(n.Input, below)
	case *Distinct:
		inner := n.Columns
		if inner == nil {
			for i := range n.Header() {
				inner = append(inner, i)
			}
		}
		return covers(cols, inner)
	case *Aggregate:
		if n.Sets != nil || n.Totals {
			return false
		}
		keys := make([]int, len(n.Keys))
		for i := range keys {
			keys[i] = i
		}
		return covers(cols, keys)
	}
	return false
}

func covers(cols, keys []int) bool {
	for _, k := range keys {
		if !contains(cols, k) {
			return false
		}
	}
	return true
}
