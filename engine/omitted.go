package engine

import (
	"context"
	"strings"

	"lakeserver/column"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/table"
	"lakeserver/types"
)

// OmittedPrefix begins the names of columns that come behind the others of an
// INSERT's input: a UInt8 a row, 1 where the document had no value for the
// column of that name, so that its DEFAULT expression is to be computed.
const OmittedPrefix = "\x00omitted:"

func countOmitted(h column.Header) int {
	n := 0
	for _, f := range h {
		if strings.HasPrefix(f.Name, OmittedPrefix) {
			n++
		}
	}
	return n
}

func headerOfColumns(cols []table.Column) column.Header {
	h := make(column.Header, len(cols))
	for i, c := range cols {
		h[i] = column.Field{Name: c.Name, Type: c.Type}
	}
	return h
}

// queryPlan casts a query's columns to the asked ones by position. A NULL where
// none may stand becomes the column's DEFAULT (insert_null_as_default).
func (r *run) queryPlan(ctx context.Context, in plan.Node, asked []table.Column) (plan.Node, error) {
	want := headerOfColumns(asked)
	if !r.set.Bool("insert_null_as_default") {
		return r.castPlan(in, want)
	}
	with := identity(in)
	var masks column.Header
	for i, f := range in.Header() {
		if asked[i].DefaultExpr == "" || want[i].Type.IsNullable() || !f.Type.IsNullable() {
			continue
		}
		mask, err := r.s.engine.cfg.Registry.Call(r.env.Functions, "isNull", with.Exprs[i])
		if err != nil {
			return nil, err
		}
		m := column.Field{Name: OmittedPrefix + want[i].Name, Type: mask.Type()}
		masks = append(masks, m)
		with.Exprs, with.Fields = append(with.Exprs, mask), append(with.Fields, m)
	}
	if len(masks) == 0 {
		return r.castPlan(in, want)
	}
	p, err := r.castPlan(with, want)
	if err != nil {
		return nil, err
	}
	return r.fillOmitted(ctx, p, masks, len(want), asked)
}

// fillOmitted computes the DEFAULT of the values that the input left out. The
// masks stand from column from on in the input of p.
func (r *run) fillOmitted(ctx context.Context, p *plan.Project, masks column.Header, from int, asked []table.Column) (plan.Node, error) {
	if len(masks) == 0 {
		return p, nil
	}
	want := p.Fields
	p.Fields = append(append(column.Header(nil), want...), masks...)
	for i, m := range masks {
		p.Exprs = append(p.Exprs, &expr.Column{Index: from + i, Name: m.Name, T: m.Type})
	}
	order, err := r.omittedOrder(masks, asked)
	if err != nil {
		return nil, err
	}
	node := plan.Node(p)
	for _, i := range order {
		next := identity(node)
		at := len(want) + masks.Index(OmittedPrefix+want[i].Name)
		if next.Exprs[i], err = r.omittedValue(ctx, want, asked[i], next.Exprs[at], next.Exprs[i]); err != nil {
			return nil, err
		}
		node = next
	}
	out := identity(node)
	out.Exprs, out.Fields = out.Exprs[:len(want)], out.Fields[:len(want)]
	return out, nil
}

// omittedOrder gives the columns to compute, each behind those that its DEFAULT names.
func (r *run) omittedOrder(masks column.Header, asked []table.Column) ([]int, error) {
	var order []int
	seen := make([]bool, len(asked))
	var visit func(i int) error
	visit = func(i int) error {
		if seen[i] || asked[i].DefaultExpr == "" || masks.Index(OmittedPrefix+asked[i].Name) < 0 {
			return nil
		}
		seen[i] = true
		parsed, err := r.env.Parse(asked[i].DefaultExpr)
		if err != nil {
			return err
		}
		for _, k := range namedColumns(parsed, asked) {
			if err := visit(k); err != nil {
				return err
			}
		}
		order = append(order, i)
		return nil
	}
	for i := range asked {
		if err := visit(i); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// omittedValue is the column's DEFAULT where mask is set, else what there is.
func (r *run) omittedValue(ctx context.Context, h column.Header, c table.Column, mask, given expr.Expr) (expr.Expr, error) {
	def, err := r.defaultOver(ctx, h, c)
	if err != nil {
		return nil, err
	}
	reg, env := r.s.engine.cfg.Registry, r.env.Functions
	e, err := reg.Call(env, "if", mask, def, given)
	if err != nil || e.Type().Equal(c.Type) {
		return e, err
	}
	return reg.Call(env, "_CAST", e, expr.NewLiteral(types.String, c.Type.String()))
}
