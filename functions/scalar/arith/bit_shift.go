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

// move is a shift or rotation of an integer of some bits.
type move func(v types.I256, n, bits uint, signed bool) types.I256

var moves = [...]struct {
	name, summary string
	rotate, left  bool
	do            move
}{
	{"bitShiftLeft", "The bits moved to the left, zeros behind.", false, true, func(v types.I256, n, _ uint, _ bool) types.I256 {
		return types.I256(types.U256(v).Lsh(n))
	}},
	{"bitShiftRight", "The bits moved to the right; a signed integer keeps its sign.", false, false, func(v types.I256, n, _ uint, signed bool) types.I256 {
		r := types.U256(v).Rsh(n)
		if signed && v.Negative() && n > 0 {
			r = r.Or(types.U256{}.Not().Lsh(256 - n))
		}
		return types.I256(r)
	}},
	{"bitRotateLeft", "The bits moved to the left in a circle.", true, true, func(v types.I256, n, bits uint, _ bool) types.I256 { return rotate(v, n%bits, bits) }},
	{"bitRotateRight", "The bits moved to the right in a circle.", true, false, func(v types.I256, n, bits uint, _ bool) types.I256 {
		return rotate(v, (bits-n%bits)%bits, bits)
	}},
}

func rotate(v types.I256, n, bits uint) types.I256 {
	mask := types.U256{}.Not()
	if bits < 256 {
		mask = mask.Rsh(256 - bits)
	}
	u := types.U256(v).And(mask)
	return types.I256(u.Lsh(n).Or(u.Rsh(bits - n)))
}

var _ = addMoves()

func addMoves() struct{} {
	for _, m := range moves {
		add(functions.Scalar{
			Name: m.name, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: m.name + "(x, n)", Summary: m.summary, Examples: []string{"SELECT " + m.name + "(5, 1)"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if args[0].Type.IsString() && args[1].Type.IsInteger() && !m.rotate {
					return &expr.Function{Result: args[0].Type, Kernel: shiftStrings(m.left, args[0].Type.Kind() == types.KindFixedString)}, nil
				}
				a, ok1 := shapeOf(args[0].Type)
				b, ok2 := shapeOf(args[1].Type)
				switch {
				case !ok1 || !ok2 || a.float || b.float:
					return nil, illegal(m.name, args...)
				case b.bytes > 8 || m.rotate && a.bytes > 8:
					return nil, cherr.New(cherr.NotImplemented, "%s is not implemented for big integers as second argument", m.name)
				}
				s := ofBits(a, b)
				return &expr.Function{Result: construct(s), Kernel: moveKernel(m.do, s, a.signed, m.rotate)}, nil
			},
		})
	}
	return struct{}{}
}

// moveKernel moves bits after both operands have the result's width.
func moveKernel(do move, s shape, signed, circle bool) kernel {
	result, bits := construct(s), uint(s.bytes*8)
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, _ := wordsOf(args[0], rows)
		y, countSigned := wordsOf(args[1], rows)
		out, err := zipErr(x, y, rows, func(v, n types.I256) (types.I256, error) {
			switch {
			case circle:
				return do(v, uint(n[0]), bits, signed), nil
			case countSigned && n.Negative():
				return v, cherr.New(cherr.ArgumentOutOfBound, "The number of shift positions needs to be a non-negative value")
			case n[0] >= uint64(bits):
				return types.I256{}, nil
			}
			return do(v, uint(n[0]), bits, signed), nil
		})
		if err != nil {
			return nil, err
		}
		return cast.FromWords(out, result), nil
	}
}

// shiftStrings moves the bits of a string as of one long number; a String
// grows to the left, a FixedString does not.
func shiftStrings(left, fixed bool) kernel {
	return func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		in := column.Full(args[0]).(*column.Str)
		counts := cast.Native[int64](column.Full(args[1]))
		out := &column.Str{}
		for i := range rows {
			v, n := in.At(i), counts[i]
			if n < 0 || n > int64(len(v))*8 {
				return nil, cherr.New(cherr.ArgumentOutOfBound, "The number of shift positions needs to be a non-negative value and less or equal to the bit width of the value")
			}
			from := len(out.Data)
			out.Data = append(out.Data, shiftBytes(v, int(n), left, fixed)...)
			out.Seal(from)
		}
		return out, nil
	}
}

func shiftBytes(v []byte, n int, left, fixed bool) []byte {
	if n == len(v)*8 && !fixed {
		return nil
	}
	whole, rest := n/8, uint(n%8)
	var out []byte
	if left {
		out = make([]byte, len(v)+whole+1)
		for i, b := range v {
			w := uint16(b) << rest
			out[i] |= byte(w >> 8)
			out[i+1] = byte(w)
		}
		if fixed {
			return out[len(out)-len(v):]
		}
		if rest == 0 || out[0] == 0 && n%8 == 0 {
			return out[1:]
		}
		return out
	}
	out = make([]byte, len(v)+1)
	for i, b := range v[:len(v)-whole] {
		w := uint16(b) << (8 - rest)
		out[i] |= byte(w >> 8)
		out[i+1] = byte(w)
	}
	if fixed {
		shifted := make([]byte, len(v))
		copy(shifted[whole:], out[:len(v)-whole])
		return shifted
	}
	return out[:len(v)-whole]
}
