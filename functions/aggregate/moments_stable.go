package aggregate

import (
	"math"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// welford keeps count, mean and the sum of squared distances, which does not
// lose digits where the mean is large.
type welford struct {
	n    uint64
	mean float64
	m2   float64
}

func addStable(name string, value func(w *welford) float64) bool {
	return add(functions.Aggregate{
		Name: name,
		Doc:  functions.Doc{Syntax: name + "(x)", Summary: "As without Stable, by an algorithm that loses fewer digits.", Examples: []string{"SELECT " + name + "(number) FROM numbers(10)"}},
		Bind: unary(name, func(t *types.Type) (*functions.BoundAggregate, error) {
			if !numeric(t) {
				return nil, illegal(name, t)
			}
			return bound(types.Float64, welfordOps(t, value).new), nil
		}),
	})
}

func welfordOps(t *types.Type, value func(w *welford) float64) *ops[welford] {
	return &ops[welford]{
		add: func(a *states[welford], groups []uint32, args []column.Column) error {
			v := floatsOf(t, args[0])
			for i, g := range groups {
				w := &a.s[g]
				d := v[i] - w.mean
				w.n++
				w.mean += d / float64(w.n)
				w.m2 += d * (v[i] - w.mean)
			}
			return nil
		},
		merge: func(_ *states[welford], to, from *welford) error {
			if from.n == 0 {
				return nil
			}
			n := to.n + from.n
			d := to.mean - from.mean
			to.m2 += from.m2 + d*d*float64(from.n)*float64(to.n)/float64(n)
			to.mean = (from.mean*float64(from.n) + to.mean*float64(to.n)) / float64(n)
			to.n = n
			return nil
		},
		result: func(s []welford) (column.Column, error) {
			out := make([]float64, len(s))
			for i := range s {
				out[i] = value(&s[i])
			}
			return column.NewFixed(out), nil
		},
		encode: func(w *welford, dst []byte) []byte {
			return putFloat64(putFloat64(putUvarint(dst, w.n), w.mean), w.m2)
		},
		decode: func(w *welford, r *reader) { w.n, w.mean, w.m2 = r.uvarint(), r.float64(), r.float64() },
	}
}

func (w *welford) pop() float64 {
	if w.n == 0 {
		return math.NaN()
	}
	return w.m2 / float64(w.n)
}

func (w *welford) samp() float64 {
	if w.n < 2 {
		return math.Inf(1)
	}
	return w.m2 / float64(w.n-1)
}

var (
	_ = addStable("varPopStable", (*welford).pop)
	_ = addStable("varSampStable", (*welford).samp)
	_ = addStable("stddevPopStable", func(w *welford) float64 { return math.Sqrt(w.pop()) })
	_ = addStable("stddevSampStable", func(w *welford) float64 { return math.Sqrt(w.samp()) })
)
