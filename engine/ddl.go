package engine

import (
	"context"
	"errors"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/functions"
	"lakeserver/table"
)

func databaseOf(n *ast.CreateDatabase) *database.Database {
	db := &database.Database{Name: n.Name, Engine: "Atomic", UUID: newUUID()}
	if n.Storage != nil && n.Storage.Engine != nil {
		db.Engine = n.Storage.Engine.Name
	}
	if n.Comment != nil {
		db.Comment = n.Comment.Text
	}
	return db
}

func (r *run) createDatabase(ctx context.Context, n *ast.CreateDatabase) error {
	db := databaseOf(n)
	if d, ok := r.s.engine.cfg.Registry.Database(db.Engine); ok {
		return r.createExternal(ctx, n, db, d)
	}
	switch db.Engine {
	case "Atomic", "Ordinary", "Memory", "Lazy":
	default:
		return cherr.New(cherr.UnknownDatabaseEngine, "Unknown database engine: %s", db.Engine)
	}
	return r.s.engine.catalog.CreateDatabase(db, n.IfNotExists)
}

// createTable makes a table and, with AS SELECT, fills it.
func (r *run) createTable(ctx context.Context, n *ast.CreateTable) (*Result, error) {
	n, err := r.asIceberg(n)
	if err != nil {
		return nil, err
	}
	db, name := r.s.qualified(n.Name)
	if n.Attach && len(n.Columns) == 0 && n.Storage == nil {
		return done(r.attachTable(ctx, db, name, n.IfNotExists))
	}
	if exists, err := r.existsAlready(ctx, db, name, n.Temporary); err != nil {
		return nil, err
	} else if exists && n.IfNotExists {
		return done(nil)
	} else if exists && !n.Replace {
		return nil, cherr.New(cherr.TableAlreadyExists, "Table %s.%s already exists", db, name)
	}
	e, err := r.entryOf(ctx, n, db, name)
	if err != nil {
		return nil, err
	}
	if err := r.place(ctx, e, n); err != nil {
		return nil, err
	}
	if e.Engine.Layout {
		if e.Request.Definition, err = r.definition(ctx, n); err != nil {
			return nil, err
		}
	}
	if err := r.makeTable(ctx, e); err != nil {
		return nil, err
	}
	if err := r.enter(e, n.Replace); err != nil {
		return nil, err
	}
	if n.AsQuery == nil || n.Empty {
		return done(nil)
	}
	res, err := r.insert(ctx, &ast.Insert{Table: &ast.TableName{Database: e.Database, Table: name}, Query: n.AsQuery})
	if err != nil && !n.Replace && !n.IfNotExists && !n.Temporary && e.Engine.Durable {
		return nil, errors.Join(err, r.discard(context.WithoutCancel(ctx), e))
	}
	return res, err
}

// discard takes back a table that was made for rows that did not come.
func (r *run) discard(ctx context.Context, e *database.Entry) error {
	if _, err := r.s.engine.catalog.Drop(e.Database, e.Name, false); err != nil {
		return err
	}
	req := *e.Request
	req.Discard = true
	if e.Engine.Drop == nil {
		return nil
	}
	return e.Engine.Drop(ctx, r.env.Functions, &req)
}

func (r *run) existsAlready(ctx context.Context, db, name string, temporary bool) (bool, error) {
	if temporary {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		_, ok := r.s.temp[name]
		return ok, nil
	}
	if x := r.s.engine.catalog.External(db); x != nil {
		return x.Has(ctx, name)
	}
	_, err := r.s.engine.catalog.Lookup(db, name)
	if cherr.Is(err, cherr.UnknownTable) {
		return false, nil
	}
	return err == nil, err
}

// entryOf resolves what CREATE TABLE says into an entry.
func (r *run) entryOf(ctx context.Context, n *ast.CreateTable, db, name string) (*database.Entry, error) {
	cols, err := r.tableColumns(ctx, n)
	if err != nil {
		return nil, err
	}
	if x := r.s.engine.catalog.External(db); x != nil && !n.Temporary {
		return r.externalEntry(n, x, db, name, cols)
	}
	engineName, err := r.engineName(n)
	if err != nil {
		return nil, err
	}
	eng, ok := r.s.engine.cfg.Registry.Engine(engineName)
	if !ok {
		return nil, cherr.New(cherr.UnknownStorage, "Unknown table engine %s", engineName)
	}
	req := &functions.OpenRequest{Name: writtenEngine(n, engineName), Columns: cols, Options: map[string]string{}, Keep: &functions.Keep{}}
	if n.Storage != nil {
		if eng.Merging {
			if req.SortingKey, err = r.sortingKey(ctx, n, cols); err != nil {
				return nil, err
			}
		}
		if n.Storage.Engine != nil && (eng.Name == n.Storage.Engine.Name || eng.Merging) {
			if req.Args, err = analyze.TableArguments(ctx, r.env, n.Storage.Engine); err != nil {
				return nil, err
			}
		}
		for _, s := range n.Storage.Settings {
			if req.Options[s.Name], err = settingText(s.Value); err != nil {
				return nil, err
			}
		}
	}
	e := &database.Entry{
		Database: db, Name: name, UUID: newUUID(), Temporary: n.Temporary, Columns: cols, Engine: eng, Request: req,
	}
	if n.Temporary {
		e.Database = ""
	}
	if n.Comment != nil {
		e.Comment = n.Comment.Text
	}
	e.Create = storedTable(n, db, name, cols, req.Name)
	return e, nil
}

