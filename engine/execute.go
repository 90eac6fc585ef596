package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/expr"
	"lakeserver/memory"
	"lakeserver/settings"
)

// run is one statement on its way through the engine.
type run struct {
	s        *Session
	q        *Query
	set      *settings.Settings // session's and query's, joined
	env      *analyze.Env
	proc     *Process
	tracker  *memory.Tracker
	progress *Progress
	stop     context.CancelFunc // of max_execution_time; nil without
	tables   openedTables
	after    afterwards
}

// Execute runs one statement. The result's stream is lazy: a SELECT runs while
// it is read. Statements without rows are done when Execute returns. ctx ends
// the query, also while the result is read.
func (s *Session) Execute(ctx context.Context, q *Query) (res *Result, err error) {
	var r *run
	defer func() {
		if v := recover(); v != nil {
			err = cherr.Recovered(v)
			if r != nil {
				r.end(err)
			}
		}
	}()
	if q.ID == "" {
		q.ID = newUUID()
	}
	stmt, err := parse.Parse(q.Text)
	if err != nil {
		return nil, err
	}
	r, ctx, err = s.begin(ctx, q, stmt)
	if err != nil {
		return nil, err
	}
	res, err = r.statement(ctx, stmt)
	if err != nil {
		err = r.causeOf(ctx, err)
		r.end(err)
		return nil, err
	}
	r.attach(ctx, res)
	return res, nil
}

// begin joins the settings and enters the query among the processes.
func (s *Session) begin(ctx context.Context, q *Query, stmt ast.Statement) (*run, context.Context, error) {
	if q.Database != "" {
		if err := s.Use(q.Database); err != nil {
			return nil, nil, err
		}
	}
	set, err := s.joinedSettings(q, stmt)
	if err != nil {
		return nil, nil, err
	}
	fenv, err := s.engine.env(s, q, set)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r := &run{s: s, q: q, set: set, progress: &Progress{}}
	r.tracker = memory.New(s.engine.cfg.Memory, "query", int64(set.Uint("max_memory_usage")))
	ctx = expr.WithTracker(ctx, r.tracker)
	r.proc = &Process{
		ID: q.ID, User: s.user.Name, Database: s.Database(), Text: redacted(q.Text, stmt), Interface: q.Interface,
		Client: q.Client, Address: q.Address, Started: s.engine.cfg.Now(), Progress: r.progress, Memory: r.tracker,
		Settings: changed(set), cancel: cancel, Kind: kindOf(stmt),
	}
	if err := s.engine.processes.add(r.proc); err != nil {
		cancel(err)
		return nil, nil, err
	}
	fenv.Condition, fenv.After = r.condition, r.after.add
	r.env = r.analyzeEnv(fenv)
	if sec := set.Float("max_execution_time"); sec > 0 {
		limit := time.Duration(sec * float64(time.Second))
		cause := cherr.New(cherr.TimeoutExceeded, "Timeout exceeded: maximum: %g seconds", sec)
		ctx, r.stop = context.WithTimeoutCause(ctx, limit, cause)
	}
	return r, ctx, nil
}

// end takes the query out of the processes and writes the log.
func (r *run) end(err error) {
	r.proc.cancel(err)
	if r.stop != nil {
		r.stop()
	}
	r.s.engine.processes.remove(r.proc)
	r.spendResult(err)
	e := LogEntry{Process: r.proc, Finished: r.s.engine.cfg.Now(), PeakMemory: r.tracker.Peak()}
	if err != nil {
		e.Code, e.Message = cherr.CodeOf(err), err.Error()
	}
	r.s.engine.log.add(e)
	r.s.engine.count(r, err)
}

