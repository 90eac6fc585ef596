package read

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// lookAhead opens files before a stream asks for them, where the store is far:
// there a file's footer takes as long as many files' footers at once. The
// goroutines end when there is nothing more to open, or with the last stream.
func (s *Scan) lookAhead(ctx context.Context) {
	n := min(objstore.Ahead(s.store()), len(s.tasks))
	if s.req.Limit > 0 || s.req.TopN != nil { // much may turn out not to be needed
		n = min(n, 4)
	}
	if n < 2 {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	g, gctx := cherr.NewGroup(ctx)
	s.mu.Lock()
	s.looking = n
	s.stopLooking = func() {
		cancel()
		_ = g.Wait() // errors are the scan's own, s.err
	}
	s.mu.Unlock()
	for range n {
		g.Go(func() error {
			for s.openNext(gctx) {
			}
			return nil
		})
	}
}

// openNext opens the next file when there is room for it; false: no more.
func (s *Scan) openNext(ctx context.Context) bool {
	for {
		s.mu.Lock()
		if s.done || s.next >= len(s.tasks) {
			s.mu.Unlock()
			return false
		}
		if len(s.open)+s.opening < s.looking+s.streams {
			t := s.tasks[s.next]
			s.next++
			s.opening++
			s.mu.Unlock()
			return s.openTask(ctx, t) == nil
		}
		wake := s.wake
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return false
		case <-wake:
		}
	}
}

// broadcast wakes all who wait for a change of the queue. Scan.mu is held.
func (s *Scan) broadcast() {
	close(s.wake)
	s.wake = make(chan struct{})
}