// place lets an engine that keeps tables itself say where; the definition
// holds it from then on, whatever the table is called later.
func (r *run) place(ctx context.Context, e *database.Entry, n *ast.CreateTable) error {
	if e.Engine.Place == nil || len(e.Request.Args) > 0 {
		return nil
	}
	if n.Replace {
		if old, err := r.s.engine.catalog.Lookup(e.Database, e.Name); err == nil && old.Engine == e.Engine {
			e.Request.Args = old.Request.Args
		}
	}
	if len(e.Request.Args) == 0 {
		args, err := e.Engine.Place(ctx, e.Database, e.Name)
		if err != nil {
			return err
		}
		e.Request.Args = args
	}
	f := &ast.Function{Name: e.Request.Name}
	for _, a := range e.Request.Args {
		text, ok := a.Value.(string)
		if !ok {
			cherr.Bug("engine %s names its place by a %T", e.Engine.Name, a.Value)
		}
		f.Args = append(f.Args, ast.NewString(text))
	}
	e.Create.(*ast.CreateTable).Storage.Engine = f
	return nil
}

// definition is what the engine is told of a table that it is to make.
func (r *run) definition(ctx context.Context, n *ast.CreateTable) (*functions.Definition, error) {
	def := &functions.Definition{Replace: n.Replace, IfNotExists: n.IfNotExists, RowsFollow: n.AsQuery != nil && !n.Empty}
	if n.Comment != nil {
		def.Comment = n.Comment.Text
	}
	if len(n.Indexes)+len(n.Projections)+len(n.Constraints) > 0 {
		return nil, cherr.New(cherr.BadArguments, "Engine %s does not support indexes, projections and constraints", writtenEngine(n, "of lake tables"))
	}
	s := n.Storage
	if s == nil {
		return def, nil
	}
	if len(s.TTL) > 0 || s.SampleBy != nil || s.UniqueKey != nil {
		return nil, cherr.New(cherr.BadArguments, "Engine %s does not support TTL, SAMPLE BY and UNIQUE KEY clauses", writtenEngine(n, "of lake tables"))
	}
	var err error
	if s.PartitionBy != nil {
		if def.PartitionBy, err = r.terms(ctx, s.PartitionBy); err != nil {
			return nil, err
		}
	}
	if s.PrimaryKey != nil {
		if def.PrimaryKey, err = r.terms(ctx, s.PrimaryKey); err != nil {
			return nil, err
		}
	}
	if s.OrderBy != nil {
		def.OrderBy, err = r.orderTerms(ctx, s.OrderBy)
	}
	return def, err
}

// writtenEngine is the name that SHOW CREATE and system.tables give.
func writtenEngine(n *ast.CreateTable, resolved string) string {
	if n.Storage != nil && n.Storage.Engine != nil {
		return n.Storage.Engine.Name
	}
	return resolved
}

// engineName gives the engine that a table gets.
func (r *run) engineName(n *ast.CreateTable) (string, error) {
	asMemory := r.s.engine.cfg.MergeTreeAs == "memory"
	if n.Storage == nil || n.Storage.Engine == nil {
		if n.AsTable != nil {
			if e, err := r.s.lookup(n.AsTable.Database, n.AsTable.Table); err == nil && e.Engine != nil {
				return e.Engine.Name, nil
			}
		}
		if n.Temporary || asMemory {
			return "Memory", nil
		}
		if name := r.s.engine.cfg.DefaultEngine; name != "" {
			return name, nil
		}
		return "", cherr.New(cherr.EngineRequired, "Table engine is not specified in CREATE query")
	}
	name := n.Storage.Engine.Name
	if _, ok := mergeTreeKind(name); ok {
		return r.mergeTreeEngine(name)
	}
	return name, nil
}

// makeTable lets the engine make what it needs, and opens the table once: a
// table whose columns are not declared gets them from there.
func (r *run) makeTable(ctx context.Context, e *database.Entry) error {
	if e.Engine.Create != nil {
		defer func() { e.Request.Definition = nil }() // it is made now
		if err := e.Engine.Create(ctx, r.env.Functions, e.Request); err != nil {
			return err
		}
	}
	if len(e.Columns) > 0 {
		return nil
	}
	t, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return err
	}
	e.Columns = t.Columns()
	return nil
}

