package exec

import (
	"context"

	"lakeserver/column"
	"lakeserver/memory"

	"lakeserver/engine/plan"
)

// tailLimit is a limit that counts from the end or by shares of the rows: it
// must see all rows first.
type tailLimit struct {
	in     column.Stream
	node   *plan.Limit
	header column.Header
	held   *memory.Reservation
	ready  []*column.Block
	ran    bool
}

func (l *tailLimit) Next(ctx context.Context) (*column.Block, error) {
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

func (l *tailLimit) read(ctx context.Context) error {
	var blocks []*column.Block
	rows := int64(0)
	err := drain(ctx, l.in, func(b *column.Block) error {
		blocks = append(blocks, b)
		rows += int64(b.Rows)
		return l.held.Add(b.Size())
	})
	if err != nil {
		return err
	}
	from, to := l.bounds(rows)
	at := int64(0)
	for _, b := range blocks {
		n := int64(b.Rows)
		lo, hi := max(from-at, 0), min(to-at, n)
		if lo < hi {
			l.ready = append(l.ready, b.Slice(int(lo), int(hi)))
		}
		at += n
	}
	return nil
}

// bounds gives the rows to keep of n. A negative offset drops rows at the end,
// a negative limit keeps the last rows of what the offset left.
func (l *tailLimit) bounds(n int64) (from, to int64) {
	offset, limit, has := l.node.Offset, l.node.Limit, l.node.HasLimit
	if f := l.node.OffsetFraction; f > 0 {
		offset = int64(f * float64(n))
	}
	if f := l.node.LimitFraction; f > 0 {
		limit, has = int64(f*float64(n)), true
	}
	from, to = 0, n
	if offset < 0 {
		to = max(n+offset, 0)
	} else {
		from = min(offset, n)
	}
	switch {
	case !has:
	case limit < 0:
		from = max(from, to+limit)
	default:
		to = min(to, from+limit)
	}
	return from, to
}

func (l *tailLimit) Close() error {
	l.held.Free()
	l.ready = nil
	return l.in.Close()
}
