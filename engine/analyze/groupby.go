package analyze

import (
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// groupBy resolves GROUP BY in all its forms.
func (b *block) groupBy(ctx context.Context) error {
	g := b.sel.GroupBy
	if g == nil {
		return nil
	}
	b.totals = g.Totals
	b.grouped = g.Kind == ast.GroupAll || len(g.Exprs) > 0 || len(g.Sets) > 0
	var err error
	switch g.Kind {
	case ast.GroupAll:
		for _, it := range b.items {
			b.groupAll(it.e)
		}
		if len(b.keys) == 0 && len(b.items) > 0 && !slices.ContainsFunc(b.items, func(it item) bool { return hasAggregate(it.e) || has(it.e, isWin) }) {
			b.key(b.items[0].e) // without rows there are no groups, of constants neither
		}
	case ast.GroupSets:
		b.sets = [][]int{}
		for _, s := range g.Sets {
			set, err := b.groupKeys(ctx, s.Exprs)
			if err != nil {
				return err
			}
			b.sets = append(b.sets, set)
		}
	default:
		var all []int
		if all, err = b.groupKeys(ctx, g.Exprs); err != nil {
			return err
		}
		switch g.Kind {
		case ast.GroupRollup:
			for n := len(all); n >= 0; n-- {
				b.sets = append(b.sets, all[:n:n])
			}
		case ast.GroupCube:
			if len(all) > 16 {
				return at(g, cherr.BadArguments, "CUBE of %d keys makes too many sets", len(all))
			}
			b.sets = cube(all)
		}
	}
	return b.regroup(ctx)
}

// cube gives every subset, the fullest first.
func cube(keys []int) [][]int {
	var out [][]int
	for mask := 1<<len(keys) - 1; mask >= 0; mask-- {
		set := []int{}
		for i, k := range keys {
			if mask>>(len(keys)-1-i)&1 != 0 {
				set = append(set, k)
			}
		}
		out = append(out, set)
	}
	return out
}

// regroup resolves the SELECT list again where keys change what it means.
func (b *block) regroup(ctx context.Context) error {
	sc := b.sc
	sc.keys = map[string]expr.Expr{}
	for _, k := range b.keys {
		sc.keys[k.String()] = k
	}
	sc.useNulls = sc.setting("group_by_use_nulls") && b.sets != nil
	lambdas := false
	for _, it := range b.items {
		lambdas = lambdas || has(it.e, func(e expr.Expr) bool { _, ok := e.(*expr.Lambda); return ok })
	}
	if !sc.useNulls && !lambdas {
		return nil
	}
	sc.aliases = sc.freshAliases()
	return b.selectList(ctx)
}

// groupKeys resolves keys and gives their positions; equal ones are one.
func (b *block) groupKeys(ctx context.Context, exprs []ast.Expr) ([]int, error) {
	out := []int{}
	for _, e := range exprs {
		if i, ok, err := b.positional(e); err != nil {
			return nil, err
		} else if ok {
			out = append(out, b.key(b.items[i].e))
			if hasAggregate(b.items[i].e) {
				return nil, at(e, cherr.IllegalAggregation, "Aggregate function is found in GROUP BY in query")
			}
			continue
		}
		b.sc.noAggregate, b.sc.noWindow = "GROUP BY", "GROUP BY"
		items, err := b.sc.items(ctx, e)
		b.sc.noAggregate, b.sc.noWindow = "", ""
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if hasAggregate(it.e) {
				return nil, at(e, cherr.IllegalAggregation, "Aggregate function is found in GROUP BY in query")
			}
			if c, ok := it.e.(*expr.Call); ok && c.Fn.Name == "tuple" && len(c.Args) > 0 { // GROUP BY (a, b) is GROUP BY a, b
				for _, a := range c.Args {
					out = append(out, b.key(a))
				}
				continue
			}
			out = append(out, b.key(it.e))
		}
	}
	return out, nil
}

func (b *block) key(e expr.Expr) int {
	s := e.String()
	for i, k := range b.keys {
		if k.String() == s {
			return i
		}
	}
	b.keys = append(b.keys, e)
	return len(b.keys) - 1
}

// positional reads a number as the position of a SELECT item.
func (b *block) positional(e ast.Expr) (int, bool, error) {
	l, ok := e.(*ast.Literal)
	if !ok || l.Kind != ast.Uint && l.Kind != ast.Int || !b.sc.setting("enable_positional_arguments") {
		return 0, false, nil
	}
	n := int64(l.Uint)
	if l.Kind == ast.Int {
		n = int64(len(b.items)) + l.Int + 1
	}
	if n < 1 || n > int64(len(b.items)) {
		return 0, false, at(e, cherr.BadArguments, "Positional argument out of bounds: %s (expected in range [1, %d])", literalName(l), len(b.items))
	}
	return int(n - 1), true, nil
}