// enter puts an entry in its place.
func (r *run) enter(e *database.Entry, replace bool) error {
	if e.Temporary {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.temp[e.Name] = e
		return nil
	}
	_, err := r.s.engine.catalog.Create(e, replace)
	return err
}

// storedTable is the statement that SHOW CREATE shows and a restart reads.
func storedTable(n *ast.CreateTable, db, name string, cols []table.Column, engine string) *ast.CreateTable {
	out := ast.Clone(n)
	out.Name = &ast.TableName{Database: db, Table: name}
	out.Attach, out.Replace, out.ReplaceOnly, out.IfNotExists = false, false, false, false
	out.AsTable, out.AsFunction, out.AsQuery, out.Empty, out.Clone = nil, nil, nil, false, false
	if out.Storage == nil {
		out.Storage = &ast.Storage{}
	}
	if out.Storage.Engine == nil {
		out.Storage.Engine = &ast.Function{Name: engine, NoArgs: true}
	}
	declared := map[string]*ast.ColumnDecl{}
	for _, c := range out.Columns {
		declared[c.Name] = c
	}
	out.Columns = nil
	for _, c := range cols {
		d := declared[c.Name]
		if d == nil {
			d = &ast.ColumnDecl{Name: c.Name}
			if c.Comment != "" {
				d.Comment = ast.NewString(c.Comment)
			}
			if c.DefaultExpr != "" {
				d.DefaultKind = c.DefaultKind
				if def, err := parse.ParseExpr(c.DefaultExpr); err == nil {
					d.Default = def
				}
			}
		}
		d.Type, d.Null = c.Type.String(), ""
		out.Columns = append(out.Columns, d)
	}
	return out
}

func (r *run) createView(ctx context.Context, n *ast.CreateView) error {
	if n.Live || n.Window {
		return cherr.New(cherr.NotImplemented, "Live and window views are not supported")
	}
	db, name := r.s.qualified(n.Name)
	if exists, err := r.existsAlready(ctx, db, name, n.Temporary); err != nil {
		return err
	} else if exists && n.IfNotExists {
		return nil
	} else if exists && !n.Replace {
		return cherr.New(cherr.TableAlreadyExists, "Table %s.%s already exists", db, name)
	}
	if n.Materialized {
		return r.createMaterialized(ctx, n, db, name)
	}
	e, err := r.viewEntry(ctx, n, db, name)
	if err != nil {
		return err
	}
	return r.enter(e, n.Replace)
}

func (r *run) viewEntry(ctx context.Context, n *ast.CreateView, db, name string) (*database.Entry, error) {
	var cols []table.Column
	var err error
	if len(n.Columns) > 0 {
		if cols, err = r.declaredColumns(ctx, n.Columns); err != nil {
			return nil, err
		}
	} else if !hasParams(n.Query) {
		header, err := r.headerOf(ctx, n.Query)
		if err != nil {
			return nil, err
		}
		cols = columnsOf(header)
	}
	if len(n.Aliases) > 0 && len(n.Aliases) == len(cols) {
		for i, a := range n.Aliases {
			cols[i].Name = a
		}
	}
	stored := ast.Clone(n)
	stored.Name = &ast.TableName{Database: db, Table: name}
	stored.Replace, stored.IfNotExists, stored.Attach = false, false, false
	if n.Materialized && n.To != nil {
		toDB, to := r.s.qualified(n.To)
		stored.To = &ast.TableName{Database: toDB, Table: to}
	}
	e := &database.Entry{Database: db, Name: name, UUID: newUUID(), Create: stored, Columns: cols, Temporary: n.Temporary}
	e.View = readsOf(e, n.Query)
	if n.Temporary {
		e.Database = ""
	}
	if n.Comment != nil {
		e.Comment = n.Comment.Text
	}
	return e, nil
}

func (r *run) headerOf(ctx context.Context, q ast.Query) (column.Header, error) {
	a, err := analyze.Analyze(ctx, r.env, &ast.QueryStatement{Query: q})
	if err != nil {
		return nil, err
	}
	return a.Header, nil
}

func columnsOf(h column.Header) []table.Column {
	out := make([]table.Column, len(h))
	for i, f := range h {
		out[i] = table.Column{Name: f.Name, Type: f.Type}
	}
	return out
}

func (r *run) createFunction(n *ast.CreateFunction) error {
	e := r.s.engine
	if _, ok := e.cfg.Registry.Scalar(n.Name); ok {
		return cherr.New(cherr.FunctionAlreadyExists, "The function '%s' already exists", n.Name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.functions[n.Name]; ok && !n.Replace {
		if n.IfNotExists {
			return nil
		}
		return cherr.New(cherr.FunctionAlreadyExists, "User-defined function '%s' already exists", n.Name)
	}
	e.functions[n.Name] = n
	return nil
}
