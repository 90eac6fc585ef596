package arrays

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addHigher(higher{
		name: "arraySort", example: "arraySort([3, 1, 2])",
		summary: "The elements in ascending order of the lambda's answers; NaN and NULL at the end.",
		bind:    bindSort(false),
	})
	_ = addHigher(higher{
		name: "arrayReverseSort", example: "arrayReverseSort([3, 1, 2])",
		summary: "The elements in descending order of the lambda's answers; NaN and NULL at the end.",
		bind:    bindSort(true),
	})
)

func bindSort(descending bool) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(_ *functions.Env, elem, _ *types.Type) (*types.Type, higherKernel, error) {
		return types.Array(elem), func(_ context.Context, a *applied) (column.Column, error) {
			order := ordering(a.answers, descending)
			positions := make([]uint32, a.elems.Len())
			for e := range positions {
				positions[e] = uint32(e)
			}
			for i := range a.rows {
				from, to := a.bounds(i)
				slices.SortStableFunc(positions[from:to], order)
			}
			return a.wrapped(a.elems.Gather(positions)), nil
		}, nil
	}
}

// ordering compares elements of a full column by position; NaN and NULL go
// last in both directions.
func ordering(c column.Column, descending bool) func(a, b uint32) int { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		return ordered(c.Values, descending)
	case *column.Fixed[uint16]:
		return ordered(c.Values, descending)
	case *column.Fixed[uint32]:
		return ordered(c.Values, descending)
	case *column.Fixed[uint64]:
		return ordered(c.Values, descending)
	case *column.Fixed[int8]:
		return ordered(c.Values, descending)
	case *column.Fixed[int16]:
		return ordered(c.Values, descending)
	case *column.Fixed[int32]:
		return ordered(c.Values, descending)
	case *column.Fixed[int64]:
		return ordered(c.Values, descending)
	case *column.Str:
		if descending {
			return func(a, b uint32) int { return bytes.Compare(c.At(int(b)), c.At(int(a))) }
		}
		return func(a, b uint32) int { return bytes.Compare(c.At(int(a)), c.At(int(b))) }
	}
	if descending {
		return func(a, b uint32) int { return column.Compare(c, int(b), c, int(a), -1) }
	}
	return func(a, b uint32) int { return column.Compare(c, int(a), c, int(b), 1) }
}

func ordered[T cmp.Ordered](v []T, descending bool) func(a, b uint32) int {
	if descending {
		return func(a, b uint32) int { return cmp.Compare(v[b], v[a]) }
	}
	return func(a, b uint32) int { return cmp.Compare(v[a], v[b]) }
}

var (
	_ = addPartial("arrayPartialSort", false)
	_ = addPartial("arrayPartialReverseSort", true)
)

func addPartial(name string, descending bool) bool {
	return add(functions.Scalar{
		Name: name, MinArgs: 2, MaxArgs: -1, KeepNulls: true, KeepLowCardinality: true,
		LambdaParams: elementParams(name, 2),
		Doc:          functions.Doc{Syntax: name + "([x -> …, ]limit, arr, …)", Summary: "The array with its first limit places in order, the others in any.", Examples: []string{"SELECT " + name + "(2, [3, 1, 2])"}},
		Bind:         bindPartial(name, descending),
	})
}

func bindPartial(name string, descending bool) kernel.Bind {
	return func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		at := 0
		if args[0].Lambda != nil {
			at = 1
		}
		if len(args) < at+2 || !types.Unwrap(args[at].Type).IsInteger() || args[at+1].Type.Kind() != types.KindArray {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Function %s needs a limit and an array", name)
		}
		return &expr.Function{Result: args[at+1].Type, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			rest := args[1:]
			if at == 1 {
				rest = append([]column.Column{args[0]}, args[2:]...)
			}
			a, err := apply(ctx, name, rest, rows)
			if err != nil {
				return nil, err
			}
			limits, order := kernel.Integers(args[at]), ordering(a.answers, descending)
			positions := make([]uint32, a.elems.Len())
			for i := range rows {
				from, to := a.bounds(i)
				limit := int(max(0, min(limits.At(i), int64(to-from))))
				sorted := make([]uint32, 0, to-from)
				for e := from; e < to; e++ {
					sorted = append(sorted, uint32(e))
				}
				slices.SortStableFunc(sorted, order)
				head := sorted[:limit]
				copy(positions[from:], head)
				taken := make(map[uint32]bool, limit)
				for _, e := range head {
					taken[e] = true
				}
				k := from + limit
				for e := from; e < to; e++ {
					if !taken[uint32(e)] {
						positions[k] = uint32(e)
						k++
					}
				}
			}
			return a.wrapped(a.elems.Gather(positions)), nil
		}}, nil
	}
}
