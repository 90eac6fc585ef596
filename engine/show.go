package engine

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/table"
	"lakeserver/types"
)

// show runs SHOW. Most of it is a query over system tables.
func (r *run) show(ctx context.Context, n *ast.Show) (*Result, error) { // long: one case a kind
	switch n.Kind {
	case ast.ShowTables, ast.ShowDictionaries:
		return r.showTables(ctx, n)
	case ast.ShowDatabases:
		return r.text(ctx, n.Output, "SELECT name FROM system.databases"+showWhere(n, "name")+" ORDER BY name"+showLimit(n))
	case ast.ShowColumns:
		return r.showColumns(ctx, n)
	case ast.ShowIndexes:
		return r.text(ctx, n.Output, "SELECT '' AS table, 1 AS non_unique, '' AS key_name, 1 AS seq_in_index, '' AS column_name, 'A' AS collation, 0 AS cardinality, NULL AS sub_part, NULL AS packed, NULL AS null, '' AS index_type, '' AS comment, '' AS index_comment, 'YES' AS visible, '' AS expression WHERE 0")
	case ast.ShowFunctions:
		return r.text(ctx, n.Output, "SELECT * FROM system.functions"+showWhere(n, "name"))
	case ast.ShowProcesslist:
		return r.text(ctx, n.Output, "SELECT * FROM system.processes")
	case ast.ShowSettings:
		cond := ""
		if n.Changed {
			cond = "changed"
		}
		return r.text(ctx, n.Output, "SELECT name, type, value FROM system.settings"+joinAnd(cond, likeOn("name", n)))
	case ast.ShowSetting:
		return r.text(ctx, n.Output, "SELECT value FROM system.settings WHERE name = "+ast.QuoteString(first(n.Names)))
	case ast.ShowEngines:
		return r.text(ctx, n.Output, "SELECT * FROM system.table_engines ORDER BY name")
	case ast.ShowClusters:
		return r.text(ctx, n.Output, "SELECT DISTINCT cluster FROM system.clusters"+showWhere(n, "cluster")+" ORDER BY cluster")
	case ast.ShowCluster:
		return r.text(ctx, n.Output, "SELECT * FROM system.clusters WHERE cluster = "+ast.QuoteString(first(n.Names)))
	case ast.ShowCreate:
		return r.showCreate(ctx, n)
	case ast.ShowUsers, ast.ShowRoles, ast.ShowCurrentRoles, ast.ShowEnabledRoles, ast.ShowProfiles, ast.ShowPolicies, ast.ShowQuotas,
		ast.ShowGrants, ast.ShowAccess:
		return r.showAccess(ctx, n)
	case ast.ShowPrivileges:
		return r.text(ctx, n.Output, "SELECT * FROM system.privileges")
	case ast.ShowMerges:
		return r.text(ctx, n.Output, "SELECT table, database, progress FROM system.merges")
	}
	return nil, cherr.New(cherr.NotImplemented, "This SHOW is not supported")
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func likeOn(col string, n *ast.Show) string {
	if p := likePattern(n); p != "" {
		return col + p
	}
	return ""
}

func showWhere(n *ast.Show, col string) string {
	cond := likeOn(col, n)
	if n.Where != nil {
		cond = ast.Format(n.Where)
	}
	return joinAnd(cond)
}

func showLimit(n *ast.Show) string {
	if n.Limit == nil {
		return ""
	}
	return " LIMIT " + ast.Format(n.Limit)
}

func (r *run) showTables(ctx context.Context, n *ast.Show) (*Result, error) {
	db := r.s.Database()
	if n.Table != nil && n.Table.Database != "" {
		db = n.Table.Database
	}
	if n.Temporary {
		return r.text(ctx, n.Output, "SELECT name FROM system.tables WHERE is_temporary ORDER BY name")
	}
	if !r.s.engine.catalog.HasDatabase(db) {
		return nil, cherr.New(cherr.UnknownDatabase, "Database %s does not exist", ast.QuoteName(db))
	}
	source, names := "system.tables", "name"
	if n.Kind == ast.ShowDictionaries {
		source = "system.dictionaries"
	} else if n.Full {
		names = "name, if(engine IN ('View', 'MaterializedView'), 'VIEW', if(database = 'system', 'SYSTEM VIEW', 'BASE TABLE')) AS table_type"
	}
	cond := likeOn("name", n)
	if n.Where != nil {
		cond = "(" + ast.Format(n.Where) + ")"
	}
	if x := r.s.engine.catalog.External(db); x != nil && n.Kind == ast.ShowTables {
		return r.showExternal(ctx, n, x, cond)
	}
	return r.text(ctx, n.Output, "SELECT "+names+" FROM "+source+joinAnd("database = "+ast.QuoteString(db), cond)+" ORDER BY name"+showLimit(n))
}

func (r *run) showColumns(ctx context.Context, n *ast.Show) (*Result, error) {
	db, name := r.s.qualified(n.Table)
	if _, err := r.s.lookup(n.Table.Database, n.Table.Table); err != nil {
		return nil, err
	}
	full := ""
	if n.Full {
		full = "NULL AS collation, comment, '' AS privileges, "
	}
	sql := "SELECT name AS field, type AS type, if(startsWith(type, 'Nullable'), 'YES', 'NO') AS null, " +
		"'' AS key, if(default_expression = '', NULL, default_expression) AS default, " + full + "'' AS extra FROM system.columns" +
		joinAnd("database = "+ast.QuoteString(db), "table = "+ast.QuoteString(name), likeOn("name", n)) + " ORDER BY field" + showLimit(n)
	return r.text(ctx, n.Output, sql)
}

func (r *run) showCreate(ctx context.Context, n *ast.Show) (*Result, error) {
	if n.Object >= ast.ObjectUser && n.Object <= ast.ObjectSettingsProfile {
		return r.showCreateAccess(n)
	}
	if n.Object == ast.ObjectDatabase {
		for _, db := range r.s.engine.catalog.Databases() {
			if db.Name == n.Table.Database {
				if db.Create != nil {
					return lines(n.Output, "statement", ast.FormatPretty(ast.Redacted(db.Create))), nil
				}
				return lines(n.Output, "statement", "CREATE DATABASE "+ast.QuoteName(db.Name)+"\nENGINE = "+db.Engine), nil
			}
		}
		return nil, cherr.New(cherr.UnknownDatabase, "Database %s does not exist", ast.QuoteName(n.Table.Database))
	}
	if n.Table == nil {
		return nil, cherr.New(cherr.NotImplemented, "SHOW CREATE of this object is not supported")
	}
	e, err := r.s.lookup(n.Table.Database, n.Table.Table)
	if err != nil {
		return nil, err
	}
	if e.Create == nil {
		return lines(n.Output, "statement", builtinCreate(e.Database, e.Name, e.Columns, e.EngineName())), nil
	}
	return lines(n.Output, "statement", createPretty(Present(ctx, r.env.Functions, e))), nil
}

func builtinCreate(db, name string, cols []table.Column, engine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s.%s\n(\n", ast.QuoteName(db), ast.QuoteName(name))
	for i, c := range cols {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "    `%s` %s", c.Name, c.Type)
	}
	fmt.Fprintf(&b, "\n)\nENGINE = %s", engine)
	return b.String()
}

// lines is a result of one String column.
func lines(out ast.Output, name string, values ...string) *Result {
	h := column.Header{{Name: name, Type: types.String}}
	return &Result{
		Header: h, Stream: column.Blocks(column.NewBlock(column.NewStr(values...))), HasRows: true,
		Format: out.Format, Outfile: out.Outfile,
	}
}

// describe is DESCRIBE of a table, table function or subquery.
func (r *run) describe(ctx context.Context, n *ast.Describe) (*Result, error) {
	cols, err := r.describedColumns(ctx, n.Table)
	if err != nil {
		return nil, err
	}
	names := [7]column.Str{}
	for _, c := range cols {
		row := [7]string{c.Name, c.Type.String(), c.DefaultKind, c.DefaultExpr, c.Comment, "", ""}
		for i := range names {
			names[i].AppendString(row[i])
		}
	}
	h := column.Header{}
	b := &column.Block{Rows: len(cols)}
	for i, name := range []string{"name", "type", "default_type", "default_expression", "comment", "codec_expression", "ttl_expression"} {
		h = append(h, column.Field{Name: name, Type: types.String})
		b.Columns = append(b.Columns, &names[i])
	}
	return &Result{Header: h, Stream: column.Blocks(b), HasRows: true, Format: n.Format, Outfile: n.Outfile}, nil
}

func (r *run) describedColumns(ctx context.Context, t *ast.TableExpr) ([]table.Column, error) {
	switch {
	case t.Query != nil:
		h, err := r.headerOf(ctx, t.Query)
		if err != nil {
			return nil, err
		}
		return columnsOf(h), nil
	case viewQuery(t.Function) != nil:
		h, err := r.headerOf(ctx, viewQuery(t.Function))
		if err != nil {
			return nil, err
		}
		return columnsOf(h), nil
	case t.Function != nil:
		opened, err := analyze.OpenFunction(ctx, r.env, t.Function, t.Version)
		if err != nil {
			return nil, err
		}
		return opened.Columns(), nil
	}
	e, err := r.s.lookup(t.Name.Database, t.Name.Table)
	if err != nil {
		return nil, err
	}
	if len(e.Columns) > 0 && e.Create != nil {
		return Present(ctx, r.env.Functions, e).Columns, nil
	}
	opened, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return nil, err
	}
	return opened.Columns(), nil
}

