package analyze

import (
	"context"
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// function binds a call of anything by name.
func (sc *scope) function(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if f.Over != nil {
		return sc.windowCall(ctx, f)
	}
	switch f.Name {
	case "in", "notIn", "globalIn", "globalNotIn", "nullIn", "notNullIn", "globalNullIn", "globalNotNullIn",
		"inIgnoreSet", "notInIgnoreSet":
		return sc.in(ctx, f)
	case "exists":
		if len(f.Args) == 1 {
			if q, ok := f.Args[0].(*ast.Subquery); ok {
				return sc.exists(ctx, q)
			}
		}
	case "arrayJoin":
		return sc.arrayJoinCall(ctx, f)
	case "grouping", "GROUPING":
		return sc.groupingCall(ctx, f)
	case "untuple":
		return nil, at(f, cherr.UnsupportedMethod, "Function 'untuple' can stand only in lists")
	case "hasColumnInTable":
		return sc.hasColumnInTable(ctx, f)
	case "if":
		if e, ok, err := sc.ifConstant(ctx, f); ok || err != nil {
			return e, err
		}
	}
	if e, ok, err := sc.lambdaCall(ctx, f); ok || err != nil {
		return e, err
	}
	reg := sc.a.env.Registry
	if s, ok := reg.Scalar(f.Name); ok && !f.HasParams {
		return sc.scalar(ctx, f, s)
	}
	if reg.IsAggregate(sc.aggregateName(f)) {
		return sc.aggregate(ctx, f)
	}
	if _, ok := reg.Window(f.Name); ok {
		return nil, at(f, cherr.BadArguments, "Window function '%s' can only be called with an OVER clause", f.Name)
	}
	if _, ok := reg.Scalar(f.Name); ok && f.HasParams {
		return nil, at(f, cherr.FunctionCannotHaveParameters, "Function %s is not parametric", f.Name)
	}
	return nil, at(f, cherr.UnknownFunction, "Function with name `%s` does not exist%s", f.Name, sc.functionHint(f.Name))
}

// scalar binds an ordinary function.
func (sc *scope) scalar(ctx context.Context, f *ast.Function, s *functions.Scalar) (expr.Expr, error) {
	if f.Nulls != ast.NullsDefault {
		return nil, at(f, cherr.SyntaxError, "Function %s cannot have RESPECT NULLS or IGNORE NULLS", f.Name)
	}
	args, err := sc.arguments(ctx, f, s)
	if err != nil {
		return nil, err
	}
	if isLiteralArray(f) { // is one literal, and those never become a Variant
		if err := sc.signedLiterals(ctx, args); err != nil {
			return nil, err
		}
	}
	fn, err := sc.a.env.Registry.BindScalar(sc.fenv, f.Name, bindArgs(args))
	if err != nil {
		return nil, err
	}
	return sc.fold(ctx, &expr.Call{Fn: fn, Args: args})
}

// signedLiterals checks that literals have a common type. Those that Int64 holds
// are of it where others are negative: [-1, 5607475129431807682].
func (sc *scope) signedLiterals(ctx context.Context, args []expr.Expr) error {
	ts := make([]*types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type()
	}
	_, err := types.Super(ts...)
	if err == nil {
		return nil
	}
	for i, a := range args {
		if v := expr.Constant(a); v != nil && ts[i].Kind() == types.KindUInt64 {
			if n, ok := column.At(v, 0).(uint64); ok && n <= math.MaxInt64 {
				ts[i] = types.Int64
			}
		}
	}
	if _, again := types.Super(ts...); again != nil {
		return err
	}
	for i, a := range args {
		if !ts[i].Equal(a.Type()) {
			if args[i], err = sc.cast(ctx, a, ts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLiteralArray tells whether an array in brackets holds literals only.
func isLiteralArray(f *ast.Function) bool {
	if !f.Operator || f.Name != "array" {
		return false
	}
	for _, a := range f.Args {
		if _, ok := a.(*ast.Literal); !ok {
			return false
		}
	}
	return true
}

// arguments binds a call's arguments; lambdas come last, because their
// parameters' types follow from the other arguments.
func (sc *scope) arguments(ctx context.Context, f *ast.Function, s *functions.Scalar) ([]expr.Expr, error) {
	var args []expr.Expr
	lambdas := map[int]*ast.Lambda{}
	for _, a := range f.Args {
		if l := sc.asLambda(a, s != nil && s.LambdaParams != nil && len(args) == 0); l != nil {
			lambdas[len(args)] = l
			args = append(args, nil)
			continue
		}
		items, err := sc.items(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			args = append(args, it.e)
		}
	}
	if len(lambdas) == 0 {
		return args, nil
	}
	if s == nil || s.LambdaParams == nil {
		return nil, at(f, cherr.IllegalTypeOfArgument, "Function %s doesn't take a lambda", f.Name)
	}
	seen := make([]functions.Arg, len(args))
	for i, a := range args {
		if l := lambdas[i]; l != nil {
			seen[i].Arity = len(l.Params)
			continue
		}
		seen[i] = functions.Arg{Type: a.Type(), Const: expr.Constant(a)}
	}
	for i := range args {
		l := lambdas[i]
		if l == nil {
			continue
		}
		ts, err := s.LambdaParams(seen, i)
		if err != nil {
			return nil, err
		}
		if args[i], err = sc.lambda(ctx, l, ts); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// asLambda gives the lambda that an argument is: written so, under an alias, or
// as a function's bare name.
func (sc *scope) asLambda(e ast.Expr, higherOrder bool) *ast.Lambda {
	switch x := ast.Unalias(e).(type) {
	case *ast.Lambda:
		return x
	case *ast.Identifier:
		if len(x.Parts) != 1 {
			return nil
		}
		for s := sc; s != nil; s = s.parent {
			if a, ok := s.aliases[x.Parts[0]]; ok {
				l, _ := a.ast.(*ast.Lambda)
				return l
			}
		}
		if !higherOrder || sc.lambdaParam(x.Parts) != nil {
			return nil
		}
		if sc.rel != nil {
			if c, _, _ := sc.rel.find(x.Parts, true); c != nil {
				return nil
			}
		}
		if s, ok := sc.a.env.Registry.Scalar(x.Parts[0]); ok && s.MinArgs > 0 {
			l := &ast.Lambda{At: x.At}
			var args []ast.Expr
			for i := range s.MinArgs {
				name := "_arg" + string(rune('0'+i%10))
				l.Params = append(l.Params, name)
				args = append(args, ast.NewIdentifier(name))
			}
			l.Body = ast.Call(x.Parts[0], args...)
			return l
		}
	}
	return nil
}

// lambda binds a lambda to parameter types. What its body takes from outside
// becomes captures.
func (sc *scope) lambda(ctx context.Context, l *ast.Lambda, ts []*types.Type) (expr.Expr, error) {
	if len(ts) != len(l.Params) {
		return nil, at(l, cherr.NumberOfArgumentsDoesntMatch, "A lambda of %d parameters stands where one of %d is expected", len(l.Params), len(ts))
	}
	f := &frame{id: sc.a.id()}
	for i, p := range l.Params {
		f.params = append(f.params, column.Field{Name: p, Type: ts[i]})
	}
	sc.frames = append(sc.frames, f)
	body, err := sc.resolve(ctx, l.Body)
	sc.frames = sc.frames[:len(sc.frames)-1]
	if err != nil {
		return nil, err
	}
	return sc.close(f, body), nil
}

// close makes the lambda of a resolved body.
func (sc *scope) close(f *frame, body expr.Expr) *expr.Lambda {
	out := &expr.Lambda{Params: f.params}
	seen := map[string]int{}
	capture := func(e expr.Expr) expr.Expr {
		key := e.String()
		i, ok := seen[key]
		if !ok {
			i = len(out.Captures)
			seen[key] = i
			out.Captures = append(out.Captures, e)
		}
		return &expr.Column{Index: len(f.params) + i, Name: key, T: e.Type()}
	}
	var walk func(e expr.Expr) expr.Expr
	walk = func(e expr.Expr) expr.Expr {
		switch x := e.(type) {
		case *param:
			if x.frame == f {
				return &expr.Column{Index: x.index, Name: f.params[x.index].Name, T: x.Type()}
			}
			return capture(e)
		case *ref, *aggCall, *winCall, *arrJoin, *grouping, *nullKey, *subCall:
			return capture(e)
		case *expr.Literal:
			return e
		}
		if _, key := sc.keys[e.String()]; key {
			return capture(e)
		}
		children := e.Children()
		if len(children) == 0 {
			return e
		}
		next := make([]expr.Expr, len(children))
		for i, c := range children {
			next[i] = walk(c)
		}
		return e.WithChildren(next)
	}
	out.Body = walk(body)
	return out
}

// lambdaCall is a call of a lambda with a name: WITH x -> x + 1 AS f, or a
// function of CREATE FUNCTION. Its body is put in place of the call.
func (sc *scope) lambdaCall(ctx context.Context, f *ast.Function) (expr.Expr, bool, error) {
	l := sc.namedLambda(f.Name)
	if l == nil {
		return nil, false, nil
	}
	if len(l.Params) != len(f.Args) {
		return nil, true, at(f, cherr.NumberOfArgumentsDoesntMatch, "Function %s expects %d arguments, got %d", f.Name, len(l.Params), len(f.Args))
	}
	e, err := sc.resolve(ctx, substitute(l, f.Args))
	return e, true, err
}

// substitute gives the lambda's body with the arguments in place of its parameters.
func substitute(l *ast.Lambda, args []ast.Expr) ast.Expr {
	by := map[string]ast.Expr{}
	for i, p := range l.Params {
		by[p] = args[i]
	}
	body := &ast.Aliased{Expr: ast.Clone(l.Body)}
	ast.Rewrite(body, func(n ast.Node) ast.Node {
		if id, ok := n.(*ast.Identifier); ok && id.Params == nil {
			if a, ok := by[id.Parts[0]]; ok {
				if len(id.Parts) == 1 {
					return ast.Clone(a)
				}
				if inner, ok := ast.Unalias(a).(*ast.Identifier); ok {
					return &ast.Identifier{At: id.At, Parts: append(append([]string(nil), inner.Parts...), id.Parts[1:]...)}
				}
			}
		}
		return n
	})
	return body.Expr
}

func (sc *scope) namedLambda(name string) *ast.Lambda {
	for s := sc; s != nil; s = s.parent {
		if a, ok := s.aliases[name]; ok {
			if l, ok := a.ast.(*ast.Lambda); ok {
				return l
			}
		}
	}
	if u, ok := sc.a.env.Tables.(UserFunctions); ok {
		if l, ok := u.UserFunction(name); ok {
			return l
		}
	}
	return nil
}

// ifConstant takes the branch that a constant condition chooses where the whole
// cannot be computed: the other branch may be an error that no row reaches.
func (sc *scope) ifConstant(ctx context.Context, f *ast.Function) (expr.Expr, bool, error) {
	if len(f.Args) != 3 {
		return nil, false, nil
	}
	cond, err := sc.resolve(ctx, f.Args[0])
	l, ok := cond.(*expr.Literal)
	if err != nil || !ok {
		return nil, false, err
	}
	a, errA := sc.resolve(ctx, f.Args[1])
	b, errB := sc.resolve(ctx, f.Args[2])
	truth, known := truthOf(l)
	switch {
	case !known || (errA == nil) == (errB == nil):
		return nil, false, nil
	case truth && errA == nil:
		return a, true, nil
	case !truth && errB == nil:
		return b, true, nil
	}
	return nil, false, nil
}

// arrayJoinCall is the function arrayJoin.
func (sc *scope) arrayJoinCall(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if len(f.Args) != 1 {
		return nil, at(f, cherr.NumberOfArgumentsDoesntMatch, "Function arrayJoin requires exactly 1 argument, got %d", len(f.Args))
	}
	e, err := sc.resolve(ctx, f.Args[0])
	if err != nil {
		return nil, err
	}
	t, ok := elementType(e.Type())
	if !ok {
		return nil, at(f, cherr.TypeMismatch, "Argument for function arrayJoin must be Array or Map, got %s", e.Type())
	}
	return &arrJoin{e, t}, nil
}

// elementType is what ARRAY JOIN makes of a column: an array's element, a
// map's pair.
func elementType(t *types.Type) (*types.Type, bool) {
	switch t.Kind() {
	case types.KindArray:
		return t.Elem(), true
	case types.KindMap:
		return types.Tuple(t.Elems(), []string{"keys", "values"}), true
	}
	return nil, false
}

// functionHint names functions spelled almost so.
func (sc *scope) functionHint(name string) string {
	var hints []string
	for _, set := range sc.a.env.Registry.Sets() {
		for i := range set.Scalars {
			if n := set.Scalars[i].Name; distance(strings.ToLower(n), strings.ToLower(name)) <= 1+len(name)/5 && len(hints) < 3 {
				hints = append(hints, "'"+n+"'")
			}
		}
	}
	if hints == nil {
		return ""
	}
	return ". Maybe you meant: [" + strings.Join(hints, ", ") + "]"
}
