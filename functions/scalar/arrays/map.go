package arrays

import (
	"context"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
)

var (
	_ = addHigher(higher{
		name: "arrayMap", needLambda: true, example: "arrayMap(x -> x + 1, [1, 2])",
		summary: "The lambda's answers for the elements.",
		bind: func(_ *functions.Env, _, answer *types.Type) (*types.Type, higherKernel, error) {
			return types.Array(types.WithoutLowCardinality(answer)), func(_ context.Context, a *applied) (column.Column, error) { return a.wrapped(a.answers), nil }, nil
		},
	})
	_ = addHigher(higher{
		name: "arrayFilter", needLambda: true, condition: true, example: "arrayFilter(x -> x > 1, [1, 2])",
		summary: "The elements for which the lambda is true.",
		bind: func(_ *functions.Env, elem, _ *types.Type) (*types.Type, higherKernel, error) {
			return types.Array(elem), filter, nil
		},
	})
	_ = addHigher(higher{
		name: "arrayCount", condition: true, example: "arrayCount(x -> x > 1, [1, 2])",
		summary: "Number of elements for which the lambda is true.",
		bind: func(*functions.Env, *types.Type, *types.Type) (*types.Type, higherKernel, error) {
			return types.UInt32, eachRow(func(yes []uint8) uint32 {
				n := uint32(0)
				for _, y := range yes {
					n += uint32(kernel.Bool(y != 0))
				}
				return n
			}), nil
		},
	})
	_ = addHigher(higher{
		name: "arrayExists", condition: true, example: "arrayExists(x -> x > 1, [1, 2])",
		summary: "Whether the lambda is true for any element.",
		bind: func(*functions.Env, *types.Type, *types.Type) (*types.Type, higherKernel, error) {
			return types.UInt8, eachRow(func(yes []uint8) uint8 { return kernel.Bool(firstTrue(yes) >= 0) }), nil
		},
	})
	_ = addHigher(higher{
		name: "arrayAll", condition: true, example: "arrayAll(x -> x > 1, [1, 2])",
		summary: "Whether the lambda is true for all elements.",
		bind: func(*functions.Env, *types.Type, *types.Type) (*types.Type, higherKernel, error) {
			return types.UInt8, eachRow(func(yes []uint8) uint8 {
				for _, y := range yes {
					if y == 0 {
						return 0
					}
				}
				return 1
			}), nil
		},
	})
	_ = addHigher(higher{
		name: "arrayFirstIndex", condition: true, needLambda: true, example: "arrayFirstIndex(x -> x > 1, [1, 2])",
		summary: "Index, from 1, of the first element for which the lambda is true; 0 for none.",
		bind: func(*functions.Env, *types.Type, *types.Type) (*types.Type, higherKernel, error) {
			return types.UInt32, eachRow(func(yes []uint8) uint32 { return uint32(firstTrue(yes) + 1) }), nil
		},
	})
	_ = addHigher(higher{
		name: "arrayLastIndex", condition: true, needLambda: true, example: "arrayLastIndex(x -> x > 1, [1, 2])",
		summary: "Index, from 1, of the last element for which the lambda is true; 0 for none.",
		bind: func(*functions.Env, *types.Type, *types.Type) (*types.Type, higherKernel, error) {
			return types.UInt32, eachRow(func(yes []uint8) uint32 { return uint32(lastTrue(yes) + 1) }), nil
		},
	})
	_ = addHigher(higher{
		name: "arrayFirst", condition: true, needLambda: true, example: "arrayFirst(x -> x > 1, [1, 2])",
		summary: "The first element for which the lambda is true, else the default.",
		bind:    bindOne(firstTrue, false),
	})
	_ = addHigher(higher{
		name: "arrayFirstOrNull", condition: true, needLambda: true, example: "arrayFirstOrNull(x -> x > 1, [1, 2])",
		summary: "The first element for which the lambda is true, else NULL.",
		bind:    bindOne(firstTrue, true),
	})
	_ = addHigher(higher{
		name: "arrayLast", condition: true, needLambda: true, example: "arrayLast(x -> x > 1, [1, 2])",
		summary: "The last element for which the lambda is true, else the default.",
		bind:    bindOne(lastTrue, false),
	})
	_ = addHigher(higher{
		name: "arrayLastOrNull", condition: true, needLambda: true, example: "arrayLastOrNull(x -> x > 1, [1, 2])",
		summary: "The last element for which the lambda is true, else NULL.",
		bind:    bindOne(lastTrue, true),
	})
)

func filter(_ context.Context, a *applied) (column.Column, error) {
	yes := truths(a.answers)
	p := newPicker(a.rows, len(yes))
	for i := range a.rows {
		for e, to := a.bounds(i); e < to; e++ {
			if yes[e] != 0 {
				p.add(e)
			}
		}
		p.end()
	}
	return p.column(a.elems), nil
}

func firstTrue(yes []uint8) int {
	for i, y := range yes {
		if y != 0 {
			return i
		}
	}
	return -1
}

func lastTrue(yes []uint8) int {
	for i := len(yes) - 1; i >= 0; i-- {
		if yes[i] != 0 {
			return i
		}
	}
	return -1
}

// eachRow makes a kernel of a function of a row's conditions.
func eachRow[T column.Element](f func(yes []uint8) T) higherKernel {
	return func(_ context.Context, a *applied) (column.Column, error) {
		yes := truths(a.answers)
		return kernel.Each(a.rows, func(i int) T {
			from, to := a.bounds(i)
			return f(yes[from:to])
		}), nil
	}
}

func bindOne(find func(yes []uint8) int, orNull bool) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(_ *functions.Env, elem, _ *types.Type) (*types.Type, higherKernel, error) {
		result := elem
		if orNull && elem.CanBeNullable() {
			result = types.Nullable(elem)
		}
		return result, func(_ context.Context, a *applied) (column.Column, error) {
			yes := truths(a.answers)
			positions, missing := make([]uint32, a.rows), []int(nil)
			for i := range a.rows {
				from, to := a.bounds(i)
				if n := find(yes[from:to]); n >= 0 {
					positions[i] = uint32(from + n)
				} else {
					missing = append(missing, i)
				}
			}
			return pick(result, a.elems, positions, missing), nil
		}, nil
	}
}
