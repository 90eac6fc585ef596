package engine

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// overwriting is INSERT OVERWRITE as an insert.
type overwriting struct {
	to  table.Overwriter
	req table.OverwriteRequest
}

// Append implements table.Appender.
func (o *overwriting) Append(ctx context.Context, names []string) (table.Sink, error) {
	o.req.Columns = names
	return o.to.Overwrite(ctx, &o.req)
}

// overwriter gives what takes the rows of an INSERT OVERWRITE.
func (r *run) overwriter(ctx context.Context, t table.Table, n *ast.Insert) (*overwriting, error) {
	to, ok := t.(table.Overwriter)
	if !ok {
		return nil, cherr.New(cherr.NotImplemented, "INSERT OVERWRITE is not supported by this table")
	}
	o := &overwriting{to: to}
	var err error
	if n.Partition != nil {
		if o.req.Partition, err = r.partition(ctx, n.Partition); err != nil {
			return nil, err
		}
	}
	if n.ReplaceWhere != nil {
		o.req.Where, err = r.boundConjuncts(ctx, t, n.ReplaceWhere)
	}
	return o, err
}

// staticColumns are the columns whose values PARTITION (g = 2) gives, so that
// the rows do not bring them.
func (o *overwriting) staticColumns(t table.Table) map[string]table.Argument {
	out := map[string]table.Argument{}
	if o.req.Partition == nil {
		return out
	}
	for _, v := range o.req.Partition.Values {
		if indexOf(t.Columns(), v.Name) >= 0 {
			out[v.Name] = v
		}
	}
	return out
}

// withStatic adds the columns that PARTITION (g = 2) gives to the rows.
func (r *run) withStatic(source plan.Node, t table.Table, static map[string]table.Argument) (plan.Node, error) {
	if len(static) == 0 {
		return source, nil
	}
	p := identity(source)
	for _, c := range t.Columns() {
		v, ok := static[c.Name]
		if !ok {
			continue
		}
		e, err := r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", expr.NewLiteral(v.Type, v.Value), expr.NewLiteral(types.String, c.Type.String()))
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, e)
		p.Fields = append(p.Fields, column.Field{Name: c.Name, Type: c.Type})
	}
	return p, nil
}

// withoutStatic drops the columns that the rows do not bring from the list of
// those that they might.
func withoutStatic(cols []int, t table.Table, static map[string]table.Argument) []int {
	return slices.DeleteFunc(cols, func(i int) bool {
		_, ok := static[t.Columns()[i].Name]
		return ok
	})
}
