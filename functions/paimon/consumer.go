package paimon

import (
	"context"
	"sync/atomic"

	"lakeserver/column"
)

// follow makes a consumer move on when all streams were read to their ends and
// the query has given its last row; a query that fails or stops early leaves it
// where it was.
func (t *Table) follow(streams []column.Stream) []column.Stream {
	left := &atomic.Int64{}
	left.Store(int64(len(streams)))
	for i, s := range streams {
		streams[i] = &followed{Stream: s, t: t, left: left}
	}
	return streams
}

type followed struct {
	column.Stream
	t    *Table
	left *atomic.Int64 // streams of the scan that have not ended
	done bool
}

// Next implements column.Stream.
func (f *followed) Next(ctx context.Context) (*column.Block, error) {
	b, err := f.Stream.Next(ctx)
	if b != nil || err != nil || f.done {
		return b, err
	}
	f.done = true
	if f.left.Add(-1) > 0 {
		return nil, nil
	}
	move := func(ctx context.Context) error { return f.t.progress.Move(ctx, f.t.src.Dir) }
	if f.t.after != nil {
		f.t.after(move)
		return nil, nil
	}
	return nil, move(ctx)
}
