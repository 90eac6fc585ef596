package engine

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/collections"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/functions"
	"lakeserver/memory"
	"lakeserver/settings"
)

// Version is the version of ClickHouse that the server presents itself as.
const Version = "26.7.2.1"

// Config is what an engine is made of.
type Config struct {
	Registry *functions.Registry
	// DataDir keeps definitions; "" keeps nothing.
	DataDir string
	// Memory is the server's tracker; nil counts nothing.
	Memory *memory.Tracker
	// Zone is the server's time zone, UTC if nil.
	Zone *time.Location
	// Settings are the defaults of every session.
	Settings *settings.Settings
	// MergeTreeAs is "memory", "iceberg" or "": what MergeTree engines, and tables without
	// an engine, become.
	MergeTreeAs string
	// DefaultEngine makes tables that name no engine; "": they must name one.
	DefaultEngine string
	// System provides the tables of the databases system and information_schema.
	System func(e *Engine) map[string][]*database.Entry
	// Access is the users and their rights; nil: everybody may do everything.
	Access *access.Store
	// Collections are the named collections; nil: there are none.
	Collections *collections.Store
	// DropCaches empties caches at SYSTEM DROP … CACHE; the command is given in
	// upper case, with the name behind it, if any. nil: there are none.
	DropCaches func(command, name string) error
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// Engine runs queries. It is safe for concurrent use.
type Engine struct {
	cfg       Config
	catalog   *database.Catalog
	processes *Processes
	log       *QueryLog
	events    *Events
	started   time.Time
	host      string

	mu        sync.RWMutex
	functions map[string]*ast.CreateFunction
}

// New makes an engine and loads the definitions of its data folder.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Zone == nil {
		cfg.Zone = time.UTC
	}
	if cfg.Settings == nil {
		cfg.Settings = settings.Default()
	}
	e := &Engine{
		cfg: cfg, catalog: database.New(), processes: newProcesses(), log: newQueryLog(),
		events: newEvents(), started: cfg.Now(), functions: map[string]*ast.CreateFunction{},
	}
	e.host, _ = os.Hostname()
	if cfg.System != nil {
		for db, entries := range cfg.System(e) {
			e.catalog.AddSystem(db, entries)
		}
	}
	if err := e.load(ctx); err != nil {
		return nil, err
	}
	if !e.catalog.HasDatabase("default") {
		db := &database.Database{Name: "default", Engine: "Atomic", UUID: newUUID()}
		if err := e.catalog.CreateDatabase(db, true); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// load enters what the data folder holds. A definition that cannot be used is
// an error: starting without a table would look like losing it.
func (e *Engine) load(ctx context.Context) error {
	if e.cfg.DataDir == "" {
		return nil
	}
	// Temporary files have no names while they are in use: what is there was left
	// in the moment between.
	if err := os.RemoveAll(e.tempDir()); err != nil {
		return cherr.WithCode(cherr.CannotUnlink, err, "emptying the folder of temporary files")
	}
	databases, tables, err := e.catalog.OpenDisk(e.cfg.DataDir)
	if err != nil {
		return err
	}
	for _, s := range databases {
		stmt, err := parse.Parse(s.SQL)
		if err != nil {
			return cherr.Wrap(err, "loading %s", s.Path)
		}
		if c, ok := stmt.(*ast.CreateDatabase); ok {
			if err := e.restoreDatabase(ctx, c); err != nil {
				return cherr.Wrap(err, "loading %s", s.Path)
			}
		}
	}
	s := e.NewSession(User{Name: "default"})
	for _, t := range tables {
		if err := s.restore(ctx, t); err != nil {
			return cherr.Wrap(err, "loading %s", t.Path)
		}
	}
	return nil
}

// tempDir is where queries put what does not fit into memory; "" without a data
// folder.
func (e *Engine) tempDir() string {
	if e.cfg.DataDir == "" {
		return ""
	}
	return filepath.Join(e.cfg.DataDir, "tmp")
}

// Catalog gives the databases.
func (e *Engine) Catalog() *database.Catalog { return e.catalog }

// Processes gives the running queries.
func (e *Engine) Processes() *Processes { return e.processes }

// Log gives the finished queries.
func (e *Engine) Log() *QueryLog { return e.log }

// Events gives the counters.
func (e *Engine) Events() *Events { return e.events }

// Registry gives the functions.
func (e *Engine) Registry() *functions.Registry { return e.cfg.Registry }

// Uptime gives the time since the start.
func (e *Engine) Uptime() time.Duration { return e.cfg.Now().Sub(e.started) }

// Zone gives the server's time zone.
func (e *Engine) Zone() *time.Location { return e.cfg.Zone }

// Access gives the users and their rights.
func (e *Engine) Access() *access.Store { return e.cfg.Access }

// Memory gives the server's tracker.
func (e *Engine) Memory() *memory.Tracker { return e.cfg.Memory }

// Host gives the machine's name.
func (e *Engine) Host() string { return e.host }

// env is what functions may know of one query.
func (e *Engine) env(s *Session, q *Query, set *settings.Settings) (*functions.Env, error) {
	zone := e.cfg.Zone
	if name := set.Get("session_timezone"); name != "" {
		loc, err := time.LoadLocation(name)
		if err != nil {
			return nil, cherr.New(cherr.BadArguments, "Setting session_timezone: invalid time zone `%s`", name)
		}
		zone = loc
	}
	roles := s.roles()
	return &functions.Env{
		ServerZone: e.Zone(),
		Settings:   set, Zone: zone, Now: e.cfg.Now(), Random: rand.Uint64,
		CurrentRoles: roles.Current, EnabledRoles: roles.Enabled, DefaultRoles: roles.Default,
		User: s.user.Name, Database: s.database, QueryID: q.ID, Host: e.host,
		Version: Version, Uptime: e.Uptime(), Registry: e.cfg.Registry,
	}, nil
}
