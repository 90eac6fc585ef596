package objstore

import (
	"container/list"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"lakeserver/cherr"
)

// Access is what a store is reached with: by a query's arguments, a named
// collection or a catalog. Its values are secrets and belong in no message.
type Access struct {
	NoSign    bool // requests carry no signature
	KeyID     string
	Secret    string
	Token     string // of a session
	Region    string
	PathStyle *bool // nil: told by the host

	RoleARN, RoleSession, ExternalID, STSEndpoint string

	Headers [][2]string // sent with every request

	// Server lets the server's own credentials be used: environment, instance,
	// web identity.
	Server bool

	Account, AccountKey, ConnectionString, SAS string // Azure
	TenantID, ClientID, ClientSecret           string
	User                                       string // HDFS

	// Refresh gives new credentials when the ones at hand have run out; nil: they
	// last. Scope names where they come from, for caches; it is no secret.
	Refresh func(ctx context.Context) (*Access, error)
	Expires time.Time
	Scope   string
	// Sign signs a request in place of keys: a catalog does it; nil: keys do.
	Sign func(r *http.Request) error

	// Cache names the cache on disk for ranges of files; "": none.
	Cache string

	// Endpoint, if any, is where the stores of s3:// addresses are.
	Endpoint string
	Retry    Retry
}

// Opener opens the store that an address lies in and gives the address as a
// path of that store.
type Opener func(ctx context.Context, address string, a *Access) (s Store, path string, err error)

// Registry opens stores by the scheme of an address, and keeps those lately
// used, with their connections. It is safe for concurrent use.
type Registry struct {
	hosts   *Hosts
	schemes map[string]Opener
	caches  map[string]*DiskCache

	mu    sync.Mutex
	order *list.List // of *kept, most recent first
	kept  map[string]*list.Element
}

type kept struct {
	key   string
	store Store
}

// maxKept bounds the stores whose connections are kept.
const maxKept = 256

// NewRegistry makes a registry without stores; hosts may be nil.
func NewRegistry(hosts *Hosts) *Registry {
	return &Registry{hosts: hosts, schemes: map[string]Opener{}, order: list.New(), kept: map[string]*list.Element{}}
}

// Hosts says which hosts may be reached.
func (r *Registry) Hosts() *Hosts { return r.hosts }

// Register adds an opener for schemes; it is called while the server is wired.
func (r *Registry) Register(open Opener, schemes ...string) {
	for _, s := range schemes {
		r.schemes[s] = open
	}
}

// Scheme gives an address's scheme in lower case, "" for a bare path.
func Scheme(address string) string {
	i := strings.Index(address, ":")
	if i <= 0 || strings.ContainsAny(address[:i], "/.?*{") {
		return ""
	}
	return strings.ToLower(address[:i])
}

// Open opens the store of an address. kind, if given, is the scheme by which
// to open it whatever the address says (https may be S3 or Azure).
func (r *Registry) Open(ctx context.Context, kind, address string, a *Access) (Store, string, error) {
	if a == nil {
		a = &Access{}
	}
	scheme := kind
	if scheme == "" {
		scheme = Scheme(address)
	}
	open := r.schemes[scheme]
	if open == nil {
		return nil, "", cherr.New(cherr.BadArguments, "Addresses of the scheme '%s' cannot be read", scheme)
	}
	s, path, err := open(ctx, address, a)
	base, far := s.(*remote)
	if err != nil || a.Cache == "" || !far {
		return s, path, err
	}
	c := r.caches[a.Cache]
	if c == nil {
		return nil, "", cherr.New(cherr.BadArguments, "There is no cache by name: %s", a.Cache)
	}
	s, err = r.once("cache|"+a.Cache+"|"+base.identity, func() (Store, error) { return base.through(c), nil })
	return s, path, err
}

// Caches gives stores caches on disk, by name; it is called while the server is
// wired.
func (r *Registry) Caches(caches map[string]*DiskCache) { r.caches = caches }

// once gives the store kept under key, or makes it.
func (r *Registry) once(key string, build func() (Store, error)) (Store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if el, ok := r.kept[key]; ok {
		r.order.MoveToFront(el)
		return el.Value.(*kept).store, nil
	}
	s, err := build()
	if err != nil {
		return nil, err
	}
	r.kept[key] = r.order.PushFront(&kept{key, s})
	for r.order.Len() > maxKept {
		last := r.order.Back()
		delete(r.kept, last.Value.(*kept).key)
		r.order.Remove(last)
	}
	return s, nil
}

// RegisterLocal adds the local disk to a registry, for addresses that catalogs
// give; the store's roots hold.
func RegisterLocal(r *Registry, local Store) {
	r.Register(func(_ context.Context, address string, _ *Access) (Store, string, error) {
		return local, stripLocalScheme(address), nil
	}, "file")
}
