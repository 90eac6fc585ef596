package arrays

import (
	"context"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var (
	_ = addHigher(higher{
		name: "arrayFill", needLambda: true, condition: true, example: "arrayFill(x -> x != 0, [1, 0, 2])",
		summary: "Each element for which the lambda is false replaced by the one before; the first stays.",
		bind: bindRows(func(p *picker, yes []uint8, from, to int) {
			last := from
			for e := from; e < to; e++ {
				if yes[e] != 0 {
					last = e
				}
				p.add(last)
			}
		}),
	})
	_ = addHigher(higher{
		name: "arrayReverseFill", needLambda: true, condition: true, example: "arrayReverseFill(x -> x != 0, [1, 0, 2])",
		summary: "Each element for which the lambda is false replaced by the one after; the last stays.",
		bind: bindRows(func(p *picker, yes []uint8, from, to int) {
			last := to - 1
			at := len(p.positions)
			p.addSame(0, to-from)
			for e := to - 1; e >= from; e-- {
				if yes[e] != 0 {
					last = e
				}
				p.positions[at+e-from] = uint32(last)
			}
		}),
	})
	_ = addHigher(higher{
		name: "arraySplit", needLambda: true, condition: true, example: "arraySplit(x -> x = 3, [1, 2, 3, 4])",
		summary: "The array cut before each element, but the first, for which the lambda is true.",
		bind:    bindSplit(func(yes []uint8, from, e int) bool { return e > from && yes[e] != 0 }),
	})
	_ = addHigher(higher{
		name: "arrayReverseSplit", needLambda: true, condition: true, example: "arrayReverseSplit(x -> x = 3, [1, 2, 3, 4])",
		summary: "The array cut after each element, but the last, for which the lambda is true.",
		bind:    bindSplit(func(yes []uint8, from, e int) bool { return e > from && yes[e-1] != 0 }),
	})
)

func bindRows(row func(p *picker, yes []uint8, from, to int)) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(_ *functions.Env, elem, _ *types.Type) (*types.Type, higherKernel, error) {
		return types.Array(elem), func(_ context.Context, a *applied) (column.Column, error) {
			yes := truths(a.answers)
			p := newPicker(a.rows, len(yes))
			for i := range a.rows {
				from, to := a.bounds(i)
				row(p, yes, from, to)
				p.end()
			}
			return p.column(a.elems), nil
		}, nil
	}
}

func bindSplit(cut func(yes []uint8, from, e int) bool) func(env *functions.Env, elem, answer *types.Type) (*types.Type, higherKernel, error) {
	return func(_ *functions.Env, elem, _ *types.Type) (*types.Type, higherKernel, error) {
		return types.Array(types.Array(elem)), func(_ context.Context, a *applied) (column.Column, error) {
			yes := truths(a.answers)
			outer, inner := make([]uint64, 1, a.rows+1), make([]uint64, 1)
			for i := range a.rows {
				from, to := a.bounds(i)
				for e := from; e < to; e++ {
					if cut(yes, from, e) {
						inner = append(inner, uint64(e))
					}
				}
				if to > from {
					inner = append(inner, uint64(to))
				}
				outer = append(outer, uint64(len(inner)-1))
			}
			return &column.Array{Offsets: outer, Elems: &column.Array{Offsets: inner, Elems: a.elems}}, nil
		}, nil
	}
}