// groupAll takes the parts of an item without aggregates as keys.
func (b *block) groupAll(e expr.Expr) {
	if !hasAggregate(e) && !has(e, isWin) {
		if _, ok := e.(*expr.Literal); !ok {
			b.key(e)
		}
		return
	}
	if _, ok := e.(*grouping); ok || isAgg(e) {
		return
	}
	for _, c := range e.Children() {
		b.groupAll(c)
	}
}

// aggregates gives the distinct aggregate calls of what is computed after grouping.
func (b *block) aggregates() []*aggCall {
	var out []*aggCall
	seen := map[string]bool{}
	var walk func(e expr.Expr)
	walk = func(e expr.Expr) {
		if c, ok := e.(*aggCall); ok {
			if key := c.String(); !seen[key] {
				seen[key] = true
				out = append(out, c)
			}
			return
		}
		for _, c := range e.Children() {
			walk(c)
		}
	}
	for _, e := range b.results() {
		walk(e)
	}
	return out
}

// planAggregate puts keys and aggregates in the place of the rows.
func (b *block) planAggregate(ctx context.Context) error {
	calls := b.aggregates()
	if g := b.sel.GroupBy; g != nil {
		if len(calls) == 0 && len(b.keys) == 0 && len(g.Exprs) == 0 && (b.totals || b.sets != nil && g.Kind != ast.GroupSets) {
			return at(g, cherr.NotImplemented, "WITH TOTALS, ROLLUP or CUBE are not supported without aggregation")
		}
		if b.totals && g.Kind == ast.GroupSets && len(b.sets) > 1 {
			return at(g, cherr.NotImplemented, "WITH TOTALS and GROUPING SETS are not supported together")
		}
		if b.totals && b.sets != nil && b.sel.Qualify != nil {
			return at(g, cherr.NotImplemented, "WITH TOTALS and WITH ROLLUP or CUBE are not supported together in presence of QUALIFY")
		}
	}
	if len(calls) == 0 && !b.grouped && !b.totals && !b.usesGrouping() {
		if b.having != nil {
			return b.st.filter(ctx, b.sc, "HAVING", b.having, false)
		}
		return nil
	}
	if b.sc.domain != nil {
		if b.sets != nil {
			return at(b.sel, cherr.NotImplemented, "Grouping sets in a correlated subquery are not supported")
		}
		for _, e := range b.domainExprs() {
			b.key(e)
		}
	}
	exprs := append([]expr.Expr(nil), b.keys...)
	for _, c := range calls {
		exprs = append(exprs, c.args...)
	}
	places, err := b.st.columns(ctx, exprs)
	if err != nil {
		return err
	}
	n := &plan.Aggregate{Input: b.st.node, Keys: places[:len(b.keys)], Sets: b.sets, Totals: b.totals}
	n.EmptySet = b.sets != nil && b.sel.GroupBy.Kind == ast.GroupSets
	st := newStage(n)
	st.grouped, st.foreign = true, b.st.foreign
	in := b.st.node.Header()
	nulls := b.sc.useNulls
	for i, k := range b.keys {
		s := k.String()
		t := in[places[i]].Type
		if nulls && t.CanBeNullable() {
			t = types.Nullable(t)
		}
		st.at[s] = i
		st.keys = append(st.keys, s)
		n.Fields = append(n.Fields, column.Field{Name: in[places[i]].Name, Type: t})
	}
	places = places[len(b.keys):]
	for _, c := range calls {
		s := c.String()
		st.at[s] = len(n.Fields)
		n.Calls = append(n.Calls, plan.AggregateCall{Fn: c.fn, Args: places[:len(c.args):len(c.args)], Name: s})
		n.Fields = append(n.Fields, column.Field{Name: s, Type: c.Type()})
		places = places[len(c.args):]
	}
	if b.sets != nil {
		st.sets = len(n.Fields)
		n.Fields = append(n.Fields, column.Field{Name: "__grouping_set", Type: types.UInt64})
	}
	b.sc.a.totals = b.sc.a.totals || b.totals
	b.st = st
	if b.having == nil {
		return nil
	}
	return b.st.filter(ctx, b.sc, "HAVING", b.having, true)
}

func (b *block) usesGrouping() bool {
	for _, e := range b.results() {
		if has(e, func(x expr.Expr) bool { _, ok := x.(*grouping); return ok }) {
			return true
		}
	}
	return false
}
