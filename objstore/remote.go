package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"lakeserver/cherr"
)

const (
	// tailBytes are read when a file is opened: the footer of most, the whole
	// of small ones.
	tailBytes = 256 << 10
	// maxInFlight bounds the requests of one store at a time.
	maxInFlight = 96
	// maxAhead are the files worth opening before their turn.
	maxAhead = 32
	// aheadBytes bounds what one store holds of ranges that nobody has read yet.
	aheadBytes = 256 << 20
	// maxRead bounds an object that is read whole.
	maxRead = 2 << 30
)

// remote is a Store over a protocol: it repeats what may be repeated, asks a
// second time when an answer is late, pins the content of open files, and
// bounds what is under way.
type remote struct {
	p        protocol
	identity string
	retry    Retry
	slots    chan struct{} // one a request under way
	held     atomic.Int64  // bytes fetched ahead
	late     lateness
	cache    *DiskCache // nil: none
}

func newRemote(p protocol, identity string, retry Retry) *remote {
	return &remote{p: p, identity: identity, retry: retry.withDefaults(), slots: make(chan struct{}, maxInFlight)}
}

// through is the same store behind a cache; what is under way is counted
// together.
func (s *remote) through(c *DiskCache) *remote {
	return &remote{p: s.p, identity: s.identity, retry: s.retry, slots: s.slots, cache: c}
}

// Identity tells the store from others.
func (s *remote) Identity() string { return s.identity }

// Location names a path by its address.
func (s *remote) Location(path string) string {
	key, err := s.p.resolve(path)
	if err != nil {
		return path
	}
	return strings.TrimSuffix(s.p.address(key), "/")
}

// Ahead gives how many objects are worth opening ahead.
func (s *remote) Ahead() int { return maxAhead }

func (s *remote) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *remote) leave() { <-s.slots }

// try runs a request until it succeeds or is not worth repeating.
func (s *remote) try(ctx context.Context, f func(ctx context.Context) error) error {
	for n := 0; ; n++ {
		if err := s.enter(ctx); err != nil {
			return err
		}
		err := f(ctx)
		s.leave()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !isAgain(err) || n+1 >= s.retry.Attempts:
			return plain(err)
		}
		fail, _ := errors.AsType[*failure](err)
		if err := s.retry.pause(ctx, n, fail.wait, rand.Float64()); err != nil {
			return err
		}
	}
}

// Stat describes one object.
func (s *remote) Stat(ctx context.Context, path string) (obj Object, err error) {
	key, err := s.p.resolve(path)
	if err != nil {
		return Object{}, err
	}
	err = s.try(ctx, func(ctx context.Context) error {
		obj, err = s.p.head(ctx, key)
		return err
	})
	obj.Path = path
	return obj, err
}

// fetch reads n bytes at off (off < 0: the last n) of one content. Ranges of a
// known content may come from the cache.
func (s *remote) fetch(ctx context.Context, key string, off, n int64, etag string) (data []byte, obj Object, err error) {
	if s.cache != nil && etag != "" && off >= 0 && n > 0 {
		id := contentID(s.identity, key, etag)
		if data, ok := s.cache.get(id, off, n); ok {
			return data, Object{Path: s.p.path(key), ETag: etag}, nil
		}
		defer func() {
			if err == nil && int64(len(data)) == n {
				s.cache.put(id, off, data)
			}
		}()
	}
	err = s.try(ctx, func(ctx context.Context) error {
		data, obj, err = s.hedged(ctx, key, off, n, etag)
		return err
	})
	return data, obj, err
}

// fetchOnce is one request and its whole body.
func (s *remote) fetchOnce(ctx context.Context, key string, off, n int64, etag string) ([]byte, Object, error) {
	start := time.Now()
	body, obj, err := s.p.get(ctx, key, off, n, etag)
	if err != nil {
		return nil, Object{}, err
	}
	defer body.Close()
	obj.Path = s.p.path(key)
	if etag != "" && obj.ETag != "" && obj.ETag != etag {
		return nil, Object{}, changed(obj.Path)
	}
	want := n
	switch {
	case off < 0:
		want = min(n, obj.Size)
	case n < 0:
		want = obj.Size - off
	case off+n > obj.Size:
		want = max(0, obj.Size-off)
	}
	if want > maxRead {
		return nil, Object{}, cherr.New(cherr.CannotReadAllData, "object %s has %d bytes, too many to be read at once", obj.Path, obj.Size)
	}
	data := make([]byte, want)
	if got, err := io.ReadFull(body, data); err != nil {
		if ctx.Err() != nil {
			return nil, Object{}, ctx.Err()
		}
		return nil, Object{}, broken(cherr.NetworkError, "reading object %s: the answer ended after %d of %d bytes", obj.Path, got, want)
	}
	s.late.add(time.Since(start), want)
	return data, obj, nil
}

