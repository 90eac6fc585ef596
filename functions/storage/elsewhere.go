package storage

import (
	"context"
	"io"
	"strings"

	"lakeserver/objstore"
)

// Elsewhere gives a source's store, to which also whole addresses may be given:
// a table may say that a file of its lies outside of its folder, in a store of
// another kind. These are opened with what the source was opened with, and by
// the rules for stores that arguments name.
func (s *Sources) Elsewhere(src *Source) objstore.Store {
	return Elsewhere(src.Store, s.Registry, &src.access)
}

// Elsewhere is Sources.Elsewhere of a store that was opened otherwise; without
// a registry it is the store itself.
func Elsewhere(base objstore.Store, r *objstore.Registry, a *objstore.Access) objstore.Store {
	if r == nil || base == nil {
		return base
	}
	e := elsewhere{base, r, a}
	if far, ok := base.(objstore.Remote); ok {
		return farElsewhere{e, far}
	}
	return e
}

type elsewhere struct {
	objstore.Store
	registry *objstore.Registry
	access   *objstore.Access
}

// farElsewhere keeps what a far store can do besides.
type farElsewhere struct {
	elsewhere
	far objstore.Remote
}

func (e elsewhere) at(ctx context.Context, path string) (objstore.Store, string, error) {
	if !isAddress(path) {
		return e.Store, path, nil
	}
	return e.registry.Open(ctx, "", path, e.access)
}

// isAddress tells an address from a path, in which a colon may be, too.
func isAddress(path string) bool {
	s := objstore.Scheme(path)
	return s != "" && strings.HasPrefix(path[len(s):], "://")
}

// Stat implements objstore.Store.
func (e elsewhere) Stat(ctx context.Context, path string) (objstore.Object, error) {
	s, p, err := e.at(ctx, path)
	if err != nil {
		return objstore.Object{}, err
	}
	return s.Stat(ctx, p)
}

// Open implements objstore.Store.
func (e elsewhere) Open(ctx context.Context, path string) (objstore.File, error) {
	s, p, err := e.at(ctx, path)
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, p)
}

// Read implements objstore.Store.
func (e elsewhere) Read(ctx context.Context, path string) ([]byte, error) {
	s, p, err := e.at(ctx, path)
	if err != nil {
		return nil, err
	}
	return s.Read(ctx, p)
}

// Put implements objstore.Store.
func (e elsewhere) Put(ctx context.Context, path string, body io.Reader, opt objstore.PutOptions) (objstore.Object, error) {
	s, p, err := e.at(ctx, path)
	if err != nil {
		return objstore.Object{}, err
	}
	return s.Put(ctx, p, body, opt)
}

// Delete implements objstore.Store.
func (e elsewhere) Delete(ctx context.Context, path string) error {
	s, p, err := e.at(ctx, path)
	if err != nil {
		return err
	}
	return s.Delete(ctx, p)
}

// Absolute names a path for others, where the store can.
func (e elsewhere) Absolute(path string) string { return objstore.Location(e.Store, path) }

// OpenObject implements objstore.Remote.
func (f farElsewhere) OpenObject(ctx context.Context, obj objstore.Object) (objstore.File, error) {
	if isAddress(obj.Path) {
		return f.Open(ctx, obj.Path)
	}
	return f.far.OpenObject(ctx, obj)
}

// Ahead implements objstore.Remote.
func (f farElsewhere) Ahead() int { return f.far.Ahead() }

// Identity implements objstore.Remote.
func (f farElsewhere) Identity() string { return f.far.Identity() }

// Location implements objstore.Remote.
func (f farElsewhere) Location(path string) string { return f.far.Location(path) }
