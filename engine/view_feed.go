package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/table"
)

// mostViews bounds how far views may feed each other.
const mostViews = 16

// feeding is a table with the materialized views that an INSERT into it feeds.
type feeding struct {
	run    *run
	app    table.Appender
	entry  *database.Entry
	source table.Table
	depth  int
}

// withViews gives what takes the rows of an INSERT, and hands them to the
// materialized views over the table.
func (r *run) withViews(e *database.Entry, t table.Table, app table.Appender, depth int) (table.Appender, error) {
	if e == nil || len(r.viewsOver(e)) == 0 {
		return app, nil
	}
	if depth >= mostViews {
		return nil, cherr.New(cherr.TooDeepRecursion, "Materialized views over table %s.%s feed each other without end", e.Database, e.Name)
	}
	return &feeding{r, app, e, t, depth}, nil
}

// viewsOver gives the materialized views whose query reads a table first.
func (r *run) viewsOver(e *database.Entry) []*database.Entry {
	var out []*database.Entry
	for _, v := range r.s.engine.catalog.Materialized() {
		create, _ := v.Create.(*ast.CreateView)
		if create.Refresh != nil {
			continue
		}
		if n := fedBy(create.Query); n != nil && n.Table == e.Name && (n.Database == e.Database || n.Database == "" && v.Database == e.Database) {
			out = append(out, v)
		}
	}
	return out
}

// fedBy gives the table whose new rows a view's query is run over: the first
// that it reads. nil: none.
func fedBy(q ast.Query) *ast.TableName {
	s, ok := q.(*ast.Select)
	if !ok {
		return nil
	}
	from := s.From
	for {
		switch t := from.(type) {
		case *ast.Join:
			from = t.Left
		case *ast.ArrayJoin:
			from = t.Input
		case *ast.TableExpr:
			if t.Query != nil {
				return fedBy(t.Query)
			}
			return t.Name
		default:
			return nil
		}
	}
}

// Append implements table.Appender.
func (f *feeding) Append(ctx context.Context, names []string) (table.Sink, error) {
	sink, err := f.app.Append(ctx, names)
	if err != nil {
		return nil, err
	}
	out := &feedingSink{Sink: sink}
	rows := &insertedRows{names: names, columns: f.source.Columns()}
	for _, v := range f.run.viewsOver(f.entry) {
		feed, err := f.run.newViewFeed(ctx, v, f.entry, rows, f.depth)
		if err != nil {
			_ = out.Abort(context.WithoutCancel(ctx))
			return nil, cherr.Wrap(err, "feeding materialized view %s.%s", v.Database, v.Name)
		}
		out.feeds = append(out.feeds, feed)
	}
	return out, nil
}

// feedingSink writes to the table first, then to its views. They are committed
// one after the other: a view that fails leaves the table's rows, as in
// ClickHouse.
type feedingSink struct {
	table.Sink
	feeds []*viewFeed
}

// Write implements table.Sink.
func (s *feedingSink) Write(ctx context.Context, b *column.Block) error {
	if err := s.Sink.Write(ctx, b); err != nil {
		return err
	}
	for _, f := range s.feeds {
		if err := f.write(ctx, b); err != nil {
			return cherr.Wrap(err, "feeding materialized view %s.%s", f.view.Database, f.view.Name)
		}
	}
	return nil
}

// Commit implements table.Sink.
func (s *feedingSink) Commit(ctx context.Context) error {
	if err := s.Sink.Commit(ctx); err != nil {
		return err
	}
	for _, f := range s.feeds {
		if f.sink == nil {
			continue
		}
		if err := f.sink.Commit(ctx); err != nil {
			return cherr.Wrap(err, "feeding materialized view %s.%s", f.view.Database, f.view.Name)
		}
	}
	return nil
}

// Abort implements table.Sink.
func (s *feedingSink) Abort(ctx context.Context) error {
	err := s.Sink.Abort(ctx)
	for _, f := range s.feeds {
		if f.sink != nil {
			_ = f.sink.Abort(ctx) // the first error is the table's own
		}
	}
	return err
}

// insertedRows is the rows of one block of an INSERT as the table that they go
// to.
type insertedRows struct {
	names   []string // of the block's columns
	columns []table.Column
	block   *column.Block
}

// Columns implements table.Table.
func (t *insertedRows) Columns() []table.Column { return t.columns }

// Scan implements table.Table.
func (t *insertedRows) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	out := &column.Block{Rows: t.block.Rows}
	for _, i := range req.Columns {
		c := column.Column(column.NewConst(column.Default(t.columns[i].Type, 1), t.block.Rows))
		for k, name := range t.names {
			if name == t.columns[i].Name {
				c = t.block.Columns[k]
			}
		}
		out.Columns = append(out.Columns, c)
	}
	return []column.Stream{column.Blocks(out)}, nil
}

// viewFeed runs a view's query over new rows and writes what it gives to the
// view's table.
type viewFeed struct {
	run    *run
	view   *database.Entry
	env    analyze.Env
	rows   table.Table // in place of the table that the view reads
	fresh  *insertedRows
	app    table.Appender
	target table.Table // as declared
	stored table.Table
	sink   table.Sink // nil before the first row
}