// viewQuery gives the query of view(SELECT …), nil for other functions.
func viewQuery(f *ast.Function) ast.Query {
	if f == nil || f.Name != "view" || len(f.Args) != 1 {
		return nil
	}
	if q, ok := f.Args[0].(*ast.Subquery); ok {
		return q.Query
	}
	return nil
}

// exists is EXISTS TABLE, VIEW and DATABASE.
func (r *run) exists(ctx context.Context, n *ast.Exists) (*Result, error) {
	yes := uint8(0)
	switch {
	case n.Object == ast.ObjectDatabase:
		if r.s.engine.catalog.HasDatabase(n.Table.Database) {
			yes = 1
		}
	case n.Temporary:
		if ok, _ := r.existsAlready(ctx, "", n.Table.Table, true); ok {
			yes = 1
		}
	default:
		if db, name := r.s.qualified(n.Table); r.s.engine.catalog.External(db) != nil {
			if ok, _ := r.existsAlready(ctx, db, name, false); ok {
				yes = 1
			}
			break
		}
		e, err := r.s.lookup(n.Table.Database, n.Table.Table)
		if err == nil && (n.Object != ast.ObjectView || e.View != nil) && n.Object != ast.ObjectDictionary {
			yes = 1
		}
	}
	h := column.Header{{Name: "result", Type: types.UInt8}}
	return &Result{
		Header: h, Stream: column.Blocks(column.NewBlock(column.NewFixed([]uint8{yes}))), HasRows: true,
		Format: n.Format, Outfile: n.Outfile,
	}, nil
}
