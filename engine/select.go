package engine

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/engine/exec"
	"lakeserver/engine/parse"
	"lakeserver/engine/plan"
	"lakeserver/functions"
	"lakeserver/table"
)

// analyzeEnv is what analysis may know of this query.
func (r *run) analyzeEnv(fenv *functions.Env) *analyze.Env {
	params := map[string]string{}
	r.s.mu.Lock()
	for name, v := range r.s.custom {
		if p, ok := paramName(name); ok {
			params[p] = v
		}
	}
	r.s.mu.Unlock()
	for name, v := range r.q.Params {
		params[name] = v
	}
	return &analyze.Env{
		Functions: fenv, Registry: r.s.engine.cfg.Registry, Tables: &resolver{r}, Params: params,
		Parse: parse.ParseExpr, Explain: r.explainLines, Source: r.sourceAllowed, Whole: r.wholeAllowed,
		Run: func(ctx context.Context, n plan.Node) ([]*column.Block, error) {
			res, err := r.optimized(ctx, n, exec.Options{})
			if err != nil {
				return nil, err
			}
			return column.ReadAll(ctx, res.Stream)
		},
	}
}

func paramName(setting string) (string, bool) {
	const prefix = "param_"
	if len(setting) > len(prefix) && setting[:len(prefix)] == prefix {
		return setting[len(prefix):], true
	}
	return "", false
}

// resolver finds tables for the analyser: external and temporary ones first.
type resolver struct{ r *run }

// Table implements analyze.Resolver.
func (v *resolver) Table(ctx context.Context, db, name string, version *functions.TimeTravel) (table.Table, *analyze.View, error) {
	r := v.r
	if db == "" {
		for i := range r.q.External {
			if r.q.External[i].Name == name {
				return external(&r.q.External[i]), nil, nil
			}
		}
	}
	e, err := r.s.lookup(db, name)
	if err != nil {
		return nil, nil, err
	}
	if e.View != nil {
		if err := r.viewAllowed(e); err != nil {
			return nil, nil, err
		}
		return nil, &analyze.View{Database: e.Database, Query: e.View, Columns: e.Columns}, nil
	}
	t, err := e.Open(ctx, r.env.Functions, version)
	if cherr.Is(err, cherr.UnknownTable) {
		if v, verr := r.externalView(ctx, e); v != nil || verr != nil {
			return nil, v, verr
		}
	}
	if err == nil {
		err = r.opened(e, t)
	}
	return t, nil, err
}

// UserFunction implements analyze.UserFunctions.
func (v *resolver) UserFunction(name string) (ast.Expr, bool) {
	e := v.r.s.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	f, ok := e.functions[name]
	if !ok {
		return nil, false
	}
	return f.Body, true
}

// query runs a SELECT.
func (r *run) query(ctx context.Context, n *ast.QueryStatement) (*Result, error) {
	if e, ok := n.Query.(*ast.ExplainQuery); ok {
		e.Explain.Output = n.Output
		return r.explain(ctx, e.Explain)
	}
	a, err := analyze.Analyze(ctx, r.env, n)
	if err != nil {
		return nil, err
	}
	res, err := r.optimized(ctx, a.Plan, exec.Options{})
	if err != nil {
		return nil, err
	}
	res.Header, res.HasRows = a.Header, true
	res.Format, res.Outfile = a.Output.Format, a.Output.Outfile
	return res, nil
}

// optimized rewrites a plan by the rules and makes operators of it.
func (r *run) optimized(ctx context.Context, n plan.Node, opt exec.Options) (*Result, error) {
	n, err := plan.Optimize(ctx, n, r.planOptions())
	if err != nil {
		return nil, err
	}
	return r.build(ctx, n, opt)
}

// planOptions are what the plan's rules ask.
func (r *run) planOptions() *plan.Options {
	return &plan.Options{Settings: r.set, Memory: r.tracker, Guard: r.guard}
}

// build makes operators of a plan; opt says what is special about its rows.
func (r *run) build(ctx context.Context, n plan.Node, opt exec.Options) (*Result, error) {
	opt.Threads, opt.Memory, opt.Settings = max(int(r.set.Uint("max_threads")), 1), r.tracker, r.set
	opt.Progress = func(rows, bytes int64) {
		r.progress.ReadRows.Add(rows)
		r.progress.ReadBytes.Add(bytes)
	}
	opt.OnScan = r.progress.addReport
	opt.TempDir = r.s.engine.tempDir()
	out, err := exec.Build(ctx, n, opt)
	if err != nil {
		return nil, err
	}
	return &Result{Header: n.Header(), Stream: out, totals: out.Totals, extremes: out.Extremes, HasRows: true}, nil
}

// castPlan converts a plan's first columns to a header by position; the names
// become the header's.
func (r *run) castPlan(input plan.Node, to column.Header) (*plan.Project, error) {
	p := &plan.Project{Input: input, Fields: to}
	for i, f := range input.Header()[:len(to)] {
		e, err := r.castColumn(i, f, to[i])
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, e)
	}
	return p, nil
}

// text runs SQL of our own making, in place of a statement that stands for it.
func (r *run) text(ctx context.Context, out ast.Output, sql string) (*Result, error) {
	stmt, err := parse.Parse(sql)
	if err != nil {
		return nil, cherr.Wrap(err, "rewriting a statement as %s", sql)
	}
	q, ok := stmt.(*ast.QueryStatement)
	if !ok {
		cherr.Bug("rewritten statement is no query: %s", sql)
	}
	q.Output = out
	return r.query(ctx, q)
}
