package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// maxDepth bounds the nesting of expressions and queries.
const maxDepth = 1000

// resolve binds an expression that stands for one value.
func (sc *scope) resolve(ctx context.Context, e ast.Expr) (expr.Expr, error) {
	sc.a.depth++
	defer func() { sc.a.depth-- }()
	if sc.a.depth > maxDepth {
		return nil, at(e, cherr.TooDeepRecursion, "Query analyze stage: the expression is nested too deeply")
	}
	x, err := sc.node(ctx, e)
	if err != nil {
		return nil, err
	}
	return sc.nullableKey(x), nil
}

func (sc *scope) node(ctx context.Context, e ast.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *ast.Literal:
		return sc.literal(e)
	case *ast.Identifier:
		return sc.identifier(ctx, e)
	case *ast.Aliased:
		name, err := sc.aliasName(e)
		if err != nil {
			return nil, err
		}
		if a, ok := sc.aliases[name]; ok && !a.busy && (a.ast == e.Expr || ast.Equal(a.ast, e.Expr)) {
			return sc.alias(ctx, a)
		}
		return sc.resolve(ctx, e.Expr)
	case *ast.Function:
		return sc.function(ctx, e)
	case *ast.Subquery:
		return sc.scalarSubquery(ctx, e)
	case *ast.QueryParam:
		return sc.queryParam(ctx, e)
	case *ast.Asterisk, *ast.Columns:
		items, err := sc.matcher(ctx, e)
		if err != nil {
			return nil, err
		}
		if len(items) != 1 {
			return nil, at(e, cherr.UnsupportedMethod, "A matcher that gives %d columns stands where one expression is expected", len(items))
		}
		return items[0].e, nil
	case *ast.Lambda:
		return nil, at(e, cherr.UnsupportedMethod, "A lambda stands where a value is expected")
	}
	return nil, at(e, cherr.UnknownElementInAST, "Unknown expression")
}

// list binds expressions, of which matchers and untuple give several.
func (sc *scope) list(ctx context.Context, exprs []ast.Expr) ([]item, error) {
	var out []item
	for _, e := range exprs {
		items, err := sc.items(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
	}
	return out, nil
}

// item is one result of a SELECT list.
type item struct {
	e    expr.Expr
	name string
	ast  ast.Expr // nil where a matcher gave it
}

func (sc *scope) items(ctx context.Context, e ast.Expr) ([]item, error) {
	switch x := ast.Unalias(e).(type) {
	case *ast.Asterisk, *ast.Columns:
		return sc.matcher(ctx, x)
	case *ast.Function:
		if x.Name == "untuple" && len(x.Args) == 1 {
			return sc.untuple(ctx, e, x)
		}
		if many, err := sc.spread(ctx, x); many != nil || err != nil {
			return many, err
		}
	}
	b, err := sc.resolve(ctx, e)
	if err != nil {
		return nil, err
	}
	return []item{{b, sc.nameOf(e), e}}, nil
}

// spread is a function over a matcher where one value is expected: it is left
// to arguments, which may be lists.
func (sc *scope) spread(context.Context, *ast.Function) ([]item, error) { return nil, nil }

// untuple gives the elements of a tuple as columns.
func (sc *scope) untuple(ctx context.Context, whole ast.Expr, x *ast.Function) ([]item, error) {
	t, err := sc.resolve(ctx, x.Args[0])
	if err != nil {
		return nil, err
	}
	if t.Type().Kind() != types.KindTuple {
		return nil, at(x, cherr.IllegalTypeOfArgument, "Function 'untuple' expects a tuple, got %s", t.Type())
	}
	alias := ""
	if a, ok := whole.(*ast.Aliased); ok {
		alias = a.Alias
	}
	var out []item
	for i := range t.Type().Elems() {
		e, err := sc.call("tupleElement", t, unsigned(uint64(i+1)))
		if err != nil {
			return nil, err
		}
		elem := elementName(t.Type(), i)
		name := "tupleElement(" + sc.nameOf(x.Args[0]) + ", " + quoted(elem) + ")"
		if alias != "" {
			name = alias + "." + elem
		}
		out = append(out, item{e: e, name: name})
	}
	return out, nil
}

// call binds a function by name to bound arguments and folds constants.
func (sc *scope) call(name string, args ...expr.Expr) (expr.Expr, error) {
	c, err := sc.a.env.Registry.Call(sc.fenv, name, args...)
	if err != nil {
		return nil, err
	}
	return sc.fold(context.Background(), c)
}

// unfolded are functions whose result counts as not constant, whatever their
// arguments are.
var unfolded = map[string]bool{"materialize": true, "sleep": true, "sleepEachRow": true, "throwIf": true, "ignore": false}

// fold computes a call of constants.
func (sc *scope) fold(ctx context.Context, c *expr.Call) (expr.Expr, error) {
	if c.Fn.Volatile || unfolded[c.Fn.Name] || c.Fn.Set != nil && len(c.Args) == 0 {
		return c, nil
	}
	for _, a := range c.Args {
		switch x := a.(type) {
		case *expr.Literal:
		case *expr.Lambda:
			if len(x.Captures) > 0 || !expr.Deterministic(x.Body) || has(x.Body, sc.a.pending) {
				return c, nil
			}
		default:
			return c, nil
		}
	}
	ctx, made := expr.Within(ctx)
	defer made.Free()
	v, err := c.Eval(ctx, &column.Block{Rows: 1})
	if err != nil {
		return nil, err
	}
	if k, ok := v.(*column.Const); ok {
		v = k.Value
	}
	return constant(c.Type(), v), nil
}

// cast converts to a type, NULL and all; an equal type needs nothing.
func (sc *scope) cast(ctx context.Context, e expr.Expr, t *types.Type) (expr.Expr, error) {
	if e.Type().Equal(t) {
		return e, nil
	}
	if l, ok := e.(*expr.Literal); ok && e.Type().Equal(types.NullableNothing) && t.IsNullable() {
		_ = l
		return valueOf(t, nil), nil
	}
	name := "_CAST"
	if _, ok := sc.a.env.Registry.Scalar(name); !ok {
		name = "CAST"
	}
	c, err := sc.a.env.Registry.Call(sc.fenv, name, e, sc.text(t.String()))
	if err != nil {
		return nil, err
	}
	return sc.fold(ctx, c)
}

// args is bound arguments as functions see them when they are bound.
func bindArgs(args []expr.Expr) []functions.Arg {
	out := make([]functions.Arg, len(args))
	for i, a := range args {
		out[i] = functions.Arg{Type: a.Type(), Const: expr.Constant(a)}
		if l, ok := a.(*expr.Lambda); ok {
			out[i].Arity, out[i].Lambda = len(l.Params), l
		}
	}
	return out
}

func argTypes(args []expr.Expr) []*types.Type {
	out := make([]*types.Type, len(args))
	for i, a := range args {
		out[i] = a.Type()
	}
	return out
}
