package strings

import (
	"context"
	"math/bits"
	"strconv"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "bitmaskToList", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "bitmaskToList(n)", Summary: "The powers of two in a number, as a list in text.", Examples: []string{"SELECT bitmaskToList(6)"}},
		Bind: bindBitmaskToList,
	})
	_ = add(functions.Scalar{
		Name: "bitmaskToArray", MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "bitmaskToArray(n)", Summary: "The powers of two in a number.", Examples: []string{"SELECT bitmaskToArray(6)"}},
		Bind: bindBitmaskToArray,
	})
	_ = add(functions.Scalar{
		Name: "bitPositionsToArray", MinArgs: 1, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "bitPositionsToArray(n)", Summary: "The places, from 0, of the bits that are set.", Examples: []string{"SELECT bitPositionsToArray(6)"}},
		Bind: kernel.Typed("bitPositionsToArray", "i", types.Array(types.UInt64), func(args []column.Column, rows int) (column.Column, error) {
			in, out := kernel.Integers(args[0]), kernel.NewNumArray[uint64](rows)
			width := widthMask(column.Full(args[0]))
			for i := range rows {
				for v := uint64(in.At(i)) & width; v != 0; v &= v - 1 {
					out.Elems = append(out.Elems, uint64(bits.TrailingZeros64(v)))
				}
				out.End()
			}
			return out.Column(), nil
		}),
	})
)

// widthMask gives ones for the bits that the column's form has.
func widthMask(c column.Column) uint64 {
	_, width := rawBytes(c)
	return ^uint64(0) >> (64 - 8*width)
}

func bindBitmaskToArray(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("bitmaskToArray", "i", args); err != nil {
		return nil, err
	}
	t := args[0].Type
	narrow, err := kernel.Cast(env, types.UInt64, t)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(t), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, out := kernel.Integers(args[0]), kernel.NewNumArray[uint64](rows)
		width := widthMask(column.Full(args[0]))
		for i := range rows {
			for v := uint64(in.At(i)) & width; v != 0; v &= v - 1 {
				out.Elems = append(out.Elems, v&-v)
			}
			out.End()
		}
		a := out.Column().(*column.Array)
		elems, err := narrow.Apply(ctx, a.Elems)
		if err != nil {
			return nil, err
		}
		return &column.Array{Offsets: a.Offsets, Elems: column.Full(elems)}, nil
	}}, nil
}

// bindBitmaskToList writes the highest bit of a signed number as negative.
func bindBitmaskToList(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("bitmaskToList", "i", args); err != nil {
		return nil, err
	}
	signed := args[0].Type.IsSigned()
	return kernel.Fn(types.String, func(args []column.Column, rows int) (column.Column, error) {
		in := kernel.Integers(args[0])
		width := widthMask(column.Full(args[0]))
		return kernel.EachStr(rows, func(dst []byte, i int) []byte {
			n := len(dst)
			for v := uint64(in.At(i)) & width; v != 0; v &= v - 1 {
				if len(dst) > n {
					dst = append(dst, ',')
				}
				if signed && v&-v > width>>1 {
					dst = append(dst, '-')
				}
				dst = strconv.AppendUint(dst, v&-v, 10)
			}
			return dst
		}), nil
	}), nil
}
