package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// joiner is one JOIN while it is resolved.
type joiner struct {
	sc          *scope
	j           *ast.Join
	left, right *relation
	out         *plan.Join
	leftKeys    []expr.Expr
	rightKeys   []expr.Expr
	residual    []expr.Expr
	nullSafe    []bool
	asofAt      int
	usingRefs   [][2]expr.Expr
	retyped     map[int]*types.Type // columns of USING that took the common type
}

func (sc *scope) join(ctx context.Context, j *ast.Join) (*relation, error) {
	if err := sc.needAliases(j); err != nil {
		return nil, err
	}
	left, err := sc.from(ctx, j.Left)
	if err != nil {
		return nil, err
	}
	right, err := sc.from(ctx, j.Right)
	if err != nil {
		return nil, err
	}
	jn := &joiner{sc: sc, j: j, left: left, right: right, out: &plan.Join{}}
	if err := jn.kind(); err != nil {
		return nil, err
	}
	using, err := jn.usingNames()
	if err != nil {
		return nil, err
	}
	switch {
	case using != nil:
		err = jn.byUsing(ctx, using)
	case j.On != nil:
		err = jn.on(ctx)
	case j.Kind != ast.JoinCross && j.Kind != ast.JoinComma && j.Kind != ast.JoinPaste:
		jn.out.Kind = plan.CrossJoin
		if !j.Natural {
			err = at(j, cherr.InvalidJoinOnExpression, "JOIN without ON or USING")
		}
	}
	if err != nil {
		return nil, err
	}
	return jn.finish(ctx, using)
}

// needAliases refuses subqueries and table functions without a name beside a join.
func (sc *scope) needAliases(j *ast.Join) error {
	if !sc.setting("joined_subquery_requires_alias") {
		return nil
	}
	for _, t := range []ast.Table{j.Left, j.Right} {
		if x, ok := t.(*ast.TableExpr); ok && x.Alias == "" && x.Name == nil {
			return at(x, cherr.AliasRequired, "JOIN: no alias for subquery or table function (set joined_subquery_requires_alias = 0 to disable restriction)")
		}
	}
	return nil
}

func (jn *joiner) kind() error {
	kinds := [...]plan.JoinKind{
		ast.JoinInner: plan.InnerJoin, ast.JoinLeft: plan.LeftJoin, ast.JoinRight: plan.RightJoin, ast.JoinFull: plan.FullJoin,
		ast.JoinCross: plan.CrossJoin, ast.JoinComma: plan.CrossJoin, ast.JoinPaste: plan.PasteJoin,
	}
	jn.out.Kind = kinds[jn.j.Kind]
	switch jn.j.Strictness {
	case ast.StrictnessUnset:
		switch jn.sc.settings().Get("join_default_strictness") {
		case "ANY":
			jn.out.Strictness = plan.AnyStrictness
		case "ALL":
		default:
			return at(jn.j, cherr.ExpectedAllOrAny, "Expected ANY or ALL in JOIN section, because setting (join_default_strictness) is empty")
		}
	case ast.JoinAny:
		jn.out.Strictness = plan.AnyStrictness
		if jn.out.Kind == plan.InnerJoin && jn.sc.setting("any_join_distinct_right_table_keys") {
			// The old meaning: only the right side's keys are made distinct.
			jn.out.Kind, jn.out.Strictness = plan.LeftJoin, plan.SemiStrictness
		}
	case ast.JoinSemi:
		jn.out.Strictness = plan.SemiStrictness
	case ast.JoinAnti:
		jn.out.Strictness = plan.AntiStrictness
	case ast.JoinAsof:
		jn.out.Strictness = plan.AsofStrictness
	}
	if jn.out.Kind == plan.CrossJoin || jn.out.Kind == plan.PasteJoin {
		jn.out.Strictness = plan.AllStrictness
	}
	if jn.out.Strictness == plan.SemiStrictness || jn.out.Strictness == plan.AntiStrictness {
		if jn.out.Kind != plan.LeftJoin && jn.out.Kind != plan.RightJoin {
			jn.out.Kind = plan.LeftJoin
		}
	}
	return nil
}

