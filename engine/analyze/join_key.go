package analyze

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/engine/plan"
	"lakeserver/expr"
	"lakeserver/types"
)

// key adds an equality of one expression of each side.
func (jn *joiner) key(ctx context.Context, l, r expr.Expr, nullSafe bool) error {
	t := l.Type()
	if !t.Equal(r.Type()) {
		lt, rt := types.WithoutLowCardinality(l.Type()), types.WithoutLowCardinality(r.Type())
		var err error
		if t, err = types.Super(lt, rt); err != nil {
			return jn.foreignKey(ctx, l, r, nullSafe)
		}
		if !lt.Equal(l.Type()) && !rt.Equal(r.Type()) {
			t = types.LowCardinality(t)
		}
	}
	var err error
	if l, err = jn.keyCast(ctx, l, t); err != nil {
		return err
	}
	if r, err = jn.keyCast(ctx, r, t); err != nil {
		return err
	}
	jn.addKey(l, r, nullSafe)
	return nil
}

func (jn *joiner) addKey(l, r expr.Expr, nullSafe bool) {
	jn.leftKeys, jn.rightKeys = append(jn.leftKeys, l), append(jn.rightKeys, r)
	jn.nullSafe = append(jn.nullSafe, nullSafe)
}

// foreignKey adds an equality of types without a common one: signed and
// unsigned integers, alone or in tuples, are compared by their values.
// FULL JOIN ... USING of such would need a type for its column.
func (jn *joiner) foreignKey(ctx context.Context, l, r expr.Expr, nullSafe bool) error {
	lt, rt := plainType(l), plainType(r)
	inner := jn.out.Kind == plan.InnerJoin
	switch {
	case nullSafe, jn.usingRefs != nil && !inner:
	case lt.IsInteger() && rt.IsInteger():
		return jn.integerKey(ctx, l, r)
	case lt.Kind() == types.KindTuple && rt.Kind() == types.KindTuple && len(lt.Elems()) == len(rt.Elems()):
		return jn.tupleKey(ctx, l, r)
	}
	return cherr.New(cherr.NoCommonType, "JOIN cannot infer common type in ON section for keys. Left key type %s. Right key type %s", l.Type(), r.Type())
}

func plainType(e expr.Expr) *types.Type {
	return types.WithoutNullable(types.WithoutLowCardinality(e.Type()))
}

// integerKey compares integers as the type that holds both; beside UInt256,
// which no signed one holds, negative ones are NULL, and equal to nothing. The
// columns of USING keep their types.
func (jn *joiner) integerKey(ctx context.Context, l, r expr.Expr) error {
	convert := func(e expr.Expr) (expr.Expr, error) {
		return jn.sc.call("accurateCastOrNull", e, jn.sc.text("UInt256"))
	}
	if size := max(plainType(l).Bytes(), plainType(r).Bytes()); size <= 16 {
		to := types.Int128
		if size > 8 {
			to = types.Int256
		}
		convert = func(e expr.Expr) (expr.Expr, error) {
			if types.WithoutLowCardinality(e.Type()).IsNullable() {
				return jn.sc.cast(ctx, e, types.Nullable(to))
			}
			return jn.sc.cast(ctx, e, to)
		}
	}
	lk, err := convert(l)
	if err != nil {
		return err
	}
	rk, err := convert(r)
	if err != nil {
		return err
	}
	jn.addKey(lk, rk, false)
	if n := len(jn.usingRefs); n > 0 {
		jn.usingRefs[n-1] = [2]expr.Expr{lk, rk}
	}
	return nil
}

func (jn *joiner) tupleKey(ctx context.Context, l, r expr.Expr) error {
	for i := range plainType(l).Elems() {
		n := valueOf(types.UInt64, uint64(i+1))
		le, err := jn.sc.call("tupleElement", l, n)
		if err != nil {
			return err
		}
		re, err := jn.sc.call("tupleElement", r, n)
		if err != nil {
			return err
		}
		if err := jn.key(ctx, le, re, false); err != nil {
			return cherr.Wrap(err, "element %d of a tuple", i+1)
		}
	}
	return nil
}

func (jn *joiner) keyCast(ctx context.Context, e expr.Expr, t *types.Type) (expr.Expr, error) {
	if e.Type().Equal(t) {
		return e, nil
	}
	return jn.sc.cast(ctx, e, t)
}
