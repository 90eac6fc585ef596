package engine

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/exec"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// insert runs INSERT: the rows of a SELECT or of the client, cast to the
// target's types, with defaults for the columns that were not given.
func (r *run) insert(ctx context.Context, n *ast.Insert) (*Result, error) {
	query, err := r.structuring(ctx, n)
	if err != nil {
		return nil, err
	}
	e, t, err := r.insertTarget(ctx, n, query)
	if err != nil {
		return nil, err
	}
	app, static, err := r.insertInto(ctx, t, n)
	if err != nil {
		return nil, err
	}
	said := &declaredTable{t, t.Columns()}
	if e != nil {
		said.columns = asDeclared(t.Columns(), e.Columns)
	}
	if app, err = r.withViews(e, said, app, 0); err != nil {
		return nil, err
	}
	cols, err := r.insertColumns(said, n)
	if err != nil {
		return nil, err
	}
	source, err := r.insertSource(ctx, n, query, said, withoutStatic(cols, said, static))
	if err != nil {
		return nil, err
	}
	if source, err = r.withStatic(source, said, static); err != nil {
		return nil, err
	}
	full, err := r.withDefaults(ctx, source, said)
	if err != nil {
		return nil, err
	}
	if full, err = r.withinRange(full, t); err != nil {
		return nil, err
	}
	if app, full, err = r.partitioned(ctx, n, app, full); err != nil {
		return nil, err
	}
	res, err := r.optimized(ctx, full, exec.Options{NoResultLimits: true})
	if err != nil {
		return nil, err
	}
	defer res.Stream.Close()
	return &Result{Kind: KindInsert}, r.write(ctx, app, full.Header(), res.Stream)
}

// insertInto gives what takes the rows, and the columns that the statement
// itself gives to all of them.
func (r *run) insertInto(ctx context.Context, t table.Table, n *ast.Insert) (table.Appender, map[string]table.Argument, error) {
	if n.Overwrite {
		o, err := r.overwriter(ctx, t, n)
		if err != nil {
			return nil, nil, err
		}
		return o, o.staticColumns(t), nil
	}
	app, ok := t.(table.Appender)
	if !ok {
		return nil, nil, cherr.New(cherr.NotImplemented, "Method write is not supported by this table")
	}
	return app, nil, nil
}

// insertTarget opens the table; the entry, which knows the columns as CREATE
// TABLE names them, is nil for table functions.
func (r *run) insertTarget(ctx context.Context, n *ast.Insert, query *analyze.Result) (e *database.Entry, t table.Table, err error) {
	if n.Function != nil {
		var h column.Header
		if query != nil {
			h = query.Header
		}
		t, err = analyze.OpenTarget(ctx, r.env, n.Function, h)
		return nil, t, err
	}
	if e, err = r.s.lookup(n.Table.Database, n.Table.Table); err != nil {
		return nil, nil, err
	}
	if e.View != nil {
		view := e
		if e, err = r.targetOf(view); err != nil {
			return nil, nil, err
		}
		if n.Columns == nil { // rows of the view, not of its table
			for _, c := range view.Columns {
				n.Columns = append(n.Columns, ast.NewIdentifier(c.Name))
			}
		}
	}
	t, err = e.Open(ctx, r.env.Functions, nil)
	return e, t, err
}

// declaredTable is a table with what CREATE TABLE says of its columns and the
// table itself cannot hold.
type declaredTable struct {
	table.Table
	columns []table.Column
}

// Columns implements table.Table.
func (t *declaredTable) Columns() []table.Column { return t.columns }

// asDeclared gives the columns with their declared defaults and the types that
// rows are read in. Lakes have no unsigned integers: a column declared as one
// is stored signed, and what does not fit is an error, not another number.
func asDeclared(cols, declared []table.Column) []table.Column {
	out := slices.Clone(cols)
	for i := range out {
		d := indexOf(declared, out[i].Name)
		if d < 0 {
			continue
		}
		if out[i].DefaultKind == "" {
			out[i].DefaultKind, out[i].DefaultExpr = declared[d].DefaultKind, declared[d].DefaultExpr
		}
		from, to := types.Unwrap(declared[d].Type), types.Unwrap(out[i].Type)
		if k := from.Kind(); (k == types.KindUInt32 || k == types.KindUInt64) && to.IsInteger() && to.IsSigned() {
			out[i].Type = declared[d].Type
		}
	}
	return out
}

