package engine

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"lakeserver/cherr"
	"lakeserver/memory"
)

// Processes is the running queries.
type Processes struct {
	mu  sync.Mutex
	all map[string]*Process
}

// Process is one running query.
type Process struct {
	ID, User, Database, Text   string
	Interface, Client, Address string
	Kind                       Kind
	Started                    time.Time
	Progress                   *Progress
	Memory                     *memory.Tracker
	Settings                   map[string]string
	cancelled                  atomic.Bool
	cancel                     context.CancelCauseFunc
}

func newProcesses() *Processes { return &Processes{all: map[string]*Process{}} }

// add enters a query; QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING.
func (p *Processes) add(q *Process) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.all[q.ID]; ok {
		return cherr.New(cherr.QueryWithSameIDIsAlreadyRunning, "Query with id = %s is already running.", q.ID)
	}
	p.all[q.ID] = q
	return nil
}

func (p *Processes) remove(q *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[q.ID] == q {
		delete(p.all, q.ID)
	}
}

// List gives the running queries, oldest first.
func (p *Processes) List() []*Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*Process, 0, len(p.all))
	for _, q := range p.all {
		out = append(out, q)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Started.Before(out[j].Started) })
	return out
}

// Kill ends a query and tells whether it ran.
func (p *Processes) Kill(id string) bool {
	p.mu.Lock()
	q, ok := p.all[id]
	p.mu.Unlock()
	if ok {
		q.cancelled.Store(true)
		q.cancel(cherr.New(cherr.QueryWasCancelled, "Query was cancelled"))
	}
	return ok
}

// Cancelled tells whether the query was killed.
func (q *Process) Cancelled() bool { return q.cancelled.Load() }
