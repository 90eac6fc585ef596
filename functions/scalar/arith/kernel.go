package arith

import (
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/types"
)

type integer interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

type number interface {
	integer | float32 | float64
}

type kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error)

// operand is one side of an operation: a value a row, or one for all.
type operand[T any] struct {
	v    []T
	one  T
	same bool
}

// full hands out the column behind an argument and whether it stands for all rows.
func full(c column.Column, rows int) (column.Column, bool) {
	if k, ok := c.(*column.Const); ok {
		return k.Value, rows != 1
	}
	return c, false
}

func operandOf[T number](c column.Column, t *types.Type, rows int) operand[T] {
	c, one := full(c, rows)
	var v []T
	if t.Kind() == types.KindBFloat16 {
		v = cast.Native[T](column.NewFixed(cast.Floats(c, t)))
	} else {
		v = cast.Native[T](c)
	}
	if one {
		return operand[T]{one: v[0], same: true}
	}
	return operand[T]{v: v}
}

func wordsOf(c column.Column, rows int) (o operand[types.I256], signed bool) {
	c, one := full(c, rows)
	v, signed := cast.Words(c)
	if one {
		return operand[types.I256]{one: v[0], same: true}, signed
	}
	return operand[types.I256]{v: v}, signed
}

// zip applies f to each pair. It is for operations that cost more than a call;
// sums have loops of their own.
func zip[T, R any](a, b operand[T], rows int, f func(x, y T) R) []R {
	out := make([]R, rows)
	switch {
	case a.same && b.same:
		r := f(a.one, b.one)
		for i := range out {
			out[i] = r
		}
	case a.same:
		for i, y := range b.v[:rows] {
			out[i] = f(a.one, y)
		}
	case b.same:
		for i, x := range a.v[:rows] {
			out[i] = f(x, b.one)
		}
	default:
		y := b.v[:rows]
		for i, x := range a.v[:rows] {
			out[i] = f(x, y[i])
		}
	}
	return out
}

// zipErr is zip for operations that can fail.
func zipErr[T, R any](a, b operand[T], rows int, f func(x, y T) (R, error)) ([]R, error) {
	var failed error
	out := zip(a, b, rows, func(x, y T) R {
		r, err := f(x, y)
		if err != nil && failed == nil {
			failed = err
		}
		return r
	})
	return out, failed
}

// perNumber has the instances of a numeric kernel by the result's type.
type perNumber struct {
	u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 kernel
}

func (p *perNumber) of(t *types.Type) kernel {
	switch t.Kind() {
	case types.KindUInt8:
		return p.u8
	case types.KindUInt16:
		return p.u16
	case types.KindUInt32:
		return p.u32
	case types.KindUInt64:
		return p.u64
	case types.KindInt8:
		return p.i8
	case types.KindInt16:
		return p.i16
	case types.KindInt32:
		return p.i32
	case types.KindInt64:
		return p.i64
	case types.KindFloat32:
		return p.f32
	case types.KindFloat64:
		return p.f64
	}
	return nil
}
