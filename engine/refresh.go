package engine

import (
	"context"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/exec"
	"lakeserver/table"
)

// refreshTick is how often schedules are looked at.
const refreshTick = time.Second

// RefreshViews refreshes materialized views as their schedules say, until ctx
// ends. A view that fails is tried again at its next time; the failure stands in
// system.query_log.
func (e *Engine) RefreshViews(ctx context.Context) error {
	g, ctx := cherr.NewGroup(ctx)
	next := map[string]time.Time{}
	running := make(chan string, 64)
	busy := map[string]bool{}
	tick := time.NewTicker(refreshTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case name := <-running:
			delete(busy, name)
			continue
		case <-tick.C:
		}
		now := e.cfg.Now()
		for _, v := range e.catalog.Materialized() {
			create, _ := v.Create.(*ast.CreateView)
			if create.Refresh == nil {
				continue
			}
			id := v.UUID
			at, known := next[id]
			if !known && create.Empty {
				at = nextRefresh(create.Refresh.Schedule, now)
				next[id] = at
			}
			if busy[id] || at.After(now) {
				continue
			}
			next[id], busy[id] = nextRefresh(create.Refresh.Schedule, now), true
			g.Go(func() error { // ends with the refresh or ctx
				e.refreshOnce(ctx, v, create.Refresh)
				select {
				case running <- id:
				case <-ctx.Done():
				}
				return nil
			})
		}
	}
}

// refreshOnce runs one refresh as a statement of the server's own.
func (e *Engine) refreshOnce(ctx context.Context, v *database.Entry, r *ast.Refresh) {
	s := e.NewSession(User{Name: "default"})
	defer s.Close()
	q := &Query{
		Database: v.Database, Text: "SYSTEM REFRESH VIEW " + ast.Format(&ast.TableName{Database: v.Database, Table: v.Name}), Interface: "refresh",
	}
	for _, x := range r.Settings {
		if strings.HasPrefix(x.Name, "refresh_") {
			continue
		}
		if text, err := settingText(x.Value); err == nil {
			q.Settings = append(q.Settings, Setting{x.Name, text})
		}
	}
	if res, err := s.Execute(ctx, q); err == nil { // a failure is in the log already
		_ = res.Close(nil)
	}
}

// refreshView is SYSTEM REFRESH VIEW: the view's table gets what its query
// gives now, or with APPEND gets it besides.
func (r *run) refreshView(ctx context.Context, name *ast.TableName) error {
	v, err := r.s.lookup(name.Database, name.Table)
	if err != nil {
		return err
	}
	create, ok := v.Create.(*ast.CreateView)
	if !ok || create.Refresh == nil {
		return cherr.New(cherr.BadArguments, "%s.%s is not a refreshable materialized view", v.Database, v.Name)
	}
	if incremental(create.Refresh) {
		return again(func() error { return r.refreshNew(ctx, v) })
	}
	r.enterDatabase(v.Database)
	_, err = r.insert(ctx, &ast.Insert{Table: viewTarget(v), Overwrite: !create.Refresh.Append, Query: ast.Clone(create.Query)})
	return err
}

// enterDatabase makes a database the current one for the rest of the statement.
func (r *run) enterDatabase(db string) {
	env, fenv := *r.env, *r.env.Functions
	fenv.Database = db
	env.Functions = &fenv
	env.Tables = &fedResolver{resolver: &resolver{r}, database: db}
	r.env = &env
}

// incremental tells whether a refresh reads only the rows that came since the
// last one.
func incremental(r *ast.Refresh) bool {
	for _, s := range r.Settings {
		if s.Name == "refresh_incremental" {
			text, err := settingText(s.Value)
			return err == nil && (text == "1" || text == "true")
		}
	}
	return false
}

// refreshNew appends what the view's query gives over the rows that came since
// the last refresh. How far it read is noted in the commit that brings the rows,
// so that each is taken exactly once.
func (r *run) refreshNew(ctx context.Context, v *database.Entry) error {
	create, _ := v.Create.(*ast.CreateView)
	from := fedBy(create.Query)
	if from == nil {
		return cherr.New(cherr.BadArguments, "An incremental refresh needs a query that reads a table")
	}
	db := from.Database
	if db == "" {
		db = v.Database
	}
	source, err := r.s.lookup(db, from.Table)
	if err != nil {
		return err
	}
	if source.View != nil {
		return cherr.New(cherr.NotImplemented, "An incremental refresh cannot read a view")
	}
	t, err := source.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return err
	}
	h, ok := t.(table.Historian)
	if !ok {
		return cherr.New(cherr.NotImplemented, "An incremental refresh cannot read storage %s, which has no history", source.EngineName())
	}
	f, target, err := r.openTarget(ctx, v, source)
	if err != nil {
		return err
	}
	m, ok := f.stored.(table.Marked)
	if !ok {
		return cherr.New(cherr.NotImplemented, "An incremental refresh cannot write to storage %s, which keeps no notes", target.EngineName())
	}
	mark := table.Mark{Key: v.Database + "." + v.Name, Now: h.Version()}
	if mark.Was, err = m.Mark(mark.Key); err != nil || mark.Was == mark.Now {
		return err
	}
	if f.rows, err = h.Since(mark.Was); err != nil {
		return err
	}
	node, err := f.plan(ctx)
	if err != nil {
		return err
	}
	app, err := r.withViews(target, f.target, &marking{m, mark}, 1)
	if err != nil {
		return err
	}
	res, err := r.optimized(ctx, node, exec.Options{NoResultLimits: true})
	if err != nil {
		return err
	}
	defer res.Stream.Close()
	return r.write(ctx, app, node.Header(), res.Stream)
}

// marking is an append that leaves a note.
type marking struct {
	to   table.Marked
	mark table.Mark
}

// Append implements table.Appender.
func (m *marking) Append(ctx context.Context, names []string) (table.Sink, error) {
	return m.to.AppendMarked(ctx, names, m.mark)
}