// causeOf says why a context ended: killed, timed out, or the client left.
func (r *run) causeOf(ctx context.Context, err error) error {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// attach makes the result end the query, and watch its borders.
func (r *run) attach(ctx context.Context, res *Result) {
	res.progress, res.memory, res.finish = r.progress, r.tracker, r.end
	if res.Settings == nil {
		res.Settings = r.set
	}
	if res.Kind == "" {
		res.Kind = r.proc.Kind
	}
	inner := res.Stream
	if inner == nil {
		inner = column.Blocks()
	}
	res.Stream = &border{run: r, ctx: ctx, inner: inner}
}

// border is the session's edge of a result: the query's own context and limits
// apply, panics become errors, rows are counted.
type border struct {
	run   *run
	ctx   context.Context // the query's: cancelled by KILL QUERY and max_execution_time
	inner column.Stream
}

func (b *border) Next(ctx context.Context) (blk *column.Block, err error) {
	defer func() {
		if v := recover(); v != nil {
			blk, err = nil, cherr.Recovered(v)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	blk, err = b.inner.Next(b.ctx)
	if err != nil {
		return nil, b.run.causeOf(b.ctx, err)
	}
	if blk == nil {
		return nil, b.run.causeOf(b.ctx, b.run.after.do(b.ctx))
	}
	b.run.progress.ResultRows.Add(int64(blk.Rows))
	b.run.progress.ResultBytes.Add(blk.Size())
	return blk, nil
}

func (b *border) Close() error { return b.inner.Close() }

// statement runs one statement: one line a kind.
func (r *run) statement(ctx context.Context, stmt ast.Statement) (*Result, error) { // long: one case a statement
	if err := r.allowed(stmt); err != nil {
		return nil, err
	}
	if err := r.permitted(stmt); err != nil {
		return nil, err
	}
	switch n := stmt.(type) {
	case *ast.QueryStatement:
		return r.query(ctx, n)
	case *ast.Insert:
		return r.insert(ctx, n)
	case *ast.Explain:
		return r.explain(ctx, n)
	case *ast.Set:
		return done(r.setStatement(n))
	case *ast.Use:
		return done(r.s.Use(n.Database))
	case *ast.CreateDatabase:
		return done(r.createDatabase(ctx, n))
	case *ast.CreateTable:
		return r.createTable(ctx, n)
	case *ast.CreateView:
		return done(r.createView(ctx, n))
	case *ast.CreateFunction:
		return done(r.createFunction(n))
	case *ast.CreateNamedCollection:
		return done(r.createCollection(n))
	case *ast.AlterCollection:
		return done(r.alterCollection(n))
	case *ast.Drop:
		return done(r.drop(ctx, n))
	case *ast.Rename:
		return done(r.rename(ctx, n))
	case *ast.Alter:
		return r.alter(ctx, n)
	case *ast.Delete:
		return done(r.deleteFrom(ctx, n))
	case *ast.Update:
		return done(r.update(ctx, n))
	case *ast.Merge:
		return done(r.merge(ctx, n))
	case *ast.Optimize:
		return done(r.optimize(ctx, n))
	case *ast.Describe:
		return r.describe(ctx, n)
	case *ast.Exists:
		return r.exists(ctx, n)
	case *ast.Show:
		return r.show(ctx, n)
	case *ast.Kill:
		return r.kill(ctx, n)
	case *ast.System:
		return done(r.system(ctx, n))
	case *ast.Check:
		return r.check(ctx, n)
	case *ast.CreateAccess:
		return done(r.createAccess(ctx, n))
	case *ast.Grant:
		return done(r.grant(n))
	case *ast.SetRole:
		return done(r.setRole(n))
	case *ast.ExecuteAs:
		return r.executeAs(ctx, n)
	case *ast.Transaction:
		return done(nil)
	}
	return nil, cherr.New(cherr.NotImplemented, "This statement is not supported")
}

func done(err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	return &Result{}, nil
}

// allowed refuses what changes something to read-only users and requests.
func (r *run) allowed(stmt ast.Statement) error {
	if !r.s.user.ReadOnly && !r.q.ReadOnly && r.set.Get("readonly") == "0" {
		return nil
	}
	switch stmt.(type) {
	case *ast.QueryStatement, *ast.Explain, *ast.Describe, *ast.Exists, *ast.Show, *ast.Use, *ast.Check:
		return nil
	case *ast.Set:
		if r.set.Get("readonly") == "2" {
			return nil
		}
	}
	return cherr.New(cherr.Readonly, "%s: Cannot execute query in readonly mode", r.s.user.Name)
}

func kindOf(stmt ast.Statement) Kind {
	switch s := stmt.(type) {
	case *ast.QueryStatement:
		return KindSelect
	case *ast.Insert:
		return KindInsert
	case *ast.CreateTable, *ast.CreateView, *ast.CreateDatabase, *ast.CreateFunction, *ast.CreateNamedCollection:
		return "Create"
	case *ast.Drop:
		return "Drop"
	case *ast.Alter, *ast.AlterCollection:
		return "Alter"
	case *ast.Explain:
		return "Explain"
	case *ast.Show:
		return "Show"
	case *ast.Describe:
		return "Describe"
	case *ast.Set:
		return "Set"
	case *ast.Use:
		return "Use"
	case *ast.Rename:
		return "Rename"
	case *ast.Optimize:
		return "Optimize"
	case *ast.System:
		return "System"
	case *ast.Delete:
		return "Delete"
	case *ast.Update:
		return "Update"
	case *ast.Merge:
		return "Merge"
	case *ast.Kill:
		return "KillQuery"
	case *ast.Exists:
		return "Exists"
	case *ast.ExecuteAs:
		return kindOf(s.Statement)
	}
	return KindOther
}

// redacted is the text that lists and logs show: secrets in the arguments of
// functions and engines are hidden, inline data is left out.
func redacted(text string, stmt ast.Statement) string {
	if stmt == nil {
		return ast.RedactText(text)
	}
	if ins, ok := stmt.(*ast.Insert); ok && ins.Data != nil {
		bare := *ins
		bare.Data, text = nil, strings.TrimSpace(text[:min(ins.Data.Start, len(text))])
		stmt = &bare
	}
	if hidden := ast.Redact(stmt); hidden != ast.Format(stmt) {
		return hidden
	}
	return text
}

func changed(set *settings.Settings) map[string]string {
	m := map[string]string{}
	for _, n := range set.Names() {
		m[n] = set.Get(n)
	}
	return m
}

func (e *Engine) count(r *run, err error) {
	e.events.Add("Query", 1)
	switch r.proc.Kind {
	case KindSelect:
		e.events.Add("SelectQuery", 1)
	case KindInsert:
		e.events.Add("InsertQuery", 1)
		e.events.Add("InsertedRows", r.progress.WrittenRows.Load())
		e.events.Add("InsertedBytes", r.progress.WrittenBytes.Load())
	}
	if err != nil {
		e.events.Add("FailedQuery", 1)
	}
	e.events.Add("SelectedRows", r.progress.ReadRows.Load())
	e.events.Add("SelectedBytes", r.progress.ReadBytes.Load())
	for name, n := range r.progress.Events() {
		e.events.Add(name, n)
	}
}
