package collections

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"lakeserver/cherr"
)

// Key is one entry of a collection. Values are secrets: they belong in no log,
// error or answer.
type Key struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Overridable says whether a call may give another value; nil: not said,
	// which is yes.
	Overridable *bool `json:"overridable,omitempty"`
}

// Collection is a named collection. It is immutable.
type Collection struct {
	Name   string `json:"name"`
	Keys   []Key  `json:"keys"` // by name
	Config bool   `json:"-"`    // from the configuration: cannot be changed
}

// Get gives a key.
func (c *Collection) Get(name string) (Key, bool) {
	i := sort.Search(len(c.Keys), func(i int) bool { return c.Keys[i].Name >= name })
	if i < len(c.Keys) && c.Keys[i].Name == name {
		return c.Keys[i], true
	}
	return Key{}, false
}

// Store is the collections of a server. Changes are on disk before they are
// seen. It is safe for concurrent use.
type Store struct {
	dir string // "" keeps nothing

	mu  sync.RWMutex
	all map[string]*Collection
}

// Open reads the collections of a folder, which is made when the first is
// kept, and adds those of the configuration.
func Open(dir string, configured map[string]map[string]string) (*Store, error) {
	s := &Store{dir: dir, all: map[string]*Collection{}}
	if dir != "" {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, diskError(err, "reading named collections")
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".json") {
				continue
			}
			c, err := load(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			s.all[c.Name] = c
		}
	}
	for name, keys := range configured {
		c := &Collection{Name: name, Config: true}
		for k, v := range keys {
			c.Keys = append(c.Keys, Key{Name: k, Value: v})
		}
		c.order()
		s.all[name] = c
	}
	return s, nil
}

func load(path string) (*Collection, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, diskError(err, "reading a named collection")
	}
	c := &Collection{}
	if json.Unmarshal(data, c) != nil { // its error could quote a value
		return nil, cherr.New(cherr.IncorrectData, "The named collection in %s cannot be read", path)
	}
	c.order()
	return c, nil
}

func (c *Collection) order() {
	sort.Slice(c.Keys, func(i, j int) bool { return c.Keys[i].Name < c.Keys[j].Name })
}

// Lookup finds a collection.
func (s *Store) Lookup(name string) (*Collection, bool) {
	if s == nil {
		return nil, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, ok := s.all[name]
	return c, ok
}

// All gives every collection, by name.
func (s *Store) All() []*Collection {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]*Collection, 0, len(s.all))
	for _, c := range s.all {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Create adds a collection.
func (s *Store) Create(name string, keys []Key, ifNotExists bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all[name]; ok {
		if ifNotExists {
			return nil
		}
		return cherr.New(cherr.NamedCollectionAlreadyExists, "A named collection `%s` already exists", name)
	}
	return s.put(name, keys)
}

// Alter sets and deletes keys.
func (s *Store) Alter(name string, set []Key, drop []string, ifExists bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.changeable(name, "update")
	if err != nil {
		if ifExists && cherr.Is(err, cherr.NamedCollectionDoesntExist) {
			return nil
		}
		return err
	}
	keys := map[string]Key{}
	for _, k := range c.Keys {
		keys[k.Name] = k
	}
	for _, k := range set {
		keys[k.Name] = k
	}
	for _, k := range drop {
		if _, ok := keys[k]; !ok {
			return cherr.New(cherr.BadArguments, "Cannot delete key `%s` because it does not exist in collection", k)
		}
		delete(keys, k)
	}
	if len(keys) == 0 {
		return cherr.New(cherr.BadArguments, "Cannot remove all keys of collection `%s`", name)
	}
	next := make([]Key, 0, len(keys))
	for _, k := range keys {
		next = append(next, k)
	}
	return s.put(name, next)
}

// Drop removes a collection.
func (s *Store) Drop(name string, ifExists bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.changeable(name, "remove"); err != nil {
		if ifExists && cherr.Is(err, cherr.NamedCollectionDoesntExist) {
			return nil
		}
		return err
	}
	if s.dir != "" {
		if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diskError(err, "removing named collection `%s`", name)
		}
		syncFolder(s.dir)
	}
	delete(s.all, name)
	return nil
}

func (s *Store) changeable(name, doing string) (*Collection, error) {
	c, ok := s.all[name]
	switch {
	case !ok:
		return nil, cherr.New(cherr.NamedCollectionDoesntExist, "Cannot %s collection `%s`, because it doesn't exist.", doing, name)
	case c.Config:
		return nil, cherr.New(cherr.NamedCollectionIsImmutable, "Cannot %s collection `%s`, because it is defined in the configuration", doing, name)
	}
	return c, nil
}

func (s *Store) path(name string) string {
	return filepath.Join(s.dir, url.PathEscape(strings.ReplaceAll(name, ".", "%2E"))+".json")
}

// put writes beside the place and renames, readable by the server alone.
func (s *Store) put(name string, keys []Key) error {
	c := &Collection{Name: name, Keys: keys}
	c.order()
	for i := 1; i < len(c.Keys); i++ {
		if c.Keys[i].Name == c.Keys[i-1].Name {
			return cherr.New(cherr.BadArguments, "Key `%s` stands twice in the collection", c.Keys[i].Name)
		}
	}
	if s.dir == "" {
		s.all[name] = c
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		return cherr.New(cherr.BadArguments, "The collection `%s` cannot be kept", name)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return diskError(err, "keeping named collection `%s`", name)
	}
	tmp, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return diskError(err, "keeping named collection `%s`", name)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), s.path(name))
	}
	if err != nil {
		return diskError(err, "keeping named collection `%s`", name)
	}
	syncFolder(s.dir)
	s.all[name] = c
	return nil
}

// syncFolder makes names durable; some file systems cannot, and say so.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

func diskError(err error, format string, args ...any) error {
	return cherr.WithCode(cherr.CannotWriteToFileDescriptor, err, format, args...)
}
