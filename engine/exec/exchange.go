package exec

import (
	"context"
	"errors"
	"sync"

	"lakeserver/cherr"
	"lakeserver/column"
)

// single gives the rows of a port as one stream: the stream itself when there
// is one, else an exchange.
func (b *builder) single(p *port) column.Stream {
	switch len(p.streams) {
	case 0:
		return column.Blocks()
	case 1:
		return p.streams[0]
	}
	return &exchange{inputs: p.streams, threads: b.opt.Threads}
}

// exchange reads several streams on goroutines of their own and hands their
// blocks to one reader, in no order. The goroutines begin with the first Next
// and end with the streams, an error, or Close.
type exchange struct {
	inputs  []column.Stream
	threads int
	started bool
	blocks  chan *column.Block
	cancel  context.CancelFunc
	wait    func() error
	err     error
	closed  bool
}

func (e *exchange) start(ctx context.Context) {
	e.started = true
	ctx, e.cancel = context.WithCancel(ctx)
	g, ctx := cherr.NewGroup(ctx)
	e.blocks = make(chan *column.Block, len(e.inputs))
	var open sync.WaitGroup
	open.Add(len(e.inputs))
	// One goroutine an input: each ends with its stream or with ctx.
	for _, in := range e.inputs {
		g.Go(func() error {
			defer open.Done()
			return drain(ctx, in, func(b *column.Block) error {
				select {
				case e.blocks <- b:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		})
	}
	// Ends when all inputs have: the reader then sees the end.
	g.Go(func() error { open.Wait(); close(e.blocks); return nil })
	e.wait = g.Wait
}

// drain reads a stream to its end.
func drain(ctx context.Context, s column.Stream, each func(*column.Block) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := s.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if b.Rows == 0 {
			continue
		}
		if err := each(b); err != nil {
			return err
		}
	}
}

func (e *exchange) Next(ctx context.Context) (*column.Block, error) {
	if e.err != nil || e.closed {
		return nil, e.err
	}
	if !e.started {
		e.start(ctx)
	}
	b, ok := <-e.blocks
	if ok {
		return b, nil
	}
	if e.err = e.wait(); e.err != nil {
		return nil, e.err
	}
	e.closed = true
	return nil, nil
}

func (e *exchange) Close() error {
	if e.started {
		e.cancel()
		for range e.blocks { // until the goroutines have ended
		}
		if err := e.wait(); e.err == nil && err != nil && !errors.Is(err, context.Canceled) {
			e.err = err
		}
	}
	e.closed = true
	var first error
	for _, in := range e.inputs {
		if err := in.Close(); first == nil {
			first = err
		}
	}
	e.inputs = nil
	return first
}

// consume reads all streams of a port, each on a goroutine when there are
// several, and waits for them. work is called with the number of the stream.
func consume(ctx context.Context, p *port, work func(ctx context.Context, i int, s column.Stream) error) error {
	if len(p.streams) == 1 {
		return work(ctx, 0, p.streams[0])
	}
	g, ctx := cherr.NewGroup(ctx)
	for i, s := range p.streams {
		// Ends with its stream, an error of any, or ctx.
		g.Go(func() error { return work(ctx, i, s) })
	}
	return g.Wait()
}

// fanOut lets n readers share one stream, so that what is above it runs on as
// many goroutines. Rows come to the readers in no order.
func fanOut(p *port, n int) *port {
	if len(p.streams) != 1 || n < 2 {
		return p
	}
	src := &sharedSource{s: p.streams[0], readers: n}
	out := *p
	out.ordered = false
	out.streams = make([]column.Stream, n)
	for i := range out.streams {
		out.streams[i] = &sharedReader{src: src}
	}
	return &out
}

type sharedSource struct {
	mu      sync.Mutex
	s       column.Stream
	readers int // not closed yet
	end     bool
}

type sharedReader struct {
	src    *sharedSource
	closed bool
}

func (r *sharedReader) Next(ctx context.Context) (*column.Block, error) {
	r.src.mu.Lock()
	defer r.src.mu.Unlock()
	if r.src.end || r.closed {
		return nil, nil
	}
	b, err := r.src.s.Next(ctx)
	r.src.end = b == nil
	return b, err
}

func (r *sharedReader) Close() error {
	r.src.mu.Lock()
	defer r.src.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.src.readers--
	if r.src.readers > 0 {
		return nil
	}
	r.src.end = true
	return r.src.s.Close()
}