// withinRange brings unsigned columns to the signed type that stores them.
func (r *run) withinRange(source plan.Node, t table.Table) (plan.Node, error) {
	header, all := source.Header(), t.Columns()
	var p *plan.Project
	for i, f := range header {
		at := indexOf(all, f.Name)
		if at < 0 || f.Type.Equal(all[at].Type) {
			continue
		}
		if p == nil {
			p = identity(source)
		}
		e, err := r.s.engine.cfg.Registry.Call(r.env.Functions, "accurateCast", &expr.Column{Index: i, Name: f.Name, T: f.Type}, expr.NewLiteral(types.String, all[at].Type.String()))
		if err != nil {
			return nil, err
		}
		p.Exprs[i], p.Fields[i].Type = e, all[at].Type
	}
	if p == nil {
		return source, nil
	}
	return p, nil
}

// insertColumns gives the indexes of the columns that the rows bring, in order.
func (r *run) insertColumns(t table.Table, n *ast.Insert) ([]int, error) {
	all := t.Columns()
	if n.Columns == nil {
		var out []int
		for i, c := range all {
			if insertable(c) {
				out = append(out, i)
			}
		}
		return out, nil
	}
	names, err := analyze.InsertColumns(n.Columns, all)
	if err != nil {
		return nil, err
	}
	out := make([]int, 0, len(names))
	seen := map[string]bool{}
	for _, name := range names {
		i := indexOf(all, name)
		switch {
		case i < 0:
			return nil, cherr.New(cherr.NoSuchColumnInTable, "No such column %s in table %s", name, tableText(n))
		case seen[name]:
			return nil, cherr.New(cherr.DuplicateColumn, "Column %s is specified more than once", name)
		case all[i].DefaultKind == "MATERIALIZED" || all[i].DefaultKind == "ALIAS":
			return nil, cherr.New(cherr.IllegalColumn, "Cannot insert column %s, because it is %s column", name, all[i].DefaultKind)
		}
		seen[name] = true
		out = append(out, i)
	}
	return out, nil
}

func insertable(c table.Column) bool {
	return c.DefaultKind == "" || c.DefaultKind == "DEFAULT"
}

func indexOf(cols []table.Column, name string) int {
	for i := range cols {
		if cols[i].Name == name {
			return i
		}
	}
	return -1
}

func tableText(n *ast.Insert) string {
	if n.Table != nil {
		return n.Table.Table
	}
	return n.Function.Name
}

// insertSource is a plan whose header is the inserted columns, cast.
func (r *run) insertSource(ctx context.Context, n *ast.Insert, a *analyze.Result, t table.Table, cols []int) (plan.Node, error) {
	all := t.Columns()
	want := make(column.Header, len(cols))
	asked := make([]table.Column, len(cols))
	for i, c := range cols {
		want[i] = column.Field{Name: all[c].Name, Type: all[c].Type}
		asked[i] = all[c]
	}
	if n.Query != nil {
		if a == nil {
			var err error
			if a, err = analyze.Analyze(ctx, r.env, &ast.QueryStatement{Query: n.Query}); err != nil {
				return nil, err
			}
		}
		if len(a.Header) != len(want) {
			return nil, cherr.New(cherr.NumberOfColumnsDoesntMatch,
				"Number of columns doesn't match (source: %d and result: %d)", len(a.Header), len(want))
		}
		return r.queryPlan(a.Plan, asked)
	}
	if r.q.Input == nil {
		return nil, cherr.New(cherr.NoDataToInsert, "No data to insert")
	}
	req := InputRequest{Header: want, Table: asked, Format: n.DataFormat, Infile: n.Infile, Settings: r.set}
	if n.Data != nil && n.Data.End <= len(r.q.Text) {
		req.Inline = []byte(r.q.Text[n.Data.Start:n.Data.End])
	}
	header, stream, err := r.q.Input(ctx, req)
	if err != nil {
		return nil, err
	}
	return r.inputPlan(header, stream, asked)
}

