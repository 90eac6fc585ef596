package arrays

import (
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayFlatten", AnyCase: []string{"flatten"}, MinArgs: 1, MaxArgs: 1,
		Doc:  functions.Doc{Syntax: "arrayFlatten(arr)", Summary: "The innermost elements of an array of arrays as one array.", Examples: []string{"SELECT arrayFlatten([[1], [2, 3]])"}},
		Bind: bindFlatten,
	})
	_ = add(functions.Scalar{
		Name: "arrayZip", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayZip(a, b, …)", Summary: "An array of tuples of the elements of arrays of one length.", Examples: []string{"SELECT arrayZip(['a', 'b'], [1, 2])"}},
		Bind: bindZip,
	})
	_ = add(functions.Scalar{
		Name: "arrayZipUnaligned", MinArgs: 1, MaxArgs: -1,
		Doc:  functions.Doc{Syntax: "arrayZipUnaligned(a, b, …)", Summary: "arrayZip with NULL where an array is shorter.", Examples: []string{"SELECT arrayZipUnaligned(['a'], [1, 2])"}},
		Bind: bindZipUnaligned,
	})
)

func bindFlatten(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayFlatten", "a", args); err != nil {
		return nil, err
	}
	t := args[0].Type
	for t.Elem().Kind() == types.KindArray {
		t = t.Elem()
	}
	return kernel.Fn(t, func(args []column.Column, _ int) (column.Column, error) {
		a := column.Full(args[0]).(*column.Array)
		for {
			inner, ok := a.Elems.(*column.Array)
			if !ok {
				return a, nil
			}
			offsets := make([]uint64, len(a.Offsets))
			for i, o := range a.Offsets {
				offsets[i] = inner.Offsets[o]
			}
			a = &column.Array{Offsets: offsets, Elems: inner.Elems}
		}
	}), nil
}

func bindZip(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayZip", "a", args); err != nil {
		return nil, err
	}
	elems := make([]*types.Type, len(args))
	for i, a := range args {
		elems[i] = a.Type.Elem()
	}
	return kernel.Fn(types.Array(types.Tuple(elems, nil)), func(args []column.Column, rows int) (column.Column, error) {
		a, err := zipped("arrayZip", args, rows)
		if err != nil {
			return nil, err
		}
		if len(args) == 1 {
			a = &column.Array{Offsets: a.Offsets, Elems: column.NewTuple(a.Elems)}
		}
		return a, nil
	}), nil
}

func bindZipUnaligned(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("arrayZipUnaligned", "a", args); err != nil {
		return nil, err
	}
	elems := make([]*types.Type, len(args))
	for i, a := range args {
		elems[i] = a.Type.Elem()
		if elems[i].CanBeNullable() {
			elems[i] = types.Nullable(elems[i])
		}
	}
	return kernel.Fn(types.Array(types.Tuple(elems, nil)), func(args []column.Column, rows int) (column.Column, error) {
		in := make([]kernel.Arrs, len(args))
		for k, c := range args {
			in[k] = kernel.Arrays(c)
		}
		offsets := make([]uint64, rows+1)
		for i := range rows {
			n := 0
			for _, a := range in {
				from, to := a.Bounds(i)
				n = max(n, to-from)
			}
			offsets[i+1] = offsets[i] + uint64(n)
		}
		cols := make([]column.Column, len(in))
		for k, a := range in {
			positions, missing := make([]uint32, offsets[rows]), []int(nil)
			for i := range rows {
				from, to := a.Bounds(i)
				for n := range int(offsets[i+1] - offsets[i]) {
					at := int(offsets[i]) + n
					positions[at] = uint32(from + n)
					if from+n >= to {
						missing = append(missing, at)
					}
				}
			}
			cols[k] = pick(elems[k], a.Elems, positions, missing)
		}
		return &column.Array{Offsets: offsets, Elems: column.NewTuple(cols...)}, nil
	}), nil
}
