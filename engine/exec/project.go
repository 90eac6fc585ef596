package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"

	"lakeserver/engine/plan"
)

func projectPort(p *port, n *plan.Project) *port {
	out := p.each(func(s column.Stream) column.Stream { return &project{in: s, exprs: n.Exprs} })
	out.header = n.Fields
	if totals := p.totals; totals != nil {
		out.totals = func(ctx context.Context) (*column.Block, error) {
			b, err := totals(ctx)
			if err != nil || b == nil {
				return nil, err
			}
			return evalBlock(ctx, n.Exprs, b)
		}
	}
	return out
}

// project computes columns. What it has made is reserved until the next block
// is asked for: then whoever keeps this one has reserved for it.
type project struct {
	in    column.Stream
	exprs []expr.Expr
	made  *expr.Scope
}

func (p *project) Next(ctx context.Context) (*column.Block, error) {
	p.made.Free()
	b, err := p.in.Next(ctx)
	if err != nil || b == nil {
		return nil, err
	}
	ctx, p.made = expr.Within(ctx)
	return evalBlock(ctx, p.exprs, b)
}

func (p *project) Close() error { p.made.Free(); return p.in.Close() }

func evalBlock(ctx context.Context, exprs []expr.Expr, b *column.Block) (*column.Block, error) {
	out := &column.Block{Columns: make([]column.Column, len(exprs)), Rows: b.Rows}
	for i, e := range exprs {
		c, err := e.Eval(ctx, b)
		if err != nil {
			return nil, err
		}
		out.Columns[i] = c
	}
	return out, nil
}
