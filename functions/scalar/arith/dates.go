package arith

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// bindDates binds plus and minus where a date, a time or an interval is among
// the operands; nil when there is none.
func bindDates(env *functions.Env, op sum, args []functions.Arg) (*expr.Function, error) {
	if op == multiply {
		return nil, nil
	}
	name := [...]string{"plus", "minus"}[op]
	a, b := args[0].Type, args[1].Type
	ta, tb := isTime(a), isTime(b)
	ia, ib := a.Kind() == types.KindInterval, b.Kind() == types.KindInterval
	switch {
	case ia && ib:
		return intervals(env, op, args)
	case ia && isIntervals(b):
		return nil, illegal(name, args...)
	case isIntervals(a) && ib:
		return env.Registry.BindScalar(env, [...]string{"addInterval", "subtractInterval"}[op], args)
	case (ta || a.IsString()) && ib:
		return addInterval(env, op, args[0], args[1], false)
	case ia && tb && op == plus:
		return addInterval(env, op, args[1], args[0], true)
	case ta && isIntervals(b):
		return addIntervals(env, op, args[0], args[1], false)
	case isIntervals(a) && tb && op == plus:
		return addIntervals(env, op, args[1], args[0], true)
	case ta && tb && op == minus:
		return difference(args)
	case ta && b.IsNativeNumber():
		return addUnits(env, op, args[0], args[1], false)
	case a.IsNativeNumber() && tb && op == plus:
		return addUnits(env, op, args[1], args[0], true)
	case ta || tb || ia || ib:
		return nil, illegal(name, args...)
	}
	return nil, nil
}

func isTime(t *types.Type) bool {
	return t.IsDateOrTime() || t.Kind() == types.KindTime || t.Kind() == types.KindTime64
}

func isIntervals(t *types.Type) bool {
	if t.Kind() != types.KindTuple || len(t.Elems()) == 0 {
		return false
	}
	for _, e := range t.Elems() {
		if e.Kind() != types.KindInterval {
			return false
		}
	}
	return true
}

// swapped gives a kernel its arguments in the other order.
func swapped(f *expr.Function) *expr.Function {
	g := *f
	g.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return f.Kernel(ctx, []column.Column{args[1], args[0]}, rows)
	}
	return &g
}

// addInterval binds addDays and its like.
func addInterval(env *functions.Env, op sum, t, interval functions.Arg, swap bool) (*expr.Function, error) {
	head := "add"
	if op == minus {
		head = "subtract"
	}
	f, err := env.Registry.BindScalar(env, head+interval.Type.Interval().String()+"s", []functions.Arg{t, {Type: types.Int64, Const: interval.Const}})
	if err != nil || !swap {
		return f, err
	}
	return swapped(f), nil
}

// addIntervals adds the intervals of a tuple, one after the other.
func addIntervals(env *functions.Env, op sum, t, tuple functions.Arg, swap bool) (*expr.Function, error) {
	elems := tuple.Type.Elems()
	steps := make([]*expr.Function, len(elems))
	at := functions.Arg{Type: t.Type}
	for i, e := range elems {
		f, err := addInterval(env, op, at, functions.Arg{Type: e}, false)
		if err != nil {
			return nil, err
		}
		steps[i] = f
		at.Type = f.Result
	}
	f := &expr.Function{Result: at.Type, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		c := column.Full(args[0])
		tuple := column.Full(args[1]).(*column.Tuple)
		for i, s := range steps {
			var err error
			if c, err = s.Apply(ctx, []column.Column{c, tuple.Elems[i]}, rows); err != nil {
				return nil, err
			}
		}
		return c, nil
	}}
	if swap {
		return swapped(f), nil
	}
	return f, nil
}

// intervals of one unit have a sum; those of two become a tuple.
func intervals(env *functions.Env, op sum, args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	if a.Equal(b) {
		return &expr.Function{Result: a, Kernel: sumOf[int64](op, types.Int64, types.Int64)}, nil
	}
	return &expr.Function{Result: types.Tuple([]*types.Type{a, b}, nil), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := column.Full(args[0]), column.Full(args[1])
		if op == minus {
			v := cast.Native[int64](y)
			neg := make([]int64, len(v))
			for i := range v {
				neg[i] = -v[i]
			}
			y = column.NewFixed(neg)
		}
		return column.NewTuple(x, y), nil
	}}, nil
}

// addUnits adds a number of days to a date, of seconds to a time.
func addUnits(env *functions.Env, op sum, t, n functions.Arg, swap bool) (*expr.Function, error) {
	k := t.Type.Kind()
	if k == types.KindDateTime64 || k == types.KindTime64 {
		head := "add"
		if op == minus {
			head = "subtract"
		}
		f, err := env.Registry.BindScalar(env, head+"Seconds", []functions.Arg{t, n})
		if err != nil || !swap {
			return f, err
		}
		return swapped(f), nil
	}
	f := &expr.Function{Result: t.Type, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[int64](args[0], types.Int64, rows), operandOf[int64](args[1], n.Type, rows)
		out := zip(x, y, rows, func(x, y int64) int64 { return smallSum(op, x, y) })
		switch k {
		case types.KindDate:
			return narrowTo(out, types.UInt16), nil
		case types.KindDateTime:
			return narrowTo(out, types.UInt32), nil
		}
		return narrowTo(out, types.Int32), nil
	}}
	if swap {
		return swapped(f), nil
	}
	return f, nil
}

// difference is in days or seconds; with DateTime64 it is a Decimal.
func difference(args []functions.Arg) (*expr.Function, error) {
	a, b := args[0].Type, args[1].Type
	scaled := func(t *types.Type) bool { return t.Kind() == types.KindDateTime64 || t.Kind() == types.KindTime64 }
	if scaled(a) || scaled(b) {
		if !scaled(a) && a.Kind() != types.KindDateTime || !scaled(b) && b.Kind() != types.KindDateTime {
			return nil, illegal("minus", args...)
		}
		scale := max(a.Scale(), b.Scale())
		result := types.Decimal(18, scale)
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			x, err := rescaled(args[0], a, scale, result)
			if err != nil {
				return nil, err
			}
			y, err := rescaled(args[1], b, scale, result)
			if err != nil {
				return nil, err
			}
			return decimalSum(minus, x, y, rows, result)
		}}, nil
	}
	if a.Kind() != b.Kind() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal types %s and %s of arguments of function minus", a, b)
	}
	return &expr.Function{Result: types.Int32, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := operandOf[int64](args[0], types.Int64, rows), operandOf[int64](args[1], types.Int64, rows)
		return narrowTo(zip(x, y, rows, func(x, y int64) int64 { return x - y }), types.Int32), nil
	}}, nil
}
