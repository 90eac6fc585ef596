package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/expr"
	"lakeserver/functions"
)

// aggregateName gives the function that a name stands for under the settings.
func (sc *scope) aggregateName(f *ast.Function) string {
	name := f.Name
	if f.Nulls == ast.NullsRespect {
		if n, ok := respectNulls(name); ok {
			name = n
		}
	}
	impl := sc.settings().Get("count_distinct_implementation")
	switch low := lower(name); {
	case low == "countdistinct":
		name = impl
	case low == "countifdistinct", low == "countdistinctif":
		name = impl + "If"
	}
	return name
}

// respectNulls gives the function that keeps NULLs, combinators and all.
func respectNulls(name string) (string, bool) {
	for n := len(name); n > 0; n-- {
		if to, ok := respecting[lower(name[:n])]; ok && (n == len(name) || name[n] >= 'A' && name[n] <= 'Z') {
			return to + name[n:], true
		}
	}
	return name, false
}

// respecting are the functions that RESPECT NULLS chooses.
var respecting = map[string]string{
	"any": "anyRespectNulls", "any_value": "anyRespectNulls", "first_value": "first_value_respect_nulls",
	"anylast": "anyLastRespectNulls", "last_value": "last_value_respect_nulls",
}

// checkNulls refuses RESPECT NULLS where it has no meaning.
func (sc *scope) checkNulls(f *ast.Function) error {
	if f.Nulls != ast.NullsRespect {
		return nil
	}
	if _, ok := respectNulls(f.Name); !ok {
		return at(f, cherr.NotImplemented, "Function %s does not support RESPECT NULLS", f.Name)
	}
	return nil
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// aggregate binds an aggregate function outside of windows.
func (sc *scope) aggregate(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if sc.inAggregate {
		return nil, at(f, cherr.IllegalAggregation, "Aggregate function %s is found inside another aggregate function in query", sc.nameOf(f))
	}
	if sc.noAggregate != "" {
		return nil, at(f, cherr.IllegalAggregation, "Aggregate function %s is found in %s in query", sc.nameOf(f), sc.noAggregate)
	}
	if err := sc.checkNulls(f); err != nil {
		return nil, err
	}
	fn, args, err := sc.bindAggregate(ctx, f)
	if err != nil {
		return nil, err
	}
	if e, err := sc.sumOffset(fn, args); e != nil || err != nil {
		return e, err
	}
	return &aggCall{fn: fn, args: args}, nil
}

func (sc *scope) bindAggregate(ctx context.Context, f *ast.Function) (*functions.BoundAggregate, []expr.Expr, error) {
	params, err := sc.parameters(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	was, frames := sc.inAggregate, sc.frames
	sc.inAggregate = true
	args, err := sc.aggregateArgs(ctx, f)
	sc.inAggregate, sc.frames = was, frames
	if err != nil {
		return nil, nil, err
	}
	name := sc.aggregateName(f)
	if lower(f.Name) == "count" && len(args) > 1 {
		return nil, nil, at(f, cherr.NumberOfArgumentsDoesntMatch, "Aggregate function count requires zero or one argument")
	}
	if sc.setting("aggregate_functions_null_for_empty") && lower(f.Name) != "count" {
		if sc.a.env.Registry.IsAggregate(name + "OrNull") {
			name += "OrNull"
		}
	}
	fn, err := sc.a.env.Registry.BindAggregate(sc.fenv, name, params, argTypes(args))
	if err != nil {
		return nil, nil, err
	}
	return fn, args, nil
}

func (sc *scope) aggregateArgs(ctx context.Context, f *ast.Function) ([]expr.Expr, error) {
	var list []ast.Expr
	star := len(f.Args) == 1 && lower(f.Name) == "count" || len(f.Args) > 0 && lower(f.Name) == "countif"
	for _, a := range f.Args {
		if s, ok := a.(*ast.Asterisk); ok && star && len(s.Transformers) == 0 {
			continue
		}
		list = append(list, a)
	}
	items, err := sc.list(ctx, list)
	if err != nil {
		return nil, err
	}
	args := make([]expr.Expr, 0, len(items))
	for _, it := range items {
		args = append(args, it.e)
	}
	return args, nil
}

// parameters gives the constants of f(params)(args).
func (sc *scope) parameters(ctx context.Context, f *ast.Function) ([]functions.Param, error) {
	var out []functions.Param
	for _, p := range f.Params {
		e, err := sc.resolve(ctx, p)
		if err != nil {
			return nil, err
		}
		l, ok := e.(*expr.Literal)
		if !ok {
			return nil, at(f, cherr.BadArguments, "Parameters to aggregate functions must be literals, got %s", sc.nameOf(p))
		}
		out = append(out, functions.Param{Type: l.T, Value: boxed(l), Text: fieldName(l.T, boxed(l))})
	}
	return out, nil
}

// groupingCall is the function grouping.
func (sc *scope) groupingCall(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if sc.noAggregate != "" {
		return nil, at(f, cherr.IllegalAggregation, "GROUPING function is found in %s in query", sc.noAggregate)
	}
	items, err := sc.list(ctx, f.Args)
	if err != nil {
		return nil, err
	}
	g := &grouping{standard: sc.setting("force_grouping_standard_compatibility")}
	for _, it := range items {
		e := it.e
		if k, ok := e.(*nullKey); ok {
			e = k.Expr
		}
		g.args = append(g.args, e)
	}
	if len(g.args) == 0 {
		return nil, at(f, cherr.TooFewArgumentsForFunction, "Function GROUPING expects at least one argument")
	}
	return g, nil
}
