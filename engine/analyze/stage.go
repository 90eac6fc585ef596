package analyze

import (
	"context"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// stage is a plan under construction together with what its columns are: the
// printed form of a resolved expression gives the column that holds it.
type stage struct {
	node plan.Node
	at   map[string]int
	// grouped stages hold keys and aggregates: other columns are an error.
	grouped bool
	// sets is the column "__grouping_set", -1 when there is none; keys are the
	// printed keys in order.
	sets int
	keys []string

	prints map[expr.Expr]string
	// plain is the node before any correlated subquery was joined to it.
	plain plan.Node
	// foreign are the columns of outer queries, shared by the block's stages.
	foreign map[int]bool
}

func newStage(n plan.Node) *stage { return &stage{node: n, at: map[string]int{}, sets: -1} }

func (st *stage) print(e expr.Expr) string {
	if r, ok := e.(*ref); ok {
		return r.String()
	}
	if s, ok := st.prints[e]; ok {
		return s
	}
	if st.prints == nil {
		st.prints = map[expr.Expr]string{}
	}
	s := e.String()
	st.prints[e] = s
	return s
}

// lower turns a resolved expression into one over the stage's columns.
func (st *stage) lower(e expr.Expr) (expr.Expr, error) {
	switch x := e.(type) {
	case *expr.Literal:
		return e, nil
	case *expr.Column:
		return nil, cherr.New(cherr.LogicalError, "Column %s was bound before", x)
	}
	if i, ok := st.at[st.print(e)]; ok {
		f := st.node.Header()[i]
		return &expr.Column{Index: i, Name: f.Name, T: f.Type}, nil
	}
	switch x := e.(type) {
	case *ref:
		if st.foreign[x.id] {
			// A first analysis only asks which outer columns are used.
			return valueOf(x.t, column.At(column.Default(x.t, 1), 0)), nil
		}
		if st.grouped {
			return nil, cherr.New(cherr.NotAnAggregate, "Column '%s' is not under aggregate function and not in GROUP BY keys", x.name)
		}
		return nil, cherr.New(cherr.NotFoundColumnInBlock, "Not found column %s in block", x.name)
	case *nullKey:
		c, err := st.lower(x.Expr)
		if err != nil || c.Type().IsNullable() {
			return c, err
		}
		return nil, cherr.New(cherr.LogicalError, "Key %s is not Nullable", x.Expr)
	case *grouping:
		return st.lowerGrouping(x)
	case *aggCall, *winCall:
		return nil, cherr.New(cherr.IllegalAggregation, "Function %s is found where it cannot be computed", e)
	case *param:
		return nil, cherr.New(cherr.LogicalError, "Parameter %s outside of its lambda", e)
	}
	children := e.Children()
	next := make([]expr.Expr, len(children))
	for i, c := range children {
		var err error
		if next[i], err = st.lower(c); err != nil {
			return nil, err
		}
	}
	if len(next) == 0 {
		return e, nil
	}
	return e.WithChildren(next), nil
}

// lowerAll also unrolls the arrayJoin functions inside the expressions.
func (st *stage) lowerAll(ctx context.Context, exprs []expr.Expr) ([]expr.Expr, error) {
	for _, e := range exprs {
		if err := st.joinSubqueries(ctx, e); err != nil {
			return nil, err
		}
		if err := st.unroll(ctx, e); err != nil {
			return nil, err
		}
	}
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		var err error
		if out[i], err = st.lower(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unroll puts an ArrayJoin under the stage for each arrayJoin in e, innermost
// first; equal ones are one.
func (st *stage) unroll(ctx context.Context, e expr.Expr) error {
	if _, ok := e.(*expr.Literal); ok {
		return nil
	}
	if !has(e, isArrJoin) {
		return nil
	}
	if _, ok := st.at[st.print(e)]; ok {
		return nil
	}
	for _, c := range e.Children() {
		if err := st.unroll(ctx, c); err != nil {
			return err
		}
	}
	aj, ok := e.(*arrJoin)
	if !ok {
		return nil
	}
	low, err := st.lower(aj.arg)
	if err != nil {
		return err
	}
	i := st.push(low, aj.String())
	fields := append(column.Header(nil), st.node.Header()...)
	fields[i].Type = aj.t
	st.node = &plan.ArrayJoin{Input: st.node, Columns: []int{i}, Fields: fields}
	st.at[aj.String()] = i
	return nil
}

// push appends one computed column.
func (st *stage) push(low expr.Expr, name string) int {
	in := st.node.Header()
	exprs := make([]expr.Expr, 0, len(in)+1)
	fields := append(column.Header(nil), in...)
	for i, f := range in {
		exprs = append(exprs, &expr.Column{Index: i, Name: f.Name, T: f.Type})
	}
	exprs = append(exprs, low)
	st.node = &plan.Project{Input: st.node, Exprs: exprs, Fields: append(fields, column.Field{Name: name, Type: low.Type()})}
	return len(in)
}

// columns makes every expression a column of the stage and gives their places.
func (st *stage) columns(ctx context.Context, exprs []expr.Expr) ([]int, error) {
	low, err := st.lowerAll(ctx, exprs)
	if err != nil {
		return nil, err
	}
	in := st.node.Header()
	out := make([]int, len(low))
	var extra []expr.Expr
	fields := append(column.Header(nil), in...)
	fresh := map[string]int{}
	for i, e := range low {
		if c, ok := e.(*expr.Column); ok {
			out[i] = c.Index
			continue
		}
		key := st.print(exprs[i])
		n, ok := fresh[key]
		if !ok {
			n = len(in) + len(extra)
			fresh[key] = n
			extra = append(extra, e)
			fields = append(fields, column.Field{Name: key, Type: e.Type()})
		}
		out[i] = n
	}
	if extra != nil {
		st.node = &plan.Project{Input: st.node, Exprs: append(passed(in), extra...), Fields: fields}
		for k, n := range fresh {
			st.at[k] = n
		}
	}
	return out, nil
}

// passed gives every column of a header as an expression.
func passed(in column.Header) []expr.Expr {
	out := make([]expr.Expr, len(in), len(in)+4)
	for i, f := range in {
		out[i] = &expr.Column{Index: i, Name: f.Name, T: f.Type}
	}
	return out
}

// filter keeps the rows for which e is true.
func (st *stage) filter(ctx context.Context, sc *scope, clause string, e expr.Expr, having bool) error {
	if calls := volatile(e); calls != nil {
		// rand() is one column, which later clauses see as well.
		if _, err := st.columns(ctx, calls); err != nil {
			return err
		}
	}
	low, err := st.lowerAll(ctx, []expr.Expr{e})
	if err != nil {
		return err
	}
	var conds []expr.Expr
	for _, c := range expr.Conjuncts(low[0]) {
		c, err := sc.condition(clause, c)
		if err != nil {
			return err
		}
		conds = append(conds, c)
	}
	st.node = &plan.Filter{Input: st.node, Conditions: conds, Having: having}
	return nil
}

// effects are volatile for what they do; they stay where they were written,
// behind the conditions before them.
var effects = map[string]bool{"throwIf": true, "sleep": true, "sleepEachRow": true}

// volatile gives the calls in e that are not the same twice.
func volatile(e expr.Expr) []expr.Expr {
	var out []expr.Expr
	expr.Walk(e, func(x expr.Expr) {
		if c, ok := x.(*expr.Call); ok && c.Fn.Volatile && c.Fn.Lazy == nil && !effects[c.Fn.Name] {
			out = append(out, c)
		}
	})
	return out
}

// condition checks that e can decide about rows and makes it UInt8.
func (sc *scope) condition(clause string, e expr.Expr) (expr.Expr, error) {
	t := types.Unwrap(e.Type())
	switch {
	case t.Kind() == types.KindUInt8, t.Kind() == types.KindBool, t.Kind() == types.KindNothing:
		return e, nil
	case t.IsNativeNumber():
		return sc.call("notEquals", e, unsigned(0))
	}
	return nil, cherr.New(cherr.IllegalTypeOfColumnForFilter, "Invalid type for filter in %s: %s", clause, e.Type())
}

// lowerGrouping reads the bits of the grouping set.
func (st *stage) lowerGrouping(g *grouping) (expr.Expr, error) {
	bits := make([]uint, len(g.args))
	for i, a := range g.args {
		n := -1
		for k, key := range st.keys {
			if key == a.String() {
				n = k
			}
		}
		if n < 0 {
			return nil, cherr.New(cherr.BadArguments, "Argument %s of GROUPING function is not a part of GROUP BY clause", a)
		}
		bits[i] = uint(n)
	}
	if st.sets < 0 {
		if g.standard {
			return unsigned64(0), nil
		}
		return unsigned64(1<<len(bits) - 1), nil
	}
	var flip uint64
	if !g.standard {
		flip = 1
	}
	f := &expr.Function{Name: "grouping", Result: types.UInt64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		in := column.Full(args[0]).(*column.Fixed[uint64]).Values
		out := make([]uint64, rows)
		for r := range out {
			var v uint64
			for _, b := range bits {
				v = v<<1 | in[r]>>b&1 ^ flip
			}
			out[r] = v
		}
		return &column.Fixed[uint64]{Values: out}, nil
	}}
	for _, b := range bits {
		f.Name += "_" + strconv.Itoa(int(b))
	}
	h := st.node.Header()
	return &expr.Call{Fn: f, Args: []expr.Expr{&expr.Column{Index: st.sets, Name: h[st.sets].Name, T: types.UInt64}}}, nil
}
