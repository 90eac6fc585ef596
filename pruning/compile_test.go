package pruning

import (
	"context"
	"testing"
	"time"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
)

// oneColumn is a container whose columns are all alike.
type oneColumn struct {
	r    Range
	have func(v Value) bool
}

func (o oneColumn) Range(int) Range { return o.r }
func (o oneColumn) MightHave(_ int, v Value) bool {
	return o.have == nil || o.have(v)
}

func call(name string, args ...expr.Expr) *expr.Call {
	return &expr.Call{Fn: &expr.Function{Name: name, Result: types.UInt8}, Args: args}
}

func lit(t *types.Type, v Value) expr.Expr { return expr.NewLiteral(t, v) }

func in(x expr.Expr, negated bool, t *types.Type, values ...Value) expr.Expr {
	s := expr.NewSet([]*types.Type{t})
	b := column.NewBuilder(t, len(values))
	for _, v := range values {
		b.AppendValue(v)
	}
	s.Add([]column.Column{b.Finish()}, len(values))
	s.Seal()
	c := call("in", x)
	if negated {
		c.Fn.Name = "notIn"
	}
	c.Fn.Set = s
	return c
}

func TestCompiled(t *testing.T) {
	nint, nstr, nflt := types.Nullable(types.Int32), types.Nullable(types.String), types.Nullable(types.Float64)
	tuple := types.Tuple([]*types.Type{nstr, nint}, []string{"a", "lvl"})
	cols := func(i int) Column {
		switch i {
		case 0:
			return Column{Field: 1, Type: nint}
		case 1:
			return Column{Field: 2, Type: nstr}
		case 2:
			return Column{Field: 3, Type: nflt}
		}
		return Column{Field: -1, Type: tuple, Inner: func(i int) (Column, bool) { return Column{Field: 10 + i, Type: tuple.Elems()[i]}, true }}
	}
	n := &expr.Column{Index: 0, Name: "n", T: nint}
	s := &expr.Column{Index: 1, Name: "s", T: nstr}
	f := &expr.Column{Index: 2, Name: "f", T: nflt}
	st := &expr.Column{Index: 3, Name: "st", T: tuple}
	five := lit(types.UInt8, uint8(5))
	str := func(v string) expr.Expr { return lit(types.String, v) }
	ints := func(lo, hi int32) Range { return Range{Lo: lo, Hi: hi, NaNs: None} }
	one := func(v Value) Range { return Range{Lo: v, Hi: v, Exact: true, Nulls: None, NaNs: None} }
	half := &expr.Call{Fn: &expr.Function{Name: "half", Result: nint, Monotonic: -1, Kernel: func(_ context.Context, a []column.Column, rows int) (column.Column, error) {
		out := make([]int32, rows)
		for i, v := range column.Values[int32](column.Full(a[0])) {
			out[i] = -v / 2
		}
		return column.NewFixed(out), nil
	}}, Args: []expr.Expr{n}}
	for i, c := range []struct {
		e    expr.Expr
		r    Range
		want bool
	}{
		{call("equals", n, five), ints(6, 9), false},
		{call("equals", n, five), ints(5, 5), true},
		{call("equals", five, n), ints(1, 4), false},
		{call("less", n, five), ints(5, 9), false},
		{call("lessOrEquals", n, five), ints(5, 9), true},
		{call("less", five, n), ints(1, 5), false},
		{call("greater", n, five), ints(1, 6), true},
		{call("not", call("less", n, five)), ints(1, 4), false},
		{call("not", call("equals", n, five)), one(int32(5)), false},
		{call("notEquals", n, five), one(int32(5)), false},
		{call("notEquals", n, five), ints(5, 5), true},                     // not exact
		{call("equals", n, five), Range{Lo: int32(9), Hi: int32(1)}, true}, // inverted bounds say nothing
		{call("equals", n, five), Range{Nulls: All}, false},
		{call("isNull", n), Range{Nulls: None}, false},
		{call("isNull", n), Range{}, true},
		{call("not", call("isNull", n)), Range{Nulls: All}, false},
		{call("and", call("unknown", n), call("equals", n, five)), ints(6, 9), false},
		{call("or", call("unknown", n), call("equals", n, five)), ints(6, 9), true},
		{call("or", call("less", n, five), call("equals", n, five)), ints(6, 9), false},
		{in(n, false, types.Int32, int32(1), int32(20)), ints(2, 19), false},
		{in(n, false, types.Int32, int32(1), int32(20)), ints(2, 20), true},
		{in(n, true, types.Int32, int32(5), int32(6)), one(int32(5)), false},
		{in(n, true, types.Int32, int32(5)), ints(5, 6), true},
		{call("not", in(n, false, types.Int32, int32(5))), one(int32(5)), false},
		{call("equals", n, lit(types.NullableNothing, nil)), ints(1, 9), false},
		// NaN: not less, and not equal, holds for it.
		{call("not", call("less", f, lit(types.Float64, 5.0))), Range{Lo: 1.0, Hi: 4.0}, true},
		{call("not", call("less", f, lit(types.Float64, 5.0))), Range{Lo: 1.0, Hi: 4.0, NaNs: None}, false},
		{call("isNaN", f), Range{NaNs: None}, false},
		{call("isNaN", f), Range{}, true},
		{call("less", f, lit(types.Float64, 5.0)), Range{Lo: 6.0, Hi: 7.0}, false},
		{call("like", s, str("dev-05%")), Range{Lo: "dev-040", Hi: "dev-049"}, false},
		{call("like", s, str("dev-05%")), Range{Lo: "dev-0", Hi: "dev-05"}, true},
		{call("like", s, str("dev\\_05%x_")), Range{Lo: "dev_06", Hi: "dev_1"}, false},
		{call("like", s, str("abc")), Range{Lo: "b", Hi: "c"}, false},
		{call("notLike", s, str("dev-0%")), Range{Lo: "dev-00", Hi: "dev-09"}, false},
		{call("notLike", s, str("dev-0%")), Range{Lo: "dev-00", Hi: "dev-1"}, true},
		{call("notLike", s, str("%x%")), Range{Lo: "x", Hi: "x"}, true},
		{call("startsWith", s, str("b")), Range{Lo: "c", Hi: "d"}, false},
		{call("startsWith", s, str("b")), Range{Lo: "a", Hi: "bzz"}, true},
		{call("equals", call("tupleElement", st, str("lvl")), five), ints(6, 9), false},
		{call("equals", call("tupleElement", st, lit(types.UInt8, uint8(2))), five), ints(1, 5), true},
		{call("less", half, lit(types.Int8, int8(-10))), ints(1, 10), false},
		{call("less", half, lit(types.Int8, int8(-10))), ints(1, 100), true},
	} {
		flt := New([]expr.Expr{c.e}, cols, time.UTC)
		if got := flt.MightMatch(oneColumn{r: c.r}); got != c.want {
			t.Errorf("%d: %s over %+v: %t", i, c.e, c.r, got)
		}
	}
	// Buckets and bloom filters are asked for single values.
	flt := New([]expr.Expr{in(n, false, types.Int32, int32(1), int32(2))}, cols, time.UTC)
	if flt.MightMatch(oneColumn{have: func(v Value) bool { return v == int32(3) }}) || !flt.MightMatch(oneColumn{have: func(v Value) bool { return v == int32(2) }}) {
		t.Error("single values")
	}
	if New([]expr.Expr{call("unknown", n)}, cols, nil) != nil {
		t.Error("an unknown condition is no filter")
	}
}
