package aggregate

import (
	"math"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// pairMoments are the sums over pairs of numbers.
type pairMoments struct{ n, x, y, xy, xx, yy float64 }

// addPair describes one function of pairs of numbers.
func addPair(name string, aliases []string, full bool, summary string, result *types.Type, value func(b column.Builder, m *pairMoments)) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, CaseInsensitive: len(aliases) > 0 || name == "corr",
		Doc: functions.Doc{Syntax: name + "(x, y)", Summary: summary, Examples: []string{"SELECT " + name + "(number, number * 2) FROM numbers(10)"}},
		Bind: pair(name, func(x, y *types.Type) (*functions.BoundAggregate, error) {
			if !numeric(x) {
				return nil, illegal(name, x)
			}
			if !numeric(y) {
				return nil, illegal(name, y)
			}
			return bound(result, pairOps(x, y, full, result, value).new), nil
		}),
	})
}

func pairOps(x, y *types.Type, full bool, result *types.Type, value func(b column.Builder, m *pairMoments)) *ops[pairMoments] {
	return &ops[pairMoments]{
		add: func(a *states[pairMoments], groups []uint32, args []column.Column) error {
			vx, vy := floatsOf(x, args[0]), floatsOf(y, args[1])
			for i, g := range groups {
				m := &a.s[g]
				p, q := vx[i], vy[i]
				m.n++
				m.x += p
				m.y += q
				m.xy += p * q
				m.xx += p * p
				m.yy += q * q
			}
			return nil
		},
		merge: func(_ *states[pairMoments], to, from *pairMoments) error {
			*to = pairMoments{to.n + from.n, to.x + from.x, to.y + from.y, to.xy + from.xy, to.xx + from.xx, to.yy + from.yy}
			return nil
		},
		result: func(s []pairMoments) (column.Column, error) {
			b := column.NewBuilder(result, len(s))
			for i := range s {
				value(b, &s[i])
			}
			return b.Finish(), nil
		},
		encode: func(m *pairMoments, dst []byte) []byte {
			for _, v := range [...]float64{m.n, m.x, m.y, m.xy} {
				dst = putFloat64(dst, v)
			}
			if full {
				dst = putFloat64(putFloat64(dst, m.xx), m.yy)
			}
			return dst
		},
		decode: func(m *pairMoments, r *reader) {
			m.n, m.x, m.y, m.xy = r.float64(), r.float64(), r.float64(), r.float64()
			if full {
				m.xx, m.yy = r.float64(), r.float64()
			}
		},
	}
}

// number1 makes a pair function's value of one float.
func number1(f func(m *pairMoments) float64) func(b column.Builder, m *pairMoments) {
	return func(b column.Builder, m *pairMoments) { b.AppendValue(f(m)) }
}

func (m *pairMoments) covarPop() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return (m.xy - m.x*m.y/m.n) / m.n
}

func (m *pairMoments) covarSamp() float64 {
	if m.n <= 1 {
		return math.NaN()
	}
	return (m.xy - m.x*m.y/m.n) / (m.n - 1)
}

func (m *pairMoments) corr() float64 {
	return (m.n*m.xy - m.x*m.y) / math.Sqrt((m.n*m.xx-m.x*m.x)*(m.n*m.yy-m.y*m.y))
}

// line gives slope and intercept of y over x.
func (m *pairMoments) line() (k, b float64) {
	d := m.n*m.xx - m.x*m.x
	if m.n == 0 || d == 0 {
		return math.NaN(), math.NaN()
	}
	k = (m.xy*m.n - m.x*m.y) / d
	return k, (m.y - k*m.x) / m.n
}

var lineType = types.Tuple([]*types.Type{types.Float64, types.Float64}, []string{"k", "b"})

var (
	_ = addPair("covarPop", []string{"COVAR_POP"}, false, "The covariance.", types.Float64, number1((*pairMoments).covarPop))
	_ = addPair("covarSamp", []string{"COVAR_SAMP"}, false, "The covariance estimated from a sample.", types.Float64, number1((*pairMoments).covarSamp))
	_ = addPair("covarPopStable", nil, false, "As covarPop.", types.Float64, number1((*pairMoments).covarPop))
	_ = addPair("covarSampStable", nil, false, "As covarSamp.", types.Float64, number1((*pairMoments).covarSamp))
	_ = addPair("corrStable", nil, true, "As corr.", types.Float64, number1((*pairMoments).corr))
	_ = addPair("corr", nil, true, "Pearson's correlation.", types.Float64, number1((*pairMoments).corr))
	_ = addPair("simpleLinearRegression", nil, true, "Slope k and intercept b of the line through the points.", lineType, func(b column.Builder, m *pairMoments) {
		k, c := m.line()
		b.AppendValue(column.Row{k, c})
	})
)
