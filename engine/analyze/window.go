package analyze

import (
	"context"
	"fmt"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
)

// window is a resolved window.
type window struct {
	partition []expr.Expr
	order     []orderKey
	frame     plan.Frame
}

// orderKey is one resolved element of an ORDER BY.
type orderKey struct {
	e          expr.Expr
	desc       bool
	nullsFirst bool
	collate    string
	fill       *ast.Fill
	item       int // the SELECT item it is, -1 for none
}

func (w *window) orderExprs() []expr.Expr {
	out := make([]expr.Expr, len(w.order))
	for i := range w.order {
		out[i] = w.order[i].e
	}
	return out
}

// String tells windows apart; frames are printed by their callers' calls.
func (w *window) String() string {
	return w.sorting() + fmt.Sprintf(" frame %d %d %d %s %s", w.frame.Mode, w.frame.Start, w.frame.End, offset(w.frame.StartExpr), offset(w.frame.EndExpr))
}

// sorting is what calls must share to be computed by one node.
func (w *window) sorting() string {
	var o []string
	for _, k := range w.order {
		o = append(o, fmt.Sprintf("%s %v %v %s", k.e, k.desc, k.nullsFirst, k.collate))
	}
	return "partition by " + joined(w.partition) + " order by " + strings.Join(o, ", ")
}

func offset(l *expr.Literal) string {
	if l == nil {
		return ""
	}
	return l.String()
}

// windowCall binds f(…) OVER ….
func (sc *scope) windowCall(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if sc.noWindow != "" || sc.inAggregate || sc.inWindow || sc.noAggregate != "" {
		where := sc.noWindow
		if where == "" {
			where = sc.noAggregate
		}
		if sc.inAggregate || sc.inWindow {
			where = "another function"
		}
		return nil, at(f, cherr.IllegalAggregation, "Window function %s is found in %s in query", sc.nameOf(f), where)
	}
	w, err := sc.window(ctx, f.Over)
	if err != nil {
		return nil, err
	}
	c := &winCall{over: w, name: f.Name}
	reg := sc.a.env.Registry
	if _, ok := reg.Window(f.Name); ok {
		sc.inWindow = true
		items, err := sc.list(ctx, f.Args)
		sc.inWindow = false
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			c.args = append(c.args, it.e)
		}
		d, _ := reg.Window(f.Name)
		if d.BindParams != nil {
			if err := sc.checkNulls(f); err != nil {
				return nil, err
			}
			params, err := sc.parameters(ctx, f)
			if err != nil {
				return nil, err
			}
			c.fn, err = d.BindParams(sc.fenv, params, bindArgs(c.args))
			return c, err
		}
		if c.fn, err = d.Bind(sc.fenv, bindArgs(c.args)); err != nil {
			return nil, err
		}
		return c, nil
	}
	if !reg.IsAggregate(sc.aggregateName(f)) {
		if _, ok := reg.Scalar(f.Name); ok {
			return nil, at(f, cherr.BadArguments, "Function '%s' is not a window function", f.Name)
		}
		return nil, at(f, cherr.UnknownAggregateFunction, "Aggregate function with name '%s' does not exist", f.Name)
	}
	params, err := sc.parameters(ctx, f)
	if err != nil {
		return nil, err
	}
	sc.inWindow = true
	c.args, err = sc.aggregateArgs(ctx, f)
	sc.inWindow = false
	if err != nil {
		return nil, err
	}
	c.agg, err = reg.BindAggregate(sc.fenv, sc.aggregateName(f), params, argTypes(c.args))
	return c, err
}

