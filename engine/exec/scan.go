package exec

import (
	"context"
	"sync/atomic"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/table"

	"lakeserver/engine/plan"
)

// scan opens a table. Conditions that the table did not apply are applied here.
func (b *builder) scan(ctx context.Context, n *plan.Scan, wishes []keyWish) (*port, error) {
	req := &table.ScanRequest{
		Columns: n.Columns, Filter: n.Filter, Limit: n.Limit, TopN: n.TopN,
		Streams: b.opt.Threads, PreserveOrder: n.PreserveOrder,
		Memory: b.opt.Memory, Settings: b.opt.Settings,
	}
	if n.Limit == 0 && n.TopN == nil {
		for _, w := range wishes {
			w.filter.Column = n.Columns[w.column]
			req.Keys = append(req.Keys, w.filter)
		}
	}
	streams, err := n.Table.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	if b.opt.OnScan != nil && req.Report != nil {
		b.opt.OnScan(req.Report)
	}
	p := &port{header: n.Fields, streams: streams, ordered: n.PreserveOrder || len(streams) == 1}
	counted := &readCount{report: req.Report, limits: b.limits}
	p = p.each(func(s column.Stream) column.Stream { return &reading{in: s, count: counted} })
	rest, err := unapplied(n, req.Applied)
	if err != nil {
		_ = p.close() // the first error is the one to tell
		return nil, err
	}
	return filterPort(p, rest), nil
}

// unapplied gives the conjuncts left to do, over the scan's header.
func unapplied(n *plan.Scan, applied []bool) ([]expr.Expr, error) {
	at := make(map[int]int, len(n.Columns))
	for i, c := range n.Columns {
		at[c] = i
	}
	var rest []expr.Expr
	for i, f := range n.Filter {
		if i < len(applied) && applied[i] {
			continue
		}
		for _, c := range expr.Columns(f) {
			if _, ok := at[c]; !ok {
				return nil, cherr.New(cherr.LogicalError, "A filter on %s needs column %d, which is not read", n.Name, c)
			}
		}
		rest = append(rest, expr.Remap(f, func(c int) int { return at[c] }))
	}
	return rest, nil
}

// readLimits are max_rows_to_read and its like over all scans of a query.
type readLimits struct {
	maxRows, maxBytes uint64
	stop              bool
	rows, bytes       atomic.Int64
	progress          func(rows, bytes int64)
}

func newReadLimits(opt Options) *readLimits {
	return &readLimits{
		maxRows: opt.Settings.Uint("max_rows_to_read"), maxBytes: opt.Settings.Uint("max_bytes_to_read"),
		stop: opt.Settings.Get("read_overflow_mode") == "break", progress: opt.Progress,
	}
}

// add counts rows read; stop says that reading ends here without an error.
func (l *readLimits) add(rows, bytes int64) (stop bool, err error) {
	if l.progress != nil && (rows > 0 || bytes > 0) {
		l.progress(rows, bytes)
	}
	r, n := l.rows.Add(rows), l.bytes.Add(bytes)
	switch {
	case l.stop:
		return l.maxRows > 0 && uint64(r) >= l.maxRows || l.maxBytes > 0 && uint64(n) >= l.maxBytes, nil
	case l.maxRows > 0 && uint64(r) > l.maxRows:
		return false, cherr.New(cherr.TooManyRows, "Limit for rows (controlled by 'max_rows_to_read' setting) exceeded, max rows: %d, current rows: %d", l.maxRows, r)
	case l.maxBytes > 0 && uint64(n) > l.maxBytes:
		return false, cherr.New(cherr.TooManyBytes, "Limit for rows or bytes to read exceeded, max bytes: %d, current bytes: %d", l.maxBytes, n)
	}
	return false, nil
}

// readCount shares a scan's report between its streams.
type readCount struct {
	report      *table.Report // nil, or one that says nothing: blocks are counted
	limits      *readLimits
	rows, bytes atomic.Int64 // of the report, as told so far
}

// took tells what was read since the last call.
func (c *readCount) took(b *column.Block) (stop bool, err error) {
	if c.report != nil {
		if r, n := c.report.RowsRead.Load(), c.report.BytesRead.Load(); r > 0 || n > 0 {
			return c.limits.add(r-c.rows.Swap(r), n-c.bytes.Swap(n))
		}
	}
	if b == nil {
		return false, nil
	}
	return c.limits.add(int64(b.Rows), b.Size())
}

// reading counts what one stream of a scan gives.
type reading struct {
	in    column.Stream
	count *readCount
	end   bool
}

func (r *reading) Next(ctx context.Context) (*column.Block, error) {
	if r.end {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := r.in.Next(ctx)
	if err != nil {
		return nil, err
	}
	stop, err := r.count.took(b)
	if err != nil {
		return nil, err
	}
	r.end = stop || b == nil
	return b, nil
}

func (r *reading) Close() error { return r.in.Close() }
