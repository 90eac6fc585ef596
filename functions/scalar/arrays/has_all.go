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
		Name: "hasAll", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hasAll(set, subset)", Summary: "Whether an array has all elements of another.", Examples: []string{"SELECT hasAll([1, 2, 3], [1, 3])"}},
		Bind: bindHas("hasAll", hasAll),
	})
	_ = add(functions.Scalar{
		Name: "hasAny", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hasAny(a, b)", Summary: "Whether two arrays share an element.", Examples: []string{"SELECT hasAny([1], [1, 3])"}},
		Bind: bindHas("hasAny", hasAny),
	})
	_ = add(functions.Scalar{
		Name: "hasSubstr", MinArgs: 2, MaxArgs: 2,
		Doc:  functions.Doc{Syntax: "hasSubstr(a, b)", Summary: "Whether the elements of b occur in a one after the other.", Examples: []string{"SELECT hasSubstr([1, 2, 3], [2, 3])"}},
		Bind: bindHas("hasSubstr", hasSubstr),
	})
)

type rangeTest func(from, to, bFrom, bTo int, eq func(i, j int) bool) bool

func hasAll(from, to, bFrom, bTo int, eq func(i, j int) bool) bool {
	for j := bFrom; j < bTo; j++ {
		if !hasOne(from, to, j, eq) {
			return false
		}
	}
	return true
}

func hasAny(from, to, bFrom, bTo int, eq func(i, j int) bool) bool {
	for j := bFrom; j < bTo; j++ {
		if hasOne(from, to, j, eq) {
			return true
		}
	}
	return false
}

func hasOne(from, to, j int, eq func(i, j int) bool) bool {
	for i := from; i < to; i++ {
		if eq(i, j) {
			return true
		}
	}
	return false
}

func hasSubstr(from, to, bFrom, bTo int, eq func(i, j int) bool) bool {
next:
	for i := from; i+bTo-bFrom <= to; i++ {
		for j := bFrom; j < bTo; j++ {
			if !eq(i+j-bFrom, j) {
				continue next
			}
		}
		return true
	}
	return false
}

// commonArrays gives the common element type of array arguments and their casts.
func commonArrays(env *functions.Env, name string, args []functions.Arg) (*types.Type, []*kernel.Caster, error) {
	if err := kernel.Check(name, "a", args); err != nil {
		return nil, nil, err
	}
	elems := make([]*types.Type, len(args))
	for i, a := range args {
		elems[i] = elemType(a.Type)
	}
	common, err := types.Super(elems...)
	if err != nil {
		return nil, nil, err
	}
	casters, err := kernel.Casters(env, args, types.Array(common))
	return common, casters, err
}

func castArrays(ctx context.Context, casters []*kernel.Caster, args []column.Column) ([]kernel.Arrs, error) {
	out := make([]kernel.Arrs, len(args))
	for i, c := range args {
		v, err := casters[i].Apply(ctx, c)
		if err != nil {
			return nil, err
		}
		out[i] = kernel.Arrays(v)
	}
	return out, nil
}

func bindHas(name string, test rangeTest) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		_, casters, err := commonArrays(env, name, args)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.UInt8, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			in, err := castArrays(ctx, casters, args)
			if err != nil {
				return nil, err
			}
			eq := equality(in[0].Elems, in[1].Elems)
			return kernel.Each(rows, func(i int) uint8 {
				from, to := in[0].Bounds(i)
				bFrom, bTo := in[1].Bounds(i)
				return kernel.Bool(test(from, to, bFrom, bTo, eq))
			}), nil
		}}, nil
	}
}
