package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/change"
	"lakeserver/engine/database"
	"lakeserver/engine/exec"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
)

// deleteFrom is DELETE FROM.
func (r *run) deleteFrom(ctx context.Context, n *ast.Delete) error {
	if n.Partition != nil {
		return cherr.New(cherr.NotImplemented, "DELETE of one partition is not supported: name it in the condition")
	}
	return r.mutate(ctx, n.Table, []change.Mutation{{Where: n.Where}})
}

// update is UPDATE … SET.
func (r *run) update(ctx context.Context, n *ast.Update) error {
	if n.Partition != nil {
		return cherr.New(cherr.NotImplemented, "UPDATE of one partition is not supported: name it in the condition")
	}
	return r.mutate(ctx, n.Table, []change.Mutation{{Set: n.Set, Where: n.Where}})
}

// mostTries bounds how often a statement is run again that others were faster
// than.
const mostTries = 20

// again runs a change until nobody changes what it has read.
func again(f func() error) error {
	for try := 1; ; try++ {
		if err := f(); try == mostTries || !table.IsStale(err) {
			return err
		}
	}
}

// mutate does mutations one after the other, as one change of the table.
func (r *run) mutate(ctx context.Context, name *ast.TableName, list []change.Mutation) error {
	return again(func() error { return r.mutateOnce(ctx, name, list) })
}

func (r *run) mutateOnce(ctx context.Context, name *ast.TableName, list []change.Mutation) error {
	e, t, err := r.openForChange(ctx, name, "Mutations are not supported by storage %s")
	if err != nil {
		return err
	}
	req := &table.ChangeRequest{Kind: table.ChangeUpdate}
	if len(list) == 1 {
		var all bool
		if req.Where, all, err = r.knownConditions(ctx, t, list[0].Where); err != nil {
			return err
		}
		if list[0].Set == nil {
			req.Kind, req.Exact = table.ChangeDelete, all
		}
	}
	return r.change(ctx, e, t, req, func(target *change.Target) (*change.Query, error) { return target.Mutate(list) })
}

// merge is MERGE INTO.
func (r *run) merge(ctx context.Context, n *ast.Merge) error {
	if n.Target.Name == nil || n.Target.Version != nil || n.Target.Final || n.Target.Sample != nil {
		return cherr.New(cherr.BadArguments, "MERGE INTO takes the name of a table, not %s", ast.Format(n.Target))
	}
	return again(func() error {
		e, t, err := r.openForChange(ctx, n.Target.Name, "MERGE is not supported by storage %s")
		if err != nil {
			return err
		}
		return r.change(ctx, e, t, &table.ChangeRequest{Kind: table.ChangeMerge}, func(target *change.Target) (*change.Query, error) {
			target.Alias = n.Target.Alias
			return target.Merge(n)
		})
	})
}

// openForChange opens a table that is to change; views and tables that cannot
// are refused with the text.
func (r *run) openForChange(ctx context.Context, name *ast.TableName, refusal string) (*database.Entry, table.Table, error) {
	e, err := r.s.lookup(name.Database, name.Table)
	if err != nil {
		return nil, nil, err
	}
	if e.View != nil {
		return nil, nil, cherr.New(cherr.NotImplemented, refusal, e.EngineName())
	}
	t, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := t.(table.Changer); !ok {
		return nil, nil, cherr.New(cherr.NotImplemented, refusal, e.EngineName())
	}
	return e, t, nil
}

// knownConditions binds the conjuncts of a condition that need no query; all
// tells that they are the whole condition and mean the same at any time.
func (r *run) knownConditions(ctx context.Context, t table.Table, where ast.Expr) (bound []expr.Expr, all bool, err error) {
	conjuncts, all := change.Known(where)
	header := headerOfTable(t)
	if v, ok := t.(table.Virtual); ok {
		header = append(header, headerOfColumns(v.VirtualColumns())...)
	}
	for _, c := range conjuncts {
		b, err := analyze.BindOver(ctx, r.env, header, c)
		if err != nil {
			return nil, false, err
		}
		usable := expr.Deterministic(b)
		for _, i := range expr.Columns(b) {
			usable = usable && (i >= len(t.Columns()) || t.Columns()[i].Stored())
		}
		if usable {
			bound = append(bound, b)
		} else {
			all = false
		}
	}
	return bound, all, nil
}

func headerOfTable(t table.Table) column.Header { return headerOfColumns(t.Columns()) }

// change runs one change: the query finds the rows, the table takes them.
func (r *run) change(ctx context.Context, e *database.Entry, t table.Table, req *table.ChangeRequest, query func(*change.Target) (*change.Query, error)) error {
	changer, ok := t.(table.Changer)
	if !ok {
		cherr.Bug("%s takes no changes", e.Name)
	}
	ch, err := changer.Change(ctx, req)
	if err != nil {
		return err
	}
	if err := r.feedChange(ctx, e, t, ch, query); err != nil {
		// The change's error is what the user must see, whatever Abort says.
		_ = ch.Sink.Abort(context.WithoutCancel(ctx))
		return err
	}
	return ch.Sink.Commit(ctx)
}

func (r *run) feedChange(ctx context.Context, e *database.Entry, t table.Table, ch *table.Change, query func(*change.Target) (*change.Query, error)) error {
	all := append([]table.Column(nil), ch.Rows.Columns()...)
	if v, ok := ch.Rows.(table.Virtual); ok {
		all = append(all, v.VirtualColumns()...)
	}
	target := &change.Target{Name: e.Name, Columns: t.Columns(), Parse: r.env.Parse}
	for _, i := range ch.RowID {
		target.RowID = append(target.RowID, all[i].Name)
	}
	q, err := query(target)
	if err != nil {
		return err
	}
	env := *r.env
	env.Tables = &changeResolver{resolver: &resolver{r}, entry: e, version: t, rows: ch.Rows}
	for _, c := range q.Checks {
		if _, err := analyze.Query(ctx, &env, c); err != nil {
			return err
		}
	}
	a, err := analyze.Query(ctx, &env, q.Select)
	if err != nil {
		return err
	}
	res, err := r.optimized(ctx, a.Plan, exec.Options{NoResultLimits: true})
	if err != nil {
		return err
	}
	defer res.Stream.Close()
	f := &changeFeed{run: r, q: q, sink: ch.Sink, ids: len(ch.RowID), seen: map[[16]byte]struct{}{}}
	defer f.close()
	for {
		b, err := res.Stream.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := f.write(ctx, b); err != nil {
			return err
		}
	}
}

// changeResolver resolves names for the query of a change: the rows to look at, and
// the changed table itself as it was when the change began.
type changeResolver struct {
	*resolver
	entry   *database.Entry
	version table.Table
	rows    table.Table
}

// Table implements analyze.Resolver.
func (c *changeResolver) Table(ctx context.Context, db, name string, version *functions.TimeTravel) (table.Table, *analyze.View, error) {
	if db == change.Database {
		return c.rows, nil, nil
	}
	if version == nil {
		if e, err := c.r.s.lookup(db, name); err == nil && e == c.entry {
			return c.version, nil, c.r.opened(e, c.version)
		}
	}
	return c.resolver.Table(ctx, db, name, version)
}
