package engine

import (
	"context"
	"net/url"
	"path/filepath"

	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/memory"
)

// restoreDatabase enters a database from the data folder. A catalog elsewhere
// is not asked: a server starts without it.
func (e *Engine) restoreDatabase(ctx context.Context, c *ast.CreateDatabase) error {
	db := databaseOf(c)
	if d, ok := e.cfg.Registry.Database(db.Engine); ok {
		r, err := e.NewSession(User{Name: "default"}).restoring("")
		if err != nil {
			return err
		}
		if err := r.openExternal(ctx, c, db, d); err != nil {
			return err
		}
	}
	e.catalog.Restore(db, nil)
	return nil
}

// restoring makes a run for definitions that are read again.
func (s *Session) restoring(sql string) (*run, error) {
	q := &Query{ID: newUUID(), Text: sql}
	fenv, err := s.engine.env(s, q, s.settings)
	if err != nil {
		return nil, err
	}
	r := &run{s: s, q: q, set: s.settings, progress: &Progress{}, tracker: memory.New(s.engine.cfg.Memory, "query", 0)}
	r.env = r.analyzeEnv(fenv)
	return r, nil
}

// restore enters one definition from the data folder. The database is the
// folder that it lies in, which RENAME DATABASE moves as a whole.
func (s *Session) restore(ctx context.Context, st database.Stored) error {
	db, err := url.PathUnescape(filepath.Base(filepath.Dir(st.Path)))
	if err != nil {
		return err
	}
	if !s.engine.catalog.HasDatabase(db) {
		s.engine.catalog.Restore(&database.Database{Name: db, Engine: "Atomic"}, nil)
	}
	r, err := s.restoring(st.SQL)
	if err != nil {
		return err
	}
	e, err := r.storedEntry(ctx, st.SQL, db, "")
	if err != nil {
		return err
	}
	s.engine.catalog.Restore(nil, e)
	return nil
}
