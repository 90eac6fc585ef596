package arith

import (
	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/types"
)

// shape is what the type of a result depends on.
type shape struct {
	signed, float bool
	bytes         int
}

// shapeOf gives the shape of an integer, a float or Bool.
func shapeOf(t *types.Type) (shape, bool) {
	switch {
	case t.Kind() == types.KindBool:
		return shape{bytes: 1}, true
	case t.IsFloat():
		return shape{signed: true, float: true, bytes: t.Bytes()}, true
	case t.IsInteger():
		return shape{signed: t.IsSigned(), bytes: t.Bytes()}, true
	}
	return shape{}, false
}

// construct gives the type of a shape.
func construct(s shape) *types.Type {
	if s.float {
		switch {
		case s.bytes <= 2:
			return types.BFloat16
		case s.bytes == 4:
			return types.Float32
		}
		return types.Float64
	}
	unsigned := map[int]*types.Type{1: types.UInt8, 2: types.UInt16, 4: types.UInt32, 8: types.UInt64, 16: types.UInt128, 32: types.UInt256}
	signed := map[int]*types.Type{1: types.Int8, 2: types.Int16, 4: types.Int32, 8: types.Int64, 16: types.Int128, 32: types.Int256}
	if s.signed {
		return signed[s.bytes]
	}
	return unsigned[s.bytes]
}

// next is the size of a sum: integers of 64 bits and more do not grow.
func next(bytes int) int {
	if bytes < 8 {
		return bytes * 2
	}
	return bytes
}

// ofSum is the result of plus, multiply, gcd and lcm; of minus with signed set.
func ofSum(a, b shape, signed bool) (shape, bool) {
	r := shape{signed: signed || a.signed || b.signed, float: a.float || b.float, bytes: next(max(a.bytes, b.bytes))}
	return r, !r.float || r.bytes <= 8
}

func ofIntDiv(a, b shape) shape { return shape{signed: a.signed || b.signed, bytes: a.bytes} }

// ofModulo: a signed remainder of an unsigned divisor needs one size more.
func ofModulo(a, b shape) shape {
	if a.float || b.float {
		return shape{signed: true, float: true, bytes: 8}
	}
	if a.signed {
		return shape{signed: true, bytes: next(b.bytes)}
	}
	return shape{bytes: b.bytes}
}

func ofBits(a, b shape) shape {
	return shape{signed: a.signed || b.signed, bytes: max(a.bytes, b.bytes)}
}

func illegal(name string, args ...functions.Arg) error {
	if len(args) == 1 {
		return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s", args[0].Type, name)
	}
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal types %s and %s of arguments of function %s", args[0].Type, args[1].Type, name)
}
