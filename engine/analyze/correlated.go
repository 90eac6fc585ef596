package analyze

import (
	"context"
	"fmt"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// A subquery that uses columns of the query around it (correlated) is computed
// for all their values at once: it is analysed a second time with the distinct
// values of those columns, its domain, joined to its FROM, where they are keys
// of every grouping; the result is joined to the outer rows by the values.
// A row for which the subquery gives nothing gets NULL, as in ClickHouse also
// for count().

// domain is the outer columns inside a correlated subquery.
type domain struct {
	refs []*ref
	node plan.Node // their distinct values
}

// subCall is a correlated subquery as a value. Its children are the outer columns.
type subCall struct {
	query  ast.Query
	outer  []expr.Expr
	t      *types.Type
	exists bool
	sc     *scope // in which the subquery stands
	id     int
}

func (e *subCall) Type() *types.Type     { return e.t }
func (e *subCall) Children() []expr.Expr { return e.outer }
func (e *subCall) WithChildren(c []expr.Expr) expr.Expr {
	out := *e
	out.outer = c
	return &out
}
func (e *subCall) String() string { return fmt.Sprintf("subquery@%d(%s)", e.id, joined(e.outer)) }
func (e *subCall) Eval(context.Context, *column.Block) (column.Column, error) {
	return unbound(e)
}

func isSubCall(e expr.Expr) bool { _, ok := e.(*subCall); return ok }

// outerRefs gives the distinct outer columns that a subquery used, all of
// which must belong to the query just around it or further out.
func outerRefs(sub *scope) []expr.Expr {
	var out []expr.Expr
	seen := map[int]bool{}
	for _, o := range sub.outer {
		if !seen[o.ref.id] {
			seen[o.ref.id] = true
			out = append(out, o.ref)
		}
	}
	return out
}

func (sc *scope) correlatedScalar(_ context.Context, x *ast.Subquery, n plan.Node, sub *scope) (expr.Expr, error) {
	h := n.Header()
	if len(h) != 1 {
		return nil, at(x, cherr.NotImplemented, "Correlated subqueries of several columns are not supported")
	}
	t := h[0].Type
	if t.CanBeNullable() {
		t = types.Nullable(t)
	}
	return &subCall{query: x.Query, outer: outerRefs(sub), t: t, sc: sc, id: sc.a.id()}, nil
}

func (sc *scope) correlatedExists(_ context.Context, x *ast.Subquery, _ plan.Node, sub *scope) (expr.Expr, error) {
	return &subCall{query: x.Query, outer: outerRefs(sub), t: types.UInt8, exists: true, sc: sc, id: sc.a.id()}, nil
}

func (sc *scope) correlatedIn(_ context.Context, op *inOp, _ expr.Expr, _ plan.Node, _ *scope) (expr.Expr, error) {
	return nil, at(op.f, cherr.NotImplemented, "Correlated subqueries are not supported as IN function arguments yet")
}

// joinSubqueries puts a join under the stage for each correlated subquery in e.
func (st *stage) joinSubqueries(ctx context.Context, e expr.Expr) error {
	if !has(e, isSubCall) {
		return nil
	}
	if _, ok := st.at[st.print(e)]; ok {
		return nil
	}
	for _, c := range e.Children() {
		if err := st.joinSubqueries(ctx, c); err != nil {
			return err
		}
	}
	if s, ok := e.(*subCall); ok {
		return st.joinSubquery(ctx, s)
	}
	return nil
}

func (st *stage) joinSubquery(ctx context.Context, s *subCall) error {
	places, err := st.columns(ctx, s.outer)
	if err != nil {
		return err
	}
	h := st.node.Header()
	d := &domain{}
	values := &plan.Project{Input: st.domainSource(places)}
	for i, p := range places {
		r := s.outer[i].(*ref)
		d.refs = append(d.refs, &ref{id: r.id, name: r.name, t: h[p].Type})
		values.Exprs = append(values.Exprs, &expr.Column{Index: p, Name: h[p].Name, T: h[p].Type})
		values.Fields = append(values.Fields, column.Field{Name: r.String(), Type: h[p].Type})
	}
	d.node = &plan.Distinct{Input: values}
	sub := s.sc.child()
	sub.domain = d
	n, err := s.sc.a.query(ctx, s.query, sub)
	if err != nil {
		return err
	}
	if s.exists {
		if j := d.semiJoin(st.node, places, n); j != nil {
			st.node = j
			st.at[s.String()] = len(j.Fields) - 1
			return nil
		}
	}
	// The subquery gives its own columns, then the domain's.
	width := len(n.Header()) - len(d.refs)
	j := &plan.Join{Left: st.node, Right: n, Kind: plan.LeftJoin, Strictness: plan.AnyStrictness, LeftKeys: places}
	right := append(column.Header(nil), n.Header()...)
	value := 0
	if s.exists {
		p := &plan.Project{Input: n, Exprs: append(passed(n.Header()), valueOf(types.UInt8, uint8(1)))}
		p.Fields = append(right, column.Field{Name: "exists", Type: types.UInt8})
		j.Right, value = p, len(n.Header())
		right = p.Fields
	}
	for i := range d.refs {
		j.RightKeys = append(j.RightKeys, width+i)
		j.NullSafe = append(j.NullSafe, true)
	}
	j.Fields = append(append(column.Header(nil), h...), right...)
	value += len(h)
	if !s.exists {
		j.Fields[value].Type = s.t
	}
	st.node = j
	st.at[s.String()] = value
	return nil
}

// domainSource gives the node whose rows have the values of columns: the one
// before the first subquery was joined, where it has them. Its rows may be more
// than are left, but it is not computed again for each further subquery.
func (st *stage) domainSource(columns []int) plan.Node {
	if st.plain == nil {
		st.plain = st.node
	}
	for _, c := range columns {
		if c >= len(st.plain.Header()) {
			return st.node
		}
	}
	return st.plain
}

// withDomain joins the domain to a block's FROM.
func (b *block) withDomain() error {
	d := b.sc.domain
	if d == nil {
		return nil
	}
	width := len(d.refs)
	j := &plan.Join{Left: d.node, Right: b.st.node, Kind: plan.CrossJoin}
	j.Fields = append(append(column.Header(nil), d.node.Header()...), b.st.node.Header()...)
	st := newStage(j)
	for k, i := range b.st.at {
		st.at[k] = width + i
	}
	for i, r := range d.refs {
		st.at[r.String()] = i
	}
	b.st = st
	b.sc.rel.st = st
	return nil
}

// limitPerValue is LIMIT of a correlated subquery: for each outer value.
func (b *block) limitPerValue(ctx context.Context, n plan.Node, outer []int) (plan.Node, error) {
	limit, err := b.count(ctx, b.sel.Limit)
	if err != nil {
		return nil, err
	}
	offset, err := b.count(ctx, b.sel.Offset)
	if err != nil {
		return nil, err
	}
	if b.sel.Limit == nil || b.sel.WithTies || limit.fraction != 0 || offset.fraction != 0 || limit.n < 0 || offset.n < 0 {
		return nil, at(b.sel, cherr.NotImplemented, "This form of LIMIT in a correlated subquery is not supported")
	}
	return &plan.LimitBy{Input: n, Columns: outer, Limit: limit.n, Offset: offset.n}, nil
}

// domainExprs are the outer columns as expressions of the block.
func (b *block) domainExprs() []expr.Expr {
	if b.sc.domain == nil {
		return nil
	}
	out := make([]expr.Expr, len(b.sc.domain.refs))
	for i, r := range b.sc.domain.refs {
		out[i] = r
	}
	return out
}
