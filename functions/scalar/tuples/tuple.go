package tuples

import (
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "tuple", KeepVariants: true, MinArgs: 0, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "tuple(a, b, …)", Summary: "A tuple of the arguments.", Examples: []string{"SELECT tuple(1, 'a')"}},
		Bind: bindTuple,
	})
	_ = add(functions.Scalar{
		Name: "tupleConcat", MinArgs: 1, MaxArgs: -1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "tupleConcat(a, b, …)", Summary: "The elements of all tuples as one.", Examples: []string{"SELECT tupleConcat((1, 2), tuple('a'))"}},
		Bind: bindTupleConcat,
	})
	_ = add(functions.Scalar{
		Name: "tupleNames", MinArgs: 1, MaxArgs: 1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "tupleNames(t)", Summary: "The names of a tuple's elements.", Examples: []string{"SELECT tupleNames((1, 2))"}},
		Bind: bindTupleNames,
	})
	_ = add(functions.Scalar{
		Name: "tupleToNameValuePairs", MinArgs: 1, MaxArgs: 1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "tupleToNameValuePairs(t)", Summary: "An array of name and value of the elements of a tuple of one type.", Examples: []string{"SELECT tupleToNameValuePairs((1, 2))"}},
		Bind: bindPairs,
	})
	_ = add(functions.Scalar{
		Name: "flattenTuple", MinArgs: 1, MaxArgs: 1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "flattenTuple(t)", Summary: "A named tuple with the elements of inner named tuples in their place.", Examples: []string{"SELECT flattenTuple((1, 2)::Tuple(a Int32, b Int32))"}},
		Bind: bindFlattenTuple,
	})
	_ = add(functions.Scalar{
		Name: "tupleHammingDistance", MinArgs: 2, MaxArgs: 2, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "tupleHammingDistance(a, b)", Summary: "In how many places two tuples differ.", Examples: []string{"SELECT tupleHammingDistance((1, 2), (1, 3))"}},
		Bind: bindHamming,
	})
)

func bindTuple(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	return kernel.Fn(types.Tuple(kernel.Types(args), nil), func(args []column.Column, rows int) (column.Column, error) {
		elems := make([]column.Column, len(args))
		for i, a := range args {
			elems[i] = column.Full(a)
		}
		return &column.Tuple{Elems: elems, N: rows}, nil
	}), nil
}

func bindTupleConcat(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("tupleConcat", "t", args); err != nil {
		return nil, err
	}
	var elems []*types.Type
	var names []string
	for _, a := range args {
		elems = append(elems, a.Type.Elems()...)
		names = append(names, a.Type.Names()...)
	}
	if len(names) != len(elems) || repeats(names) {
		names = nil
	}
	return kernel.Fn(types.Tuple(elems, names), func(args []column.Column, rows int) (column.Column, error) {
		out := &column.Tuple{N: rows}
		for _, a := range args {
			out.Elems = append(out.Elems, kernel.FullTuple(a).Elems...)
		}
		return out, nil
	}), nil
}

func repeats(names []string) bool {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}

func bindTupleNames(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("tupleNames", "t", args); err != nil {
		return nil, err
	}
	t := args[0].Type
	return kernel.Fn(types.Array(types.String), func(_ []column.Column, rows int) (column.Column, error) {
		out := kernel.NewStrArray(1)
		for i := range t.Elems() {
			out.Elems.AppendString(nameOf(t, i))
		}
		out.End()
		return column.NewConst(out.Column(), rows), nil
	}), nil
}

func bindPairs(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("tupleToNameValuePairs", "t", args); err != nil {
		return nil, err
	}
	t := args[0].Type
	if len(t.Elems()) == 0 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "The argument tuple for function tupleToNameValuePairs must not be empty")
	}
	for _, e := range t.Elems() {
		if !e.Equal(t.Elems()[0]) {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "The argument of function tupleToNameValuePairs should be a tuple of elements of one type, got %s", t)
		}
	}
	elem := t.Elems()[0]
	return kernel.Fn(types.Array(types.Tuple([]*types.Type{types.String, elem}, nil)), func(args []column.Column, rows int) (column.Column, error) {
		tuple := kernel.FullTuple(args[0])
		n := len(tuple.Elems)
		names, positions, offsets := kernel.NewStr(n*rows, 0), make([]uint32, 0, n*rows), make([]uint64, rows+1)
		for i := range rows {
			for k := range n {
				names.AppendString(nameOf(t, k))
				positions = append(positions, uint32(k*rows+i))
			}
			offsets[i+1] = uint64((i + 1) * n)
		}
		values := column.Full(column.Concat(elem, tuple.Elems)).Gather(positions)
		return &column.Array{Offsets: offsets, Elems: column.NewTuple(names, values)}, nil
	}), nil
}

func bindFlattenTuple(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if t.Kind() != types.KindTuple || t.Names() == nil {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument for function flattenTuple must be Named Tuple. Got '%s'", t)
	}
	var names []string
	var elems []*types.Type
	flatten("", t, &names, &elems)
	return kernel.Fn(types.Tuple(elems, names), func(args []column.Column, rows int) (column.Column, error) {
		out := &column.Tuple{N: rows}
		flattenColumns(t, kernel.FullTuple(args[0]), out)
		return out, nil
	}), nil
}

func flatten(prefix string, t *types.Type, names *[]string, elems *[]*types.Type) {
	for i, e := range t.Elems() {
		name := prefix + t.Names()[i]
		if e.Kind() == types.KindTuple && e.Names() != nil {
			flatten(name+".", e, names, elems)
			continue
		}
		*names, *elems = append(*names, name), append(*elems, e)
	}
}

func flattenColumns(t *types.Type, c *column.Tuple, out *column.Tuple) {
	for i, e := range t.Elems() {
		if e.Kind() == types.KindTuple && e.Names() != nil {
			flattenColumns(e, c.Elems[i].(*column.Tuple), out)
			continue
		}
		out.Elems = append(out.Elems, c.Elems[i])
	}
}

func bindHamming(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	if err := kernel.Check("tupleHammingDistance", "t", args); err != nil {
		return nil, err
	}
	a, b := args[0].Type.Elems(), args[1].Type.Elems()
	if len(a) != len(b) {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Expected tuples of the same size as arguments of function tupleHammingDistance")
	}
	x, y := kernel.ArgOf(args, 0).Elements(), kernel.ArgOf(args, 1).Elements()
	differ := make([]kernel.Composed, len(x))
	for i := range differ {
		var err error
		if differ[i], err = kernel.Compose(env, "notEquals", x[i], y[i]); err != nil {
			return nil, err
		}
	}
	sum, err := kernel.Fold(env, "plus", differ)
	if err != nil {
		return nil, err
	}
	return sum.Function(), nil
}
