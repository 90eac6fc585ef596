package objstore

import (
	"context"
	"errors"
	"io"
	"time"

	"lakeserver/cherr"
)

// protocol is what a far store's wire can do, one request a call, never
// repeated: remote repeats, pins, hedges and joins requests for all of them.
type protocol interface {
	// resolve gives the key that a path stands for, or PATH_ACCESS_DENIED.
	resolve(path string) (key string, err error)
	head(ctx context.Context, key string) (Object, error)
	// get begins to read n bytes at off; off < 0: the last n; n < 0: all from
	// off. etag, if any, is what the object must have. The Object has the size
	// of the whole.
	get(ctx context.Context, key string, off, n int64, etag string) (io.ReadCloser, Object, error)
	// list gives objects whose keys begin with prefix, those below further
	// slashes only when recursive, after a key, to yield.
	list(ctx context.Context, prefix string, recursive bool, after string, yield func(Object)) error
	put(ctx context.Context, key string, body []byte, opt PutOptions) (Object, error)
	// upload begins to write an object in parts.
	upload(ctx context.Context, key string, opt PutOptions) (upload, error)
	remove(ctx context.Context, key string) error
	// path names a key as messages do: bucket and key.
	path(key string) string
	// address names a key for everyone: s3://bucket/key.
	address(key string) string
}

// upload is an object being written in parts; nothing is seen before finish.
type upload interface {
	part(ctx context.Context, number int, data []byte) error
	finish(ctx context.Context) (Object, error)
	// landed tells, after an unclear answer of finish, whether what is there
	// now came of this upload.
	landed(ctx context.Context) (Object, bool)
	abort(ctx context.Context) error
}

// failure is what became of a request.
type failure struct {
	err   error // coded, without secrets
	again bool  // worth trying again
	// unclear: the request may have been carried out all the same.
	unclear bool
	wait    time.Duration // at least, before the next try
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func isAgain(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.again
}

func isUnclear(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.unclear
}

// plain gives the coded error of a failure.
func plain(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.err
	}
	return err
}

// broken is a failure of the wire, or an answer that contradicts itself.
func broken(code cherr.Code, format string, args ...any) error {
	return &failure{err: cherr.New(code, format, args...), again: true, unclear: true}
}

// Retry says how often and how patiently requests are repeated.
type Retry struct {
	Attempts int           // in all
	First    time.Duration // pause after the first failure; it doubles
	Most     time.Duration
}

func (r Retry) withDefaults() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 6
	}
	if r.First <= 0 {
		r.First = 50 * time.Millisecond
	}
	if r.Most <= 0 {
		r.Most = 3 * time.Second
	}
	return r
}

// pause waits before try number n+1: between half and all of a doubling time,
// by chance, so that many who failed together do not come back together.
func (r Retry) pause(ctx context.Context, n int, atLeast time.Duration, chance float64) error {
	d := min(r.First<<min(n, 20), r.Most)
	d = d/2 + time.Duration(chance*float64(d/2))
	d = min(max(d, atLeast), 10*time.Second)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
