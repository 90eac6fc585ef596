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

// defaults adds the columns that an INSERT's rows do not bring, each over what
// is there already: an expression may name any other column of the table, also
// one that is declared behind it or is never stored.
type defaults struct {
	run  *run
	all  []table.Column
	node plan.Node
	busy map[string]bool
}

// withDefaults adds the columns that were not given: their DEFAULT or
// MATERIALIZED expressions, else the types' defaults.
func (r *run) withDefaults(ctx context.Context, source plan.Node, t table.Table) (plan.Node, error) {
	d := &defaults{run: r, all: t.Columns(), node: source, busy: map[string]bool{}}
	for _, c := range d.all {
		if stored(c) {
			if err := d.add(ctx, c); err != nil {
				return nil, err
			}
		}
	}
	return d.storedOnly(), nil
}

func stored(c table.Column) bool { return c.DefaultKind != "ALIAS" && c.DefaultKind != "EPHEMERAL" }

func (d *defaults) add(ctx context.Context, c table.Column) error {
	at, mask := d.node.Header().Index(c.Name), d.node.Header().Index(OmittedPrefix+c.Name)
	if at >= 0 && mask < 0 || d.busy[c.Name] {
		return nil
	}
	d.busy[c.Name] = true
	value := expr.Expr(&expr.Literal{Value: column.Default(c.Type, 1), T: c.Type})
	if c.DefaultExpr != "" {
		parsed, err := d.run.env.Parse(c.DefaultExpr)
		if err != nil {
			return err
		}
		for _, i := range namedColumns(parsed, d.all) {
			if err := d.add(ctx, d.all[i]); err != nil {
				return err
			}
		}
		if value, err = d.run.defaultOver(ctx, d.node.Header(), c); err != nil {
			return err
		}
	}
	p := identity(d.node)
	if at >= 0 { // some rows bring a value, the others are to have the default
		var err error
		p.Exprs[at], err = d.run.omittedValue(c, p.Exprs[mask], value, p.Exprs[at])
		d.node = p
		return err
	}
	p.Exprs = append(p.Exprs, value)
	p.Fields = append(p.Fields, column.Field{Name: c.Name, Type: c.Type})
	d.node = p
	return nil
}

// storedOnly drops the columns that only defaults needed, masks too.
func (d *defaults) storedOnly() plan.Node {
	keep := map[string]bool{}
	for _, c := range d.all {
		keep[c.Name] = stored(c)
	}
	p := &plan.Project{Input: d.node}
	for i, f := range d.node.Header() {
		if keep[f.Name] {
			p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: f.Name, T: f.Type})
			p.Fields = append(p.Fields, f)
		}
	}
	if len(p.Fields) == len(d.node.Header()) {
		return d.node
	}
	return p
}

// identity passes every column of its input on.
func identity(in plan.Node) *plan.Project {
	p := &plan.Project{Input: in}
	for i, f := range in.Header() {
		p.Exprs = append(p.Exprs, &expr.Column{Index: i, Name: f.Name, T: f.Type})
		p.Fields = append(p.Fields, f)
	}
	return p
}

// namedColumns gives the columns whose names stand in an expression.
func namedColumns(e ast.Expr, cols []table.Column) []int {
	var out []int
	ast.Walk(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Identifier)
		if !ok {
			return true
		}
		name := ""
		for _, part := range id.Parts {
			if name != "" {
				name += "."
			}
			name += part
			if i := indexOf(cols, name); i >= 0 {
				out = append(out, i)
			}
		}
		return true
	})
	return out
}

// defaultOver binds a column's DEFAULT over a header.
func (r *run) defaultOver(ctx context.Context, h column.Header, c table.Column) (expr.Expr, error) {
	parsed, err := r.env.Parse(c.DefaultExpr)
	if err != nil {
		return nil, err
	}
	bound, err := analyze.BindOver(ctx, r.env, h, parsed)
	if err != nil {
		return nil, cherr.Wrap(err, "computing the default of column %s", c.Name)
	}
	return r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", bound, expr.NewLiteral(types.String, c.Type.String()))
}
