package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"

	"lakeserver/cherr"
)

// State is all entities, by name. A state that a Store gave is not changed.
type State struct {
	Users    map[string]*User    `json:"users,omitempty"`
	Roles    map[string]*Role    `json:"roles,omitempty"`
	Profiles map[string]*Profile `json:"profiles,omitempty"`
	Policies map[string]*Policy  `json:"policies,omitempty"`
	Quotas   map[string]*Quota   `json:"quotas,omitempty"`
}

func newState() *State {
	return &State{Users: map[string]*User{}, Roles: map[string]*Role{}, Profiles: map[string]*Profile{}, Policies: map[string]*Policy{}, Quotas: map[string]*Quota{}}
}

// Store keeps the entities: those of the configuration, which do not change,
// and those of SQL, in one file. It is safe for concurrent use.
type Store struct {
	path   string // "": nothing is kept
	fixed  *State
	write  sync.Mutex
	made   *State // of SQL; under write
	joined atomic.Pointer[version]
	usage  usage
}

type version struct {
	number uint64
	state  *State
}

// fileVersion is the form of the file.
const fileVersion = 1

type file struct {
	Version int    `json:"version"`
	State   *State `json:"state"`
}

// Open reads the store of a folder ("" keeps nothing) and joins what the
// configuration says. A file that cannot be read is an error: to go on without
// would let in who was shut out.
func Open(dir string, fixed *State) (*Store, error) {
	s := &Store{fixed: newState().with(fixed, StorageConfig), made: newState()}
	if dir != "" {
		s.path = filepath.Join(dir, "access.json")
		text, err := os.ReadFile(s.path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, cherr.WithCode(cherr.CannotOpenFile, err, "reading %s", s.path)
		}
		if err == nil {
			f := file{State: newState()}
			if err := json.Unmarshal(text, &f); err != nil || f.Version != fileVersion {
				return nil, cherr.New(cherr.CannotParseInputAssertionFailed, "%s is damaged or of a newer version (%d)", s.path, f.Version)
			}
			s.made = f.State
		}
	}
	s.publish(1)
	return s, nil
}

// with joins other's entities in, marked with their storage; the first of a
// name stays.
func (s *State) with(other *State, storage string) *State {
	if other == nil {
		return s
	}
	join(s.Users, other.Users, func(u User) *User { u.Storage = storage; return &u })
	join(s.Roles, other.Roles, func(u Role) *Role { u.Storage = storage; return &u })
	join(s.Profiles, other.Profiles, func(u Profile) *Profile { u.Storage = storage; return &u })
	join(s.Policies, other.Policies, func(u Policy) *Policy { u.Storage = storage; return &u })
	join(s.Quotas, other.Quotas, func(u Quota) *Quota { u.Storage = storage; return &u })
	return s
}

func join[T any](to, from map[string]*T, mark func(T) *T) {
	for name, x := range from {
		if to[name] == nil {
			to[name] = mark(*x)
		}
	}
}

func (s *Store) publish(number uint64) {
	s.joined.Store(&version{number, newState().with(s.fixed, StorageConfig).with(s.made, StorageDisk)})
}

// State gives all entities as they are now.
func (s *Store) State() *State { return s.joined.Load().state }

// Version changes with every change.
func (s *Store) Version() uint64 { return s.joined.Load().number }

// Update changes what SQL made. change gets a copy; it is kept and shown to
// others when change has no error and it is on disk.
func (s *Store) Update(change func(*State) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	text, err := json.Marshal(s.made)
	if err != nil {
		return cherr.Wrap(err, "copying the access entities")
	}
	next := newState()
	if err := json.Unmarshal(text, next); err != nil {
		return cherr.Wrap(err, "copying the access entities")
	}
	if err := change(next); err != nil {
		return err
	}
	if err := s.save(next); err != nil {
		return err
	}
	s.made = next
	s.publish(s.Version() + 1)
	return nil
}

// save writes the file anew beside the old and puts it in its place, so that
// at any moment the one or the other is whole.
func (s *Store) save(next *State) error {
	if s.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(file{fileVersion, next}, "", " ")
	if err != nil {
		return cherr.Wrap(err, "writing %s", s.path)
	}
	if err := replaceFile(s.path, text); err != nil {
		return cherr.WithCode(cherr.CannotWriteToFileDescriptor, err, "writing %s", s.path)
	}
	return nil
}

func replaceFile(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".access-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// NewID makes an entity's id.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// NameID makes an id that is the same for the same name.
func NameID(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Sorted gives the entities of a kind by name.
func Sorted[T any](m map[string]*T) []*T {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	out := make([]*T, len(names))
	for i, n := range names {
		out[i] = m[n]
	}
	return out
}

// Fixed tells whether a user or role is the configuration's.
func (s *Store) Fixed(name string) bool {
	return s.fixed.Users[name] != nil || s.fixed.Roles[name] != nil
}

// Forget takes a dropped or renamed (to is its new name) user or role out of
// all that names it.
func (s *State) Forget(from, to string) {
	holders := make([]*Holder, 0, len(s.Users)+len(s.Roles))
	for _, u := range s.Users {
		u.DefaultRoles, u.Grantees = u.DefaultRoles.renamed(from, to), u.Grantees.renamed(from, to)
		holders = append(holders, &u.Holder)
	}
	for _, r := range s.Roles {
		holders = append(holders, &r.Holder)
	}
	for _, h := range holders {
		var roles []RoleGrant
		for _, g := range h.Roles {
			if g.Role == from {
				g.Role = to
			}
			if g.Role != "" {
				roles = append(roles, g)
			}
		}
		h.Roles = roles
	}
	for _, p := range s.Profiles {
		p.To = p.To.renamed(from, to)
	}
	for _, p := range s.Policies {
		p.To = p.To.renamed(from, to)
	}
	for _, q := range s.Quotas {
		q.To = q.To.renamed(from, to)
	}
}

// Holder gives the user or role of a name; nil if there is none.
func (s *State) Holder(name string) *Holder {
	if u := s.Users[name]; u != nil {
		return &u.Holder
	}
	if r := s.Roles[name]; r != nil {
		return &r.Holder
	}
	return nil
}