// usingNames gives the columns of USING; nil when the join has none.
func (jn *joiner) usingNames() ([]string, error) {
	if jn.j.UsingAll || jn.j.Natural {
		names := []string{}
		for _, l := range jn.left.cols {
			for _, r := range jn.right.cols {
				if l.name == r.name && !l.hidden && !r.hidden {
					names = append(names, l.name)
					break
				}
			}
		}
		if len(names) == 0 && jn.j.Natural {
			return nil, nil
		}
		return names, nil
	}
	var names []string
	for _, e := range jn.j.Using {
		id, ok := ast.Unalias(e).(*ast.Identifier)
		if !ok {
			return nil, at(e, cherr.UnsupportedMethod, "JOIN USING expects identifiers")
		}
		names = append(names, id.Parts[len(id.Parts)-1])
	}
	return names, nil
}

// side resolves a name in one side of the join.
func (jn *joiner) side(ctx context.Context, r *relation, name string) (expr.Expr, error) {
	in := jn.sc.helper()
	in.parent = nil
	in.rel = r
	e, err := in.column(ctx, []string{name})
	if e == nil && err == nil {
		if a := jn.sc.aliases[name]; a != nil && r == jn.left { // an alias of the SELECT list may be meant
			in.aliases = jn.sc.freshAliases()
			return in.alias(ctx, in.aliases[name])
		}
		err = at(jn.j, cherr.UnknownIdentifier, "JOIN using identifier '%s' cannot be resolved from both sides", name)
	}
	return e, err
}

func (jn *joiner) byUsing(ctx context.Context, names []string) error {
	if jn.out.Strictness == plan.AsofStrictness && len(names) < 2 {
		return at(jn.j, cherr.NotImplemented, "ASOF JOIN needs an equality beside its inequality")
	}
	for i, name := range names {
		l, err := jn.side(ctx, jn.left, name)
		if err != nil {
			return err
		}
		r, err := jn.side(ctx, jn.right, name)
		if err != nil {
			return err
		}
		jn.usingRefs = append(jn.usingRefs, [2]expr.Expr{l, r})
		if jn.out.Strictness == plan.AsofStrictness && i == len(names)-1 {
			jn.out.AsofOp = ">="
		}
		if err := jn.key(ctx, l, r, false); err != nil {
			return err
		}
	}
	return nil
}

// on takes ON apart: equalities of the two sides are keys, conditions on one
// side filter it where that is legal, the rest is checked per pair.
func (jn *joiner) on(ctx context.Context) error {
	in := jn.sc.helper()
	in.parent = jn.sc.parent
	in.aliases = jn.sc.freshAliases()
	in.noAggregate = "JOIN ON expression"
	in.rel = &relation{cols: append(append([]*relCol(nil), jn.left.cols...), jn.right.cols...), joins: jn.left.joins + jn.right.joins + 1, using: jn.left.using}
	e, err := in.resolve(ctx, jn.j.On)
	if err != nil {
		return err
	}
	for _, c := range expr.Conjuncts(e) {
		if err := jn.conjunct(ctx, c); err != nil {
			return err
		}
	}
	if jn.out.Strictness == plan.AsofStrictness {
		if jn.out.AsofOp == "" {
			return at(jn.j, cherr.InvalidJoinOnExpression, "ASOF JOIN needs an inequality in ON")
		}
		last := len(jn.leftKeys) - 1 // the inequality goes last
		for i := range jn.leftKeys {
			if jn.asofAt == i {
				jn.leftKeys[i], jn.leftKeys[last] = jn.leftKeys[last], jn.leftKeys[i]
				jn.rightKeys[i], jn.rightKeys[last] = jn.rightKeys[last], jn.rightKeys[i]
				break
			}
		}
	}
	return nil
}

