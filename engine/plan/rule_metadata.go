package plan

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"
)

// answerFromMetadata computes count(), min and max of a whole table from what
// its metadata say, where they say it exactly.
//
//	SELECT count(), max(time) FROM t WHERE day = '2026-01-01'
//
// Nullable columns are counted by reading: count(x) is not count().
func answerFromMetadata(ctx context.Context, n Node, opt *Options) (Node, error) {
	if opt.Settings != nil && !opt.Settings.Bool("optimize_trivial_count_query") {
		return n, nil
	}
	if opt.Settings != nil && opt.Settings.Uint("max_rows_to_read") > 0 && opt.Settings.Get("read_overflow_mode") == "break" {
		return n, nil // how many rows are read shows in the answer
	}
	var failure error
	out := rewrite(n, func(n Node) Node {
		a, ok := n.(*Aggregate)
		if !ok || failure != nil || len(a.Keys) > 0 || a.Sets != nil || a.Totals || len(a.Calls) == 0 {
			return n
		}
		v, err := metadataValues(ctx, a, opt)
		if err != nil {
			failure = err
		}
		if v == nil {
			return n
		}
		return v
	})
	return out, failure
}

func metadataValues(ctx context.Context, a *Aggregate, opt *Options) (Node, error) {
	for _, c := range a.Calls {
		switch {
		case c.Fn.Name == "count" && (len(c.Args) == 0 || !a.Input.Header()[c.Args[0]].Type.IsNullable()):
		case (c.Fn.Name == "min" || c.Fn.Name == "max") && len(c.Args) == 1:
		default:
			return nil, nil
		}
	}
	b := &column.Block{Rows: 1}
	for _, c := range a.Calls {
		var v column.Value
		var ok bool
		var err error
		if c.Fn.Name == "count" {
			v, ok, err = countRows(ctx, a.Input, opt)
		} else {
			v, ok, err = bound(ctx, a.Input, c.Args[0], c.Fn.Name == "max", opt)
		}
		if err != nil || !ok {
			return nil, err
		}
		b.Columns = append(b.Columns, column.FromValue(c.Fn.Result, v, 1).Value)
	}
	return &Values{Fields: a.Fields, Blocks: []*column.Block{b}}, nil
}

// scanBelow gives the scan under projections, and where the column is there.
func scanBelow(n Node, col int) (*Scan, int) {
	switch n := n.(type) {
	case *Project:
		if col < 0 {
			return scanBelow(n.Input, col)
		}
		if c, ok := n.Exprs[col].(*expr.Column); ok {
			return scanBelow(n.Input, c.Index)
		}
	case *Scan:
		if n.Limit > 0 || n.TopN != nil {
			return nil, 0
		}
		if col < 0 {
			return n, -1
		}
		return n, n.Columns[col]
	}
	return nil, 0
}

func request(s *Scan, opt *Options) *table.ScanRequest {
	return &table.ScanRequest{Columns: s.Columns, Filter: s.Filter, Streams: 1, Memory: opt.Memory, Settings: opt.Settings}
}

func countRows(ctx context.Context, n Node, opt *Options) (column.Value, bool, error) {
	s, _ := scanBelow(n, -1)
	if s == nil {
		return nil, false, nil
	}
	c, ok := s.Table.(table.Counter)
	if !ok {
		return nil, false, nil
	}
	rows, ok, err := c.CountRows(ctx, request(s, opt))
	return uint64(rows), ok, err
}

func bound(ctx context.Context, n Node, col int, upper bool, opt *Options) (column.Value, bool, error) {
	s, at := scanBelow(n, col)
	if s == nil {
		return nil, false, nil
	}
	b, ok := s.Table.(table.Bounded)
	if !ok {
		return nil, false, nil
	}
	lo, hi, ok, err := b.ColumnBounds(ctx, request(s, opt), at)
	if upper {
		lo = hi
	}
	return lo, ok, err
}
