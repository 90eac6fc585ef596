package engine

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
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
	out := &plan.Project{Input: p, Fields: want}
	for i, f := range want {
		e := expr.Expr(&expr.Column{Index: i, Name: f.Name, T: f.Type})
		if at := masks.Index(OmittedPrefix + f.Name); at >= 0 && asked[i].DefaultExpr != "" {
			def, err := r.defaultOver(ctx, want, asked[i])
			if err != nil {
				return nil, err
			}
			mask := &expr.Column{Index: len(want) + at, Name: masks[at].Name, T: masks[at].Type}
			if e, err = r.s.engine.cfg.Registry.Call(r.env.Functions, "if", mask, def, e); err != nil {
				return nil, err
			}
			if !e.Type().Equal(f.Type) {
				if e, err = r.s.engine.cfg.Registry.Call(r.env.Functions, "_CAST", e, expr.NewLiteral(types.String, f.Type.String())); err != nil {
					return nil, err
				}
			}
		}
		out.Exprs = append(out.Exprs, e)
	}
	return out, nil
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
