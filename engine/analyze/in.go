package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/ast"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// in binds x IN y for all that y may be: constants, a query, a table,
// expressions.
func (sc *scope) in(ctx context.Context, f *ast.Function) (expr.Expr, error) {
	if len(f.Args) != 2 {
		return nil, at(f, cherr.NumberOfArgumentsDoesntMatch, "Function '%s' expects two arguments", f.Name)
	}
	op := &inOp{sc: sc, f: f, name: f.Name}
	switch f.Name {
	case "notIn", "globalNotIn", "notNullIn", "globalNotNullIn", "notInIgnoreSet":
		op.negate = true
	}
	switch f.Name {
	case "nullIn", "notNullIn", "globalNullIn", "globalNotNullIn":
		op.nulls = true
	default:
		op.nulls = sc.setting("transform_null_in")
	}
	if sc.asLambda(f.Args[0], false) != nil {
		return nil, at(f, cherr.IllegalTypeOfArgument, "Function '%s' does not take a lambda", f.Name)
	}
	left, err := sc.resolve(ctx, f.Args[0])
	if err != nil {
		return nil, err
	}
	if q := sc.queryOf(f.Args[1]); q != nil {
		return op.query(ctx, left, q)
	}
	right, err := sc.inOperand(ctx, f.Args[1])
	if err != nil {
		return nil, err
	}
	if l, ok := right.(*expr.Literal); ok {
		return op.constants(ctx, left, l)
	}
	return op.expressions(ctx, left, right, f.Args[1])
}

type inOp struct {
	sc     *scope
	f      *ast.Function
	name   string
	negate bool
	nulls  bool // NULL is a value like others
}

// queryOf gives the query that the right side of IN is: written so, or SELECT *
// of the table, CTE or table function that it names.
func (sc *scope) queryOf(e ast.Expr) ast.Query {
	star := func(t *ast.TableExpr) ast.Query {
		return &ast.Select{At: e.Pos(), Columns: []ast.Expr{&ast.Asterisk{}}, From: t}
	}
	switch x := ast.Unalias(e).(type) {
	case *ast.Subquery:
		return x.Query
	case *ast.Identifier:
		if len(x.Parts) > 2 || sc.lambdaParam(x.Parts) != nil {
			return nil
		}
		if len(x.Parts) == 1 {
			if a := sc.visibleAlias(x.Parts[0]); a != nil {
				if q, ok := a.ast.(*ast.Subquery); ok {
					return q.Query
				}
				return nil
			}
			if sc.findCTE(x.Parts[0]) != nil {
				return star(&ast.TableExpr{At: x.At, Name: &ast.TableName{At: x.At, Table: x.Parts[0]}})
			}
		}
		if sc.rel != nil {
			if c, _, _ := sc.rel.find(x.Parts, true); c != nil {
				return nil
			}
		}
		n := &ast.TableName{At: x.At, Table: x.Parts[len(x.Parts)-1]}
		if len(x.Parts) == 2 {
			n.Database = x.Parts[0]
		}
		return star(&ast.TableExpr{At: x.At, Name: n})
	case *ast.Function:
		reg := sc.a.env.Registry
		if _, ok := reg.Scalar(x.Name); ok || sc.namedLambda(x.Name) != nil {
			return nil
		}
		if _, ok := reg.Table(x.Name); ok {
			return star(&ast.TableExpr{At: x.At, Function: x})
		}
	}
	return nil
}

// inOperand resolves the right side; a tuple of constants is kept as a tuple.
func (sc *scope) inOperand(ctx context.Context, e ast.Expr) (expr.Expr, error) {
	return sc.resolve(ctx, e)
}

