package arrays

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "arrayFold", MinArgs: 3, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
	LambdaParams: foldParams,
	Doc:          functions.Doc{Syntax: "arrayFold((acc, x, …) -> …, arr, …, acc)", Summary: "The lambda applied to an accumulator and each element in turn.", Examples: []string{"SELECT arrayFold((acc, x) -> acc + x, [1, 2], 0::Int64)"}},
	Bind:         bindFold,
})

func foldParams(args []functions.Arg, i int) ([]*types.Type, error) {
	if i != 0 || args[0].Arity != len(args)-1 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function arrayFold needs a lambda of %d arguments first", len(args)-1)
	}
	out := []*types.Type{args[len(args)-1].Type}
	for k, a := range args[1 : len(args)-1] {
		if a.Type.Kind() != types.KindArray {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d of function arrayFold must be of type Array, found %s instead", k+2, a.Type)
		}
		out = append(out, a.Type.Elem())
	}
	return out, nil
}

func bindFold(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if args[0].Lambda == nil {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument of function arrayFold must be a lambda function")
	}
	acc := args[len(args)-1].Type
	if l := args[0].Lambda.Type(); !l.Equal(acc) {
		return nil, cherr.New(cherr.TypeMismatch, "Return type of lambda function must be the same as the accumulator type. Inferred return type %s, inferred accumulator type %s", l, acc)
	}
	return &expr.Function{Result: acc, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		closure := args[0].(*expr.Closure)
		a, err := zippedForFold(args[1:len(args)-1], rows)
		if err != nil {
			return nil, err
		}
		return foldRows(ctx, acc, closure, a, column.Full(args[len(args)-1]), rows)
	}}, nil
}

func zippedForFold(args []column.Column, rows int) ([]*column.Array, error) {
	out := make([]*column.Array, len(args))
	for k, c := range args {
		out[k] = column.Full(c).(*column.Array).Compact()
		for i := range rows {
			if out[k].Offsets[i+1] != out[0].Offsets[i+1] {
				return nil, cherr.New(cherr.SizesOfArraysDontMatch, "arrays size mismatch in function arrayFold")
			}
		}
	}
	return out, nil
}

// foldRows goes by element number: step n takes element n of every row that
// has one, so that the lambda runs once a step and not once an element.
func foldRows(ctx context.Context, t *types.Type, closure *expr.Closure, arrs []*column.Array, acc column.Column, rows int) (column.Column, error) {
	for n := uint64(0); ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var live, elems []uint32
		place := make([]uint32, rows)
		for i := range rows {
			place[i] = uint32(i)
			if from := arrs[0].Offsets[i] + n; from < arrs[0].Offsets[i+1] {
				place[i] = uint32(rows + len(live))
				live, elems = append(live, uint32(i)), append(elems, uint32(from))
			}
		}
		if len(live) == 0 {
			return acc, nil
		}
		params := []column.Column{acc.Gather(live)}
		for _, a := range arrs {
			params = append(params, a.Elems.Gather(elems))
		}
		next, err := closure.Apply(ctx, params, len(live), live)
		if err != nil {
			return nil, err
		}
		acc = column.Full(column.Concat(t, []column.Column{acc, next})).Gather(place)
	}
}
