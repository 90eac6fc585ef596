package engine

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/settings"
)

// User is who runs queries.
type User struct {
	Name     string
	Settings *settings.Settings // of the user's profile; nil: the server's
	ReadOnly bool
	// Access is what the user may do; nil: everything.
	Access *access.Session
	// LocalFiles lets table functions read any path of the machine: the
	// user's own process (lakeserver query).
	LocalFiles bool
}

// Session is what lasts between a client's queries: settings, the current
// database, temporary tables. Queries of one session run one at a time, except
// that a connection may cancel.
type Session struct {
	engine   *Engine
	user     User
	mu       sync.Mutex
	settings *settings.Settings
	custom   map[string]string // settings that are not ours: custom_x, param_x
	database string
	temp     map[string]*database.Entry
}

// NewSession starts a session.
func (e *Engine) NewSession(u User) *Session {
	set := u.Settings
	if set == nil {
		set = e.cfg.Settings
	}
	return &Session{
		engine: e, user: u, settings: set, database: "default",
		custom: map[string]string{}, temp: map[string]*database.Entry{},
	}
}

// Engine gives the engine.
func (s *Session) Engine() *Engine { return s.engine }

// User gives the session's user.
func (s *Session) User() User { return s.user }

// Database gives the current database.
func (s *Session) Database() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.database
}

// Use changes the current database; UNKNOWN_DATABASE if there is none.
func (s *Session) Use(db string) error {
	if !s.engine.catalog.HasDatabase(db) {
		return cherr.New(cherr.UnknownDatabase, "Database %s does not exist", ast.QuoteName(db))
	}
	if err := s.mayUse(db); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.database = db
	return nil
}

// Settings gives the session's settings.
func (s *Session) Settings() *settings.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Set changes one setting for the session.
func (s *Session) Set(name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.checked(s.settings, name, value)
	if err != nil {
		return err
	}
	s.settings = next
	return nil
}

// checked gives set with one more value; what readonly forbids is READONLY.
func (s *Session) checked(set *settings.Settings, name, value string) (*settings.Settings, error) {
	if set.Get(name) == value {
		return set.With(name, value)
	}
	rule := s.rule(name)
	if err := rule.Check(value); err != nil {
		return nil, err
	}
	if rule.Writable == "CHANGEABLE_IN_READONLY" {
		return set.With(name, value)
	}
	if s.user.ReadOnly && set.Get(name) != value {
		return nil, cherr.New(cherr.Readonly, "Cannot modify '%s' setting in readonly mode", name)
	}
	if set.Get("readonly") == "1" && set.Get(name) != value {
		return nil, cherr.New(cherr.Readonly, "Cannot modify '%s' setting in readonly mode", name)
	}
	if name == "session_timezone" && value != "" {
		// Refused here: once it stood, no further statement could run.
		if _, err := time.LoadLocation(value); err != nil {
			return nil, cherr.New(cherr.BadArguments, "Exception: Invalid time zone: %s", value)
		}
	}
	return set.With(name, value)
}

// Close ends the session; temporary tables are gone.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.temp = map[string]*database.Entry{}
}

// lookup finds a table: temporary ones first where no database is named.
func (s *Session) lookup(db, name string) (*database.Entry, error) {
	s.mu.Lock()
	temp, ok := s.temp[name]
	current := s.database
	s.mu.Unlock()
	if db == "" && ok {
		return temp, nil
	}
	if db == "" {
		db = current
	}
	return s.engine.catalog.Lookup(db, name)
}

// qualified gives the database that an unqualified name is in.
func (s *Session) qualified(n *ast.TableName) (db, name string) {
	if n.Database != "" {
		return n.Database, n.Table
	}
	return s.Database(), n.Table
}

// newUUID makes a random UUID in text form.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
