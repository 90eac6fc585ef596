package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
)

// Result is a running plan as one stream of blocks of at most
// column.MaxBlockRows rows. Totals and Extremes hold after its end.
type Result struct {
	header   column.Header
	main     column.Stream
	totalsOf func(ctx context.Context) (*column.Block, error)
	totals   *column.Block
	extremes *extremes
	limits   resultLimits
	rest     *column.Block // of a block too large to hand out at once
	done     bool
}

func newResult(p *port, b *builder) *Result {
	r := &Result{header: p.header, totalsOf: p.totals, main: b.single(p)}
	if b.opt.Settings.Bool("extremes") {
		r.extremes = newExtremes(p.header)
	}
	if !b.opt.NoResultLimits {
		r.limits = newResultLimits(b.opt.Settings)
	}
	return r
}

// Header names and types the columns.
func (r *Result) Header() column.Header { return r.header }

// Next gives the next block.
func (r *Result) Next(ctx context.Context) (*column.Block, error) {
	for !r.done {
		b := r.rest
		r.rest = nil
		if b == nil {
			var err error
			if b, err = r.main.Next(ctx); err != nil {
				return nil, err
			}
		}
		if b == nil {
			return nil, r.finish(ctx)
		}
		if b.Rows == 0 {
			continue
		}
		if b.Rows > column.MaxBlockRows {
			b, r.rest = b.Slice(0, column.MaxBlockRows), b.Slice(column.MaxBlockRows, b.Rows)
		}
		stop, err := r.limits.add(b)
		if err != nil {
			return nil, err
		}
		if stop {
			r.rest = nil
			if err := r.finish(ctx); err != nil {
				return nil, err
			}
		}
		if r.extremes != nil {
			r.extremes.add(b)
		}
		return b, nil
	}
	return nil, nil
}

func (r *Result) finish(ctx context.Context) error {
	r.done = true
	if r.totalsOf == nil {
		return nil
	}
	var err error
	r.totals, err = r.totalsOf(ctx)
	return err
}

// Totals gives the row of WITH TOTALS as a block, nil when there is none;
// after the end of the stream.
func (r *Result) Totals() *column.Block { return r.totals }

// Extremes gives two rows, the least and the greatest values of each column,
// when the setting extremes asks for them; after the end of the stream.
func (r *Result) Extremes() *column.Block {
	if r.extremes == nil {
		return nil
	}
	return r.extremes.block()
}

// Close ends all work and frees what the operators hold.
func (r *Result) Close() error {
	r.done = true
	return r.main.Close()
}

// All reads a whole result and closes it; for small results and tests.
func (r *Result) All(ctx context.Context) (*column.Block, error) {
	blocks, err := column.ReadAll(ctx, r)
	if err != nil {
		return nil, err
	}
	return concatBlocks(r.header, blocks), nil
}

// concatBlocks joins blocks of one header.
func concatBlocks(h column.Header, blocks []*column.Block) *column.Block {
	if len(blocks) == 1 {
		return blocks[0]
	}
	out := &column.Block{Columns: make([]column.Column, len(h))}
	for _, b := range blocks {
		out.Rows += b.Rows
	}
	for i := range h {
		parts := make([]column.Column, 0, len(blocks))
		for _, b := range blocks {
			parts = append(parts, b.Columns[i])
		}
		if len(parts) == 0 {
			out.Columns[i] = column.NewBuilder(h[i].Type, 0).Finish()
			continue
		}
		out.Columns[i] = column.Concat(h[i].Type, parts)
	}
	return out
}

// errAfterEnd guards one-row results.
func errManyRows() error {
	return cherr.New(cherr.IncorrectResultOfScalarSubquery, "Scalar subquery returned more than one row")
}
