package objstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path"
	"strconv"

	"lakeserver/cherr"
)

const (
	// partBytes is what is written at once; a larger object goes in parts.
	partBytes = 16 << 20
	// maxParts is the stores' own limit; parts grow before it is met.
	maxParts = 10_000
)

// Put writes an object. What fits into one part is one request; the rest goes
// up part by part, one in memory at a time.
func (s *remote) Put(ctx context.Context, path string, body io.Reader, opt PutOptions) (Object, error) {
	key, err := s.p.resolve(path)
	if err != nil {
		return Object{}, err
	}
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, body, partBytes); err != nil && !errors.Is(err, io.EOF) {
		return Object{}, cherr.Wrap(err, "writing %s", path)
	}
	var obj Object
	switch {
	case buf.Len() == partBytes:
		obj, err = s.putParts(ctx, key, buf.Bytes(), body, opt)
	case !opt.IfAbsent && opt.IfMatch == "":
		err = s.try(ctx, func(ctx context.Context) error {
			obj, err = s.p.put(ctx, key, buf.Bytes(), opt)
			return err
		})
	default:
		obj, err = s.putIf(ctx, key, buf.Bytes(), opt)
	}
	if err != nil {
		return Object{}, cherr.Wrap(err, "writing %s", path)
	}
	obj.Path = path
	return obj, nil
}

// putIf writes under a condition. A clear answer is believed when the request
// was sent once; after an unclear one the object itself is asked: is it ours,
// is it still what it was, or is it another's?
func (s *remote) putIf(ctx context.Context, key string, data []byte, opt PutOptions) (Object, error) {
	for n := 0; ; n++ {
		if err := s.enter(ctx); err != nil {
			return Object{}, err
		}
		obj, err := s.p.put(ctx, key, data, opt)
		s.leave()
		if err == nil || !isAgain(err) {
			return obj, plain(err)
		}
		if isUnclear(err) {
			// The question must be answered even when the query is over: whoever
			// waits for the commit learns what became of it.
			obj, done, verr := s.decide(context.WithoutCancel(ctx), key, data, opt)
			if done || verr != nil {
				return obj, verr
			}
		}
		if n+1 >= s.retry.Attempts {
			return Object{}, plain(err)
		}
		fail, _ := errors.AsType[*failure](err)
		if err := s.retry.pause(ctx, n, fail.wait, rand.Float64()); err != nil {
			return Object{}, err
		}
	}
}

// decide reads back what an unclear write left. done: there is an answer.
func (s *remote) decide(ctx context.Context, key string, data []byte, opt PutOptions) (obj Object, done bool, err error) {
	there, obj, err := s.fetch(ctx, key, 0, -1, "")
	switch {
	case cherr.Is(err, cherr.FileDoesntExist):
		if opt.IfMatch != "" {
			return Object{}, true, ErrChanged
		}
		return Object{}, false, nil
	case err != nil:
		return Object{}, false, cherr.Wrap(err, "whether %s was written is not known, and it cannot be read back", s.p.path(key))
	case bytes.Equal(there, data):
		return obj, true, nil
	case opt.IfAbsent:
		return Object{}, true, ErrExists
	case obj.ETag == opt.IfMatch:
		return Object{}, false, nil
	}
	return Object{}, true, ErrChanged
}

// putParts writes an object in parts. The first is in memory.
func (s *remote) putParts(ctx context.Context, key string, first []byte, rest io.Reader, opt PutOptions) (obj Object, err error) {
	var up upload
	err = s.try(ctx, func(ctx context.Context) error {
		up, err = s.p.upload(ctx, key, opt)
		return err
	})
	if err != nil {
		return Object{}, err
	}
	finished := false
	defer func() {
		if !finished { // what is left is invisible; failing to remove it costs room only
			_ = up.abort(context.WithoutCancel(ctx))
		}
	}()
	part := first
	for number := 1; len(part) > 0; number++ {
		if number > maxParts {
			return Object{}, cherr.New(cherr.S3Error, "the object is too large: more than %d parts", maxParts)
		}
		if err := s.try(ctx, func(ctx context.Context) error { return up.part(ctx, number, part) }); err != nil {
			return Object{}, err
		}
		want := partBytes << min(number/1000, 6) // 10,000 parts reach 5 TB
		if cap(part) < want {
			part = make([]byte, want)
		}
		n, err := io.ReadFull(rest, part[:want])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return Object{}, err
		}
		part = part[:n]
	}
	obj, err = s.finish(ctx, up)
	finished = err == nil
	return obj, err
}

// finish makes an upload visible. An unclear answer is decided by looking
// whether the object that is there came of this upload.
func (s *remote) finish(ctx context.Context, up upload) (obj Object, err error) {
	for n := 0; ; n++ {
		if err := s.enter(ctx); err != nil {
			return Object{}, err
		}
		obj, err = up.finish(ctx)
		s.leave()
		if err == nil || !isAgain(err) {
			return obj, plain(err)
		}
		if isUnclear(err) {
			if obj, ok := up.landed(context.WithoutCancel(ctx)); ok {
				return obj, nil
			}
		}
		if n+1 >= s.retry.Attempts {
			return Object{}, plain(err)
		}
		fail, _ := errors.AsType[*failure](err)
		if err := s.retry.pause(ctx, n, fail.wait, rand.Float64()); err != nil {
			return Object{}, err
		}
	}
}

// newMark is what an upload is known by.
func newMark() string {
	return strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

// probeName is a scratch object beside key, to learn whether conditions hold.
func probeName(key string) string {
	return path.Join(path.Dir(key), ".condition-probe-"+strconv.FormatUint(rand.Uint64(), 36))
}
