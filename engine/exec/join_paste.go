package exec

import (
	"context"

	"lakeserver/column"

	"lakeserver/engine/plan"
)

// paste puts the rows of two inputs side by side by their numbers; the shorter
// one ends it.
func (b *builder) paste(left, right *port, n *plan.Join) *port {
	return &port{header: n.Fields, ordered: true, streams: []column.Stream{&pasteJoin{sides: [2]pasteSide{{in: b.single(left)}, {in: b.single(right)}}}}}
}

type pasteSide struct {
	in   column.Stream
	rest *column.Block
}

type pasteJoin struct{ sides [2]pasteSide }

func (p *pasteJoin) Next(ctx context.Context) (*column.Block, error) {
	for i := range p.sides {
		s := &p.sides[i]
		for s.rest == nil || s.rest.Rows == 0 {
			var err error
			if s.rest, err = s.in.Next(ctx); err != nil || s.rest == nil {
				return nil, err
			}
		}
	}
	n := min(p.sides[0].rest.Rows, p.sides[1].rest.Rows)
	out := &column.Block{Rows: n}
	for i := range p.sides {
		s := &p.sides[i]
		out.Columns = append(out.Columns, s.rest.Slice(0, n).Columns...)
		s.rest = s.rest.Slice(n, s.rest.Rows)
	}
	return out, nil
}

func (p *pasteJoin) Close() error {
	err := p.sides[0].in.Close()
	if e := p.sides[1].in.Close(); err == nil {
		err = e
	}
	return err
}
