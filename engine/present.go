package engine

import (
	"context"
	"strings"

	"lakeserver/engine/ast"
	"lakeserver/engine/database"
	"lakeserver/engine/parse"
	"lakeserver/functions"
	"lakeserver/table"
)

// Present is a table's entry as the table is now: lake tables are changed by
// others, too. One that cannot be opened is shown as it was created.
func Present(ctx context.Context, env *functions.Env, e *database.Entry) *database.Entry {
	create, ok := e.Create.(*ast.CreateTable)
	if !ok || e.Engine == nil || !e.Engine.Durable {
		return e
	}
	t, err := e.Open(ctx, env, nil)
	if err != nil {
		return e
	}
	d, ok := t.(table.Definer)
	if !ok {
		return e
	}
	next := *e
	next.Columns = t.Columns()
	now := ast.Clone(create)
	redeclare(now, next.Columns)
	def := d.Definition()
	now.Storage.PartitionBy, now.Storage.OrderBy = terms(def.PartitionBy), terms(def.OrderBy)
	next.Comment, now.Comment = def.Comment, nil
	if def.Comment != "" {
		now.Comment = ast.NewString(def.Comment)
	}
	next.Create = now
	return &next
}

// terms parses what PARTITION BY or ORDER BY holds; nil for none.
func terms(list []string) ast.Expr {
	text := "(" + strings.Join(list, ", ") + ")"
	switch len(list) {
	case 0:
		return nil
	case 1:
		text = list[0]
	}
	s, err := parse.Parse("CREATE TABLE t (x Int8) ENGINE = E ORDER BY " + text)
	if err != nil {
		return nil
	}
	create, ok := s.(*ast.CreateTable)
	if !ok {
		return nil
	}
	return create.Storage.OrderBy
}
