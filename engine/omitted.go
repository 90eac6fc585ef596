package engine

import (
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
func (r *run) queryPlan(in plan.Node, asked []table.Column) (plan.Node, error) {
	want := headerOfColumns(asked)
	if !r.set.Bool("insert_null_as_default") {
		return r.castPlan(in, want)
	}
	with := identity(in)
	var masks column.Header
	refused := false
	for i, f := range in.Header() {
		if asked[i].Refuses && f.Type.IsNullable() && !want[i].Type.IsNullable() {
			t := types.WithoutNullable(f.Type)
			e, err := r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", with.Exprs[i], expr.NewLiteral(types.String, t.String()))
			if err != nil {
				return nil, err
			}
			with.Exprs[i], with.Fields[i].Type, refused = e, t, true
			continue
		}
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
	if len(masks) == 0 && !refused {
		return r.castPlan(in, want)
	}
	p, err := r.castPlan(with, want)
	if err != nil {
		return nil, err
	}
	return withMasks(p, masks, len(want)), nil
}

// withMasks lets the masks, which stand from column from on in the input of p,
// go along with its columns: withDefaults computes the values they ask for.
func withMasks(p *plan.Project, masks column.Header, from int) *plan.Project {
	p.Fields = append(append(column.Header(nil), p.Fields...), masks...)
	for i, m := range masks {
		p.Exprs = append(p.Exprs, &expr.Column{Index: from + i, Name: m.Name, T: m.Type})
	}
	return p
}

// omittedValue is the default where mask is set, else what there is.
func (r *run) omittedValue(c table.Column, mask, def, given expr.Expr) (expr.Expr, error) {
	reg, env := r.s.engine.cfg.Registry, r.env.Functions
	e, err := reg.Call(env, "if", mask, def, given)
	if err != nil || e.Type().Equal(c.Type) {
		return e, err
	}
	return reg.Call(env, "_CAST", e, expr.NewLiteral(types.String, c.Type.String()))
}
