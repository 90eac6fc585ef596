package info

import (
	"context"
	"sync/atomic"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

// blockwise describes a function of a row's place in its block or query.
func blockwise(name, summary string, bind func() func(rows int) []uint64) functions.Scalar {
	return functions.Scalar{
		Name: name,
		Doc:  functions.Doc{Syntax: name + "()", Summary: summary, Examples: []string{"SELECT " + name + "()"}},
		Bind: func(*functions.Env, []functions.Arg) (*expr.Function, error) {
			values := bind()
			return &expr.Function{Result: types.UInt64, Volatile: true, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
				return column.NewFixed(values(rows)), nil
			}}, nil
		},
	}
}

func countFrom(first uint64, rows int, step uint64) []uint64 {
	out := make([]uint64, rows)
	for i := range out {
		out[i] = first + uint64(i)*step
	}
	return out
}

var (
	_ = add(blockwise("rowNumberInBlock", "The row's number in its block, from 0.", func() func(int) []uint64 {
		return func(rows int) []uint64 { return countFrom(0, rows, 1) }
	}))
	_ = add(blockwise("blockSize", "The number of rows of the block.", func() func(int) []uint64 {
		return func(rows int) []uint64 { return countFrom(uint64(rows), rows, 0) }
	}))
	_ = add(blockwise("rowNumberInAllBlocks", "The row's number among all that the function saw, from 0.", func() func(int) []uint64 {
		var seen atomic.Uint64
		return func(rows int) []uint64 { return countFrom(seen.Add(uint64(rows))-uint64(rows), rows, 1) }
	}))
	_ = add(blockwise("blockNumber", "The block's number, from 0.", func() func(int) []uint64 {
		var seen atomic.Uint64
		return func(rows int) []uint64 { return countFrom(seen.Add(1)-1, rows, 0) }
	}))
)

var _ = add(functions.Scalar{
	Name: "byteSize", KeepVariants: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "byteSize(a, …)", Summary: "An estimate of the bytes of the values in memory.", Examples: []string{"SELECT byteSize(1, 'abc')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		kinds := make([]*types.Type, len(args))
		for i, a := range args {
			kinds[i] = a.Type
		}
		return &expr.Function{Result: types.UInt64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			out := make([]uint64, rows)
			for i, a := range args {
				c := column.Full(a)
				for row := range out {
					out[row] += sizeOf(kinds[i], c, row)
				}
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})

// sizeOf counts a byte for a Nullable's mark, eight for the length of a string
// or array.
func sizeOf(t *types.Type, c column.Column, row int) uint64 {
	switch c := c.(type) {
	case *column.Nullable:
		return 1 + sizeOf(t.Elem(), c.Values, row)
	case *column.Str:
		if t.Kind() == types.KindFixedString {
			return uint64(t.Length())
		}
		return uint64(c.Lns[row]) + 8
	case *column.Array:
		n := uint64(8)
		from, to := c.Bounds(row)
		for i := from; i < to; i++ {
			n += sizeOf(t.Elem(), c.Elems, i)
		}
		return n
	case *column.Map:
		n := uint64(8)
		from, to := c.Bounds(row)
		for i := from; i < to; i++ {
			n += sizeOf(t.Elems()[0], c.Keys, i) + sizeOf(t.Elems()[1], c.Values, i)
		}
		return n
	case *column.Tuple:
		n := uint64(0)
		for i, e := range c.Elems {
			n += sizeOf(t.Elems()[i], e, row)
		}
		return n
	}
	return uint64(t.Bytes())
}
