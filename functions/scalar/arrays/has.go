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
		Name: "has", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc: functions.Doc{Syntax: "has(arr, x)", Summary: "Whether an array has an element (or a map a key).", Examples: []string{"SELECT has([1, 2], 2)"}},
		Bind: bindFind("has", types.UInt8, func(from, to, i int, eq func(e, i int) bool) uint8 {
			for e := from; e < to; e++ {
				if eq(e, i) {
					return 1
				}
			}
			return 0
		}),
	})
	_ = add(functions.Scalar{
		Name: "notHas", MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc: functions.Doc{Syntax: "notHas(arr, x)", Summary: "Whether an array lacks an element.", Examples: []string{"SELECT notHas([1, 2], 2)"}},
		Bind: bindFind("notHas", types.UInt8, func(from, to, i int, eq func(e, i int) bool) uint8 {
			for e := from; e < to; e++ {
				if eq(e, i) {
					return 0
				}
			}
			return 1
		}),
	})
	_ = add(functions.Scalar{
		Name: "indexOf", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "indexOf(arr, x)", Summary: "Index, from 1, of the first element equal to x; 0 for none.", Examples: []string{"SELECT indexOf([5, 7], 7)"}},
		Bind: bindFind("indexOf", types.UInt64, indexOf),
	})
	_ = add(functions.Scalar{
		Name: "indexOfAssumeSorted", MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc:  functions.Doc{Syntax: "indexOfAssumeSorted(arr, x)", Summary: "indexOf for an array in ascending order.", Examples: []string{"SELECT indexOfAssumeSorted([5, 7], 7)"}},
		Bind: bindFind("indexOfAssumeSorted", types.UInt64, indexOf),
	})
	_ = add(functions.Scalar{
		Name: "countEqual", KeepVariants: true, MinArgs: 2, MaxArgs: 2, KeepNulls: true, KeepLowCardinality: true,
		Doc: functions.Doc{Syntax: "countEqual(arr, x)", Summary: "How many elements are equal to x.", Examples: []string{"SELECT countEqual([1, 2, 1], 1)"}},
		Bind: bindFind("countEqual", types.UInt64, func(from, to, i int, eq func(e, i int) bool) uint64 {
			n := uint64(0)
			for e := from; e < to; e++ {
				if eq(e, i) {
					n++
				}
			}
			return n
		}),
	})
)

func indexOf(from, to, i int, eq func(e, i int) bool) uint64 {
	for e := from; e < to; e++ {
		if eq(e, i) {
			return uint64(e - from + 1)
		}
	}
	return 0
}

// bindFind binds a search for x among the elements; NULL equals NULL here.
func bindFind[T column.Element](name string, result *types.Type, answer func(from, to, i int, eq func(e, i int) bool) T) kernel.Bind {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		isMap := args[0].Type.Kind() == types.KindMap
		if args[0].Type.Kind() != types.KindArray && !isMap {
			return nil, kernel.WrongType(name, 0, args[0].Type)
		}
		elem, x := keyOrElem(args[0].Type), types.WithoutLowCardinality(args[1].Type)
		common, err := types.Super(elem, x)
		if err != nil {
			return nil, err
		}
		casters, err := kernel.Casters(env, []functions.Arg{{Type: elem}, {Type: x}}, common)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			if isMap {
				m := kernel.MapsOf(args[0])
				args = []column.Column{&column.Array{Offsets: column.Full(args[0]).(*column.Map).Offsets, Elems: m.Keys}, args[1]}
			}
			a := kernel.Arrays(args[0])
			elems, err := casters[0].Apply(ctx, a.Elems)
			if err != nil {
				return nil, err
			}
			x, err := casters[1].Apply(ctx, args[1])
			if err != nil {
				return nil, err
			}
			eq := equality(column.Full(elems), column.Full(x))
			return kernel.Each(rows, func(i int) T {
				from, to := a.Bounds(i)
				return answer(from, to, i, eq)
			}), nil
		}}, nil
	}
}

// keyOrElem gives what an array or, by its keys, a map holds.
func keyOrElem(t *types.Type) *types.Type {
	if t.Kind() == types.KindMap {
		return types.WithoutLowCardinality(t.Elems()[0])
	}
	return elemType(t)
}
