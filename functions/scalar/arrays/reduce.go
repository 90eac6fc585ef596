package arrays

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = add(functions.Scalar{
		Name: "arrayReduce", MinArgs: 2, MaxArgs: -1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayReduce('aggregate', arr, …)", Summary: "An aggregate function, with parameters in brackets, over the elements.", Examples: []string{"SELECT arrayReduce('max', [1, 2, 3])"}},
		Bind: bindReduce,
	})
	_ = add(functions.Scalar{
		Name: "arrayReduceInRanges", MinArgs: 3, MaxArgs: -1, KeepNulls: true,
		Doc:  functions.Doc{Syntax: "arrayReduceInRanges('aggregate', [(from, length), …], arr, …)", Summary: "An aggregate function over each of several ranges of the elements.", Examples: []string{"SELECT arrayReduceInRanges('sum', [(1, 2), (2, 2)], [1, 2, 3])"}},
		Bind: bindReduceInRanges,
	})
)

// boundAggregate binds the aggregate named by a constant argument to the
// elements of the arrays.
func boundAggregate(env *functions.Env, name string, spec functions.Arg, arrays []functions.Arg) (*functions.BoundAggregate, error) {
	text, ok := spec.ConstString()
	if !ok || !spec.Type.IsString() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function %s must be constant string: name of aggregate function", name)
	}
	elems := make([]*types.Type, len(arrays))
	for i, a := range arrays {
		if a.Type.Kind() != types.KindArray {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Argument %d for function %s must be an array but it has type %s", i+2, name, a.Type)
		}
		elems[i] = a.Type.Elem()
	}
	fn, params, err := functions.ParseAggregate(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return env.Registry.BindAggregate(env, fn, params, elems)
}

func bindReduce(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	agg, err := boundAggregate(env, "arrayReduce", args[0], args[1:])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: agg.Result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		arrs, err := zippedForFold(args[1:], rows)
		if err != nil {
			return nil, err
		}
		acc := agg.New()
		acc.Grow(rows)
		offsets := arrs[0].Offsets
		groups := make([]uint32, offsets[rows])
		for i := range rows {
			for e := offsets[i]; e < offsets[i+1]; e++ {
				groups[e] = uint32(i)
			}
		}
		elems := make([]column.Column, len(arrs))
		for k, a := range arrs {
			elems[k] = a.Elems
		}
		if err := acc.Add(groups, elems, len(groups)); err != nil {
			return nil, err
		}
		return acc.Result(0, rows)
	}}, nil
}

func bindReduceInRanges(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	ranges := args[1].Type
	if ranges.Kind() != types.KindArray || ranges.Elem().Kind() != types.KindTuple || len(ranges.Elem().Elems()) != 2 ||
		!ranges.Elem().Elems()[0].IsInteger() || !ranges.Elem().Elems()[1].IsInteger() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Second argument for function arrayReduceInRanges must be an array of pairs of integers, not %s", ranges)
	}
	agg, err := boundAggregate(env, "arrayReduceInRanges", args[0], args[2:])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.Array(agg.Result), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		arrs, err := zippedForFold(args[2:], rows)
		if err != nil {
			return nil, err
		}
		r := column.Full(args[1]).(*column.Array).Compact()
		pairs := r.Elems.(*column.Tuple)
		starts, lengths := kernel.Integers(pairs.Elems[0]), kernel.Integers(pairs.Elems[1])
		var groups, positions []uint32
		for i := range rows {
			from, to := arrs[0].Bounds(i)
			for g, end := r.Bounds(i); g < end; g++ {
				lo, hi := elementRange(starts.At(g), lengths.At(g), to-from)
				for e := lo; e < hi; e++ {
					groups, positions = append(groups, uint32(g)), append(positions, uint32(from+e))
				}
			}
		}
		acc := agg.New()
		acc.Grow(pairs.N)
		elems := make([]column.Column, len(arrs))
		for k, a := range arrs {
			elems[k] = a.Elems.Gather(positions)
		}
		if err := acc.Add(groups, elems, len(groups)); err != nil {
			return nil, err
		}
		out, err := acc.Result(0, pairs.N)
		if err != nil {
			return nil, err
		}
		return &column.Array{Offsets: r.Offsets, Elems: column.Full(out)}, nil
	}}, nil
}

// elementRange cuts a range given by a position from 1, or from the end if
// negative, and a length to what there is. One that begins before the first
// element is empty.
func elementRange(start, length int64, n int) (from, to int) {
	if start == 0 || start < -int64(n) {
		return 0, 0
	}
	lo := start - 1
	if start < 0 {
		lo = int64(n) + start
	}
	hi := lo + length
	return int(lo), int(min(hi, int64(n)))
}
