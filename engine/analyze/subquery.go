package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// query binds a query inside the scope that was made for it.
func (a *analyzer) query(ctx context.Context, q ast.Query, sc *scope) (plan.Node, error) {
	a.depth++
	defer func() { a.depth-- }()
	if a.depth > maxDepth {
		return nil, at(q, cherr.TooDeepSubqueries, "Too deep subqueries")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch q := q.(type) {
	case *ast.Select:
		return a.selectBlock(ctx, q, sc)
	case *ast.SelectUnion:
		return a.union(ctx, q, sc)
	}
	if e, ok := q.(*ast.ExplainQuery); ok && a.env.Explain != nil {
		lines, err := a.env.Explain(ctx, e.Explain)
		if err != nil {
			return nil, err
		}
		return &plan.Values{
			Fields: column.Header{{Name: "explain", Type: types.String}},
			Blocks: []*column.Block{column.NewBlock(column.NewStr(lines...))},
		}, nil
	}
	return nil, at(q, cherr.NotImplemented, "EXPLAIN as a subquery is not supported")
}

// runScalar executes a subquery that depends on nothing around it.
func (sc *scope) runScalar(ctx context.Context, q ast.Node, n plan.Node) ([]*column.Block, error) {
	if sc.a.env.Run == nil {
		return nil, at(q, cherr.NotImplemented, "A subquery cannot be executed here")
	}
	n, err := plan.Optimize(ctx, n, &plan.Options{Settings: sc.settings()})
	if err != nil {
		return nil, err
	}
	return sc.a.env.Run(ctx, n)
}

// scalarSubquery gives the one value of a subquery as a constant.
func (sc *scope) scalarSubquery(ctx context.Context, x *ast.Subquery) (expr.Expr, error) {
	if l, ok := sc.a.scalars[x.Query]; ok {
		return l, nil
	}
	sc.subqueryName(x.Query)
	sub := sc.child()
	n, err := sc.a.query(ctx, x.Query, sub)
	if err != nil {
		return nil, err
	}
	if len(sub.outer) > 0 {
		return sc.correlatedScalar(ctx, x, n, sub)
	}
	blocks, err := sc.runScalar(ctx, x, n)
	if err != nil {
		return nil, err
	}
	l, err := scalarOf(x, n.Header(), blocks)
	if err != nil {
		return nil, err
	}
	if sc.a.scalars == nil {
		sc.a.scalars = map[ast.Query]*expr.Literal{}
	}
	sc.a.scalars[x.Query] = l
	return l, nil
}

// scalarOf takes the value out of the result: NULL for no row.
func scalarOf(x ast.Node, h column.Header, blocks []*column.Block) (*expr.Literal, error) {
	rows := 0
	var cols []column.Column
	for _, b := range blocks {
		if rows += b.Rows; rows > 1 {
			return nil, at(x, cherr.IncorrectResultOfScalarSubquery, "Scalar subquery returned more than one row")
		}
		if b.Rows == 1 {
			cols = b.Columns
		}
	}
	t := scalarType(h)
	if cols == nil {
		if !t.IsNullable() && t.Kind() == types.KindLowCardinality {
			t = types.Nullable(t)
		}
		if !t.IsNullable() {
			return nil, at(x, cherr.IncorrectResultOfScalarSubquery, "Scalar subquery returned empty result of type %s which cannot be Nullable", t)
		}
		return valueOf(t, nil), nil
	}
	if len(cols) == 1 {
		return valueOf(t, column.At(cols[0], 0)), nil
	}
	row := make(column.Row, len(cols))
	for i, c := range cols {
		row[i] = column.At(c, 0)
	}
	return valueOf(t, row), nil
}

// scalarType is the type of a scalar subquery: Nullable where that can be, a
// named tuple of several columns.
func scalarType(h column.Header) *types.Type {
	if len(h) == 1 {
		if h[0].Type.CanBeNullable() && h[0].Type.Kind() != types.KindLowCardinality {
			return types.Nullable(h[0].Type)
		}
		return h[0].Type
	}
	ts, names := make([]*types.Type, len(h)), make([]string, len(h))
	seen := map[string]bool{}
	for i, f := range h {
		ts[i], names[i] = f.Type, f.Name
		if seen[f.Name] {
			names = nil
			break
		}
		seen[f.Name] = true
	}
	if names == nil {
		for i, f := range h {
			ts[i] = f.Type
		}
	}
	return types.Tuple(ts, names)
}

// exists tells whether a subquery gives a row.
func (sc *scope) exists(ctx context.Context, x *ast.Subquery) (expr.Expr, error) {
	if l, ok := sc.a.scalars[x.Query]; ok {
		return l, nil
	}
	sub := sc.child()
	n, err := sc.a.query(ctx, x.Query, sub)
	if err != nil {
		return nil, err
	}
	if len(sub.outer) > 0 {
		return sc.correlatedExists(ctx, x, n, sub)
	}
	blocks, err := sc.runScalar(ctx, x, &plan.Limit{Input: n, Limit: 1, HasLimit: true})
	if err != nil {
		return nil, err
	}
	found := uint8(0)
	for _, b := range blocks {
		if b.Rows > 0 {
			found = 1
		}
	}
	l := valueOf(types.UInt8, found)
	if sc.a.scalars == nil {
		sc.a.scalars = map[ast.Query]*expr.Literal{}
	}
	sc.a.scalars[x.Query] = l
	return l, nil
}

// existsName: EXISTS of a query that could be run is a constant to ClickHouse.
func (sc *scope) existsName(x *ast.Subquery) string {
	if l, ok := sc.a.scalars[x.Query]; ok {
		return fieldName(l.T, boxed(l))
	}
	return "exists(" + sc.subqueryName(x.Query) + ")"
}

// hasColumnInTable asks a table's columns while analysing.
func (sc *scope) hasColumnInTable(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	items, err := sc.list(ctx, f.Args)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, it := range items {
		l, ok := it.e.(*expr.Literal)
		s, isText := "", false
		if ok {
			s, isText = boxed(l).(string)
		}
		if !isText {
			return nil, at(f, cherr.IllegalTypeOfArgument, "Arguments of function hasColumnInTable must be constant strings")
		}
		words = append(words, s)
	}
	if len(words) != 3 || sc.a.env.Tables == nil {
		return nil, at(f, cherr.NumberOfArgumentsDoesntMatch, "Function hasColumnInTable expects database, table and column")
	}
	tab, view, err := sc.a.env.Tables.Table(ctx, words[0], words[1], nil)
	if err != nil {
		return nil, err
	}
	cols := []string{}
	if view != nil {
		for _, c := range view.Columns {
			cols = append(cols, c.Name)
		}
	} else {
		for _, c := range tab.Columns() {
			cols = append(cols, c.Name)
		}
	}
	for _, c := range cols {
		if c == words[2] {
			return valueOf(types.UInt8, uint8(1)), nil
		}
	}
	return valueOf(types.UInt8, uint8(0)), nil
}
