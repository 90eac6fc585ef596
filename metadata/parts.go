package metadata

import (
	"context"

	"lakeserver/objstore"
)

// Part is one of several values that are parsed from a file in one pass and
// kept apart, so that each may be dropped alone.
type Part struct {
	Value any
	Size  int64 // bytes that it holds
}

// LoadParts gives parts of a file that never changes under its path, by their
// kinds, in order. What is not kept is parsed together: parse gets the indexes
// of the missing kinds and gives their parts in that order.
func LoadParts(ctx context.Context, l *Loader, path string, kinds []string, parse func(data []byte, missing []int) ([]Part, error)) ([]any, error) {
	out := make([]any, len(kinds))
	read := func(missing []int) error {
		data, err := l.Store.Read(ctx, path)
		if err != nil {
			return err
		}
		l.bytes.Add(int64(len(data)))
		parts, err := parse(data, missing)
		if err != nil {
			return err
		}
		for i, m := range missing {
			out[m] = parts[i].Value
			if l.Cache != nil {
				l.Cache.keep(l.key(kinds[m], path), parts[i].Value, parts[i].Size)
			}
		}
		return nil
	}
	if l.Cache == nil {
		l.misses.Add(1)
		return out, read(all(len(kinds)))
	}
	// A second round is of a call that waited for another one's parse, which may
	// have wanted other parts or have failed; the third does not wait.
	for round := 0; ; round++ {
		var missing []int
		for i, k := range kinds {
			if out[i] == nil {
				out[i] = l.Cache.peek(l.key(k, path))
			}
			if out[i] == nil {
				missing = append(missing, i)
			}
		}
		if len(missing) == 0 {
			l.hits.Add(1)
			l.Cache.hits.Add(1)
			return out, nil
		}
		ran, err := true, error(nil)
		if round < 2 {
			ran, err = l.Cache.alone(ctx, l.key("parts", path), func() error { return read(missing) })
		} else {
			err = read(missing)
		}
		if err != nil {
			return nil, err
		}
		if ran {
			l.misses.Add(1)
			l.Cache.misses.Add(1)
			return out, nil
		}
	}
}

func (l *Loader) key(kind, path string) string {
	return objstore.Identity(l.Store) + "\x00" + kind + "\x00" + path + "\x00"
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
