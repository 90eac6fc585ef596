package objstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"lakeserver/cherr"
)

// Local is the local file system below a few roots. Relative paths are taken
// from the base folder. It is safe for concurrent use.
type Local struct {
	base  string
	roots []string // nil: no restriction
	real  []string // roots with symbolic links followed

	swap sync.Mutex // held by writers with IfMatch
}

// NewLocal makes a store over a base folder and further allowed folders, all
// absolute; whatever leads outside of them is PATH_ACCESS_DENIED.
func NewLocal(base string, allowed ...string) *Local {
	l := &Local{base: filepath.Clean(base)}
	for _, r := range append([]string{base}, allowed...) {
		r = filepath.Clean(r)
		l.roots = append(l.roots, r)
		l.real = append(l.real, realPath(r))
	}
	return l
}

// NewUnrestricted makes a store that reads whatever the process may: for the
// one-shot command, which is the user's own process.
func NewUnrestricted(base string) *Local { return &Local{base: filepath.Clean(base)} }

// resolve gives the absolute path that a name stands for, or 481.
func (l *Local) resolve(path string) (string, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return "", cherr.New(cherr.PathAccessDenied, "Path contains a null byte")
	}
	p := stripLocalScheme(path)
	if !filepath.IsAbs(p) {
		p = filepath.Join(l.base, p)
	}
	p = filepath.Clean(p)
	if l.roots == nil {
		return p, nil
	}
	if !within(p, l.roots) && !within(p, l.real) {
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` is not inside `%s`", path, l.base)
	}
	real := realPath(p)
	if !within(real, l.real) {
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` leads outside of `%s`", path, l.base)
	}
	return real, nil
}

func stripLocalScheme(p string) string {
	for _, s := range []string{"file://", "local://", "file:"} {
		if rest, ok := strings.CutPrefix(p, s); ok {
			return rest
		}
	}
	return p
}

func within(p string, roots []string) bool {
	for _, r := range roots {
		if p == r || r == "/" || strings.HasPrefix(p, r+"/") {
			return true
		}
	}
	return false
}

// realPath follows symbolic links of the part of p that exists, so that a file
// yet to be written is judged by the folder it will stand in.
func realPath(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	// A dangling link must not pass as a plain name.
	if target, err := os.Readlink(p); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		if target != p {
			return filepath.Clean(target)
		}
	}
	return filepath.Join(realPath(dir), filepath.Base(p))
}

// coded gives an outside error its code.
func coded(err error, path string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return cherr.New(cherr.FileDoesntExist, "File %s doesn't exist", path)
	case errors.Is(err, fs.ErrPermission):
		return cherr.New(cherr.CannotOpenFile, "Cannot open file %s: permission denied", path)
	}
	return cherr.WithCode(cherr.CannotReadFromFileDescriptor, err, "file %s", path)
}

func object(path string, fi fs.FileInfo) Object {
	o := Object{Path: path, Size: fi.Size(), Modified: fi.ModTime()}
	etag := strconv.FormatInt(o.Size, 16) + "-" + strconv.FormatInt(o.Modified.UnixNano(), 16)
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		etag += "-" + strconv.FormatUint(uint64(st.Ino), 16)
	}
	o.ETag = etag
	return o
}

// Stat describes one file; a folder is not an object.
func (l *Local) Stat(_ context.Context, path string) (Object, error) {
	p, err := l.resolve(path)
	if err != nil {
		return Object{}, err
	}
	fi, err := os.Stat(p)
	if err != nil {
		return Object{}, coded(err, path)
	}
	if fi.IsDir() {
		return Object{}, cherr.New(cherr.FileDoesntExist, "%s is a folder", path)
	}
	return object(path, fi), nil
}

type localFile struct {
	*os.File
	obj Object
}

func (f *localFile) Object() Object { return f.obj }

