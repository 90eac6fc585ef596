package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/database"
)

// createMaterialized makes a materialized view: a query over each INSERT into
// the table that it reads first, and the table that takes what it gives.
func (r *run) createMaterialized(ctx context.Context, n *ast.CreateView, db, name string) error {
	switch {
	case n.Refresh != nil:
		if err := checkRefresh(n); err != nil {
			return err
		}
	case n.Temporary:
		return cherr.New(cherr.NotImplemented, "Temporary materialized views are not supported")
	case fedBy(n.Query) == nil:
		return cherr.New(cherr.NotImplemented, "The query of a materialized view must read a table: its new rows feed the view")
	case n.To != nil && n.Populate:
		return cherr.New(cherr.BadArguments, "POPULATE and TO exclude each other: INSERT INTO the table instead")
	}
	// What the query reads goes to the view's table, whoever feeds it: its maker
	// must be allowed to read it.
	a, err := analyze.Query(ctx, r.env, n.Query)
	if err != nil {
		return err
	}
	if _, err := r.guard(ctx, a.Plan); err != nil {
		return err
	}
	e, err := r.viewEntry(ctx, n, db, name)
	if err != nil {
		return err
	}
	if n.To == nil {
		if err := r.createInner(ctx, n, e); err != nil {
			return err
		}
	}
	target, err := r.targetOf(e)
	if err != nil {
		return err
	}
	for _, c := range e.Columns {
		if len(target.Columns) > 0 && indexOf(target.Columns, c.Name) < 0 {
			return cherr.New(cherr.ThereIsNoColumn, "Table %s.%s has no column %s, which the query of the view gives", target.Database, target.Name, c.Name)
		}
	}
	if err := r.enter(e, n.Replace); err != nil || !n.Populate {
		return err
	}
	_, err = r.insert(ctx, &ast.Insert{Table: viewTarget(e), Query: n.Query})
	return err
}

// checkRefresh refuses refreshes that make no sense.
func checkRefresh(n *ast.CreateView) error {
	if _, err := parseSchedule(n.Refresh.Schedule); err != nil {
		return err
	}
	switch {
	case n.Temporary:
		return cherr.New(cherr.NotImplemented, "Temporary materialized views are not supported")
	case len(n.Refresh.DependsOn) > 0:
		return cherr.New(cherr.NotImplemented, "DEPENDS ON of a refresh is not supported")
	case n.Populate:
		return cherr.New(cherr.BadArguments, "POPULATE and REFRESH exclude each other: the first refresh fills the view")
	case incremental(n.Refresh) && !n.Refresh.Append:
		return cherr.New(cherr.BadArguments, "An incremental refresh appends: refresh_incremental needs APPEND")
	case incremental(n.Refresh) && fedBy(n.Query) == nil:
		return cherr.New(cherr.BadArguments, "An incremental refresh needs a query that reads a table")
	}
	return nil
}

// createInner makes the table of a view that names none.
func (r *run) createInner(ctx context.Context, n *ast.CreateView, e *database.Entry) error {
	create := &ast.CreateTable{Name: viewTarget(e), Storage: n.Storage, Columns: n.Columns}
	if len(create.Columns) == 0 {
		for _, c := range e.Columns {
			create.Columns = append(create.Columns, &ast.ColumnDecl{Name: c.Name, Type: c.Type.String()})
		}
	}
	_, err := r.createTable(ctx, create)
	return err
}

// dropInner drops the table of a view that names none.
func (r *run) dropInner(ctx context.Context, e *database.Entry) error {
	c, ok := e.Create.(*ast.CreateView)
	if !ok || !c.Materialized || c.To != nil {
		return nil
	}
	inner, err := r.s.engine.catalog.Drop(e.Database, innerTable(e.Name), false)
	if cherr.Is(err, cherr.UnknownTable) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.forget(ctx, inner)
}

// readsOf is what a SELECT from a view reads: its query, or a materialized
// view's table.
func readsOf(e *database.Entry, query ast.Query) ast.Query {
	n := viewTarget(e)
	if n == nil {
		return query
	}
	return &ast.Select{Columns: []ast.Expr{&ast.Asterisk{}}, From: &ast.TableExpr{Name: n}}
}
