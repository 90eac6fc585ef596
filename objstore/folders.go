package objstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sort"
	"strings"
)

// lister is a store that can name folders without looking into them.
type lister interface {
	Folders(ctx context.Context, folder string) ([]string, error)
}

// Folders gives the names of the folders right below one, which ends with /.
func Folders(ctx context.Context, s Store, folder string) ([]string, error) {
	if l, ok := s.(lister); ok {
		return l.Folders(ctx, folder)
	}
	objs, err := s.List(ctx, folder, true)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []string
	for _, o := range objs {
		rest, below := strings.CutPrefix(o.Path, folder)
		name, _, deep := strings.Cut(rest, "/")
		if below && deep && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out, nil
}

// Folders names the folders right below one.
func (l *Local) Folders(_ context.Context, folder string) ([]string, error) {
	root, err := l.resolve(folder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, coded(err, folder)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
