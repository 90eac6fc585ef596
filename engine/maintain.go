package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/expr"
	"lakeserver/table"
)

// execute is ALTER TABLE … EXECUTE name(arguments), and the words for branches
// and tags, which stand for procedures.
func (r *run) execute(ctx context.Context, n *ast.Alter) (*Result, error) {
	e, t, err := r.openTable(ctx, n.Table)
	if err != nil {
		return nil, err
	}
	name, list := procedure(n.Commands[0])
	x, ok := t.(table.Executor)
	if !ok {
		return nil, cherr.New(cherr.NotImplemented, "EXECUTE command '%s' is not supported by storage %s.", name, e.EngineName())
	}
	args, err := r.arguments(ctx, list, name)
	if err != nil {
		return nil, err
	}
	header, stream, err := x.Execute(ctx, name, args)
	if err != nil {
		return nil, err
	}
	return &Result{Header: header, Stream: stream, HasRows: len(header) > 0, Format: n.Format, Outfile: n.Outfile}, nil
}

// procedure gives the procedure that a command runs.
func procedure(c *ast.AlterCommand) (name string, args []ast.Expr) {
	if c.Kind == ast.Execute {
		return c.Call.Name, c.Call.Args
	}
	word := map[string]string{"BRANCH": "branch", "TAG": "tag"}[c.TargetKind]
	verb := map[ast.AlterKind]string{ast.CreateRef: "create_", ast.DropRef: "drop_", ast.ReplaceRef: "replace_"}[c.Kind]
	args = []ast.Expr{ast.NewString(c.Name.Parts[len(c.Name.Parts)-1])}
	flag := func(name string, on bool) {
		if on {
			args = append(args, ast.Op("equals", ast.NewIdentifier(name), ast.NewUint(1)))
		}
	}
	if c.Expr != nil {
		args = append(args, ast.Op("equals", ast.NewIdentifier("snapshot_id"), c.Expr))
	}
	flag("if_exists", c.IfExists)
	flag("if_not_exists", c.IfNotExists)
	return verb + word, args
}

// optimize is OPTIMIZE TABLE. Where MergeTree stands for tables in memory they
// have no parts to merge; ClickHouse's Memory engine refuses it.
func (r *run) optimize(ctx context.Context, n *ast.Optimize) error {
	e, t, err := r.openTable(ctx, n.Table)
	if err != nil {
		return err
	}
	o, ok := t.(table.Optimizer)
	if !ok {
		if r.s.engine.cfg.MergeTreeAs == "memory" {
			return nil
		}
		return cherr.New(cherr.NotImplemented, "OPTIMIZE is not supported by storage %s", e.EngineName())
	}
	req := &table.OptimizeRequest{
		Manifest: n.Manifest, Final: n.Final, Force: n.Force, Deduplicate: n.Deduplicate, Cleanup: n.Cleanup, DryRun: n.DryRun,
	}
	if n.Partition != nil {
		if req.Partition, err = r.partition(ctx, n.Partition); err != nil {
			return err
		}
	}
	if n.Where != nil {
		if req.Where, err = r.boundConjuncts(ctx, t, n.Where); err != nil {
			return err
		}
	}
	return o.Optimize(ctx, req)
}

// boundConjuncts binds a condition over a table's columns.
func (r *run) boundConjuncts(ctx context.Context, t table.Table, where ast.Expr) ([]expr.Expr, error) {
	e, err := analyze.BindOver(ctx, r.env, headerOfTable(t), where)
	if err != nil {
		return nil, err
	}
	return expr.Conjuncts(e), nil
}

// condition binds a condition that stands as text in an argument.
func (r *run) condition(ctx context.Context, columns []table.Column, text string) ([]expr.Expr, error) {
	e, err := parse.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	return r.boundConjuncts(ctx, &declaredTable{columns: columns}, e)
}
