package memory

import (
	"sync/atomic"

	"lakeserver/cherr"
)

// Tracker counts the bytes that one query (or user, or the server) keeps. It
// is safe for concurrent use. The nil Tracker counts nothing and refuses nothing.
type Tracker struct {
	parent *Tracker
	name   string
	limit  int64 // 0: none
	used   atomic.Int64
	peak   atomic.Int64
	calm   atomic.Int64 // growths until one is refused; 0: none is
}

// New makes a root or child tracker; limit in bytes, 0 for none.
func New(parent *Tracker, name string, limit int64) *Tracker {
	return &Tracker{parent: parent, name: name, limit: limit}
}

// Refusing makes a root tracker without a limit that refuses its k-th growth
// (k ≥ 1) and grants all others: tests drive every path of an operator that
// runs when memory is denied, at each place where it asks.
func Refusing(name string, k int64) *Tracker {
	t := New(nil, name, 0)
	t.calm.Store(k)
	return t
}

// Refused tells whether a tracker of Refusing has refused.
func (t *Tracker) Refused() bool { return t.calm.Load() < 0 }

// refuse counts a growth and tells whether it is the one to refuse.
func (t *Tracker) refuse(n int64) bool {
	if n <= 0 || t.calm.Load() <= 0 {
		return false
	}
	left := t.calm.Add(-1)
	if left == 0 {
		t.calm.Store(-1)
	}
	return left == 0
}

// Grow reserves n bytes in the tracker and all above it, or none and gives
// MEMORY_LIMIT_EXCEEDED.
func (t *Tracker) Grow(n int64) error {
	for cur := t; cur != nil; cur = cur.parent {
		used := cur.used.Add(n)
		if cur.limit > 0 && used > cur.limit && n > 0 || cur.refuse(n) {
			for back := t; ; back = back.parent {
				back.used.Add(-n)
				if back == cur {
					break
				}
			}
			return cherr.New(cherr.MemoryLimitExceeded,
				"Memory limit (for %s) exceeded: would use %d bytes (attempt to allocate %d bytes), maximum: %d bytes",
				cur.name, used, n, cur.limit)
		}
	}
	for cur := t; cur != nil; cur = cur.parent {
		cur.raisePeak()
	}
	return nil
}

// raisePeak is called once a growth is sure: what was refused is no peak.
func (t *Tracker) raisePeak() {
	used := t.used.Load()
	for peak := t.peak.Load(); used > peak && !t.peak.CompareAndSwap(peak, used); peak = t.peak.Load() {
	}
}

// Shrink gives back n bytes.
func (t *Tracker) Shrink(n int64) {
	for cur := t; cur != nil; cur = cur.parent {
		cur.used.Add(-n)
	}
}

// Used gives the bytes reserved now.
func (t *Tracker) Used() int64 {
	if t == nil {
		return 0
	}
	return t.used.Load()
}

// Peak gives the most bytes ever reserved at once.
func (t *Tracker) Peak() int64 {
	if t == nil {
		return 0
	}
	return t.peak.Load()
}

// LeastLimit gives the least limit of the tracker and all above it, 0 for none.
func (t *Tracker) LeastLimit() int64 {
	least := int64(0)
	for cur := t; cur != nil; cur = cur.parent {
		if cur.limit > 0 && (least == 0 || cur.limit < least) {
			least = cur.limit
		}
	}
	return least
}

// Limit gives the tracker's own limit, 0 for none.
func (t *Tracker) Limit() int64 {
	if t == nil {
		return 0
	}
	return t.limit
}

// Reservation is one holder's share of a tracker; used by one goroutine.
type Reservation struct {
	t *Tracker
	n int64
}

// Reserve starts an empty reservation.
func (t *Tracker) Reserve() *Reservation { return &Reservation{t: t} }

// Resize makes the reservation n bytes, or leaves it and gives the error.
func (r *Reservation) Resize(n int64) error {
	if n <= r.n {
		r.t.Shrink(r.n - n)
	} else if err := r.t.Grow(n - r.n); err != nil {
		return err
	}
	r.n = n
	return nil
}

// Add grows the reservation by n bytes.
func (r *Reservation) Add(n int64) error { return r.Resize(r.n + n) }

// Bytes gives what is reserved.
func (r *Reservation) Bytes() int64 { return r.n }

// Free gives everything back; the reservation may be used again.
func (r *Reservation) Free() { r.t.Shrink(r.n); r.n = 0 }
