package server

import (
	"context"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
)

// Drain reads a result to its end on a goroutine of its own, which works on
// the next block while each writes the last. tick is called in between, every
// interval, also while no block comes; nil: never. It returns after the
// goroutine has ended, with the first error of either side.
func Drain(ctx context.Context, s column.Stream, each func(*column.Block) error, interval time.Duration, tick func() error) error {
	g, ctx := cherr.NewGroup(ctx)
	blocks := make(chan *column.Block, 1)
	g.Go(func() error { // ends with the stream or with the context
		defer close(blocks)
		for {
			b, err := s.Next(ctx)
			if b == nil || err != nil {
				return err
			}
			select {
			case blocks <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	g.Go(func() error { // ends when the channel is closed
		var ticks <-chan time.Time
		if tick != nil {
			t := time.NewTicker(max(interval, 10*time.Millisecond))
			defer t.Stop()
			ticks = t.C
		}
		for {
			select {
			case b, ok := <-blocks:
				if !ok {
					return nil
				}
				if err := each(b); err != nil {
					return err
				}
			case <-ticks:
				if err := tick(); err != nil {
					return err
				}
			}
		}
	})
	return g.Wait()
}
