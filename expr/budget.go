package expr

import (
	"context"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/memory"
)

// Scope counts what one evaluation has made against a query's memory, until it
// is freed. It is safe for concurrent use.
type Scope struct {
	tracker *memory.Tracker
	holds   bool // what is charged stays charged until Free
	bytes   atomic.Int64
}

type scopeKey struct{}

// WithTracker lets evaluations under ctx ask t whether the columns that they
// make fit. Nothing stays reserved: that needs a scope of its own.
func WithTracker(ctx context.Context, t *memory.Tracker) context.Context {
	return context.WithValue(ctx, scopeKey{}, &Scope{tracker: t})
}

// Within opens a scope for the evaluations under the context that it gives:
// what they make is reserved until the scope is freed. Without a tracker in ctx
// nothing is counted.
func Within(ctx context.Context) (context.Context, *Scope) {
	s := &Scope{holds: true}
	outer, ok := ctx.Value(scopeKey{}).(*Scope)
	if !ok {
		return ctx, s
	}
	s.tracker = outer.tracker
	return context.WithValue(ctx, scopeKey{}, s), s
}

// Free gives back what was reserved; the scope may be used again.
func (s *Scope) Free() {
	if s != nil {
		s.tracker.Shrink(s.bytes.Swap(0))
	}
}

// Room tells whether n bytes more would fit, MEMORY_LIMIT_EXCEEDED if not. A
// kernel whose result may be far larger than its arguments asks before it
// allocates.
func Room(ctx context.Context, n int64) error {
	if n < charged {
		return nil
	}
	s, ok := ctx.Value(scopeKey{}).(*Scope)
	if !ok {
		return nil
	}
	if err := s.tracker.Grow(n); err != nil {
		return err
	}
	s.tracker.Shrink(n)
	return nil
}

// charged is the least size of a column that is counted: a block's ordinary
// columns are smaller, and cost nothing to pass.
const charged = 1 << 20

// charge counts a column that a function has made.
func charge(ctx context.Context, c column.Column) error {
	n := c.Size()
	if n < charged {
		return nil
	}
	s, ok := ctx.Value(scopeKey{}).(*Scope)
	if !ok {
		return nil
	}
	if err := s.tracker.Grow(n); err != nil {
		return err
	}
	if s.holds {
		s.bytes.Add(n)
	} else {
		s.tracker.Shrink(n)
	}
	return nil
}
