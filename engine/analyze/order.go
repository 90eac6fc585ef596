package analyze

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// orderBy resolves ORDER BY; constants order nothing and are dropped.
func (b *block) orderBy(ctx context.Context) error {
	if b.sel.OrderByAll {
		for i, it := range b.items {
			o := ast.OrderItem{}
			if b.sel.OrderAll != nil {
				o = *b.sel.OrderAll
			}
			k := keyOf(&o)
			k.e, k.item = it.e, i
			b.order = append(b.order, k)
		}
		return nil
	}
	for _, o := range b.sel.OrderBy {
		i, ok, err := b.positional(o.Expr)
		if err != nil {
			return err
		}
		if ok {
			k := keyOf(o)
			k.e, k.item = b.items[i].e, i
			b.order = append(b.order, k)
			continue
		}
		items, err := b.sc.items(ctx, o.Expr)
		if err != nil {
			return err
		}
		for _, it := range items {
			k := keyOf(o)
			k.e = it.e
			b.order = append(b.order, k)
		}
	}
	return nil
}

func keyOf(o *ast.OrderItem) orderKey {
	return orderKey{desc: o.Desc, nullsFirst: o.Nulls == ast.NullsFirst, collate: o.Collate, fill: o.Fill, item: -1}
}

// orderKey resolves one element of a window's ORDER BY.
func (sc *scope) orderKey(ctx context.Context, o *ast.OrderItem, e ast.Expr) (orderKey, error) {
	k := keyOf(o)
	x, err := sc.resolve(ctx, e)
	k.e = x
	return k, err
}

// limitByExprs resolves the columns of LIMIT BY, and of DISTINCT ON, which is
// LIMIT 1 BY.
func (b *block) limitByExprs(ctx context.Context) error {
	var list []ast.Expr
	switch {
	case len(b.sel.DistinctOn) > 0:
		if b.sel.LimitBy != nil {
			return at(b.sel, cherr.NotImplemented, "DISTINCT ON and LIMIT BY cannot stand together")
		}
		list = b.sel.DistinctOn
	case b.sel.LimitBy == nil:
		return nil
	case b.sel.LimitBy.All:
		for _, it := range b.items {
			b.groupAllInto(&b.limitBy, it.e)
		}
		return nil
	default:
		list = b.sel.LimitBy.Exprs
	}
	for _, e := range list {
		if i, ok, err := b.positional(e); err != nil {
			return err
		} else if ok {
			b.limitBy = append(b.limitBy, b.items[i].e)
			continue
		}
		items, err := b.sc.items(ctx, e)
		if err != nil {
			return err
		}
		for _, it := range items {
			b.limitBy = append(b.limitBy, it.e)
		}
	}
	return nil
}

func (b *block) groupAllInto(out *[]expr.Expr, e expr.Expr) {
	if !has(e, isAgg) {
		*out = append(*out, e)
	}
}

func (b *block) planLimitBy(ctx context.Context, n plan.Node, columns []int) (plan.Node, error) {
	if len(b.sel.DistinctOn) > 0 {
		return &plan.LimitBy{Input: n, Columns: columns, Limit: 1}, nil
	}
	if b.sel.LimitBy == nil {
		return n, nil
	}
	limit, err := b.count(ctx, b.sel.LimitBy.Limit)
	if err != nil {
		return nil, err
	}
	offset, err := b.count(ctx, b.sel.LimitBy.Offset)
	if err != nil {
		return nil, err
	}
	return &plan.LimitBy{Input: n, Columns: columns, Limit: limit.n, Offset: offset.n}, nil
}

// count is the value of LIMIT or OFFSET: a number of rows or a share of them.
type count struct {
	n        int64
	fraction float64
}

func (b *block) count(ctx context.Context, e ast.Expr) (count, error) {
	if e == nil {
		return count{}, nil
	}
	x, err := b.sc.bareLimit().resolve(ctx, e)
	if err != nil {
		return count{}, err
	}
	l, ok := x.(*expr.Literal)
	if !ok {
		return count{}, at(e, cherr.InvalidLimitExpression, "The LIMIT expression is not a constant")
	}
	v := boxed(l)
	if n, ok := integer(v); ok {
		return count{n: n}, nil
	}
	switch v := v.(type) {
	case uint64: // beyond Int64: as good as no limit
		return count{n: math.MaxInt64}, nil
	case float64:
		if v > 0 && v < 1 {
			return count{fraction: v}, nil
		}
		if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
			return count{n: int64(v)}, nil
		}
	case nil:
		return count{n: math.MaxInt64}, nil
	}
	if l.T.IsDecimal() || l.T.IsFloat() || l.T.IsInteger() {
		f, err := b.sc.cast(ctx, l, types.Float64)
		if err == nil {
			if v, ok := boxed(f.(*expr.Literal)).(float64); ok && v >= 0 && v < 1 {
				return count{fraction: v}, nil
			}
		}
	}
	return count{}, at(e, cherr.InvalidLimitExpression, "The value %s of the LIMIT expression is not representable as UInt64", fieldName(l.T, v))
}

// bareLimit sees the aliases of WITH, which may be constants.
func (sc *scope) bareLimit() *scope {
	c := sc.bare()
	c.noWindow = "LIMIT"
	return c
}

