package aggregate

import (
	"math"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// moments are the count and the sums of the powers of numbers, as ClickHouse
// keeps them.
type moments struct{ n, s1, s2, s3, s4 float64 }

// momentOps makes a function of the first powers powers.
func momentOps(t *types.Type, powers int, value func(m *moments) float64) *functions.BoundAggregate {
	o := &ops[moments]{
		add: func(a *states[moments], groups []uint32, args []column.Column) error {
			v := floatsOf(t, args[0])
			for i, g := range groups {
				x, m := v[i], &a.s[g]
				m.n++
				m.s1 += x
				m.s2 += x * x
				if powers > 2 {
					m.s3 += x * x * x
					m.s4 += x * x * x * x
				}
			}
			return nil
		},
		merge: func(_ *states[moments], to, from *moments) error {
			*to = moments{to.n + from.n, to.s1 + from.s1, to.s2 + from.s2, to.s3 + from.s3, to.s4 + from.s4}
			return nil
		},
		result: func(s []moments) (column.Column, error) {
			out := make([]float64, len(s))
			for i := range s {
				out[i] = value(&s[i])
			}
			return column.NewFixed(out), nil
		},
		encode: func(s *moments, dst []byte) []byte {
			for _, x := range []float64{s.n, s.s1, s.s2, s.s3, s.s4}[:powers+1] {
				dst = putFloat64(dst, x)
			}
			return dst
		},
		decode: func(s *moments, r *reader) {
			for _, x := range []*float64{&s.n, &s.s1, &s.s2, &s.s3, &s.s4}[:powers+1] {
				*x = r.float64()
			}
		},
	}
	return bound(types.Float64, o.new)
}

func (m *moments) varPop() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return max(0, (m.s2-m.s1*m.s1/m.n)/m.n)
}

func (m *moments) varSamp() float64 {
	if m.n <= 1 {
		return math.NaN()
	}
	return max(0, (m.s2-m.s1*m.s1/m.n)/(m.n-1))
}

func (m *moments) third() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return (m.s3 - (3*m.s2-2*m.s1*m.s1/m.n)*m.s1/m.n) / m.n
}

func (m *moments) fourth() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return (m.s4 - (4*m.s3-(6*m.s2-3*m.s1*m.s1/m.n)*m.s1/m.n)*m.s1/m.n) / m.n
}

// addMoment describes one function of moments.
func addMoment(name string, aliases []string, powers int, summary string, value func(m *moments) float64) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, CaseInsensitive: len(aliases) > 0,
		Doc: functions.Doc{Syntax: name + "(x)", Summary: summary, Examples: []string{"SELECT " + name + "(number) FROM numbers(10)"}},
		Bind: unary(name, func(t *types.Type) (*functions.BoundAggregate, error) {
			if !numeric(t) {
				return nil, illegal(name, t)
			}
			return momentOps(t, powers, value), nil
		}),
	})
}

var (
	_ = addMoment("varPop", []string{"VAR_POP"}, 2, "The mean squared distance from the mean.", (*moments).varPop)
	_ = addMoment("varSamp", []string{"VAR_SAMP"}, 2, "The variance estimated from a sample.", (*moments).varSamp)
	_ = addMoment("stddevPop", []string{"STDDEV_POP", "STD"}, 2, "The square root of varPop.", func(m *moments) float64 { return math.Sqrt(m.varPop()) })
	_ = addMoment("stddevSamp", []string{"STDDEV_SAMP", "STDDEV"}, 2, "The square root of varSamp.", func(m *moments) float64 { return math.Sqrt(m.varSamp()) })
	_ = addMoment("skewPop", nil, 4, "The third standardised moment.", func(m *moments) float64 {
		if v := m.varPop(); v > 0 {
			return m.third() / math.Pow(v, 1.5)
		}
		return math.NaN()
	})
	_ = addMoment("skewSamp", nil, 4, "The third standardised moment with the sample's variance.", func(m *moments) float64 {
		if v := m.varSamp(); v > 0 {
			return m.third() / math.Pow(v, 1.5)
		}
		return math.NaN()
	})
	_ = addMoment("kurtPop", nil, 4, "The fourth standardised moment.", func(m *moments) float64 {
		if v := m.varPop(); v > 0 {
			return m.fourth() / (v * v)
		}
		return math.NaN()
	})
	_ = addMoment("kurtSamp", nil, 4, "The fourth standardised moment with the sample's variance.", func(m *moments) float64 {
		if v := m.varSamp(); v > 0 {
			return m.fourth() / (v * v)
		}
		return math.NaN()
	})
)
