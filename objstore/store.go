package objstore

import (
	"context"
	"errors"
	"io"
	"time"
)

// Object describes one stored file.
type Object struct {
	Path     string // as the store names it
	Size     int64
	Modified time.Time
	ETag     string // identity of this content; for local files made of size and time
}

// File is an open object, read at any place by any number of goroutines. It
// is one content from Open to Close: an object that was replaced meanwhile
// gives an error, never bytes of both. Reads end with the context of Open.
type File interface {
	io.ReaderAt
	Object() Object
	Close() error
}

// PutOptions says under which condition an object may be written.
type PutOptions struct {
	// IfAbsent fails with ErrExists when the object is there already. It is
	// what makes a commit atomic.
	IfAbsent bool
	// Deferred says that the name need not outlive a loss of power before
	// another Put into the same folder has returned.
	Deferred bool
	// IfMatch fails with ErrChanged when the object has another ETag, or is not
	// there.
	IfMatch string
}

// ErrExists is what Put with IfAbsent gives when the object is there already.
var ErrExists = errors.New("object exists already")

// ErrChanged is what Put with IfMatch gives when the object is another.
var ErrChanged = errors.New("object has changed")

// Store is one place of objects. Errors carry codes: FILE_DOESNT_EXIST (107)
// for what is not there, PATH_ACCESS_DENIED (481) outside the allowed roots,
// NETWORK_ERROR (210) and the store's own code (S3_ERROR …) for the rest; they
// name no secrets. It is safe for concurrent use.
type Store interface {
	Stat(ctx context.Context, path string) (Object, error)
	Open(ctx context.Context, path string) (File, error)
	// Read gives the whole object.
	Read(ctx context.Context, path string) ([]byte, error)
	// List gives the objects under a folder, with all below it when recursive,
	// ordered by path.
	List(ctx context.Context, folder string, recursive bool) ([]Object, error)
	// Put writes an object; it becomes visible whole or not at all. A condition
	// is never guessed at: after an answer that says neither yes nor no, the
	// object is read back and decides.
	Put(ctx context.Context, path string, body io.Reader, opt PutOptions) (Object, error)
	Delete(ctx context.Context, path string) error
}

// Location names a path of a store for others: an address, or an absolute path.
func Location(s Store, path string) string {
	switch s := s.(type) {
	case Remote:
		return s.Location(path)
	case interface{ Absolute(path string) string }:
		return s.Absolute(path)
	}
	return path
}

// Range is bytes of an object.
type Range struct{ Offset, Length int64 }

// Remote is what a store far away can do besides: there requests take long,
// and many may run at once.
type Remote interface {
	// OpenObject opens what List or Stat described, without asking again; what
	// has become another object since is an error at the first read.
	OpenObject(ctx context.Context, obj Object) (File, error)
	// Ahead gives how many objects are worth opening ahead of their turn.
	Ahead() int
	// Identity tells this store and what it is reached with from all others,
	// for caches; it is no secret.
	Identity() string
	// Location names a path for those who do not know the store: s3://bucket/key.
	Location(path string) string
}

// OpenObject opens an object that was described, by its path alone where the
// store is near.
func OpenObject(ctx context.Context, s Store, obj Object) (File, error) {
	if r, ok := s.(Remote); ok {
		return r.OpenObject(ctx, obj)
	}
	return s.Open(ctx, obj.Path)
}

// Ahead gives how many objects of a store are worth opening ahead, 0 for none.
func Ahead(s Store) int {
	if r, ok := s.(Remote); ok {
		return r.Ahead()
	}
	return 0
}

// Identity tells a store from others in keys of caches; "" for the local disk.
func Identity(s Store) string {
	if r, ok := s.(Remote); ok {
		return r.Identity()
	}
	return ""
}

// Planner is a File that wants to know what will be read soon.
type Planner interface {
	// Plan begins to fetch ranges in their order; near ones travel together. It
	// does not wait. Release tells that they are not needed any more.
	Plan(ranges []Range) (release func())
}

// Plan tells a file what will be read soon, if it wants to know.
func Plan(f File, ranges []Range) (release func()) {
	if p, ok := f.(Planner); ok && len(ranges) > 0 {
		return p.Plan(ranges)
	}
	return func() {}
}
