package restcatalog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lakeserver/access"
	"lakeserver/cherr"
)

// Properties keep the properties of namespaces, which databases have no place
// for, in one file. It is safe for concurrent use.
type Properties struct {
	file string // "": nothing is kept over restarts
	mu   sync.Mutex
	m    map[string]map[string]string
}

// OpenProperties reads what a file keeps; "" keeps nothing.
func OpenProperties(file string) (*Properties, error) {
	p := &Properties{file: file, m: map[string]map[string]string{}}
	if file == "" {
		return p, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p.m)
	}
	return p, cherr.WithCode(cherr.CannotOpenFile, err, "reading the properties of namespaces")
}

// Of gives a namespace's properties; the caller may change them.
func (p *Properties) Of(namespace string) map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.m[namespace]; m != nil {
		return maps.Clone(m)
	}
	return map[string]string{}
}

// Set replaces a namespace's properties.
func (p *Properties) Set(namespace string, to map[string]string) error {
	return p.change(namespace, func(map[string]string) map[string]string { return to })
}

func (p *Properties) change(namespace string, do func(map[string]string) map[string]string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.m[namespace]
	next := do(maps.Clone(old))
	if len(next) == 0 && len(old) == 0 {
		return nil
	}
	all := maps.Clone(p.m)
	if all[namespace] = next; len(next) == 0 {
		delete(all, namespace)
	}
	if err := p.write(all); err != nil {
		return cherr.WithCode(cherr.CannotOpenFile, err, "writing the properties of namespaces")
	}
	p.m = all
	return nil
}

// write puts a new file in the old one's place.
func (p *Properties) write(all map[string]map[string]string) error {
	if p.file == "" {
		return nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.file), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), p.file)
	}
	return err
}

// updateProperties is POST of a namespace's properties.
func (c *call) updateProperties() error {
	name, err := c.namespace()
	if err != nil {
		return err
	}
	var body struct {
		Removals []string          `json:"removals"`
		Updates  map[string]string `json:"updates"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	for _, k := range body.Removals {
		if _, both := body.Updates[k]; both {
			return fail(http.StatusUnprocessableEntity, "UnprocessableEntityException", "Property "+k+" is both removed and updated")
		}
	}
	if err := c.mayWrite(); err != nil {
		return err
	}
	if c.user.Access != nil {
		if err := c.user.Access.Check(access.Need{Access: "ALTER DATABASE", Path: []string{name}}); err != nil {
			return err
		}
	}
	removed, missing := []string{}, []string{}
	err = c.h.cfg.Properties.change(name, func(m map[string]string) map[string]string {
		if m == nil {
			m = map[string]string{}
		}
		for _, k := range body.Removals {
			if _, ok := m[k]; ok {
				delete(m, k)
				removed = append(removed, k)
			} else {
				missing = append(missing, k)
			}
		}
		maps.Copy(m, body.Updates)
		return m
	})
	if err != nil {
		return err
	}
	answer(c.w, http.StatusOK, map[string]any{"updated": append([]string{}, slices.Sorted(maps.Keys(body.Updates))...), "removed": removed, "missing": missing})
	return nil
}
