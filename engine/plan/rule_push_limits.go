package plan

// pushLimits tells the nodes below a LIMIT how many rows are enough.
//
//	SELECT a FROM (SELECT a FROM t UNION ALL SELECT a FROM u) LIMIT 10
//
// It stops at everything that drops or makes rows: a filter, a join, DISTINCT.
func pushLimits(n Node) Node {
	return rewrite(n, func(n Node) Node {
		l, ok := n.(*Limit)
		if !ok || !l.HasLimit || l.Limit < 0 || l.Offset < 0 || l.WithTies != nil || l.LimitFraction != 0 || l.OffsetFraction != 0 {
			return n
		}
		enough := l.Limit + l.Offset
		if enough < 0 || enough == 0 { // an overflow, or nothing is wanted at all
			return n
		}
		return l.WithInputs([]Node{enoughRows(l.Input, enough)})
	})
}

// maxAnyGroups bounds the groups that are looked up for every row instead of
// all being kept.
const maxAnyGroups = 10_000

func enoughRows(n Node, rows int64) Node {
	switch n := n.(type) {
	case *Project:
		return n.WithInputs([]Node{enoughRows(n.Input, rows)})
	case *BuildSets:
		in := n.Inputs()
		in[0] = enoughRows(in[0], rows)
		return n.WithInputs(in)
	case *Sort:
		if n.Limit == 0 || rows < n.Limit {
			c := *n
			c.Limit = rows
			return &c
		}
	case *Aggregate:
		if len(n.Keys) > 0 && n.Sets == nil && !n.Totals && rows <= maxAnyGroups && (n.AnyGroups == 0 || rows < n.AnyGroups) {
			c := *n
			c.AnyGroups = rows
			return &c
		}
	case *SetOp:
		if n.Kind != UnionAll {
			return n
		}
		parts := make([]Node, len(n.Parts))
		for i, p := range n.Parts {
			parts[i] = &Limit{Input: enoughRows(p, rows), Limit: rows, HasLimit: true}
		}
		return n.WithInputs(parts)
	case *Scan:
		if n.Limit == 0 || rows < n.Limit {
			c := *n
			c.Limit = rows
			return &c
		}
	}
	return n
}
