package arrays

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "array", KeepVariants: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
	Doc:  functions.Doc{Syntax: "array(a, b, …)", Summary: "An array of the arguments in their common type.", Examples: []string{"SELECT array(1, 2)", "SELECT [1, 2]"}},
	Bind: bindArray,
})

func bindArray(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	elem := types.Nothing
	if len(args) > 0 {
		var err error
		if elem, err = functions.CommonTypeOf(env, args); err != nil {
			return nil, err
		}
	}
	casters, err := kernel.Casters(env, args, elem)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(elem), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		if len(args) == 0 {
			return &column.Array{Offsets: make([]uint64, rows+1), Elems: &column.Nothing{}}, nil
		}
		cols, err := kernel.ApplyAll(ctx, casters, args)
		if err != nil {
			return nil, err
		}
		return interleave(elem, cols, rows), nil
	}}, nil
}

// interleave makes arrays of one element of each column.
func interleave(elem *types.Type, cols []column.Column, rows int) column.Column {
	n := len(cols)
	positions, offsets := make([]uint32, 0, n*rows), make([]uint64, rows+1)
	for i := range rows {
		for k := range cols {
			positions = append(positions, uint32(k*rows+i))
		}
		offsets[i+1] = uint64((i + 1) * n)
	}
	all := column.Full(column.Concat(elem, cols))
	return &column.Array{Offsets: offsets, Elems: all.Gather(positions)}
}

var _ = addEmptyArrays()

func addEmptyArrays() bool {
	for _, t := range []*types.Type{
		types.UInt8, types.UInt16, types.UInt32, types.UInt64, types.Int8, types.Int16, types.Int32, types.Int64,
		types.Float32, types.Float64, types.Date, types.DateTime, types.String,
	} {
		add(functions.Scalar{
			Name: "emptyArray" + t.String(),
			Doc:  functions.Doc{Syntax: "emptyArray" + t.String() + "()", Summary: "An array without elements.", Examples: []string{"SELECT emptyArray" + t.String() + "()"}},
			Bind: kernel.Typed("emptyArray"+t.String(), "x", types.Array(t), func(_ []column.Column, rows int) (column.Column, error) {
				return &column.Array{Offsets: make([]uint64, rows+1), Elems: column.NewBuilder(t, 0).Finish()}, nil
			}),
		})
	}
	return true
}

var _ = add(functions.Scalar{
	Name: "emptyArrayToSingle", MinArgs: 1, MaxArgs: 1,
	Doc:  functions.Doc{Syntax: "emptyArrayToSingle(arr)", Summary: "An array of one default value in place of an empty array.", Examples: []string{"SELECT emptyArrayToSingle(emptyArrayUInt8())"}},
	Bind: bindEmptyToSingle,
})

func bindEmptyToSingle(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("emptyArrayToSingle", "a", args); err != nil {
		return nil, err
	}
	elem := args[0].Type.Elem()
	return kernel.Fn(args[0].Type, func(args []column.Column, rows int) (column.Column, error) {
		a := kernel.Arrays(args[0])
		elems := column.Full(column.Concat(elem, []column.Column{a.Elems, column.Default(elem, 1)}))
		p := newPicker(rows, elems.Len())
		for i := range rows {
			from, to := a.Bounds(i)
			if from == to {
				p.add(a.Elems.Len())
			}
			for e := from; e < to; e++ {
				p.add(e)
			}
			p.end()
		}
		return p.column(elems), nil
	}), nil
}
