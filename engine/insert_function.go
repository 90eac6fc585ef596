package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// structuring analyses the SELECT of an INSERT INTO FUNCTION before its target
// is opened, which may take its structure from it; nil where there is none.
func (r *run) structuring(ctx context.Context, n *ast.Insert) (*analyze.Result, error) {
	if n.Function == nil || n.Query == nil {
		return nil, nil
	}
	return analyze.Analyze(ctx, r.env, &ast.QueryStatement{Query: n.Query})
}

// partitioned adds the column that says where each row belongs: INSERT INTO
// FUNCTION … PARTITION BY.
func (r *run) partitioned(ctx context.Context, n *ast.Insert, app table.Appender, rows plan.Node) (table.Appender, plan.Node, error) {
	if n.PartitionBy == nil {
		return app, rows, nil
	}
	to, ok := app.(table.PartitionedAppender)
	if !ok {
		return nil, nil, cherr.New(cherr.NotImplemented, "INSERT … PARTITION BY is not supported by this table")
	}
	e, err := analyze.BindOver(ctx, r.env, rows.Header(), n.PartitionBy)
	if err != nil {
		return nil, nil, err
	}
	if e, err = r.s.engine.cfg.Registry.Call(r.env.Functions, "toString", e); err != nil {
		return nil, nil, err
	}
	if e, err = r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", e, expr.NewLiteral(types.String, "String")); err != nil {
		return nil, nil, err
	}
	p := identity(rows)
	p.Exprs = append(p.Exprs, e)
	p.Fields = append(p.Fields, column.Field{Name: "_partition_id", Type: types.String})
	return &intoPartitions{to}, p, nil
}

// intoPartitions appends rows whose last column says where they belong.
type intoPartitions struct{ to table.PartitionedAppender }

// Append implements table.Appender.
func (p *intoPartitions) Append(ctx context.Context, names []string) (table.Sink, error) {
	return p.to.AppendPartitioned(ctx, names[:len(names)-1])
}
