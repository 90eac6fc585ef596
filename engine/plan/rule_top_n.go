package plan

import (
	"lakeserver/expr"
	"lakeserver/table"
)

// topN lets a scan know that only the first rows by one of its columns matter,
// so that it can leave out what the rows kept so far already beat.
//
//	SELECT url FROM t WHERE x > 1 ORDER BY time LIMIT 10
//
// Between sort and scan only projections may stand: what a join or DISTINCT
// makes of a row is not known here.
func topN(n Node) Node {
	return rewrite(n, func(n Node) Node {
		s, ok := n.(*Sort)
		if !ok || s.Limit == 0 || len(s.Keys) == 0 || s.Keys[0].Collate != "" {
			return n
		}
		k := s.Keys[0]
		in, ok := withTopN(s.Input, k.Column, &table.TopN{Desc: k.Desc, NullsFirst: k.NullsFirst, Limit: s.Limit})
		if !ok {
			return n
		}
		return s.WithInputs([]Node{in})
	})
}

func withTopN(n Node, col int, t *table.TopN) (Node, bool) {
	switch n := n.(type) {
	case *Project:
		c, ok := n.Exprs[col].(*expr.Column)
		if !ok {
			return n, false
		}
		in, ok := withTopN(n.Input, c.Index, t)
		if !ok {
			return n, false
		}
		return n.WithInputs([]Node{in}), true
	case *Scan:
		if n.Limit > 0 || n.TopN != nil {
			return n, false
		}
		c := *n
		t.Column = n.Columns[col]
		c.TopN = t
		return &c, true
	}
	return n, false
}
