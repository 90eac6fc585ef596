package aggregate

import (
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "sumKahan",
	Doc: functions.Doc{
		Syntax: "sumKahan(x)", Summary: "Adds up floats and carries the rounding error along.",
		Examples: []string{"SELECT sumKahan(number / 10) FROM numbers(10)"},
	},
	Bind: unary("sumKahan", func(t *types.Type) (*functions.BoundAggregate, error) {
		if !t.IsNativeNumber() {
			return nil, illegal("sumKahan", t)
		}
		return bound(types.Float64, kahanOps(t).new), nil
	}),
})

type kahan struct{ sum, lost float64 }

func (k *kahan) add(x float64) {
	y := x - k.lost
	s := k.sum + y
	k.lost = (s - k.sum) - y
	k.sum = s
}

func kahanOps(t *types.Type) *ops[kahan] {
	return &ops[kahan]{
		add: func(a *states[kahan], groups []uint32, args []column.Column) error {
			v := floatsOf(t, args[0])
			for i, g := range groups {
				a.s[g].add(v[i])
			}
			return nil
		},
		merge: func(_ *states[kahan], to, from *kahan) error {
			raw := to.sum + from.sum
			back := raw - to.sum
			to.lost += from.lost + (from.sum - back) - (to.sum - (raw - back))
			to.sum = raw
			to.lost = 0
			return nil
		},
		result: func(s []kahan) (column.Column, error) {
			out := make([]float64, len(s))
			for i := range s {
				out[i] = s[i].sum
			}
			return column.NewFixed(out), nil
		},
		encode: func(s *kahan, dst []byte) []byte { return putFloat64(putFloat64(dst, s.sum), s.lost) },
		decode: func(s *kahan, r *reader) { s.sum, s.lost = r.float64(), r.float64() },
	}
}

var _ = add(functions.Aggregate{
	Name: "sumCount", NullIsDefault: true,
	Doc: functions.Doc{
		Syntax: "sumCount(x)", Summary: "The sum and the number of values.",
		Examples: []string{"SELECT sumCount(number) FROM numbers(10)"},
	},
	Bind: unary("sumCount", func(t *types.Type) (*functions.BoundAggregate, error) {
		sum := sumType(t)
		if sum == nil {
			return nil, illegal("sumCount", t)
		}
		return bound(types.Tuple([]*types.Type{sum, types.UInt64}, nil), func() functions.Accumulator {
			return &sumCounter{averager{sum: newSummer(t, sum)(), scale: 1}}
		}), nil
	}),
})

// sumCounter is an averager that gives its parts.
type sumCounter struct{ averager }

func (a *sumCounter) Merge(groups []uint32, from functions.Accumulator, some []uint32) error {
	return a.averager.Merge(groups, &from.(*sumCounter).averager, some)
}

func (a *sumCounter) Result(from, to int) (column.Column, error) {
	c, err := a.sum.Result(from, to)
	if err != nil {
		return nil, err
	}
	n, err := a.n.Result(from, to)
	return column.NewTuple(c, n), err
}

var _ = add(functions.Aggregate{
	Name: "avgWeighted",
	Doc: functions.Doc{
		Syntax: "avgWeighted(x, weight)", Summary: "The weighted mean.",
		Examples: []string{"SELECT avgWeighted(number, number) FROM numbers(10)"},
	},
	Bind: pair("avgWeighted", func(x, w *types.Type) (*functions.BoundAggregate, error) {
		for _, t := range []*types.Type{x, w} {
			if !t.IsNumber() {
				return nil, illegal("avgWeighted", t)
			}
		}
		return bound(types.Float64, weightedOps(x, w).new), nil
	}),
})

type weighted struct{ sum, weight float64 }

func weightedOps(x, w *types.Type) *ops[weighted] {
	return &ops[weighted]{
		add: func(a *states[weighted], groups []uint32, args []column.Column) error {
			vx, vw := floatsOf(x, args[0]), floatsOf(w, args[1])
			for i, g := range groups {
				a.s[g].sum += vx[i] * vw[i]
				a.s[g].weight += vw[i]
			}
			return nil
		},
		merge: func(_ *states[weighted], to, from *weighted) error {
			to.sum += from.sum
			to.weight += from.weight
			return nil
		},
		result: func(s []weighted) (column.Column, error) {
			out := make([]float64, len(s))
			for i := range s {
				out[i] = s[i].sum / s[i].weight
			}
			return column.NewFixed(out), nil
		},
		encode: func(s *weighted, dst []byte) []byte { return putFloat64(putFloat64(dst, s.sum), s.weight) },
		decode: func(s *weighted, r *reader) { s.sum, s.weight = r.float64(), r.float64() },
	}
}
