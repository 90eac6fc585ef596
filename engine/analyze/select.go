package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
)

// block is one SELECT while its clauses are resolved and then planned.
type block struct {
	sc  *scope
	sel *ast.Select
	st  *stage

	where, having, qualify expr.Expr

	items   []item
	keys    []expr.Expr
	sets    [][]int // grouping sets as positions in keys; nil: all keys
	grouped bool
	totals  bool
	order   []orderKey
	limitBy []expr.Expr
}

// selectBlock binds one SELECT: names first, clause by clause, then the plan
// in the order of evaluation.
func (a *analyzer) selectBlock(ctx context.Context, sel *ast.Select, sc *scope) (plan.Node, error) {
	b := &block{sc: sc, sel: sel}
	if len(sel.Settings) > 0 {
		env, err := sc.withSettings(ctx, sel.Settings)
		if err != nil {
			return nil, err
		}
		sc.fenv = env
	}
	for _, step := range []func(context.Context) error{
		b.names, b.from, b.filters, b.selectList, b.groupBy, b.after,
		b.planFilters, b.planAggregate, b.planWindows,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	n, err := b.planResult(ctx)
	if err != nil {
		return nil, err
	}
	if len(sc.sets) > 0 {
		n = &plan.BuildSets{Input: n, Sets: sc.sets}
	}
	return n, nil
}

// withSettings gives the environment with SETTINGS of a query block.
func (sc *scope) withSettings(ctx context.Context, list []*ast.Setting) (*functions.Env, error) {
	env := *sc.fenv
	for _, s := range list {
		if s.Default {
			env.Settings = env.Settings.WithDefault(s.Name)
			continue
		}
		text, ok, err := sc.settingText(ctx, s)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		next, err := env.Settings.With(s.Name, text)
		if err != nil {
			return nil, err
		}
		env.Settings = next
	}
	return &env, nil
}

func (sc *scope) settingText(ctx context.Context, s *ast.Setting) (string, bool, error) {
	switch v := s.Value.(type) {
	case *ast.Literal:
		switch v.Kind {
		case ast.String:
			return v.Text, true, nil
		case ast.Bool:
			if v.Uint != 0 {
				return "1", true, nil
			}
			return "0", true, nil
		}
		if v.Text != "" {
			return v.Text, true, nil
		}
		return literalName(v), true, nil
	case *ast.QueryParam:
		return sc.a.env.Params[v.Name], true, nil
	case *ast.Identifier:
		return v.Parts[0], true, nil
	}
	return "", false, nil
}

// names enters WITH and the aliases of all clauses.
func (b *block) names(context.Context) error {
	sc, sel := b.sc, b.sel
	if err := sc.with(sel); err != nil {
		return err
	}
	var nodes []ast.Node
	add := func(es ...ast.Expr) {
		for _, e := range es {
			if e != nil {
				nodes = append(nodes, e)
			}
		}
	}
	add(sel.Columns...)
	add(sel.DistinctOn...)
	add(sel.Prewhere, sel.Where, sel.Having, sel.Qualify, sel.Limit, sel.Offset)
	if g := sel.GroupBy; g != nil {
		add(g.Exprs...)
		for _, s := range g.Sets {
			add(s.Exprs...)
		}
	}
	for _, w := range sel.Windows {
		nodes = append(nodes, w.Spec)
	}
	for _, o := range sel.OrderBy {
		nodes = append(nodes, o)
	}
	if sel.LimitBy != nil {
		nodes = append(nodes, sel.LimitBy)
	}
	for _, n := range nodes {
		if err := sc.collect(n, false); err != nil {
			return err
		}
	}
	sc.windows = map[string]*ast.WindowSpec{}
	for _, w := range sel.Windows {
		if _, ok := sc.windows[w.Name]; ok {
			return at(w, cherr.MultipleExpressionsForAlias, "Window '%s' is defined twice", w.Name)
		}
		sc.windows[w.Name] = w.Spec
	}
	return nil
}

func (b *block) from(ctx context.Context) error {
	rel, err := b.sc.from(ctx, b.sel.From)
	if err != nil {
		return err
	}
	b.sc.rel, b.st = rel, rel.st
	b.st.foreign = b.sc.foreignIDs()
	return b.withDomain()
}

// filters resolves PREWHERE and WHERE, where no aggregates may stand.
func (b *block) filters(ctx context.Context) error {
	for _, w := range []struct {
		clause string
		e      ast.Expr
	}{{"PREWHERE", b.sel.Prewhere}, {"WHERE", b.sel.Where}} {
		if w.e == nil {
			continue
		}
		b.sc.noAggregate = w.clause
		e, err := b.sc.resolve(ctx, w.e)
		b.sc.noAggregate = ""
		if err != nil {
			return err
		}
		if _, err := b.sc.condition(w.clause, e); err != nil {
			return err
		}
		if b.where == nil {
			b.where = e
		} else if b.where, err = b.sc.call("and", b.where, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) selectList(ctx context.Context) error {
	var err error
	b.items, err = b.sc.list(ctx, b.sel.Columns)
	if err == nil && len(b.items) == 0 {
		err = at(b.sel, cherr.EmptyListOfColumnsQueried, "Empty list of columns in projection")
	}
	return err
}

// after resolves what is computed after grouping.
func (b *block) after(ctx context.Context) error {
	var err error
	if b.sel.Having != nil {
		b.sc.noWindow = "HAVING"
		b.having, err = b.sc.resolve(ctx, b.sel.Having)
		b.sc.noWindow = ""
		if err != nil {
			return err
		}
	}
	if b.sel.Qualify != nil {
		if b.qualify, err = b.sc.resolve(ctx, b.sel.Qualify); err != nil {
			return err
		}
	}
	if err := b.orderBy(ctx); err != nil {
		return err
	}
	return b.limitByExprs(ctx)
}

func (b *block) planFilters(ctx context.Context) error {
	if b.where == nil {
		return nil
	}
	// Conditions without correlated subqueries go first: the subqueries are
	// computed for the values of the rows that are left.
	var plain, correlated []expr.Expr
	for _, c := range expr.Conjuncts(b.where) {
		if has(c, isSubCall) {
			correlated = append(correlated, c)
		} else {
			plain = append(plain, c)
		}
	}
	if len(plain) == 0 || len(correlated) == 0 || !expr.Deterministic(b.where) {
		return b.st.filter(ctx, b.sc, "WHERE", b.where, false)
	}
	for _, c := range append(plain, correlated...) {
		if err := b.st.filter(ctx, b.sc, "WHERE", c, false); err != nil {
			return err
		}
	}
	return nil
}

// results are the resolved expressions that are computed after grouping.
func (b *block) results() []expr.Expr {
	var out []expr.Expr
	for _, it := range b.items {
		out = append(out, it.e)
	}
	for _, o := range b.order {
		out = append(out, o.e)
	}
	out = append(out, b.limitBy...)
	if b.having != nil {
		out = append(out, b.having)
	}
	if b.qualify != nil {
		out = append(out, b.qualify)
	}
	return out
}

func (b *block) planWindows(ctx context.Context) error {
	var calls []*winCall
	seen := map[string]bool{}
	var collect func(e expr.Expr)
	collect = func(e expr.Expr) {
		if w, ok := e.(*winCall); ok {
			if key := w.String(); !seen[key] {
				seen[key] = true
				calls = append(calls, w)
			}
			return
		}
		for _, c := range e.Children() {
			collect(c)
		}
	}
	for _, e := range b.results() {
		collect(e)
	}
	if err := b.windows(ctx, calls); err != nil {
		return err
	}
	if b.qualify == nil {
		return nil
	}
	return b.st.filter(ctx, b.sc, "QUALIFY", b.qualify, false)
}

// planResult computes the SELECT list and what comes after it: DISTINCT, ORDER
// BY, LIMIT BY, WITH FILL, LIMIT.
func (b *block) planResult(ctx context.Context) (plan.Node, error) {
	exprs := make([]expr.Expr, 0, len(b.items)+len(b.order))
	for _, it := range b.items {
		exprs = append(exprs, it.e)
	}
	for _, o := range b.order {
		exprs = append(exprs, o.e)
	}
	exprs = append(exprs, b.limitBy...)
	exprs = append(exprs, b.domainExprs()...)
	low, err := b.st.lowerAll(ctx, exprs)
	if err != nil {
		return nil, err
	}
	// The items come first, under their names; equal expressions are shared.
	p := &plan.Project{Input: b.st.node}
	place := map[string]int{}
	at := make([]int, len(low))
	for i, e := range low {
		name := b.st.print(exprs[i])
		if i < len(b.items) {
			at[i] = len(p.Exprs)
			if _, ok := place[name]; !ok {
				place[name] = at[i]
			}
			p.Exprs = append(p.Exprs, e)
			p.Fields = append(p.Fields, column.Field{Name: b.items[i].name, Type: e.Type()})
			continue
		}
		n, ok := place[name]
		if !ok {
			n = len(p.Exprs)
			place[name] = n
			p.Exprs = append(p.Exprs, e)
			p.Fields = append(p.Fields, column.Field{Name: name, Type: e.Type()})
		}
		at[i] = n
	}
	n, err := b.finish(ctx, p, at)
	if err != nil {
		return nil, err
	}
	if width := len(b.items); len(n.Header()) > width {
		out := &plan.Project{Input: n, Exprs: passed(n.Header())[:width], Fields: n.Header()[:width:width]}
		for _, i := range at[len(at)-len(b.domainExprs()):] {
			f := n.Header()[i]
			out.Exprs = append(out.Exprs, &expr.Column{Index: i, Name: f.Name, T: f.Type})
			out.Fields = append(out.Fields, f)
		}
		n = out
	}
	return n, nil
}

func (b *block) finish(ctx context.Context, n plan.Node, at []int) (plan.Node, error) {
	items, order := at[:len(b.items)], at[len(b.items):len(b.items)+len(b.order)]
	rest := at[len(b.items)+len(b.order):]
	by, outer := rest[:len(b.limitBy)], rest[len(b.limitBy):]
	if b.sel.Distinct && len(b.sel.DistinctOn) == 0 {
		n = &plan.Distinct{Input: n, Columns: append(append([]int(nil), items...), outer...)}
	}
	var keys []plan.SortKey
	for i, k := range b.order {
		if _, ok := k.e.(*expr.Literal); ok && k.fill == nil && !b.sel.WithTies {
			continue // a constant orders nothing
		}
		keys = append(keys, plan.SortKey{Column: order[i], Desc: k.desc, NullsFirst: k.nullsFirst, Collate: k.collate})
	}
	if len(keys) > 0 {
		n = &plan.Sort{Input: n, Keys: keys}
	}
	n, err := b.planLimitBy(ctx, n, append(by[:len(by):len(by)], outer...))
	if err != nil {
		return nil, err
	}
	if n, err = b.planFill(ctx, n, keys, place(b.items, items)); err != nil {
		return nil, err
	}
	if b.sc.domain != nil && (b.sel.Limit != nil || b.sel.Offset != nil) {
		return b.limitPerValue(ctx, n, outer)
	}
	return b.planLimit(ctx, n, keys)
}

// place maps the names of the items to their columns.
func place(items []item, at []int) map[string]int {
	out := map[string]int{}
	for i := len(items) - 1; i >= 0; i-- {
		out[items[i].name] = at[i]
	}
	return out
}
