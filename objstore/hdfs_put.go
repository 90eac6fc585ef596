package objstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"lakeserver/cherr"
)

// hdfsUpload is a file being written beside its place.
type hdfsUpload struct {
	h    *hdfsStore
	c    *hdfs.Client
	key  string
	name string // where it is written
	opt  PutOptions
	w    *hdfs.FileWriter
	next int
	err  error // what broke the stream

	written Object // once it is whole
}

func (h *hdfsStore) upload(_ context.Context, key string, opt PutOptions) (upload, error) {
	if opt.IfMatch != "" {
		return nil, cherr.New(cherr.NotImplemented, "HDFS cannot replace a file only if it is still the same: /%s", key)
	}
	c, err := h.conn()
	if err != nil {
		return nil, err
	}
	dir := path.Dir("/" + key)
	if err := c.MkdirAll(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, h.failed(c, err, key, "writing")
	}
	name := path.Join(dir, putMark+newMark())
	w, err := c.Create(name)
	if err != nil {
		return nil, h.failed(c, err, key, "writing")
	}
	return &hdfsUpload{h: h, c: c, key: key, name: name, opt: opt, w: w, next: 1}, nil
}

func (u *hdfsUpload) part(_ context.Context, number int, data []byte) error {
	if number != u.next { // a part that failed half way cannot be written again
		return plain(u.err)
	}
	u.next++
	if _, err := io.Copy(u.w, bytes.NewReader(data)); err != nil {
		u.next, u.err = -1, u.h.failed(u.c, err, u.key, "writing")
		return u.err
	}
	return nil
}

func (u *hdfsUpload) finish(ctx context.Context) (Object, error) {
	if err := u.close(ctx); err != nil {
		return Object{}, err
	}
	if u.opt.IfAbsent {
		if err := u.claim(); err != nil {
			return Object{}, err
		}
	}
	return u.written, u.move(ctx)
}

// move puts the file into its place. It is tried more than once here, where
// the claim is known to be ours.
func (u *hdfsUpload) move(ctx context.Context) (err error) {
	for range 3 {
		var c *hdfs.Client
		if c, err = u.h.conn(); err == nil {
			if err = c.Rename(u.name, "/"+u.key); err == nil {
				return nil
			}
			err = u.h.failed(c, err, u.key, "writing")
		}
		if _, ok := u.landed(context.WithoutCancel(ctx)); ok {
			return nil
		}
	}
	return err
}

// close makes the file whole; data nodes may be a little behind.
func (u *hdfsUpload) close(ctx context.Context) error {
	if u.written.ETag != "" {
		return nil
	}
	for n := 0; ; n++ {
		err := u.w.Close()
		if err == nil {
			break
		}
		if !hdfs.IsErrReplicating(err) || n > 50 {
			return u.h.failed(u.c, err, u.key, "writing")
		}
		if err := (Retry{First: 20 * time.Millisecond, Most: time.Second}).pause(ctx, min(n, 5), 0, 0.5); err != nil {
			return err
		}
	}
	fi, err := u.c.Stat(u.name)
	if err != nil {
		return u.h.failed(u.c, err, u.key, "writing")
	}
	u.written = hdfsObject(u.key, fi) // moving it changes neither size nor time
	return nil
}

// landed tells by size and time whether the file was moved.
func (u *hdfsUpload) landed(ctx context.Context) (Object, bool) {
	obj, err := u.h.head(ctx, u.key)
	return obj, err == nil && u.written.ETag != "" && obj.ETag == u.written.ETag
}

// claimTime is how long a claimed name may stay empty: who claimed it and did
// not write within it is gone.
const claimTime = 2 * time.Minute

// claim takes the name by creating an empty file, which fails when it is
// there; the rename that follows puts the content in its place. Listings leave
// out empty files, so that nobody reads a claim.
func (u *hdfsUpload) claim() error {
	final := "/" + u.key
	err := u.c.CreateEmptyFile(final)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return u.h.failed(u.c, err, u.key, "writing")
	}
	left, err := u.c.Stat(final)
	if err != nil || !u.abandoned(left) {
		return ErrExists
	}
	return u.inherit(final, left)
}

// abandoned tells by the name node's clock that a claim is too old: this
// upload's own file was closed just now.
func (u *hdfsUpload) abandoned(fi os.FileInfo) bool {
	return !fi.IsDir() && fi.Size() == 0 && u.written.Modified.Sub(fi.ModTime()) > claimTime
}

// inherit takes over an abandoned claim. One alone may: who creates a file
// named after that claim. If he is gone, too, the next such file decides. The
// claim is looked at again behind it, since another may have written meanwhile.
func (u *hdfsUpload) inherit(final string, left os.FileInfo) error {
	for n := 0; ; n++ {
		name := path.Join(path.Dir(final), putMark+path.Base(final)+"-"+strconv.FormatInt(left.ModTime().UnixMilli(), 36)+"-"+strconv.Itoa(n))
		err := u.c.CreateEmptyFile(name)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return u.h.failed(u.c, err, u.key, "writing")
		}
		if fi, err := u.c.Stat(name); err != nil || !u.abandoned(fi) {
			return ErrExists
		}
	}
	now, err := u.c.Stat(final)
	if err != nil || now.Size() > 0 || !now.ModTime().Equal(left.ModTime()) {
		return ErrExists
	}
	return nil
}

func (u *hdfsUpload) abort(context.Context) error {
	_ = u.w.Close()
	c, err := u.h.conn()
	if err != nil {
		return err
	}
	return c.Remove(u.name)
}
