package exec

import (
	"context"
	"math"

	"lakeserver/column"

	"lakeserver/engine/plan"
)

// limit keeps rows [offset, offset+limit) of a port, whose rows come as one stream.
func (b *builder) limit(p *port, n *plan.Limit) *port {
	out := *p
	in := b.single(p)
	switch {
	case n.Limit < 0 || n.Offset < 0 || n.LimitFraction > 0 || n.OffsetFraction > 0:
		in = &tailLimit{in: in, node: n, header: p.header, held: b.opt.Memory.Reserve()}
	default:
		l := &limit{in: in, skip: n.Offset, left: math.MaxInt64, ties: n.WithTies}
		if n.HasLimit {
			l.left = n.Limit
		}
		in = l
	}
	out.streams = []column.Stream{in}
	return &out
}

// limit counts from the beginning, and then stops reading.
type limit struct {
	in         column.Stream
	skip, left int64
	ties       []plan.SortKey
	last       []column.Column // the sort keys of the last row, for WITH TIES
	end        bool
}

func (l *limit) Next(ctx context.Context) (*column.Block, error) {
	for !l.end && (l.left > 0 || l.last != nil) {
		b, err := l.in.Next(ctx)
		if err != nil || b == nil {
			l.end = true
			return nil, err
		}
		if l.left == 0 {
			return l.tied(b), nil
		}
		if int64(b.Rows) <= l.skip {
			l.skip -= int64(b.Rows)
			continue
		}
		from := int(l.skip)
		l.skip = 0
		to := from + int(min(int64(b.Rows-from), l.left))
		l.left -= int64(to - from)
		if l.left == 0 && len(l.ties) > 0 {
			l.last = l.keys(b, to-1)
			for to < b.Rows && l.equal(b, to) {
				to++
			}
			if to < b.Rows {
				l.last = nil
			}
		}
		if to > from {
			return b.Slice(from, to), nil
		}
	}
	return nil, nil
}

// tied gives the rows of a further block that equal the last one.
func (l *limit) tied(b *column.Block) *column.Block {
	to := 0
	for to < b.Rows && l.equal(b, to) {
		to++
	}
	if to < b.Rows {
		l.last = nil
	}
	if to == 0 {
		return nil
	}
	return b.Slice(0, to)
}

func (l *limit) keys(b *column.Block, row int) []column.Column {
	out := make([]column.Column, len(l.ties))
	for i, k := range l.ties {
		out[i] = b.Columns[k.Column].Slice(row, row+1)
	}
	return out
}

func (l *limit) equal(b *column.Block, row int) bool {
	for i, k := range l.ties {
		if column.Compare(l.last[i], 0, b.Columns[k.Column], row, 1) != 0 {
			return false
		}
	}
	return true
}

func (l *limit) Close() error { return l.in.Close() }
