package objstore

import (
	"context"
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

// File is an open object, read at any place by any number of goroutines.
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
}

// Store is one place of objects. Errors carry codes: FILE_DOESNT_EXIST (107)
// for what is not there, PATH_ACCESS_DENIED (481) outside the allowed roots.
// It is safe for concurrent use.
type Store interface {
	Stat(ctx context.Context, path string) (Object, error)
	Open(ctx context.Context, path string) (File, error)
	// Read gives the whole object.
	Read(ctx context.Context, path string) ([]byte, error)
	// List gives the objects under a folder, with all below it when recursive,
	// ordered by path.
	List(ctx context.Context, folder string, recursive bool) ([]Object, error)
	// Put writes an object; it becomes visible whole or not at all.
	Put(ctx context.Context, path string, body io.Reader, opt PutOptions) (Object, error)
	Delete(ctx context.Context, path string) error
}
