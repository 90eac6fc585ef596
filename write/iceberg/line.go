package iceberg

import (
	"context"
	"sync"
)

// Lines keep the writers of one process in order, table by table: they would
// only lose races against each other, and the unlucky ones without end. It is
// safe for concurrent use.
type Lines struct {
	mu    sync.Mutex
	lines map[string]*Line
}

// Line is the queue of one table.
type Line struct {
	turn chan struct{} // holds a token while nobody commits
	last lastVersion
}

// NewLines makes an empty set.
func NewLines() *Lines { return &Lines{lines: map[string]*Line{}} }

// Of gives the queue of a table's folder.
func (l *Lines) Of(root string) *Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.lines[root]
	if line == nil {
		line = &Line{turn: make(chan struct{}, 1)}
		line.turn <- struct{}{}
		l.lines[root] = line
	}
	return line
}

// enter waits for the caller's turn; channels serve in the order of arrival.
func (l *Line) enter(ctx context.Context) (leave func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.turn:
		return func() { l.turn <- struct{}{} }, nil
	}
}
