package engine

import (
	"context"
	"sync"
)

// afterwards is what tables want done when a query has given its last row: a
// consumer moves on only past rows that went out.
type afterwards struct {
	mu   sync.Mutex
	list []func(ctx context.Context) error
}

func (a *afterwards) add(do func(ctx context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, do)
}

// do runs all of it, once.
func (a *afterwards) do(ctx context.Context) error {
	a.mu.Lock()
	list := a.list
	a.list = nil
	a.mu.Unlock()
	for _, f := range list {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}
