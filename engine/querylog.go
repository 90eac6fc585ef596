package engine

import (
	"sync"
	"time"

	"lakeserver/cherr"
)

// logSize is how many finished queries are kept.
const logSize = 10000

// QueryLog keeps the last finished queries in memory.
type QueryLog struct {
	mu   sync.Mutex
	ring []LogEntry
	next int
}

// LogEntry is one finished query.
type LogEntry struct {
	Process    *Process
	Finished   time.Time
	Code       cherr.Code
	Message    string
	PeakMemory int64
}

func newQueryLog() *QueryLog { return &QueryLog{} }

func (l *QueryLog) add(e LogEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < logSize {
		l.ring = append(l.ring, e)
		return
	}
	l.ring[l.next] = e
	l.next = (l.next + 1) % logSize
}

// Entries gives the kept queries, oldest first.
func (l *QueryLog) Entries() []LogEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(append([]LogEntry(nil), l.ring[l.next:]...), l.ring[:l.next]...)
}

// Events are counters by ClickHouse's names, since the start.
type Events struct {
	mu sync.Mutex
	m  map[string]int64
}

func newEvents() *Events { return &Events{m: map[string]int64{}} }

// Add counts.
func (e *Events) Add(name string, n int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.m[name] += n
}

// All gives a copy of the counters.
func (e *Events) All() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make(map[string]int64, len(e.m))
	for k, v := range e.m {
		out[k] = v
	}
	return out
}
