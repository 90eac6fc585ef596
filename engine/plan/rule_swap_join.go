package plan

import (
	"context"
	"math"

	"lakeserver/table"
)

// swapJoins builds the hash table of an inner join over the side that has
// fewer rows, where both sides' sizes can be told. The columns keep their
// order; only BuildLeft changes. Joins of other kinds and ANY joins keep the
// right side: which rows survive depends on it.
func swapJoins(ctx context.Context, n Node, opt *Options) (Node, error) {
	var failure error
	out := rewrite(n, func(n Node) Node {
		j, ok := n.(*Join)
		if !ok || !j.Symmetric() || j.BuildLeft || failure != nil {
			return n
		}
		l, lok, err := estimate(ctx, j.Left, opt)
		r, rok, err2 := estimate(ctx, j.Right, opt)
		if err != nil || err2 != nil {
			failure = err
			if err == nil {
				failure = err2
			}
			return n
		}
		if !lok || !rok {
			if l, r, failure = guessSides(ctx, j, opt); r < minOrdered {
				return n
			}
		}
		if l >= r-l || failure != nil {
			return n
		}
		c := *j
		c.BuildLeft = true
		return &c
	})
	return out, failure
}

// guessSides is for sides whose sizes can only be guessed.
func guessSides(ctx context.Context, j *Join, opt *Options) (l, r int64, err error) {
	_, left, err := guess(ctx, j.Left, opt)
	if err != nil {
		return 0, 0, err
	}
	_, right, err := guess(ctx, j.Right, opt)
	return int64(left), int64(right), err
}

// estimate guesses how many rows a node gives.
func estimate(ctx context.Context, n Node, opt *Options) (int64, bool, error) {
	switch n := n.(type) {
	case *Scan:
		e, ok := n.Table.(table.Estimator)
		if !ok {
			return 0, false, nil
		}
		rows, err := e.EstimateRows(ctx, request(n, opt))
		if n.Limit > 0 && n.Limit < rows {
			rows = n.Limit
		}
		return rows, err == nil, err
	case *Values:
		rows := 0
		for _, b := range n.Blocks {
			rows += b.Rows
		}
		return int64(rows), true, nil
	case *Limit:
		rows, ok, err := estimate(ctx, n.Input, opt)
		if n.HasLimit && n.Limit >= 0 && n.LimitFraction == 0 && n.WithTies == nil && (!ok || n.Limit < rows) {
			return n.Limit, true, err
		}
		return rows, ok, err
	case *SetOp:
		sum := int64(0)
		for _, p := range n.Parts {
			rows, ok, err := estimate(ctx, p, opt)
			if !ok || err != nil {
				return 0, false, err
			}
			if sum > math.MaxInt64-rows {
				return math.MaxInt64, true, nil
			}
			sum += rows
		}
		return sum, true, nil
	case *Project, *Filter, *Sort, *Window, *BuildSets, *Distinct, *Aggregate:
		return estimate(ctx, n.Inputs()[0], opt)
	}
	return 0, false, nil
}
