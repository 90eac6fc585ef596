package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// alter runs ALTER TABLE; what a table cannot do is refused by name.
func (r *run) alter(ctx context.Context, n *ast.Alter) error {
	for _, c := range n.Commands {
		var err error
		switch c.Kind {
		case ast.DeleteWhere:
			err = r.deleteRows(ctx, n.Table, c.Expr)
		case ast.UpdateWhere:
			err = r.updateRows(ctx, n.Table, c.Set, c.Expr)
		default:
			err = cherr.New(cherr.NotImplemented, "This ALTER command is not supported by the table's engine")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) mutator(ctx context.Context, name *ast.TableName) (table.Mutator, table.Table, error) {
	e, err := r.s.lookup(name.Database, name.Table)
	if err != nil {
		return nil, nil, err
	}
	if e.View != nil {
		return nil, nil, cherr.New(cherr.NotImplemented, "Mutations are not supported by storage View")
	}
	t, err := e.Open(ctx, r.env.Functions, nil)
	if err != nil {
		return nil, nil, err
	}
	m, ok := t.(table.Mutator)
	if !ok {
		return nil, nil, cherr.New(cherr.NotImplemented, "Mutations are not supported by storage %s", e.EngineName())
	}
	return m, t, nil
}

func (r *run) deleteRows(ctx context.Context, name *ast.TableName, where ast.Expr) error {
	m, t, err := r.mutator(ctx, name)
	if err != nil {
		return err
	}
	cond, err := analyze.BindOver(ctx, r.env, headerOfTable(t), where)
	if err != nil {
		return err
	}
	_, err = m.Mutate(ctx, cond, nil)
	return err
}

func (r *run) updateRows(ctx context.Context, name *ast.TableName, set []*ast.Assignment, where ast.Expr) error {
	m, t, err := r.mutator(ctx, name)
	if err != nil {
		return err
	}
	header := headerOfTable(t)
	cond, err := analyze.BindOver(ctx, r.env, header, where)
	if err != nil {
		return err
	}
	values := map[int]expr.Expr{}
	for _, a := range set {
		i := header.Index(a.Column.Parts[len(a.Column.Parts)-1])
		if i < 0 {
			return cherr.New(cherr.NoSuchColumnInTable, "There is no column %s in the table", ast.Format(a.Column))
		}
		e, err := analyze.BindOver(ctx, r.env, header, a.Expr)
		if err != nil {
			return err
		}
		to := expr.NewLiteral(types.String, header[i].Type.String())
		if values[i], err = r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", e, to); err != nil {
			return err
		}
	}
	_, err = m.Mutate(ctx, cond, values)
	return err
}

func headerOfTable(t table.Table) column.Header {
	var h column.Header
	for _, c := range t.Columns() {
		h = append(h, column.Field{Name: c.Name, Type: c.Type})
	}
	return h
}

// optimize does nothing for tables without parts, as ClickHouse's Memory
// engine refuses it.
func (r *run) optimize(n *ast.Optimize) error {
	e, err := r.s.lookup(n.Table.Database, n.Table.Table)
	if err != nil {
		return err
	}
	if r.s.engine.cfg.MergeTreeAs != "" {
		return nil
	}
	return cherr.New(cherr.NotImplemented, "OPTIMIZE is not supported by storage %s", e.EngineName())
}
