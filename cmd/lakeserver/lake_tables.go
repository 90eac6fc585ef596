package main

import (
	"context"
	"strings"

	"lakeserver/engine/database"
	"lakeserver/functions"
	"lakeserver/functions/iceberg"
	"lakeserver/functions/tablefunc"
	"lakeserver/table"
)

// lakeTables are the system tables about lake tables: they list the created
// tables of a lake format, whichever can be opened.
func lakeTables(c *database.Catalog) []*database.Entry {
	var out []*database.Entry
	for _, s := range iceberg.SystemTables() {
		out = append(out, &database.Entry{
			Name: s.Name, Columns: s.Columns,
			Builtin: func(ctx context.Context, env *functions.Env) (table.Table, error) { return listLake(ctx, c, env, &s) },
		})
	}
	return out
}

func listLake(ctx context.Context, c *database.Catalog, env *functions.Env, s *iceberg.SystemTable) (table.Table, error) {
	rows := &tablefunc.Rows{Cols: s.Columns}
	for _, db := range c.Databases() {
		for _, e := range c.Tables(db.Name) {
			if e.Engine == nil || !strings.HasPrefix(e.Engine.Name, "Iceberg") {
				continue
			}
			t, err := e.Open(ctx, env, nil)
			if err != nil {
				continue // one bad table must not hide the others
			}
			b, ok, err := s.Block(ctx, db.Name, e.Name, t)
			if err != nil || !ok || b.Rows == 0 {
				continue
			}
			rows.Blocks = append(rows.Blocks, b)
		}
	}
	return rows, ctx.Err()
}