func (jn *joiner) conjunct(ctx context.Context, c expr.Expr) error {
	if call, ok := c.(*expr.Call); ok && len(call.Args) == 2 {
		l, r := call.Args[0], call.Args[1]
		lSide, rSide := jn.sideOf(l), jn.sideOf(r)
		swapped := lSide == onRight && rSide == onLeft
		if swapped {
			l, r = r, l
		}
		if swapped || lSide == onLeft && rSide == onRight {
			switch call.Fn.Name {
			case "equals":
				return jn.key(ctx, l, r, false)
			case "isNotDistinctFrom":
				return jn.key(ctx, l, r, true)
			}
			if op := asofOps[call.Fn.Name]; op != "" && jn.out.Strictness == plan.AsofStrictness && jn.out.AsofOp == "" {
				if swapped {
					op = mirrored[op]
				}
				jn.out.AsofOp, jn.asofAt = op, len(jn.leftKeys)
				return jn.key(ctx, l, r, false)
			}
		}
	}
	side := jn.sideOf(c)
	inner := jn.out.Kind == plan.InnerJoin && jn.out.Strictness != plan.AsofStrictness
	switch {
	case side == onLeft && (inner || jn.out.Kind == plan.RightJoin):
		return jn.left.st.filter(ctx, jn.sc, "JOIN ON", c, false)
	case side == onRight && (inner || jn.out.Kind == plan.LeftJoin):
		return jn.right.st.filter(ctx, jn.sc, "JOIN ON", c, false)
	}
	jn.residual = append(jn.residual, c)
	return nil
}

var (
	asofOps  = map[string]string{"less": "<", "lessOrEquals": "<=", "greater": ">", "greaterOrEquals": ">="}
	mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
)

// side of a join that an expression reads.
type side uint8

const (
	onNone  side = 0
	onLeft  side = 1
	onRight side = 2
)

func (jn *joiner) sideOf(e expr.Expr) side {
	var s side
	expr.Walk(e, func(x expr.Expr) {
		r, ok := x.(*ref)
		if !ok {
			return
		}
		if _, ok := jn.left.st.at[r.String()]; ok {
			s |= onLeft
		} else {
			s |= onRight
		}
	})
	return s
}