func changed(path string) error {
	return cherr.New(cherr.CannotReadAllData, "object %s has changed while it was read", path)
}

// Read gives the whole object.
func (s *remote) Read(ctx context.Context, path string) ([]byte, error) {
	key, err := s.p.resolve(path)
	if err != nil {
		return nil, err
	}
	data, _, err := s.fetch(ctx, key, 0, -1, "")
	return data, err
}

// Open takes hold of an object by reading its end.
func (s *remote) Open(ctx context.Context, path string) (File, error) {
	key, err := s.p.resolve(path)
	if err != nil {
		return nil, err
	}
	tail, obj, err := s.fetch(ctx, key, -1, tailBytes, "")
	if err != nil {
		return nil, err
	}
	obj.Path = path
	f := newRemoteFile(ctx, s, key, obj)
	f.tail, f.tailAt = tail, obj.Size-int64(len(tail))
	return f, nil
}

// OpenObject takes hold of an object that is known; no request is made.
func (s *remote) OpenObject(ctx context.Context, obj Object) (File, error) {
	if obj.ETag == "" {
		return s.Open(ctx, obj.Path)
	}
	key, err := s.p.resolve(obj.Path)
	if err != nil {
		return nil, err
	}
	return newRemoteFile(ctx, s, key, obj), nil
}

// List gives the objects under a folder; a page that fails is asked for again,
// after the last key of the one before.
func (s *remote) List(ctx context.Context, folder string, recursive bool) ([]Object, error) {
	key, err := s.p.resolve(strings.TrimSuffix(folder, "/") + "/")
	if err != nil {
		return nil, err
	}
	var out []Object
	after := ""
	err = s.try(ctx, func(ctx context.Context) error {
		return s.p.list(ctx, key, recursive, after, func(o Object) {
			after = o.Path
			o.Path = folderPath(folder, key, o.Path)
			out = append(out, o)
		})
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// folderPath names a listed key as the caller named the folder.
func folderPath(folder, prefix, key string) string {
	if folder != "" && !strings.HasSuffix(folder, "/") {
		folder += "/"
	}
	return folder + strings.TrimPrefix(key, prefix)
}

// Delete removes an object; one that is not there is no error for stores that
// do not tell.
func (s *remote) Delete(ctx context.Context, path string) error {
	key, err := s.p.resolve(path)
	if err != nil {
		return err
	}
	return s.try(ctx, func(ctx context.Context) error { return s.p.remove(ctx, key) })
}

// lateness keeps how long small reads take, to tell when one is late.
type lateness struct {
	mean atomic.Int64 // nanoseconds, 0: nothing known
}

func (l *lateness) add(d time.Duration, bytes int64) {
	if bytes > 1<<20 {
		return // the time is the bytes', not the store's
	}
	old := l.mean.Load()
	if old == 0 {
		l.mean.Store(int64(d))
		return
	}
	l.mean.Store(old + (int64(d)-old)/16)
}

// limit is the time after which a second request is sent.
func (l *lateness) limit(bytes int64) time.Duration {
	mean := time.Duration(l.mean.Load())
	if mean == 0 {
		return 2 * time.Second
	}
	perByte := time.Duration(max(bytes, 0)) * 40 // 25 MB/s
	return min(max(8*mean, 400*time.Millisecond), 5*time.Second) + perByte
}

// answer is what one of two requests gave.
type answer struct {
	data []byte
	obj  Object
	err  error
}

// hedged sends a second request when the first is late, and takes the answer
// that comes first.
func (s *remote) hedged(ctx context.Context, key string, off, n int64, etag string) ([]byte, Object, error) {
	g, gctx := cherr.NewGroup(ctx)
	gctx, cancel := context.WithCancel(gctx)
	// Both end with the first good answer; neither outlives this call.
	defer func() {
		cancel()
		_ = g.Wait() // answers, errors too, come through the channel
	}()
	answers := make(chan answer, 2)
	ask := func() error {
		a := answer{err: fmt.Errorf("the request for %s ended early", s.p.path(key))}
		defer func() { answers <- a }()
		a.data, a.obj, a.err = s.fetchOnce(gctx, key, off, n, etag)
		return nil
	}
	g.Go(ask)
	timer := time.NewTimer(s.late.limit(n))
	defer timer.Stop()
	running := 1
	for {
		select {
		case a := <-answers:
			running--
			if a.err == nil || running == 0 || !isAgain(a.err) {
				return a.data, a.obj, a.err
			}
		case <-timer.C:
			select {
			case s.slots <- struct{}{}: // a store that is busy is not asked twice
				running++
				g.Go(func() error {
					defer s.leave()
					return ask()
				})
			default:
			}
		}
	}
}
