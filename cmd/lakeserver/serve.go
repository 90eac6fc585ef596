package main

import (
	"context"
	"io"
)

// Run runs the server until the context ends.
func (c *ServeCmd) Run(ctx context.Context, stdout io.Writer) error {
	<-ctx.Done()
	return nil
}
