package engine

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/functions"
	"lakeserver/table"
)

// createExternal makes a database whose tables a catalog elsewhere keeps. The
// catalog is asked once, so that a wrong address is told at once.
func (r *run) createExternal(ctx context.Context, n *ast.CreateDatabase, db *database.Database, d *functions.DatabaseEngine) error {
	if r.s.engine.catalog.HasDatabase(db.Name) {
		return r.s.engine.catalog.CreateDatabase(db, n.IfNotExists)
	}
	if err := r.openExternal(ctx, n, db, d); err != nil {
		return err
	}
	if !n.Attach {
		if err := db.External.Check(ctx, r.env.Functions); err != nil {
			return err
		}
	}
	return r.s.engine.catalog.CreateDatabase(db, n.IfNotExists)
}

// openExternal reads the arguments of a database's engine.
func (r *run) openExternal(ctx context.Context, n *ast.CreateDatabase, db *database.Database, d *functions.DatabaseEngine) (err error) {
	req := &functions.OpenRequest{Name: d.Name, Options: map[string]string{}}
	if req.Args, err = analyze.TableArguments(ctx, r.env, n.Storage.Engine); err != nil {
		return err
	}
	for _, s := range n.Storage.Settings {
		if req.Options[s.Name], err = settingText(s.Value); err != nil {
			return err
		}
	}
	db.Create = ast.Clone(n)
	db.Create.IfNotExists, db.Create.Attach = false, false
	db.External, err = d.Open(ctx, r.env.Functions, req)
	return err
}

// externalEntry describes a table that is to be made in a catalog elsewhere.
func (r *run) externalEntry(n *ast.CreateTable, x functions.External, db, name string, cols []table.Column) (*database.Entry, error) {
	eng := x.Table(name)
	if n.Storage != nil && n.Storage.Engine != nil && (!strings.HasPrefix(n.Storage.Engine.Name, eng.Name) || len(n.Storage.Engine.Args) > 0) {
		return nil, cherr.New(cherr.BadArguments, "Tables of database %s are %s tables that its catalog places: ENGINE is left out, or %[2]s", db, eng.Name)
	}
	req := &functions.OpenRequest{Name: eng.Name, Columns: cols, Options: map[string]string{}}
	if n.Storage != nil {
		for _, s := range n.Storage.Settings {
			var err error
			if req.Options[s.Name], err = settingText(s.Value); err != nil {
				return nil, err
			}
		}
	}
	return &database.Entry{Database: db, Name: name, Engine: eng, Request: req, Columns: cols, Create: storedTable(n, db, name, cols, eng.Name)}, nil
}

// renameExternal renames where at least one side is in a catalog elsewhere;
// done is false when none is.
func (r *run) renameExternal(ctx context.Context, fromDB, from, toDB, to string, exchange bool) (done bool, err error) {
	x := r.s.engine.catalog.External(fromDB)
	if x == nil && r.s.engine.catalog.External(toDB) == nil {
		return false, nil
	}
	if x == nil || fromDB != toDB || exchange {
		return true, cherr.New(cherr.NotImplemented, "A table of a catalog is renamed within its database only")
	}
	return true, x.Rename(ctx, r.env.Functions, from, to)
}

// showExternal lists the tables of a database that a catalog elsewhere keeps.
func (r *run) showExternal(ctx context.Context, n *ast.Show, x functions.External, cond string) (*Result, error) {
	names, err := x.Names(ctx)
	if err != nil {
		return nil, err
	}
	quoted := make([]string, len(names))
	for i, s := range names {
		quoted[i] = ast.QuoteString(s)
	}
	columns := "name"
	if n.Full {
		columns = "name, 'BASE TABLE' AS table_type"
	}
	return r.text(ctx, n.Output, "SELECT "+columns+" FROM (SELECT arrayJoin(CAST(["+strings.Join(quoted, ",")+"], 'Array(String)')) AS name)"+joinAnd("1", cond)+" ORDER BY name"+showLimit(n))
}

// externalView gives the view of a catalog elsewhere that bears a name which no
// table of it has; nil for none.
func (r *run) externalView(ctx context.Context, e *database.Entry) (*analyze.View, error) {
	x, ok := r.s.engine.catalog.External(e.Database).(functions.Viewer)
	if !ok {
		return nil, nil
	}
	sql, prefix, err := x.View(ctx, e.Name)
	if err != nil {
		if cherr.Is(err, cherr.UnknownTable) {
			err = nil
		}
		return nil, err
	}
	stmt, err := parse.Parse(sql)
	if err != nil {
		return nil, cherr.New(cherr.NotImplemented, "The query of view `%s` is in another dialect: %s", e.Name, err)
	}
	q, ok := stmt.(*ast.QueryStatement)
	if !ok {
		return nil, cherr.New(cherr.IncorrectQuery, "View `%s` is no query", e.Name)
	}
	placeNames(q.Query, e.Database, prefix)
	return &analyze.View{Database: e.Database, Query: q.Query}, nil
}

// placeNames writes the names of tables as the database of their catalog has
// them: namespace and name in one. Names of WITH stay.
func placeNames(q ast.Query, db, prefix string) {
	common := map[string]bool{}
	ast.Walk(q, func(n ast.Node) bool {
		if s, ok := n.(*ast.Select); ok {
			for _, w := range s.With {
				common[w.Name] = true
			}
		}
		return true
	})
	ast.Walk(q, func(n ast.Node) bool {
		if t, ok := n.(*ast.TableName); ok {
			switch {
			case t.Database != "":
				t.Database, t.Table = db, t.Database+"."+t.Table
			case !common[t.Table]:
				t.Database, t.Table = db, prefix+t.Table
			}
		}
		return true
	})
}
