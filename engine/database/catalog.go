package database

import (
	"context"
	"sort"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/functions"
	"lakeserver/table"
)

// Catalog is the databases of a server. It is safe for concurrent use. Changes
// are written to disk before they are seen.
type Catalog struct {
	mu   sync.RWMutex
	dbs  map[string]*Database
	disk *disk // nil: nothing is durable
}

// Database is one database. Its fields are guarded by the catalog's lock.
type Database struct {
	Name    string
	Engine  string // Atomic, Memory, System …
	Comment string
	UUID    string
	entries map[string]*Entry
	// System databases are made by the server and cannot be changed.
	System bool
	// External, if any, keeps the tables; Create is then the whole statement.
	External functions.External
	Create   *ast.CreateDatabase
}

// Entry is one table or view. It is immutable: ALTER puts another in its place.
type Entry struct {
	Database, Name string
	UUID           string
	Temporary      bool
	// Create is the statement that made it: *ast.CreateTable or *ast.CreateView.
	Create ast.Statement
	// Columns are what is known without opening: declared ones, or a view's header.
	Columns []table.Column
	// Engine opens the table with Request; nil for views and built-in tables.
	Engine  *functions.Engine
	Request *functions.OpenRequest
	// View is the query of a view.
	View ast.Query
	// Builtin opens a table that the server itself provides.
	Builtin func(ctx context.Context, env *functions.Env) (table.Table, error)
	Comment string
}

// EngineName gives what system.tables shows as engine.
func (e *Entry) EngineName() string {
	switch {
	case e.Request != nil:
		return e.Request.Name
	case e.View != nil:
		if v, ok := e.Create.(*ast.CreateView); ok && v.Materialized {
			return "MaterializedView"
		}
		return "View"
	}
	return "System" + strings.ToUpper(e.Name[:1]) + e.Name[1:]
}

// Open gives the table's present version, or the one asked for.
func (e *Entry) Open(ctx context.Context, env *functions.Env, version *functions.TimeTravel) (table.Table, error) {
	if e.Builtin != nil {
		if version != nil {
			return nil, cherr.New(cherr.BadArguments, "Table %s.%s has no versions", e.Database, e.Name)
		}
		return e.Builtin(ctx, env)
	}
	req := *e.Request
	req.Version = version
	t, err := e.Engine.Open(ctx, env, &req)
	return t, cherr.Wrap(err, "opening table %s.%s", e.Database, e.Name)
}

// New makes a catalog without databases that keeps nothing on disk.
func New() *Catalog { return &Catalog{dbs: map[string]*Database{}} }

// AddSystem registers a database that the server provides.
func (c *Catalog) AddSystem(name string, entries []*Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	db := &Database{Name: name, Engine: "Memory", System: true, entries: map[string]*Entry{}}
	for _, e := range entries {
		e.Database = name
		db.entries[e.Name] = e
	}
	c.dbs[name] = db
}

// CreateDatabase makes a database.
func (c *Catalog) CreateDatabase(db *Database, ifNotExists bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.dbs[db.Name]; ok {
		if ifNotExists {
			return nil
		}
		return cherr.New(cherr.DatabaseAlreadyExists, "Database %s already exists.", db.Name)
	}
	if err := c.disk.saveDatabase(db); err != nil {
		return err
	}
	db.entries = map[string]*Entry{}
	c.dbs[db.Name] = db
	return nil
}

// DropDatabase drops a database with its tables and gives them.
func (c *Catalog) DropDatabase(name string, ifExists, ifEmpty bool) ([]*Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	db, err := c.database(name)
	if err != nil {
		if ifExists {
			return nil, nil
		}
		return nil, err
	}
	if db.System {
		return nil, cherr.New(cherr.AccessDenied, "Database %s cannot be dropped", name)
	}
	if ifEmpty && len(db.entries) > 0 {
		return nil, cherr.New(cherr.DatabaseNotEmpty, "Database %s is not empty", name)
	}
	if err := c.disk.dropDatabase(name); err != nil {
		return nil, err
	}
	delete(c.dbs, name)
	return sorted(db.entries), nil
}

