package compare

import (
	"bytes"
	"context"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/types"
)

// op is a comparison.
type op uint8

const (
	eq op = iota
	ne
	lt
	gt
	le
	ge
)

// flipped is the comparison with its sides exchanged.
var flipped = [...]op{eq: eq, ne: ne, lt: gt, gt: lt, le: ge, ge: le}

// holds gives the answer for an order of -1, 0 or 1.
func (o op) holds(order int) bool {
	switch o {
	case eq:
		return order == 0
	case ne:
		return order != 0
	case lt:
		return order < 0
	case gt:
		return order > 0
	case le:
		return order <= 0
	}
	return order >= 0
}

type kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error)

type number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64
}

// side is one operand: a value a row, or one for all.
type side[T any] struct {
	v    []T
	one  T
	same bool
}

func full(c column.Column, rows int) (column.Column, bool) {
	if k, ok := c.(*column.Const); ok {
		return k.Value, rows != 1
	}
	return c, false
}

func sideOf[T number](c column.Column, t *types.Type, rows int) side[T] {
	c, same := full(c, rows)
	var v []T
	if f, ok := c.(*column.Fixed[T]); ok && t.Kind() != types.KindBFloat16 {
		v = f.Values
	} else if t.Kind() == types.KindBFloat16 || t.IsDecimal() {
		v = cast.Native[T](column.NewFixed(cast.Floats(c, t)))
	} else {
		v = cast.Native[T](c)
	}
	if same {
		return side[T]{one: v[0], same: true}
	}
	return side[T]{v: v}
}

// numbers compares after both sides became T.
func numbers[T number](o op, a, b *types.Type) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := sideOf[T](args[0], a, rows), sideOf[T](args[1], b, rows)
		out := make([]uint8, rows)
		compareTo(o, out, x, y)
		return column.NewFixed(out), nil
	}
}

func compareTo[T number](o op, out []uint8, x, y side[T]) {
	switch {
	case x.same && y.same:
		one := make([]uint8, 1)
		compareConst(o, one, []T{x.one}, y.one)
		for i := range out {
			out[i] = one[0]
		}
	case x.same:
		compareConst(flipped[o], out, y.v, x.one)
	case y.same:
		compareConst(o, out, x.v, y.one)
	default:
		compareVectors(o, out, x.v, y.v)
	}
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func compareConst[T number](o op, out []uint8, v []T, c T) {
	v = v[:len(out)]
	switch o {
	case eq:
		for i, x := range v {
			out[i] = bit(x == c)
		}
	case ne:
		for i, x := range v {
			out[i] = bit(x != c)
		}
	case lt:
		for i, x := range v {
			out[i] = bit(x < c)
		}
	case gt:
		for i, x := range v {
			out[i] = bit(x > c)
		}
	case le:
		for i, x := range v {
			out[i] = bit(x <= c)
		}
	case ge:
		for i, x := range v {
			out[i] = bit(x >= c)
		}
	}
}

func compareVectors[T number](o op, out []uint8, v, w []T) {
	v, w = v[:len(out)], w[:len(out)]
	switch o {
	case eq:
		for i, x := range v {
			out[i] = bit(x == w[i])
		}
	case ne:
		for i, x := range v {
			out[i] = bit(x != w[i])
		}
	case lt:
		for i, x := range v {
			out[i] = bit(x < w[i])
		}
	case gt:
		for i, x := range v {
			out[i] = bit(x > w[i])
		}
	case le:
		for i, x := range v {
			out[i] = bit(x <= w[i])
		}
	case ge:
		for i, x := range v {
			out[i] = bit(x >= w[i])
		}
	}
}

// ordered compares by an order of two rows: the general way.
func ordered(o op, order func(a, b column.Column) func(i, j int) int) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		a, sameA := full(args[0], rows)
		b, sameB := full(args[1], rows)
		f := order(a, b)
		out := make([]uint8, rows)
		for i := range out {
			x, y := i, i
			if sameA {
				x = 0
			}
			if sameB {
				y = 0
			}
			out[i] = bit(o.holds(f(x, y)))
		}
		return column.NewFixed(out), nil
	}
}

// anyOrder is column.Compare's order, NULL after all.
func anyOrder(a, b column.Column) func(i, j int) int {
	return func(i, j int) int { return column.Compare(a, i, b, j, 1) }
}

// strings compares bytes. padded strings (FixedString) are equal up to zeros
// at the end.
func strings(o op, padded bool) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		a, sameA := full(args[0], rows)
		b, sameB := full(args[1], rows)
		x, y := a.(*column.Str), b.(*column.Str)
		out := make([]uint8, rows)
		switch {
		case padded:
			for i := range out {
				out[i] = bit(o.holds(comparePadded(x.At(place(i, sameA)), y.At(place(i, sameB)))))
			}
		case sameB && (o == eq || o == ne):
			equalConst(out, x, y.StringAt(0), o == ne)
		case sameA && (o == eq || o == ne):
			equalConst(out, y, x.StringAt(0), o == ne)
		case o == eq || o == ne:
			for i := range out {
				out[i] = bit((x.StringAt(place(i, sameA)) == y.StringAt(place(i, sameB))) == (o == eq))
			}
		default:
			for i := range out {
				out[i] = bit(o.holds(bytes.Compare(x.At(place(i, sameA)), y.At(place(i, sameB)))))
			}
		}
		return column.NewFixed(out), nil
	}
}

func place(i int, same bool) int {
	if same {
		return 0
	}
	return i
}

func equalConst(out []uint8, c *column.Str, want string, not bool) {
	n := uint32(len(want))
	for i := range out {
		out[i] = bit((c.Lns[i] == n && c.StringAt(i) == want) != not)
	}
}

func comparePadded(a, b []byte) int {
	n := min(len(a), len(b))
	if r := bytes.Compare(a[:n], b[:n]); r != 0 {
		return r
	}
	for _, x := range a[n:] {
		if x != 0 {
			return 1
		}
	}
	for _, x := range b[n:] {
		if x != 0 {
			return -1
		}
	}
	return 0
}