// inputPlan casts what a client sends: by name where the names are the
// target's, else by position.
func (r *run) inputPlan(full column.Header, s column.Stream, asked []table.Column) (plan.Node, error) {
	header, want := full[:len(full)-countOmitted(full)], headerOfColumns(asked)
	in := &plan.Scan{Table: &streamTable{header: full, stream: s}, Name: "input", Fields: full}
	for i := range full {
		in.Columns = append(in.Columns, i)
	}
	byName := true
	for _, f := range header {
		byName = byName && want.Index(f.Name) >= 0
	}
	p := &plan.Project{Input: in, Fields: want}
	for i, f := range want {
		from := i
		if byName {
			from = header.Index(f.Name)
		}
		if from < 0 || from >= len(header) {
			if byName {
				d := column.Default(f.Type, 1)
				p.Exprs = append(p.Exprs, &expr.Literal{Value: d, T: f.Type})
				continue
			}
			return nil, cherr.New(cherr.NumberOfColumnsDoesntMatch, "Number of columns doesn't match (source: %d and result: %d)", len(header), len(want))
		}
		e, err := r.castColumn(from, header[from], f)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, e)
	}
	return withMasks(p, full[len(header):], len(header)), nil
}

// castColumn gives column i of type from as the target's type. A NULL for a
// column without NULL becomes the default (insert_null_as_default).
func (r *run) castColumn(i int, from, to column.Field) (expr.Expr, error) {
	e := expr.Expr(&expr.Column{Index: i, Name: from.Name, T: from.Type})
	if from.Type.Equal(to.Type) {
		return e, nil
	}
	reg, env := r.s.engine.cfg.Registry, r.env.Functions
	if from.Type.IsNullable() && !to.Type.IsNullable() && r.set.Bool("insert_null_as_default") {
		d := &expr.Literal{Value: column.Default(to.Type, 1), T: to.Type}
		nullable := to.Type
		if nullable.CanBeNullable() {
			nullable = types.Nullable(nullable)
		}
		c, err := reg.Call(env, "_CAST", e, expr.NewLiteral(types.String, nullable.String()))
		if err != nil {
			return nil, err
		}
		filled, err := reg.Call(env, "ifNull", c, d)
		if err != nil {
			return nil, err
		}
		return reg.Call(env, "_CAST", filled, expr.NewLiteral(types.String, to.Type.String()))
	}
	return reg.Call(env, "_CAST", e, expr.NewLiteral(types.String, to.Type.String()))
}

// write sends the blocks to the table, all or none.
func (r *run) write(ctx context.Context, app table.Appender, h column.Header, s column.Stream) error {
	names := make([]string, len(h))
	for i := range h {
		names[i] = h[i].Name
	}
	sink, err := app.Append(ctx, names)
	if err != nil {
		return err
	}
	for {
		b, err := s.Next(ctx)
		if err == nil && b == nil {
			return sink.Commit(ctx)
		}
		if err == nil && b.Rows > 0 {
			r.progress.WrittenRows.Add(int64(b.Rows))
			r.progress.WrittenBytes.Add(b.Size())
			err = sink.Write(ctx, b)
		}
		if err != nil {
			// The rows' error is what the user must see, whatever Abort says.
			_ = sink.Abort(context.WithoutCancel(ctx))
			return err
		}
	}
}

// streamTable is a client's rows as a table that is scanned once.
type streamTable struct {
	header column.Header
	stream column.Stream
}

// Columns implements table.Table.
func (t *streamTable) Columns() []table.Column {
	out := make([]table.Column, len(t.header))
	for i, f := range t.header {
		out[i] = table.Column{Name: f.Name, Type: f.Type}
	}
	return out
}

// Scan implements table.Table.
func (t *streamTable) Scan(_ context.Context, req *table.ScanRequest) ([]column.Stream, error) {
	req.Report = &table.Report{}
	return []column.Stream{&picked{t.stream, req.Columns}}, nil
}

// picked takes some columns of a stream.
type picked struct {
	column.Stream
	columns []int
}

func (p *picked) Next(ctx context.Context) (*column.Block, error) {
	b, err := p.Stream.Next(ctx)
	if err != nil || b == nil {
		return b, err
	}
	out := &column.Block{Rows: b.Rows}
	for _, i := range p.columns {
		out.Columns = append(out.Columns, b.Columns[i])
	}
	return out, nil
}
