package engine

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/functions"
	"lakeserver/table"
	"lakeserver/types"
)

// tableColumns gives the columns of a CREATE TABLE from whatever gives them.
func (r *run) tableColumns(ctx context.Context, n *ast.CreateTable) ([]table.Column, error) {
	switch {
	case len(n.Columns) > 0:
		return r.declaredColumns(ctx, n.Columns)
	case n.AsTable != nil:
		e, err := r.s.lookup(n.AsTable.Database, n.AsTable.Table)
		if err != nil {
			return nil, err
		}
		if len(e.Columns) > 0 {
			return e.Columns, nil
		}
		t, err := e.Open(ctx, r.env.Functions, nil)
		if err != nil {
			return nil, err
		}
		return t.Columns(), nil
	case n.AsFunction != nil:
		t, err := analyze.OpenFunction(ctx, r.env, n.AsFunction, nil)
		if err != nil {
			return nil, err
		}
		return t.Columns(), nil
	case n.AsQuery != nil:
		h, err := r.headerOf(ctx, n.AsQuery)
		if err != nil {
			return nil, err
		}
		return columnsOf(h), nil
	}
	return nil, nil
}

// declaredColumns reads column declarations. A default may give the type.
func (r *run) declaredColumns(ctx context.Context, decls []*ast.ColumnDecl) ([]table.Column, error) {
	out := make([]table.Column, 0, len(decls))
	seen := map[string]bool{}
	for _, d := range decls {
		if seen[d.Name] {
			return nil, cherr.New(cherr.DuplicateColumn, "Column %s already exists", d.Name)
		}
		seen[d.Name] = true
		c := table.Column{Name: d.Name, DefaultKind: d.DefaultKind}
		if d.Comment != nil {
			c.Comment = d.Comment.Text
		}
		if d.Default != nil {
			c.DefaultExpr = ast.Format(d.Default)
		}
		if d.Type != "" {
			t, err := r.columnType(d)
			if err != nil {
				return nil, err
			}
			c.Type = t
		}
		out = append(out, c)
	}
	out = flattenNested(out, r.set.Bool("flatten_nested"))
	return out, r.inferTypes(ctx, out)
}

func (r *run) columnType(d *ast.ColumnDecl) (*types.Type, error) {
	t, err := types.Parse(d.Type)
	if err != nil {
		return nil, err
	}
	if err := functions.CheckType(r.set, t); err != nil {
		return nil, err
	}
	if d.Null == "NULL" || d.Null == "" && r.set.Bool("data_type_default_nullable") && t.CanBeNullable() {
		if !t.CanBeNullable() && !t.IsNullable() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Nested type %s cannot be inside Nullable type", t)
		}
		t = types.Nullable(t)
	}
	return t, nil
}

// flattenNested makes n.a Array(A), n.b Array(B) of n Nested(a A, b B).
func flattenNested(cols []table.Column, flatten bool) []table.Column {
	if !flatten {
		return cols
	}
	var out []table.Column
	for _, c := range cols {
		if c.Type == nil || !c.Type.IsNested() {
			out = append(out, c)
			continue
		}
		tuple := c.Type.Elem()
		for i, name := range tuple.Names() {
			out = append(out, table.Column{Name: c.Name + "." + name, Type: types.Array(tuple.Elems()[i]), Comment: c.Comment})
		}
	}
	return out
}

// inferTypes binds the defaults over the declared columns: for the types that
// are not written, and to refuse a wrong default at once.
func (r *run) inferTypes(ctx context.Context, cols []table.Column) error {
	var header column.Header
	for _, c := range cols {
		if c.Type != nil {
			header = append(header, column.Field{Name: c.Name, Type: c.Type})
		}
	}
	for i := range cols {
		c := &cols[i]
		if c.DefaultExpr == "" {
			if c.Type == nil && c.DefaultKind == "EPHEMERAL" {
				c.Type = types.String
			}
			continue
		}
		parsed, err := r.env.Parse(c.DefaultExpr)
		if err != nil {
			return err
		}
		e, err := analyze.BindOver(ctx, r.env, header, parsed)
		if err != nil {
			return cherr.Wrap(err, "default expression of column %s", c.Name)
		}
		if c.Type == nil {
			c.Type = e.Type()
			header = append(header, column.Field{Name: c.Name, Type: c.Type})
		}
	}
	return nil
}

// likePattern tells SHOW's LIKE from nothing.
func likePattern(n *ast.Show) string {
	if !n.HasLike {
		return ""
	}
	op := " LIKE "
	if n.ILike {
		op = " ILIKE "
	}
	if n.NotLike {
		op = " NOT" + op
	}
	return op + ast.QuoteString(n.Like)
}

func joinAnd(conds ...string) string {
	var used []string
	for _, c := range conds {
		if c != "" {
			used = append(used, c)
		}
	}
	if len(used) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(used, " AND ")
}