func (r *run) newViewFeed(ctx context.Context, v, source *database.Entry, rows *insertedRows, depth int) (*viewFeed, error) {
	f, e, err := r.openTarget(ctx, v, source)
	if err != nil {
		return nil, err
	}
	fresh := *rows
	f.rows, f.fresh = &fresh, &fresh
	app, ok := f.stored.(table.Appender)
	if !ok {
		return nil, cherr.New(cherr.NotImplemented, "Method write is not supported by storage %s", e.EngineName())
	}
	f.app, err = r.withViews(e, f.target, app, depth+1)
	return f, err
}

// openTarget opens the table of a view; the rows that it reads are still to be
// said.
func (r *run) openTarget(ctx context.Context, v, source *database.Entry) (*viewFeed, *database.Entry, error) {
	e, err := r.targetOf(v)
	if err != nil {
		return nil, nil, err
	}
	t, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return nil, nil, err
	}
	f := &viewFeed{run: r, view: v, target: &declaredTable{t, asDeclared(t.Columns(), e.Columns)}, stored: t, env: *r.env}
	fenv := *r.env.Functions
	fenv.Database = v.Database
	f.env.Functions = &fenv
	f.env.Tables = &fedResolver{resolver: &resolver{r}, source: source, feed: f, database: v.Database}
	return f, e, nil
}

// targetOf gives the table that a materialized view writes to.
func (r *run) targetOf(v *database.Entry) (*database.Entry, error) {
	n := viewTarget(v)
	if n == nil {
		return nil, cherr.New(cherr.NotImplemented, "Method write is not supported by storage View")
	}
	return r.s.engine.catalog.Lookup(n.Database, n.Table)
}

// viewTarget names the table of a materialized view; nil for other views.
func viewTarget(v *database.Entry) *ast.TableName {
	c, ok := v.Create.(*ast.CreateView)
	switch {
	case !ok || !c.Materialized:
		return nil
	case c.To != nil && c.To.Database != "":
		return c.To
	case c.To != nil:
		return &ast.TableName{Database: v.Database, Table: c.To.Table}
	}
	return &ast.TableName{Database: v.Database, Table: innerTable(v.Name)}
}

// innerTable names the table of a view that names none.
func innerTable(view string) string { return ".inner." + view }

// plan gives the rows of the view's table for the rows at hand.
func (f *viewFeed) plan(ctx context.Context) (plan.Node, error) {
	create, _ := f.view.Create.(*ast.CreateView)
	a, err := analyze.Query(ctx, &f.env, create.Query)
	if err != nil {
		return nil, err
	}
	node, err := f.byName(a.Plan)
	if err != nil {
		return nil, err
	}
	if node, err = f.run.withDefaults(ctx, node, f.target); err != nil {
		return nil, err
	}
	return f.run.withinRange(node, f.stored)
}

func (f *viewFeed) write(ctx context.Context, b *column.Block) error {
	f.fresh.block = b
	node, err := f.plan(ctx)
	if err != nil {
		return err
	}
	res, err := f.run.optimized(ctx, node, exec.Options{NoResultLimits: true})
	if err != nil {
		return err
	}
	defer res.Stream.Close()
	for {
		out, err := res.Stream.Next(ctx)
		if err != nil || out == nil {
			return err
		}
		if out.Rows == 0 {
			continue
		}
		if f.sink == nil {
			names := make([]string, len(node.Header()))
			for i, h := range node.Header() {
				names[i] = h.Name
			}
			if f.sink, err = f.app.Append(ctx, names); err != nil {
				return err
			}
		}
		if err := f.sink.Write(ctx, out); err != nil {
			return err
		}
	}
}

// byName gives the columns of the view's query that its table has, cast.
func (f *viewFeed) byName(in plan.Node) (plan.Node, error) {
	p := &plan.Project{Input: in}
	var asked []table.Column
	for i, h := range in.Header() {
		at := indexOf(f.target.Columns(), h.Name)
		if at < 0 || !insertable(f.target.Columns()[at]) {
			continue
		}
		p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: h.Name, T: h.Type})
		p.Fields = append(p.Fields, h)
		asked = append(asked, f.target.Columns()[at])
	}
	if len(asked) == 0 {
		return nil, cherr.New(cherr.ThereIsNoColumn, "The query of the view gives no column that its table has")
	}
	return f.run.queryPlan(p, asked)
}

// fedResolver reads new rows in place of the table that they went to.
type fedResolver struct {
	*resolver
	source   *database.Entry
	feed     *viewFeed
	database string // of the view
}

// Table implements analyze.Resolver.
func (v *fedResolver) Table(ctx context.Context, db, name string, version *functions.TimeTravel) (table.Table, *analyze.View, error) {
	if db == "" {
		db = v.database
	}
	if version == nil && v.source != nil && db == v.source.Database && name == v.source.Name {
		return v.feed.rows, nil, nil
	}
	return v.resolver.Table(ctx, db, name, version)
}
