package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/table"
)

// drop is DROP, DETACH and TRUNCATE.
func (r *run) drop(ctx context.Context, n *ast.Drop) error {
	if n.Verb == ast.VerbUndrop {
		return cherr.New(cherr.NotImplemented, "UNDROP is not supported: dropped definitions are gone")
	}
	switch n.Object {
	case ast.ObjectDatabase:
		return r.dropDatabase(ctx, n)
	case ast.ObjectFunction:
		return r.dropFunction(n)
	case ast.ObjectNamedCollection:
		return r.dropCollections(n)
	case ast.ObjectTables:
		return r.truncateAll(ctx, n)
	case ast.ObjectUser, ast.ObjectRole, ast.ObjectRowPolicy, ast.ObjectQuota, ast.ObjectSettingsProfile:
		return r.dropAccess(n)
	case ast.ObjectTable, ast.ObjectView, ast.ObjectMaterializedView, ast.ObjectDictionary, ast.ObjectAny:
	default:
		return cherr.New(cherr.NotImplemented, "%s cannot be dropped", n.Object)
	}
	for _, t := range n.Tables {
		if err := r.dropTable(ctx, n, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) dropTable(ctx context.Context, n *ast.Drop, t *ast.TableName) error {
	if n.Verb == ast.VerbTruncate {
		return r.truncate(ctx, t, n.IfExists)
	}
	if t.Database == "" && r.dropTemporary(t.Table) {
		return nil
	}
	if n.Temporary {
		if n.IfExists {
			return nil
		}
		return cherr.New(cherr.UnknownTable, "Temporary table %s does not exist", t.Table)
	}
	db, name := r.s.qualified(t)
	if n.Object == ast.ObjectView {
		if e, err := r.s.engine.catalog.Lookup(db, name); err == nil && e.View == nil {
			return cherr.New(cherr.IncorrectQuery, "Table %s.%s is not a View", db, name)
		}
	}
	e, err := r.s.engine.catalog.Drop(db, name, n.Verb == ast.VerbDetach)
	if n.IfExists && (cherr.Is(err, cherr.UnknownTable) || cherr.Is(err, cherr.UnknownDatabase)) {
		return nil
	}
	if err != nil || n.Verb == ast.VerbDetach {
		return err
	}
	if err := r.dropInner(ctx, e); err != nil {
		return err
	}
	err = r.forget(ctx, e)
	if n.IfExists && cherr.Is(err, cherr.UnknownTable) { // a catalog elsewhere says it only now
		return nil
	}
	return err
}

// forget lets the engine of a dropped table do what is left to do.
func (r *run) forget(ctx context.Context, e *database.Entry) error {
	if e.Engine == nil || e.Engine.Drop == nil {
		return nil
	}
	return e.Engine.Drop(ctx, r.env.Functions, e.Request)
}

func (r *run) dropTemporary(name string) bool {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	_, ok := r.s.temp[name]
	delete(r.s.temp, name)
	return ok
}

func (r *run) dropDatabase(ctx context.Context, n *ast.Drop) error {
	for _, t := range n.Tables {
		if n.Verb == ast.VerbTruncate {
			if err := r.truncateTables(ctx, r.s.engine.catalog.Tables(t.Database)); err != nil {
				return err
			}
			continue
		}
		entries, err := r.s.engine.catalog.DropDatabase(t.Database, n.IfExists, n.IfEmpty)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := r.forget(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) dropFunction(n *ast.Drop) error {
	e := r.s.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range n.Names {
		if _, ok := e.functions[name]; !ok && !n.IfExists {
			return cherr.New(cherr.UnknownFunction, "The function '%s' doesn't exist", name)
		}
		delete(e.functions, name)
	}
	return nil
}

func (r *run) truncate(ctx context.Context, t *ast.TableName, ifExists bool) error {
	e, err := r.s.lookup(t.Database, t.Table)
	if err != nil {
		if ifExists && cherr.Is(err, cherr.UnknownTable) {
			return nil
		}
		return err
	}
	return r.truncateTables(ctx, []*database.Entry{e})
}

func (r *run) truncateAll(ctx context.Context, n *ast.Drop) error {
	for _, t := range n.Tables {
		db := t.Database
		if db == "" {
			db = r.s.Database()
		}
		if err := r.truncateTables(ctx, r.s.engine.catalog.Tables(db)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) truncateTables(ctx context.Context, entries []*database.Entry) error {
	for _, e := range entries {
		if e.View != nil {
			return cherr.New(cherr.NotImplemented, "Truncate is not supported by storage View")
		}
		t, err := e.Open(ctx, r.env.Functions, nil)
		if err != nil {
			return err
		}
		tr, ok := t.(table.Truncater)
		if !ok {
			return cherr.New(cherr.NotImplemented, "Truncate is not supported by storage %s", e.EngineName())
		}
		if err := tr.Truncate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rename is RENAME and EXCHANGE.
func (r *run) rename(ctx context.Context, n *ast.Rename) error {
	c := r.s.engine.catalog
	for _, p := range n.Pairs {
		if n.Object == ast.ObjectDatabase {
			if err := c.RenameDatabase(p.From.Database, p.To.Database); err != nil {
				return err
			}
			continue
		}
		fromDB, from := r.s.qualified(p.From)
		toDB, to := r.s.qualified(p.To)
		done, err := r.renameExternal(ctx, fromDB, from, toDB, to, n.Exchange)
		if done {
		} else if n.Exchange {
			err = c.Exchange(fromDB, from, toDB, to)
		} else {
			err = c.Rename(fromDB, from, toDB, to)
		}
		if n.IfExists && cherr.Is(err, cherr.UnknownTable) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attachTable brings back what DETACH took away.
func (r *run) attachTable(ctx context.Context, db, name string, ifNotExists bool) error {
	c := r.s.engine.catalog
	if _, err := c.Lookup(db, name); err == nil {
		if ifNotExists {
			return nil
		}
		return cherr.New(cherr.TableAlreadyExists, "Table %s.%s already exists", db, name)
	}
	text, err := c.Detached(db, name)
	if err != nil {
		return err
	}
	e, err := r.storedEntry(ctx, text, db, name)
	if err != nil {
		return err
	}
	if _, err := c.Create(e, false); err != nil {
		return err
	}
	return c.ForgetDetached(db, name)
}

// storedEntry makes an entry of a definition that was kept.
func (r *run) storedEntry(ctx context.Context, text, db, name string) (*database.Entry, error) {
	stmt, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	switch n := stmt.(type) {
	case *ast.CreateTable:
		if name == "" {
			name = n.Name.Table
		}
		return r.entryOf(ctx, n, db, name)
	case *ast.CreateView:
		if name == "" {
			name = n.Name.Table
		}
		e, err := r.viewEntry(ctx, n, db, name)
		if err != nil { // a view over what is gone is kept: it fails when read
			e = &database.Entry{Database: db, Name: name, Create: n}
			e.View = readsOf(e, n.Query)
		}
		return e, nil
	}
	return nil, cherr.New(cherr.IncorrectData, "A stored definition is neither a table nor a view")
}