// window resolves a window by name or definition.
func (sc *scope) window(ctx context.Context, spec *ast.WindowSpec) (*window, error) {
	sc.inWindow = true
	defer func() { sc.inWindow = false }()
	full, err := sc.expandWindow(spec, 0)
	if err != nil {
		return nil, err
	}
	w := &window{frame: plan.DefaultFrame}
	for _, p := range full.PartitionBy {
		e, err := sc.resolve(ctx, p)
		if err != nil {
			return nil, err
		}
		w.partition = append(w.partition, e)
	}
	for _, o := range full.OrderBy {
		k, err := sc.orderKey(ctx, o, o.Expr)
		if err != nil {
			return nil, err
		}
		w.order = append(w.order, k)
	}
	if full.Frame != nil {
		if w.frame, err = sc.frame(ctx, full.Frame); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// expandWindow puts named windows in.
func (sc *scope) expandWindow(spec *ast.WindowSpec, depth int) (*ast.WindowSpec, error) {
	name := spec.Name
	if name == "" {
		name = spec.Base
	}
	if name == "" {
		return spec, nil
	}
	base, ok := sc.windows[name]
	if !ok || depth > 100 {
		return nil, at(spec, cherr.BadArguments, "Window '%s' does not exist", name)
	}
	base, err := sc.expandWindow(base, depth+1)
	if err != nil || spec.Name != "" {
		return base, err
	}
	out := *spec
	if len(spec.PartitionBy) > 0 {
		return nil, at(spec, cherr.BadArguments, "Derived window definition cannot override PARTITION BY")
	}
	out.PartitionBy = base.PartitionBy
	if len(base.OrderBy) > 0 {
		if len(spec.OrderBy) > 0 {
			return nil, at(spec, cherr.BadArguments, "Derived window definition cannot override a non-empty ORDER BY")
		}
		out.OrderBy = base.OrderBy
	}
	if base.Frame != nil && spec.Frame == nil {
		return nil, at(spec, cherr.BadArguments, "Parent window '%s' cannot define a frame", name)
	}
	return &out, nil
}

func (sc *scope) frame(ctx context.Context, f *ast.Frame) (plan.Frame, error) {
	modes := [...]plan.FrameMode{ast.Rows: plan.FrameRows, ast.Range: plan.FrameRange, ast.Groups: plan.FrameGroups}
	kinds := [...]plan.BoundKind{
		ast.CurrentRow: plan.CurrentRow, ast.UnboundedPreceding: plan.UnboundedPreceding, ast.UnboundedFollowing: plan.UnboundedFollowing,
		ast.Preceding: plan.Preceding, ast.Following: plan.Following,
	}
	out := plan.Frame{Mode: modes[f.Unit], Start: kinds[f.Start], End: kinds[f.End]}
	var err error
	if out.StartExpr, err = sc.frameOffset(ctx, f, f.StartOffset); err != nil {
		return out, err
	}
	if out.EndExpr, err = sc.frameOffset(ctx, f, f.EndOffset); err != nil {
		return out, err
	}
	if out.StartExpr != nil {
		out.StartOffset = out.StartExpr.Value
	}
	if out.EndExpr != nil {
		out.EndOffset = out.EndExpr.Value
	}
	if out.Start == plan.UnboundedFollowing || out.End == plan.UnboundedPreceding || out.Start == plan.CurrentRow && out.End == plan.Preceding ||
		out.Start == plan.Following && (out.End == plan.CurrentRow || out.End == plan.Preceding) {
		return out, at(f, cherr.BadArguments, "Window frame cannot begin after it ends")
	}
	return out, nil
}

// frameOffset is a constant; ROWS and GROUPS count in UInt64.
func (sc *scope) frameOffset(ctx context.Context, f *ast.Frame, e ast.Expr) (*expr.Literal, error) {
	if e == nil {
		return nil, nil
	}
	x, err := sc.resolve(ctx, e)
	if err != nil {
		return nil, err
	}
	l, err := sc.constantOf(e, x)
	if err != nil {
		return nil, err
	}
	if v, ok := integer(boxed(l)); ok {
		if v < 0 {
			return nil, at(f, cherr.BadArguments, "Window frame offset must not be negative, got %d", v)
		}
		if f.Unit != ast.Range {
			return unsigned64(uint64(v)), nil
		}
		return l, nil
	}
	if v, ok := boxed(l).(float64); ok && !(v >= 0) {
		return nil, at(f, cherr.BadArguments, "Window frame offset must not be negative, got %v", v)
	}
	if f.Unit != ast.Range {
		return nil, at(f, cherr.BadArguments, "Window frame offset of ROWS and GROUPS must be an integer")
	}
	return l, nil
}

// windows adds the nodes for all window calls; those over one partition and
// order share a node.
func (b *block) windows(ctx context.Context, calls []*winCall) error {
	done := map[string]bool{}
	for i, first := range calls {
		key := first.over.sorting()
		if done[key] {
			continue
		}
		done[key] = true
		var group []*winCall
		for _, c := range calls[i:] {
			if c.over.sorting() == key {
				group = append(group, c)
			}
		}
		if err := b.window(ctx, first.over, group); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) window(ctx context.Context, w *window, calls []*winCall) error {
	partition := append(append([]expr.Expr(nil), w.partition...), b.domainExprs()...)
	exprs := append(append([]expr.Expr(nil), partition...), w.orderExprs()...)
	for _, c := range calls {
		exprs = append(exprs, c.args...)
	}
	places, err := b.st.columns(ctx, exprs)
	if err != nil {
		return err
	}
	n := &plan.Window{PartitionBy: places[:len(partition)]}
	places = places[len(partition):]
	for i, k := range w.order {
		n.OrderBy = append(n.OrderBy, plan.SortKey{Column: places[i], Desc: k.desc, NullsFirst: k.nullsFirst, Collate: k.collate})
	}
	places = places[len(w.order):]
	in := b.st.node.Header()
	n.Input = b.st.node
	n.Fields = append(column.Header(nil), in...)
	for _, c := range calls {
		call := plan.WindowCall{Fn: c.fn, Agg: c.agg, Args: places[:len(c.args)], Name: c.name, Frame: c.over.frame}
		places = places[len(c.args):]
		b.st.at[c.String()] = len(n.Fields)
		n.Calls = append(n.Calls, call)
		n.Fields = append(n.Fields, column.Field{Name: c.String(), Type: c.Type()})
	}
	b.st.node = n
	return nil
}