// operands gives the columns that are compared: the elements of a tuple, or
// the one value.
func (op *inOp) operands(left expr.Expr, n int) ([]expr.Expr, error) {
	t := left.Type()
	if n == 1 && t.Kind() != types.KindTuple || n == 0 {
		return []expr.Expr{left}, nil
	}
	if t.Kind() != types.KindTuple || len(t.Elems()) != n {
		if n == 1 {
			return []expr.Expr{left}, nil
		}
		have := 1
		if t.Kind() == types.KindTuple {
			have = len(t.Elems())
		}
		return nil, at(op.f, cherr.NumberOfColumnsDoesntMatch, "Number of columns in section IN doesn't match. %d at left, %d at right.", have, n)
	}
	if c, ok := left.(*expr.Call); ok && c.Fn.Name == "tuple" {
		return c.Args, nil
	}
	out := make([]expr.Expr, n)
	for i := range out {
		e, err := op.sc.call("tupleElement", left, unsigned(uint64(i+1)))
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// depth counts how deep arrays and tuples nest, by which ClickHouse tells one
// value from a list of values.
func depth(t *types.Type) int {
	switch t.Kind() {
	case types.KindArray:
		return 1 + depth(t.Elem())
	case types.KindTuple:
		if len(t.Elems()) == 0 {
			return 1
		}
		return 1 + depth(t.Elems()[0])
	case types.KindMap:
		return 1
	}
	return 0
}

// constants binds IN over a constant list.
func (op *inOp) constants(ctx context.Context, left expr.Expr, right *expr.Literal) (expr.Expr, error) {
	lt := types.WithoutLowCardinality(left.Type())
	values, vts := []column.Value{boxed(right)}, []*types.Type{right.T}
	if ld, rd := depth(lt), depth(right.T); rd == ld+1 || rd > ld && ld == 0 {
		row, _ := boxed(right).(column.Row)
		values, vts = row, nil
		for i := range row {
			if right.T.Kind() == types.KindArray {
				vts = append(vts, right.T.Elem())
			} else {
				vts = append(vts, right.T.Elems()[i])
			}
		}
	} else if rd != ld && right.T.Kind() != types.KindNullable {
		return nil, at(op.f, cherr.IncorrectElementOfSet, "Unsupported types for IN. First argument type %s. Second argument type %s", left.Type(), right.T)
	}
	n := 1
	if lt.Kind() == types.KindTuple {
		if n = len(lt.Elems()); n == 0 {
			return op.emptyTuples(left, values)
		}
	}
	cols, err := op.operands(left, n)
	if err != nil {
		return nil, err
	}
	set, err := op.fill(ctx, cols, lt.Kind() == types.KindTuple, values, vts)
	if err != nil {
		return nil, err
	}
	return op.bind(ctx, cols, set, right.String())
}

// emptyTuples is IN with an empty tuple at the left: all of them are equal, but
// an arrayJoin at the left still makes rows.
func (op *inOp) emptyTuples(left expr.Expr, values []column.Value) (expr.Expr, error) {
	for _, v := range values {
		if row, ok := v.(column.Row); !ok || len(row) > 0 {
			return nil, at(op.f, cherr.IncorrectElementOfSet, "Incorrect element of set: an empty tuple is expected")
		}
	}
	zero, err := op.sc.call("ignore", left)
	if err != nil {
		return nil, err
	}
	if (len(values) > 0) == op.negate {
		return zero, nil
	}
	return op.sc.call("not", zero)
}

// fill makes the set of constants, converted to the types at the left. What no
// value at the left can equal is left out.
func (op *inOp) fill(ctx context.Context, cols []expr.Expr, tuple bool, values []column.Value, vts []*types.Type) (*expr.Set, error) {
	ts := op.setTypes(cols)
	builders := make([]column.Builder, len(ts))
	for i, t := range ts {
		builders[i] = column.NewBuilder(t, len(values))
	}
	rows := 0
	row := make([]column.Value, len(ts))
next:
	for i, v := range values {
		parts, pts := []column.Value{v}, []*types.Type{vts[i]}
		if tuple {
			r, ok := v.(column.Row)
			if !ok || vts[i].Kind() != types.KindTuple || len(r) != len(ts) {
				return nil, at(op.f, cherr.IncorrectElementOfSet, "Incorrect element of set: a tuple of %d values is expected", len(ts))
			}
			parts, pts = r, vts[i].Elems()
		}
		for k := range parts {
			x, ok, err := op.element(ctx, parts[k], pts[k], ts[k])
			if err != nil {
				return nil, err
			}
			if !ok {
				continue next
			}
			row[k] = x
		}
		for k := range row {
			builders[k].AppendValue(row[k])
		}
		rows++
	}
	set := expr.NewSet(ts)
	done := make([]column.Column, len(ts))
	for i, b := range builders {
		done[i] = b.Finish()
	}
	set.Add(done, rows)
	set.Seal()
	return set, nil
}

func (op *inOp) setTypes(cols []expr.Expr) []*types.Type {
	ts := make([]*types.Type, len(cols))
	for i, c := range cols {
		ts[i] = types.Unwrap(c.Type())
		if op.nulls && ts[i].CanBeNullable() {
			ts[i] = types.Nullable(ts[i])
		}
	}
	return ts
}

// element converts one constant; ok is false when it can equal nothing.
func (op *inOp) element(ctx context.Context, v column.Value, from, to *types.Type) (column.Value, bool, error) {
	if v == nil {
		return nil, op.nulls && to.IsNullable(), nil
	}
	from, plain := types.Unwrap(from), types.WithoutNullable(to)
	if from.Equal(plain) {
		return v, true, nil
	}
	if plain.Kind() == types.KindNothing {
		return nil, false, nil
	}
	if row, ok := v.(column.Row); ok && (plain.Kind() == types.KindArray || plain.Kind() == types.KindTuple) && from.Kind() == plain.Kind() {
		return op.elements(ctx, row, from, plain)
	}
	lit := valueOf(from, v)
	switch {
	case from.IsString() && plain.IsInteger():
		if fits, ok := functions.IntegerText(v.(string), plain); ok && !fits {
			return nil, false, nil
		}
	case from.IsNumber() && plain.IsNumber():
		if err := functions.FitsDecimal(column.FromValue(from, v, 1), from, plain); err != nil {
			return nil, false, err
		}
		e, err := op.sc.call("accurateCastOrNull", lit, op.sc.text(plain.String()))
		if err != nil {
			return nil, false, err
		}
		x := boxed(e.(*expr.Literal))
		if x != nil && from.IsFloat() && plain.IsDecimal() { // 1.5551 is no Decimal of scale 3
			back, err := op.sc.cast(ctx, e, types.Float64)
			if err != nil {
				return nil, false, err
			}
			given, err := op.sc.cast(ctx, lit, types.Float64)
			if err != nil {
				return nil, false, err
			}
			return x, boxed(back.(*expr.Literal)) == boxed(given.(*expr.Literal)), nil
		}
		return x, x != nil, nil
	case from.IsNumber() && plain.IsString(), from.IsString() && depth(plain) > 0:
		return nil, false, at(op.f, cherr.TypeMismatch, "Type mismatch in IN: expected %s, got %s", plain, from)
	}
	e, err := op.sc.cast(ctx, lit, plain)
	if err != nil {
		if plain.IsEnum() && !op.sc.setting("validate_enum_literals_in_operators") {
			return nil, false, nil
		}
		if plain.IsEnum() && cherr.Is(err, cherr.UnknownElementOfEnum) {
			return nil, false, err
		}
		return nil, false, cherr.New(cherr.TypeMismatch, "Cannot convert %s to type %s: %s", fieldName(from, v), plain, err)
	}
	x := boxed(e.(*expr.Literal))
	return x, x != nil, nil
}

// elements converts an array's or a tuple's constants one by one.
func (op *inOp) elements(ctx context.Context, row column.Row, from, to *types.Type) (column.Value, bool, error) {
	out := make(column.Row, len(row))
	if to.Kind() == types.KindTuple && len(row) != len(to.Elems()) {
		return nil, false, nil
	}
	for i := range row {
		ft, tt := from, to
		if to.Kind() == types.KindArray {
			ft, tt = from.Elem(), to.Elem()
		} else {
			ft, tt = from.Elems()[i], to.Elems()[i]
		}
		if row[i] == nil && tt.IsNullable() {
			continue
		}
		x, ok, err := op.element(ctx, row[i], ft, tt)
		if err != nil || !ok {
			return nil, false, err
		}
		out[i] = x
	}
	return out, true, nil
}

// bind makes the function over a set that is or will be filled; detail tells
// the set from others.
func (op *inOp) bind(ctx context.Context, cols []expr.Expr, set *expr.Set, detail string) (expr.Expr, error) {
	args := make([]expr.Expr, len(cols))
	for i, c := range cols {
		var err error
		if args[i], err = op.toElement(ctx, c, set.Types()[i]); err != nil {
			return nil, err
		}
	}
	f := inFunction(set, op.negate, op.nulls, args)
	f.Detail = detail
	if op.nulls {
		f.Detail += " nulls"
	}
	call := &expr.Call{Fn: f, Args: args}
	if op.sc.a.later[set] {
		return call, nil
	}
	return op.sc.fold(ctx, call)
}

// toElement brings a column to the set's type; values that do not fit become
// NULL and equal nothing.
func (op *inOp) toElement(ctx context.Context, c expr.Expr, t *types.Type) (expr.Expr, error) {
	have := types.WithoutLowCardinality(c.Type())
	if types.WithoutNullable(have).Equal(types.WithoutNullable(t)) {
		return c, nil
	}
	plain := types.WithoutNullable(t)
	if s, err := types.Super(types.WithoutNullable(have), plain); err == nil && s.Equal(plain) {
		if have.IsNullable() {
			plain = types.Nullable(plain)
		}
		return op.sc.cast(ctx, c, plain)
	}
	return op.sc.call("accurateCastOrNull", c, op.sc.text(plain.String()))
}

// inFunction is in or notIn over a set. Over one column NULL in is NULL out;
// over several a NULL equals nothing.
func inFunction(set *expr.Set, negate, nulls bool, args []expr.Expr) *expr.Function {
	f := &expr.Function{Name: "in", Result: types.UInt8, Set: set}
	if negate {
		f.Name = "notIn"
	}
	var flip uint8
	if negate {
		flip = 1
	}
	nullable := false
	for _, a := range args {
		nullable = nullable || types.WithoutLowCardinality(a.Type()).IsNullable()
	}
	f.KeepNulls = nulls || len(args) > 1
	if nullable && !f.KeepNulls {
		f.Result = types.Nullable(types.UInt8)
		if args[0].Type().Equal(types.NullableNothing) {
			f.Result = types.NullableNothing
		}
	}
	f.Kernel = func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		var null []uint8
		if f.KeepNulls && !nulls {
			plain := make([]column.Column, len(args))
			for i, a := range args {
				v, n := column.SplitNulls(column.Full(a))
				plain[i], null = v, column.OrNulls(null, n)
			}
			args = plain
		}
		out := set.Contains(args, rows)
		for i := range out {
			if null != nil && null[i] != 0 {
				out[i] = 0
			}
			out[i] ^= flip
		}
		return &column.Fixed[uint8]{Values: out}, nil
	}
	return f
}

// query binds IN over a subquery: its set is filled before the query runs.
func (op *inOp) query(ctx context.Context, left expr.Expr, q ast.Query) (expr.Expr, error) {
	op.sc.subqueryName(q)
	sub := op.sc.child()
	n, err := op.sc.a.query(ctx, q, sub)
	if err != nil {
		return nil, err
	}
	if len(sub.outer) > 0 {
		return op.sc.correlatedIn(ctx, op, left, n, sub)
	}
	h := n.Header()
	width := len(h)
	cols, err := op.operands(left, width)
	if err != nil {
		return nil, err
	}
	if len(cols) == 1 && cols[0].Type().Kind() == types.KindNullable && cols[0].Type().Equal(types.NullableNothing) && !op.nulls {
		return valueOf(types.NullableNothing, nil), nil
	}
	set, n, err := op.setOf(ctx, n, cols)
	if err != nil {
		return nil, err
	}
	owner := op.sc.owner()
	owner.sets = append(owner.sets, plan.SetBuild{Plan: n, Set: set})
	op.sc.a.unfilled(set)
	return op.bind(ctx, cols, set, op.sc.subqueryName(q))
}

// setOf makes the set for a subquery's rows; NULLs are left out unless they
// are values.
func (op *inOp) setOf(ctx context.Context, n plan.Node, cols []expr.Expr) (*expr.Set, plan.Node, error) {
	st := newStage(n)
	h := n.Header()
	p := &plan.Project{}
	var conds []expr.Expr
	ts := make([]*types.Type, len(h))
	for i, f := range h {
		var e expr.Expr = &expr.Column{Index: i, Name: f.Name, T: f.Type}
		ts[i] = types.Unwrap(f.Type)
		left := types.Unwrap(cols[i].Type())
		if !ts[i].Equal(left) {
			if s, err := types.Super(ts[i], left); err == nil {
				ts[i] = types.WithoutNullable(s)
			} else if ts[i].IsString() {
				ts[i] = left
			} else if ts[i].Kind() != types.KindNothing && !(ts[i].IsNumber() && left.IsNumber()) {
				return nil, nil, at(op.f, cherr.TypeMismatch, "Types of column %d in section IN don't match: %s on the left, %s on the right", i+1, left, ts[i])
			}
		}
		var err error
		nullable := types.WithoutLowCardinality(f.Type).IsNullable()
		if op.nulls && ts[i].CanBeNullable() {
			ts[i] = types.Nullable(ts[i])
		} else if nullable {
			c, err := op.sc.call("isNotNull", e)
			if err != nil {
				return nil, nil, err
			}
			conds = append(conds, c)
			if e, err = op.sc.call("assumeNotNull", e); err != nil {
				return nil, nil, err
			}
		}
		if e, err = op.sc.cast(ctx, e, ts[i]); err != nil {
			return nil, nil, err
		}
		p.Exprs = append(p.Exprs, e)
		p.Fields = append(p.Fields, column.Field{Name: f.Name, Type: ts[i]})
	}
	p.Input = st.node
	if conds != nil {
		p.Input = &plan.Filter{Input: st.node, Conditions: conds}
	}
	return expr.NewSet(ts), p, nil
}

// expressions binds IN over values that are not constant: x = a OR x = b.
func (op *inOp) expressions(ctx context.Context, left, right expr.Expr, written ast.Expr) (expr.Expr, error) {
	var e expr.Expr
	var err error
	if right.Type().Kind() == types.KindArray {
		e, err = op.sc.call("has", right, left)
	} else {
		parts := []expr.Expr{right}
		if c, ok := right.(*expr.Call); ok && c.Fn.Name == "tuple" && depth(right.Type()) > depth(left.Type()) {
			parts = c.Args
		} else if right.Type().Kind() == types.KindTuple && depth(right.Type()) > depth(left.Type()) {
			parts = nil
			for i := range right.Type().Elems() {
				p, err := op.sc.call("tupleElement", right, unsigned(uint64(i+1)))
				if err != nil {
					return nil, err
				}
				parts = append(parts, p)
			}
		}
		var any []expr.Expr
		for _, p := range parts {
			eq, err := op.sc.call("equals", left, p)
			if err != nil {
				return nil, err
			}
			any = append(any, eq)
		}
		e = any[0]
		if len(any) > 1 {
			e, err = op.sc.call("or", any...)
		}
	}
	if err != nil {
		return nil, err
	}
	if op.negate {
		if e, err = op.sc.call("not", e); err != nil {
			return nil, err
		}
	}
	if left.Type().Kind() == types.KindTuple {
		return e, nil
	}
	return op.sc.cast(ctx, e, types.Nullable(types.UInt8))
}
