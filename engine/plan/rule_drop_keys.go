package plan

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// dropKeys groups by fewer keys where some follow from the others:
//
//	SELECT a, a + 1, 5, count() FROM t GROUP BY a, a + 1, 5
//
// a + 1 and 5 are computed for each group afterwards. One key always stays:
// GROUP BY of constants alone gives no row for no rows, without keys it gives one.
//
// It may not touch a key that is not the same for equal keys, rand(), nor one
// computed from floats, of which unlike ones are grouped as equal (NaNs) and
// equal ones apart (-0), nor grouping sets, whose keys come and go.
func dropKeys(n Node) Node {
	return rewrite(n, func(n Node) Node {
		agg, ok := n.(*Aggregate)
		if !ok || len(agg.Keys) < 2 || agg.Sets != nil || agg.Totals {
			return n
		}
		in, ok := agg.Input.(*Project)
		if !ok {
			return n
		}
		return regroup(agg, in)
	})
}

func regroup(agg *Aggregate, in *Project) Node {
	source := map[int]int{} // column under the project → place among the keys
	for i, k := range agg.Keys {
		if c, ok := in.Exprs[k].(*expr.Column); ok && !types.Unwrap(c.T).IsFloat() && c.T.Equal(agg.Fields[i].Type) {
			source[c.Index] = i
		}
	}
	var keep []int
	drop := map[int]bool{}
	for i, k := range agg.Keys {
		if e := in.Exprs[k]; follows(e, source) && e.Type().Equal(agg.Fields[i].Type) {
			drop[i] = true
		} else {
			keep = append(keep, i)
		}
	}
	if len(drop) == 0 || len(keep) == 0 {
		return agg
	}
	out := *agg
	out.Keys, out.Fields = nil, nil
	place := map[int]int{}
	for at, i := range keep {
		place[i] = at
		out.Keys = append(out.Keys, agg.Keys[i])
		out.Fields = append(out.Fields, agg.Fields[i])
	}
	out.Fields = append(out.Fields, agg.Fields[len(agg.Keys):]...)
	top := &Project{Input: &out, Fields: agg.Fields}
	for i, f := range agg.Fields {
		switch {
		case i >= len(agg.Keys):
			at := len(keep) + i - len(agg.Keys)
			top.Exprs = append(top.Exprs, &expr.Column{Index: at, Name: f.Name, T: f.Type})
		case drop[i]:
			top.Exprs = append(top.Exprs, expr.Rewrite(in.Exprs[agg.Keys[i]], func(e expr.Expr) expr.Expr {
				if c, ok := e.(*expr.Column); ok {
					return keyColumn(c, place[source[c.Index]], out.Fields)
				}
				return e
			}))
		default:
			top.Exprs = append(top.Exprs, keyColumn(&expr.Column{T: f.Type}, place[i], out.Fields))
		}
	}
	return top
}

func keyColumn(c *expr.Column, at int, h column.Header) expr.Expr {
	return &expr.Column{Index: at, Name: h[at].Name, T: c.T}
}

// follows tells whether a key is a computation over other keys, or a constant.
func follows(e expr.Expr, source map[int]int) bool {
	switch e.(type) {
	case *expr.Column:
		return false
	case *expr.Literal, *expr.Call:
	default:
		return false
	}
	if !expr.Deterministic(e) {
		return false
	}
	ok := true
	expr.Walk(e, func(x expr.Expr) {
		switch x := x.(type) {
		case *expr.Column:
			_, known := source[x.Index]
			ok = ok && known
		case *expr.Literal, *expr.Call:
		default:
			ok = false
		}
	})
	return ok
}
