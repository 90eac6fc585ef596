package cherr

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Group starts goroutines and waits for them. It is the one place of the
// server where a goroutine begins, because a panic in a goroutine passes every
// border: here it becomes an error, and the server lives on.
type Group struct{ g *errgroup.Group }

// NewGroup makes a group whose context ends with the first error or with Wait.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	return &Group{g}, ctx
}

// SetLimit bounds how many goroutines of the group run at once; Go then waits.
func (g *Group) SetLimit(n int) { g.g.SetLimit(n) }

// Go runs f on a goroutine of its own; its error, or its panic as an error,
// ends the group. f must return when the group's context ends.
func (g *Group) Go(f func() error) {
	g.g.Go(func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = Recovered(v)
			}
		}()
		return f()
	})
}

// Wait waits for all goroutines and gives the first error.
func (g *Group) Wait() error { return g.g.Wait() }