// Open takes hold of a file.
func (l *Local) Open(_ context.Context, path string) (File, error) {
	p, err := l.resolve(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, coded(err, path)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = cherr.New(cherr.FileDoesntExist, "%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, coded(err, path)
	}
	return &localFile{f, object(path, fi)}, nil
}

// Read gives the whole file.
func (l *Local) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := l.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, f.Object().Size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(len(b))), b); err != nil {
		return nil, cherr.WithCode(cherr.CannotReadAllData, err, "reading %s", path)
	}
	return b, nil
}

// List gives the files under a folder; one that does not exist is empty, as in
// object stores. Links that lead outside of the roots are left out.
func (l *Local) List(ctx context.Context, folder string, recursive bool) ([]Object, error) {
	root, err := l.resolve(folder)
	if err != nil {
		return nil, err
	}
	var out []Object
	name := strings.TrimSuffix(folder, "/")
	err = l.walk(ctx, root, name, recursive, &out)
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, err
}

func (l *Local) walk(ctx context.Context, dir, name string, recursive bool, out *[]Object) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return coded(err, name)
	}
	for _, e := range entries {
		path, child := filepath.Join(dir, e.Name()), name+"/"+e.Name()
		if name == "" {
			child = e.Name()
		}
		fi, err := e.Info()
		if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			if l.roots != nil && !within(realPath(path), l.real) {
				continue
			}
			fi, err = os.Stat(path)
		}
		switch {
		case err != nil: // gone meanwhile
		case fi.IsDir() && recursive && e.Type()&fs.ModeSymlink == 0: // a linked folder may be a loop
			if err := l.walk(ctx, path, child, true, out); err != nil {
				return err
			}
		case fi.Mode().IsRegular():
			*out = append(*out, object(child, fi))
		}
	}
	return nil
}

// Put writes beside the place and moves the file there when it is whole and on
// the disk.
func (l *Local) Put(_ context.Context, path string, body io.Reader, opt PutOptions) (Object, error) {
	p, err := l.resolve(path)
	if err != nil {
		return Object{}, err
	}
	dir := filepath.Dir(p)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Object{}, coded(err, path)
	}
	tmp, err := os.CreateTemp(dir, ".put-*")
	if err != nil {
		return Object{}, cherr.WithCode(cherr.CannotOpenFile, err, "writing %s", path)
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, body)
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return Object{}, cherr.WithCode(cherr.CannotWriteToFileDescriptor, err, "writing %s", path)
	}
	if opt.IfMatch != "" {
		// Between this look and the rename another process may write: the local
		// disk has no rename that compares.
		l.swap.Lock()
		defer l.swap.Unlock()
		if fi, err := os.Stat(p); err != nil || object(path, fi).ETag != opt.IfMatch {
			return Object{}, cherr.Wrap(ErrChanged, "writing %s", path)
		}
	}
	if opt.IfAbsent { // a link, unlike a rename, never replaces
		err = os.Link(tmp.Name(), p)
		if errors.Is(err, fs.ErrExist) {
			return Object{}, cherr.Wrap(ErrExists, "writing %s", path)
		}
	} else {
		err = os.Rename(tmp.Name(), p)
	}
	if err != nil {
		return Object{}, cherr.WithCode(cherr.CannotWriteToFileDescriptor, err, "writing %s", path)
	}
	if !opt.Deferred {
		syncFolder(dir)
	}
	fi, err := os.Stat(p)
	if err != nil {
		return Object{}, coded(err, path)
	}
	return object(path, fi), nil
}

// syncFolder makes a new name durable; some file systems cannot, and say so.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Delete removes a file.
func (l *Local) Delete(_ context.Context, path string) error {
	p, err := l.resolve(path)
	if err != nil {
		return err
	}
	return coded(os.Remove(p), path)
}

// Absolute gives the absolute path that a name stands for; whether it may be
// read is not asked.
func (l *Local) Absolute(path string) string {
	p := stripLocalScheme(path)
	if !filepath.IsAbs(p) {
		p = filepath.Join(l.base, p)
	}
	return filepath.Clean(p)
}