// RenameDatabase gives a database another name.
func (c *Catalog) RenameDatabase(from, to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	db, err := c.database(from)
	if err != nil {
		return err
	}
	if _, ok := c.dbs[to]; ok {
		return cherr.New(cherr.DatabaseAlreadyExists, "Database %s already exists.", to)
	}
	if db.External != nil {
		return cherr.New(cherr.NotImplemented, "Database %s of engine %s cannot be renamed", from, db.Engine)
	}
	if err := c.disk.renameDatabase(from, to); err != nil {
		return err
	}
	renamed := &Database{Name: to, Engine: db.Engine, Comment: db.Comment, UUID: db.UUID, entries: map[string]*Entry{}}
	for n, e := range db.entries {
		moved := *e
		moved.Database = to
		renamed.entries[n] = &moved
	}
	delete(c.dbs, from)
	c.dbs[to] = renamed
	return nil
}

func (c *Catalog) database(name string) (*Database, error) {
	db, ok := c.dbs[name]
	if !ok {
		return nil, cherr.New(cherr.UnknownDatabase, "Database %s does not exist", name)
	}
	return db, nil
}

// HasDatabase tells whether a database exists.
func (c *Catalog) HasDatabase(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.dbs[name]
	return ok
}

// Databases gives a copy of every database's description, by name.
func (c *Catalog) Databases() []Database {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]Database, 0, len(c.dbs))
	for _, db := range c.dbs {
		d := *db
		d.entries = nil
		out = append(out, d)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Lookup finds a table; UNKNOWN_DATABASE or UNKNOWN_TABLE if there is none.
func (c *Catalog) Lookup(db, name string) (*Entry, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d, err := c.database(db)
	if err != nil {
		return nil, err
	}
	if e, ok := d.entries[name]; ok {
		return e, nil
	}
	if d.External != nil {
		return d.externalEntry(name), nil
	}
	if d.System { // system tables may be written in any case only if stored so
		if e, ok := d.entries[strings.ToLower(name)]; ok && db == "INFORMATION_SCHEMA" {
			return e, nil
		}
	}
	return nil, unknown(db, name)
}

func unknown(db, name string) error {
	return cherr.New(cherr.UnknownTable, "Table %s.%s does not exist", ast.QuoteName(db), ast.QuoteName(name))
}

// Tables gives the entries of a database by name; none for an unknown one.
func (c *Catalog) Tables(db string) []*Entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d, ok := c.dbs[db]
	if !ok {
		return nil
	}
	return sorted(d.entries)
}

// Materialized gives the materialized views of all databases, by name.
func (c *Catalog) Materialized() []*Entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := map[string]*Entry{}
	for _, db := range c.dbs {
		for _, e := range db.entries {
			if v, ok := e.Create.(*ast.CreateView); ok && v.Materialized {
				found[e.Database+"."+e.Name] = e
			}
		}
	}
	return sorted(found)
}

func sorted(m map[string]*Entry) []*Entry {
	out := make([]*Entry, 0, len(m))
	for _, e := range m {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// External gives the catalog that keeps a database's tables; nil for others.
func (c *Catalog) External(db string) functions.External {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d := c.dbs[db]; d != nil {
		return d.External
	}
	return nil
}

// externalEntry describes a table that a catalog elsewhere keeps. Whether it is
// there, opening tells.
func (d *Database) externalEntry(name string) *Entry {
	eng := d.External.Table(name)
	return &Entry{
		Database: d.Name, Name: name, Engine: eng,
		Request: &functions.OpenRequest{Name: eng.Name, Options: map[string]string{}},
		Create: &ast.CreateTable{
			Name: &ast.TableName{Database: d.Name, Table: name}, Storage: &ast.Storage{Engine: &ast.Function{Name: eng.Name}},
		},
	}
}

// ExternalTables lists the tables of a database that a catalog elsewhere keeps.
func (c *Catalog) ExternalTables(ctx context.Context, db string) ([]*Entry, error) {
	c.mu.RLock()
	d := c.dbs[db]
	c.mu.RUnlock()
	if d == nil || d.External == nil {
		return nil, nil
	}
	names, err := d.External.Names(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]*Entry, len(names))
	for i, n := range names {
		out[i] = d.externalEntry(n)
	}
	return out, nil
}
