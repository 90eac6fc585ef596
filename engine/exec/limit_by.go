package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// limitBy keeps rows [offset, offset+limit) of each group of equal columns.
func (b *builder) limitBy(p *port, n *plan.LimitBy) *port {
	out := *p
	l := &limitBy{
		in: b.single(p), node: n, header: p.header, held: b.opt.Memory.Reserve(),
		set: &grouping{grouper: newGrouper(typesOf(p.header, n.Columns), false)},
	}
	out.streams = []column.Stream{l}
	if n.Limit < 0 || n.Offset < 0 {
		out.streams[0] = &limitByTail{limitBy: l}
	}
	return &out
}

type limitBy struct {
	in     column.Stream
	node   *plan.LimitBy
	header column.Header
	set    *grouping
	held   *memory.Reservation
	seen   []int64 // rows of each group
}

// groupsOf numbers the groups of a block's rows.
func (l *limitBy) groupsOf(b *column.Block) []uint32 {
	groups := make([]uint32, b.Rows)
	if len(l.node.Columns) > 0 {
		l.set.assign(pickColumns(b, l.node.Columns), b.Rows, groups)
	}
	for len(l.seen) < max(l.set.count(), 1) {
		l.seen = append(l.seen, 0)
	}
	return groups
}

func (l *limitBy) Next(ctx context.Context) (*column.Block, error) {
	for {
		b, err := l.in.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		var rows []uint32
		for i, g := range l.groupsOf(b) {
			if n := l.seen[g]; n >= l.node.Offset && n < l.node.Offset+l.node.Limit {
				rows = append(rows, uint32(i))
			}
			l.seen[g]++
		}
		if err := l.held.Resize(l.set.size() + int64(cap(l.seen))*8); err != nil {
			return nil, err
		}
		if len(rows) == b.Rows {
			return b, nil
		}
		if len(rows) > 0 {
			return b.Gather(rows), nil
		}
	}
}

func (l *limitBy) Close() error {
	l.held.Free()
	return l.in.Close()
}

// limitByTail counts from the end of each group: it must see all rows first.
type limitByTail struct {
	*limitBy
	ready []*column.Block
	ran   bool
}

func (l *limitByTail) Next(ctx context.Context) (*column.Block, error) {
	if !l.ran {
		l.ran = true
		if err := l.read(ctx); err != nil {
			return nil, err
		}
	}
	if len(l.ready) == 0 {
		return nil, nil
	}
	b := l.ready[0]
	l.ready = l.ready[1:]
	return b, nil
}

func (l *limitByTail) read(ctx context.Context) error {
	var blocks []*column.Block
	var groups [][]uint32
	err := drain(ctx, l.in, func(b *column.Block) error {
		g := l.groupsOf(b)
		for _, x := range g {
			l.seen[x]++
		}
		blocks, groups = append(blocks, b), append(groups, g)
		return l.held.Add(b.Size() + int64(b.Rows)*4)
	})
	if err != nil {
		return err
	}
	at := make([]int64, len(l.seen))
	node := plan.Limit{Limit: l.node.Limit, Offset: l.node.Offset, HasLimit: true}
	for i, b := range blocks {
		var rows []uint32
		for r, g := range groups[i] {
			from, to := (&tailLimit{node: &node}).bounds(l.seen[g])
			if at[g] >= from && at[g] < to {
				rows = append(rows, uint32(r))
			}
			at[g]++
		}
		if len(rows) > 0 {
			l.ready = append(l.ready, b.Gather(rows))
		}
	}
	return nil
}