// finish makes the node and the joined relation.
func (jn *joiner) finish(ctx context.Context, using []string) (*relation, error) {
	var err error
	if jn.out.LeftKeys, err = jn.left.st.columns(ctx, jn.leftKeys); err != nil {
		return nil, err
	}
	if jn.out.RightKeys, err = jn.right.st.columns(ctx, jn.rightKeys); err != nil {
		return nil, err
	}
	jn.retype(len(using))
	if len(jn.leftKeys) == 0 && jn.out.Kind == plan.InnerJoin && jn.out.Strictness == plan.AllStrictness {
		jn.out.Kind = plan.CrossJoin
	}
	for _, n := range jn.nullSafe {
		if n {
			jn.out.NullSafe = jn.nullSafe
		}
	}
	n := jn.out
	n.Left, n.Right = jn.left.st.node, jn.right.st.node
	nulls := jn.sc.setting("join_use_nulls")
	nullLeft := nulls && (n.Kind == plan.RightJoin || n.Kind == plan.FullJoin)
	nullRight := nulls && (n.Kind == plan.LeftJoin || n.Kind == plan.FullJoin)
	out := &relation{st: newStage(n), joins: jn.left.joins + jn.right.joins + 1}
	width := len(n.Left.Header())
	n.Fields = append(mayMiss(n.Left.Header(), nullLeft), mayMiss(n.Right.Header(), nullRight)...)
	if err := jn.residuals(width); err != nil {
		return nil, err
	}
	for k, i := range jn.left.st.at {
		out.st.at[k] = i
	}
	for k, i := range jn.right.st.at {
		if _, ok := out.st.at[k]; !ok {
			out.st.at[k] = width + i
		}
	}
	jn.columns(out, jn.left, nullLeft)
	jn.columns(out, jn.right, nullRight)
	out.using = append(out.using, jn.left.using...)
	out.using = append(out.using, jn.right.using...)
	for _, name := range using {
		if err := jn.common(ctx, out, name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// retype lets the columns of USING be the converted keys, as in ClickHouse:
// with UInt8 on one side and Int32 on the other both read as Int32.
func (jn *joiner) retype(using int) {
	jn.retyped = map[int]*types.Type{}
	for i := range using {
		for _, s := range []struct {
			r    *relation
			e    expr.Expr
			from expr.Expr
			at   int
		}{{jn.left, jn.leftKeys[i], jn.usingRefs[i][0], jn.out.LeftKeys[i]}, {jn.right, jn.rightKeys[i], jn.usingRefs[i][1], jn.out.RightKeys[i]}} {
			r, ok := s.from.(*ref)
			if !ok || s.e == s.from {
				continue
			}
			s.r.st.at[r.String()] = s.at
			jn.retyped[r.id] = s.e.Type()
		}
	}
}

// residuals lowers what is left of ON onto both sides' columns.
func (jn *joiner) residuals(width int) error {
	if len(jn.residual) == 0 {
		return nil
	}
	h := append(append(column.Header(nil), jn.left.st.node.Header()...), jn.right.st.node.Header()...)
	st := newStage(&plan.Values{Fields: h})
	for k, i := range jn.right.st.at {
		st.at[k] = width + i
	}
	for k, i := range jn.left.st.at {
		st.at[k] = i
	}
	for _, c := range jn.residual {
		low, err := st.lower(c)
		if err != nil {
			return err
		}
		if low, err = jn.sc.condition("JOIN ON", low); err != nil {
			return err
		}
		jn.out.Residual = append(jn.out.Residual, low)
	}
	return nil
}

func mayMiss(h column.Header, null bool) column.Header {
	out := append(column.Header(nil), h...)
	for i := range out {
		if null && out[i].Type.CanBeNullable() {
			out[i].Type = types.Nullable(out[i].Type)
		}
	}
	return out
}

func (jn *joiner) columns(out *relation, r *relation, null bool) {
	for _, c := range r.cols {
		n := *c
		if t, ok := jn.retyped[n.id]; ok {
			n.t = t
		}
		if null && n.t.CanBeNullable() {
			n.t = types.Nullable(n.t)
		}
		out.cols = append(out.cols, &n)
	}
}

// common makes the column of a name in USING.
func (jn *joiner) common(ctx context.Context, out *relation, name string) error {
	u := usingCol{name: name}
	find := func(r *relation) expr.Expr {
		for i := range r.using {
			if r.using[i].name == name {
				u.left = append(append(u.left, r.using[i].left...), r.using[i].right...)
				return r.using[i].e
			}
		}
		for _, c := range r.cols {
			if c.name == name && !c.virtual {
				u.left = append(u.left, c.id)
				for _, o := range out.cols {
					if o.id == c.id {
						return o.node()
					}
				}
			}
		}
		return nil
	}
	l := find(jn.left)
	lefts := u.left
	u.left = nil
	r := find(jn.right)
	u.left, u.right = lefts, u.left
	if l == nil || r == nil {
		return nil
	}
	var err error
	if jn.out.Kind != plan.RightJoin {
		u.bare = u.left
	}
	switch jn.out.Kind {
	case plan.RightJoin:
		u.e = r
	case plan.FullJoin:
		u.e, err = jn.firstOf(ctx, l, r)
	default:
		u.e = l
	}
	if err != nil {
		return err
	}
	kept := out.using[:0:0]
	for _, o := range out.using {
		if o.name != name {
			kept = append(kept, o)
		}
	}
	out.using = append(kept, u)
	return nil
}

// firstOf gives the value of the side that is there: a side that misses has
// its default or NULL.
func (jn *joiner) firstOf(ctx context.Context, l, r expr.Expr) (expr.Expr, error) {
	t, err := jn.sc.super([]*types.Type{l.Type(), r.Type()})
	if err != nil {
		return nil, err
	}
	if l, err = jn.sc.cast(ctx, l, t); err != nil {
		return nil, err
	}
	if r, err = jn.sc.cast(ctx, r, t); err != nil {
		return nil, err
	}
	var missing expr.Expr
	if t.IsNullable() {
		missing, err = jn.sc.call("isNull", l)
	} else {
		missing, err = jn.sc.call("equals", l, constant(t, column.Default(t, 1)))
	}
	if err != nil {
		return nil, err
	}
	return jn.sc.call("if", missing, r, l)
}
