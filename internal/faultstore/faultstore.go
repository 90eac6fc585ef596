package faultstore

import (
	"context"
	"errors"
	"io"
	"sync"

	"lakeserver/objstore"
)

// Mode is how an operation goes wrong.
type Mode uint8

// The modes.
const (
	Fail  Mode = iota // nothing happens
	Lose              // it happens, but the answer is an error
	Cut               // of Put: the body ends half way; else as Fail
	Stall             // it waits until the context ends, at most until Release
)

// String names a mode.
func (m Mode) String() string { return [...]string{"fail", "lose", "cut", "stall"}[m] }

// ErrFault is the error that the store makes up.
var ErrFault = errors.New("made-up failure of the store")

// Store counts the operations and spoils one. It is safe for concurrent use.
type Store struct {
	objstore.Store
	mu    sync.Mutex
	n     int
	at    int // 0: none
	mode  Mode
	hit   bool
	reads bool
	free  chan struct{}
}

// New wraps a store; nothing goes wrong until Spoil.
func New(s objstore.Store) *Store { return &Store{Store: s, free: make(chan struct{})} }

// Spoil lets the k-th operation from now on go wrong, once. Reading operations
// count only when reads is set.
func (s *Store) Spoil(k int, mode Mode, reads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.at, s.mode, s.hit, s.reads = 0, k, mode, false, reads
}

// Hit tells whether the spoilt operation has come.
func (s *Store) Hit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hit
}

// Release ends all stalls.
func (s *Store) Release() { close(s.free) }

func (s *Store) turn(read bool) (Mode, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if read && !s.reads || s.at == 0 || s.hit {
		return 0, false
	}
	s.n++
	if s.n != s.at {
		return 0, false
	}
	s.hit = true
	return s.mode, true
}

// fault runs an operation or spoils it.
func (s *Store) fault(ctx context.Context, read bool, op func() error) error {
	mode, bad := s.turn(read)
	switch {
	case !bad:
		return op()
	case mode == Lose:
		_ = op() // it happens, and nobody is told
	case mode == Stall:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.free:
		}
	}
	return ErrFault
}

// Stat implements objstore.Store.
func (s *Store) Stat(ctx context.Context, path string) (o objstore.Object, err error) {
	err = s.fault(ctx, true, func() (err error) { o, err = s.Store.Stat(ctx, path); return err })
	return o, err
}

// Open implements objstore.Store.
func (s *Store) Open(ctx context.Context, path string) (f objstore.File, err error) {
	err = s.fault(ctx, true, func() (err error) { f, err = s.Store.Open(ctx, path); return err })
	if err != nil && f != nil {
		f.Close()
		f = nil
	}
	return f, err
}

// Read implements objstore.Store.
func (s *Store) Read(ctx context.Context, path string) (b []byte, err error) {
	err = s.fault(ctx, true, func() (err error) { b, err = s.Store.Read(ctx, path); return err })
	return b, err
}

// List implements objstore.Store.
func (s *Store) List(ctx context.Context, folder string, recursive bool) (o []objstore.Object, err error) {
	err = s.fault(ctx, true, func() (err error) { o, err = s.Store.List(ctx, folder, recursive); return err })
	return o, err
}

// Put implements objstore.Store.
func (s *Store) Put(ctx context.Context, path string, body io.Reader, opt objstore.PutOptions) (o objstore.Object, err error) {
	mode, bad := s.turn(false)
	if !bad {
		return s.Store.Put(ctx, path, body, opt)
	}
	switch mode {
	case Lose:
		_, _ = s.Store.Put(ctx, path, body, opt)
	case Cut:
		_, _ = s.Store.Put(ctx, path, &cutReader{body, 100}, opt)
	case Stall:
		select {
		case <-ctx.Done():
			return o, ctx.Err()
		case <-s.free:
		}
	}
	return o, ErrFault
}

// Delete implements objstore.Store.
func (s *Store) Delete(ctx context.Context, path string) error {
	return s.fault(ctx, false, func() error { return s.Store.Delete(ctx, path) })
}

// cutReader breaks off after some bytes.
type cutReader struct {
	r    io.Reader
	left int
}

func (c *cutReader) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, ErrFault
	}
	n, err := c.r.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}