func (b *block) planLimit(ctx context.Context, n plan.Node, keys []plan.SortKey) (plan.Node, error) {
	if b.sel.Limit == nil && b.sel.Offset == nil {
		if b.sel.WithTies {
			return nil, at(b.sel, cherr.LogicalError, "WITH TIES without LIMIT")
		}
		return n, nil
	}
	limit, err := b.count(ctx, b.sel.Limit)
	if err != nil {
		return nil, err
	}
	offset, err := b.count(ctx, b.sel.Offset)
	if err != nil {
		return nil, err
	}
	out := &plan.Limit{
		Input: n, Limit: limit.n, Offset: offset.n, HasLimit: b.sel.Limit != nil,
		LimitFraction: limit.fraction, OffsetFraction: offset.fraction,
	}
	if b.sel.WithTies {
		if len(keys) == 0 {
			return nil, at(b.sel, cherr.WithTiesWithoutOrderBy, "Can not use WITH TIES without ORDER BY")
		}
		out.WithTies = keys
	}
	return out, nil
}

// planFill adds WITH FILL and INTERPOLATE.
func (b *block) planFill(ctx context.Context, n plan.Node, keys []plan.SortKey, names map[string]int) (plan.Node, error) {
	f := &plan.Fill{Input: n}
	first := -1
	i := -1
	for _, k := range b.order {
		if _, ok := k.e.(*expr.Literal); !ok || k.fill != nil || b.sel.WithTies {
			i++
		}
		if k.fill == nil {
			continue
		}
		if first < 0 {
			first = i
		}
		fk := plan.FillKey{Key: keys[i]}
		var err error
		t := n.Header()[keys[i].Column].Type
		for _, p := range []struct {
			to **expr.Literal
			e  ast.Expr
		}{{&fk.From, k.fill.From}, {&fk.To, k.fill.To}, {&fk.Step, k.fill.Step}, {&fk.Staleness, k.fill.Staleness}} {
			if *p.to, err = b.fillBound(ctx, p.e, t); err != nil {
				return nil, err
			}
		}
		f.Keys = append(f.Keys, fk)
	}
	if first < 0 {
		return n, nil
	}
	if b.sc.setting("use_with_fill_by_sorting_prefix") {
		f.Prefix = keys[:first]
	}
	if err := b.interpolate(ctx, f, names); err != nil {
		return nil, err
	}
	return f, nil
}

// fillBound is a constant of the column's type; an interval stays one.
func (b *block) fillBound(ctx context.Context, e ast.Expr, t *types.Type) (*expr.Literal, error) {
	if e == nil {
		return nil, nil
	}
	x, err := b.sc.bareLimit().resolve(ctx, e)
	if err != nil {
		return nil, err
	}
	l, ok := x.(*expr.Literal)
	if !ok {
		return nil, at(e, cherr.InvalidWithFillExpression, "WITH FILL expression must be constant")
	}
	if l.T.Kind() == types.KindInterval || l.T.IsNumber() && !t.IsNumber() && !types.Unwrap(t).IsNumber() {
		return l, nil
	}
	if !l.T.IsNumber() && !l.T.IsDateOrTime() {
		return nil, at(e, cherr.InvalidWithFillExpression, "WITH FILL expression must be constant with numeric type")
	}
	c, err := b.sc.cast(ctx, l, types.Unwrap(t))
	if err != nil {
		return nil, err
	}
	return c.(*expr.Literal), nil
}

// interpolate resolves INTERPOLATE: expressions over the row before.
func (b *block) interpolate(ctx context.Context, f *plan.Fill, names map[string]int) error {
	if !b.sel.HasInterpolate && len(b.sel.Interpolate) == 0 {
		return nil
	}
	h := f.Input.Header()
	in := b.sc.helper()
	in.parent = nil
	in.rel = &relation{st: newStage(f.Input)}
	src := &source{}
	for i, it := range b.items {
		c := &relCol{ref: ref{id: b.sc.a.id(), name: it.name, t: h[i].Type}, src: src}
		in.rel.cols = append(in.rel.cols, c)
		in.rel.st.at[c.node().String()] = i
	}
	list := b.sel.Interpolate
	if len(list) == 0 {
		isKey := map[int]bool{}
		for _, k := range b.order {
			for i, it := range b.items {
				if it.e.String() == k.e.String() {
					isKey[i] = true
				}
			}
		}
		for i, it := range b.items {
			if !isKey[i] {
				list = append(list, &ast.Interpolate{Column: it.name})
			}
		}
	}
	for _, x := range list {
		i, ok := names[x.Column]
		if !ok {
			return at(x, cherr.UnknownIdentifier, "Missing column '%s' as an INTERPOLATE expression target", x.Column)
		}
		e := x.Expr
		if e == nil {
			e = ast.NewIdentifier(x.Column)
		}
		r, err := in.resolve(ctx, e)
		if err != nil {
			return err
		}
		if r, err = in.cast(ctx, r, h[i].Type); err != nil {
			return err
		}
		low, err := in.rel.st.lower(r)
		if err != nil {
			return err
		}
		f.Interpolate = append(f.Interpolate, plan.Interpolation{Column: i, Expr: low})
	}
	return nil
}
