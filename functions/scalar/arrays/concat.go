package arrays

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayConcat", KeepVariants: true, MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayConcat(a, b, …)", Summary: "The elements of all arrays in their common type.", Examples: []string{"SELECT arrayConcat([1], [2, 3])"}},
		Bind: bindArrayConcat,
	})
	_ = add(functions.Scalar{
		Name: "arrayPushBack", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayPushBack(arr, x)", Summary: "The array with x after its last element.", Examples: []string{"SELECT arrayPushBack([1], 2)"}},
		Bind: bindPush("arrayPushBack", false),
	})
	_ = add(functions.Scalar{
		Name: "arrayPushFront", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayPushFront(arr, x)", Summary: "The array with x before its first element.", Examples: []string{"SELECT arrayPushFront([1], 2)"}},
		Bind: bindPush("arrayPushFront", true),
	})
)

func bindArrayConcat(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	common, casters, err := commonArrays(env, "arrayConcat", args)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(common), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		in, err := castArrays(ctx, casters, args)
		if err != nil {
			return nil, err
		}
		return concatArrays(common, in, rows), nil
	}}, nil
}

// concatArrays joins arrays of one type row by row.
func concatArrays(elem *types.Type, in []kernel.Arrs, rows int) column.Column {
	parts, base := make([]column.Column, len(in)), make([]int, len(in))
	n := 0
	for k, a := range in {
		parts[k], base[k] = a.Elems, n
		n += a.Elems.Len()
	}
	p := newPicker(rows, n)
	for i := range rows {
		for k, a := range in {
			from, to := a.Bounds(i)
			for e := from; e < to; e++ {
				p.add(base[k] + e)
			}
		}
		p.end()
	}
	return p.column(column.Full(column.Concat(elem, parts)))
}

func bindPush(name string, front bool) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if err := kernel.Check(name, "ax", args); err != nil {
			return nil, err
		}
		elem, err := types.Super(elemType(args[0].Type), types.WithoutLowCardinality(args[1].Type))
		if err != nil {
			return nil, err
		}
		casters := make([]*kernel.Caster, 2)
		if casters[0], err = kernel.Cast(env, args[0].Type, types.Array(elem)); err != nil {
			return nil, err
		}
		if casters[1], err = kernel.Cast(env, args[1].Type, elem); err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.Array(elem), Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			cols, err := kernel.ApplyAll(ctx, casters, args)
			if err != nil {
				return nil, err
			}
			one := make([]uint64, rows+1)
			for i := range one {
				one[i] = uint64(i)
			}
			in := []kernel.Arrs{kernel.Arrays(cols[0]), kernel.Arrays(&column.Array{Offsets: one, Elems: cols[1]})}
			if front {
				in[0], in[1] = in[1], in[0]
			}
			return concatArrays(elem, in, rows), nil
		}}, nil
	}
}
