package exec

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// setOp combines inputs of equal types.
func (b *builder) setOp(ctx context.Context, n *plan.SetOp) (*port, error) {
	parts := make([]*port, 0, len(n.Parts))
	fail := func(err error) (*port, error) {
		for _, p := range parts {
			_ = p.close() // the first error is the one to tell
		}
		return nil, err
	}
	for _, in := range n.Parts {
		p, err := b.build(ctx, in)
		if err != nil {
			return fail(err)
		}
		parts = append(parts, p)
	}
	switch n.Kind {
	case plan.UnionAll:
		return b.union(parts, n.Fields), nil
	case plan.UnionDistinct:
		return b.distinct(b.union(parts, n.Fields), &plan.Distinct{}), nil
	}
	if len(parts) != 2 {
		return fail(cherr.New(cherr.LogicalError, "INTERSECT and EXCEPT take two inputs"))
	}
	all := make([]int, len(n.Fields))
	for i := range all {
		all[i] = i
	}
	return &port{header: n.Fields, ordered: true, streams: []column.Stream{&setFilter{
		left: b.single(parts[0]), right: b.single(parts[1]), kind: n.Kind, held: b.opt.Memory.Reserve(),
		set: &grouping{grouper: newGrouper(typesOf(n.Fields, all), false)},
	}}}, nil
}

// union puts the inputs' streams side by side. Too many of them are read one
// after the other, so that a query of a hundred parts does not run them all at once.
func (b *builder) union(parts []*port, h column.Header) *port {
	out := &port{header: h}
	for _, p := range parts {
		out.streams = append(out.streams, p.streams...)
	}
	n := max(b.opt.Threads, 1)
	if len(out.streams) > n {
		chains := make([]column.Stream, n)
		for i := range chains {
			c := &chain{}
			for k := i; k < len(out.streams); k += n {
				c.parts = append(c.parts, out.streams[k])
			}
			chains[i] = c
		}
		out.streams = chains
	}
	return out
}

// chain reads streams one after the other.
type chain struct {
	parts []column.Stream
	at    int
}

func (c *chain) Next(ctx context.Context) (*column.Block, error) {
	for c.at < len(c.parts) {
		b, err := c.parts[c.at].Next(ctx)
		if err != nil || b != nil {
			return b, err
		}
		c.at++
	}
	return nil, nil
}

func (c *chain) Close() error {
	var first error
	for _, p := range c.parts {
		if err := p.Close(); first == nil {
			first = err
		}
	}
	c.parts = nil
	return first
}

// setFilter is INTERSECT and EXCEPT: the right side is counted by row, then
// the left side's rows pass or not.
type setFilter struct {
	left, right column.Stream
	kind        plan.SetKind
	set         *grouping
	held        *memory.Reservation
	counts      []int64
	ran         bool
}

func (s *setFilter) build(ctx context.Context) error {
	return drain(ctx, s.right, func(b *column.Block) error {
		for _, g := range s.number(b) {
			s.counts[g]++
		}
		return s.held.Resize(s.set.size() + int64(cap(s.counts))*8)
	})
}

// number gives the group of each row, and every group a count.
func (s *setFilter) number(b *column.Block) []uint32 {
	groups := make([]uint32, b.Rows)
	s.set.assign(b.Columns, b.Rows, groups)
	for len(s.counts) < s.set.count() {
		s.counts = append(s.counts, 0)
	}
	return groups
}

func (s *setFilter) Next(ctx context.Context) (*column.Block, error) {
	if !s.ran {
		s.ran = true
		if err := s.build(ctx); err != nil {
			return nil, err
		}
	}
	for {
		b, err := s.left.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		var rows []uint32
		for i, g := range s.number(b) {
			if s.passes(g) {
				rows = append(rows, uint32(i))
			}
		}
		if err := s.held.Resize(s.set.size() + int64(cap(s.counts))*8); err != nil {
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

// passes decides on a left row and counts it. In the DISTINCT kinds a count of
// -1 says that the row was given out.
func (s *setFilter) passes(g uint32) bool {
	n := s.counts[g]
	switch s.kind {
	case plan.IntersectAll:
		s.counts[g] = max(n-1, 0)
		return n > 0
	case plan.IntersectDistinct:
		s.counts[g] = -1
		return n > 0
	case plan.ExceptAll:
		s.counts[g] = max(n-1, 0)
		return n == 0
	}
	s.counts[g] = -1
	return n == 0
}

func (s *setFilter) Close() error {
	s.held.Free()
	s.ran = true
	err := s.left.Close()
	if e := s.right.Close(); err == nil {
		err = e
	}
	return err
}
