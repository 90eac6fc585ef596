package engine

import (
	"context"
	"net/url"
	"path/filepath"

	"lakeserver/engine/database"
	"lakeserver/memory"
)

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
	q := &Query{ID: newUUID(), Text: st.SQL}
	fenv, err := s.engine.env(s, q, s.settings)
	if err != nil {
		return err
	}
	r := &run{s: s, q: q, set: s.settings, progress: &Progress{}, tracker: memory.New(s.engine.cfg.Memory, "query", 0)}
	r.env = r.analyzeEnv(fenv)
	e, err := r.storedEntry(ctx, st.SQL, db, "")
	if err != nil {
		return err
	}
	s.engine.catalog.Restore(nil, e)
	return nil
}
