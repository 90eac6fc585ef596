package aggregate

import (
	"math"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// reservoirSize is how many values a quantile keeps.
const reservoirSize = 8192

// reservoir is a sample of values that is as likely any as another; the random
// numbers are ClickHouse's, so that the same rows give the same sample.
type reservoir struct {
	total  uint64
	sample []float64
	rng    uint64 // 0 before the first use
}

// random gives the next number of the generator pcg32_fast.
func (r *reservoir) random() uint64 {
	if r.rng == 0 {
		r.rng = 123456 | 3
	}
	s := r.rng
	r.rng *= 6364136223846793005
	return uint64(uint32((s ^ s>>22) >> (22 + s>>61)))
}

func (r *reservoir) below(limit uint64) uint64 {
	if limit <= math.MaxUint32 {
		return r.random() % limit
	}
	hi := r.random() << 32
	return (hi + r.random()) % limit
}

func (r *reservoir) insert(v float64) {
	if v != v {
		return
	}
	r.total++
	if len(r.sample) < reservoirSize {
		r.sample = append(r.sample, v)
		return
	}
	if at := r.below(r.total); at < reservoirSize {
		r.sample[at] = v
	}
}

func (r *reservoir) merge(o *reservoir) {
	switch {
	case o.total <= reservoirSize:
		for _, v := range o.sample {
			r.insert(v)
		}
	case r.total <= reservoirSize:
		old := r.sample
		r.sample, r.total = o.sample, o.total
		for _, v := range old {
			r.insert(v)
		}
	default:
		// Each place takes the other's value by the other's share of the rows.
		r.total += o.total
		for i := range r.sample {
			if r.below(r.total) < o.total {
				r.sample[i] = o.sample[i]
			}
		}
	}
}

// at interpolates between the two nearest values; the sample is sorted.
func (r *reservoir) at(sorted []float64, level float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	last := len(sorted) - 1
	index := max(0, min(float64(last), level*float64(last)))
	left := int(index)
	if left == last {
		return sorted[last]
	}
	return sorted[left]*(float64(left+1)-index) + sorted[left+1]*(index-float64(left))
}

func addReservoir(name string, aliases []string, many, seeded bool) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(level)(x)", Summary: "The quantile of a sample of up to 8192 values, between the nearest two."},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			levels, err := levelsOf(name, many, params)
			if err != nil {
				return nil, err
			}
			if seeded && len(args) != 2 || !seeded && len(args) != 1 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Incorrect number of arguments for aggregate function %s", name)
			}
			t := args[0]
			if !orderedKind(t) {
				return nil, illegal(name, t)
			}
			result := types.Float64
			if t.IsDateOrTime() || t.IsDecimal() {
				result = t
			}
			return bound(listIf(many, result), reservoirOps(levels, many, result).new), nil
		},
	})
}

func listIf(many bool, t *types.Type) *types.Type {
	if many {
		return types.Array(t)
	}
	return t
}

func reservoirOps(levels []float64, many bool, result *types.Type) *ops[reservoir] {
	return &ops[reservoir]{
		add: func(a *states[reservoir], groups []uint32, args []column.Column) error {
			v := numbersOf[float64](args[0])
			for i, g := range groups {
				s := &a.s[g]
				before := cap(s.sample)
				s.insert(v[i])
				a.extra += int64(cap(s.sample)-before) * 8
			}
			return nil
		},
		merge: func(_ *states[reservoir], to, from *reservoir) error { to.merge(from); return nil },
		result: func(s []reservoir) (column.Column, error) {
			b := column.NewBuilder(listIf(many, result), len(s))
			for i := range s {
				sorted := slices.Clone(s[i].sample)
				slices.Sort(sorted)
				row := make(column.Row, len(levels))
				for k, l := range levels {
					x := s[i].at(sorted, l)
					if x != x && result.Kind() != types.KindFloat64 {
						x = 0
					}
					row[k] = fromFloat(result, x)
				}
				if many {
					b.AppendValue(row)
				} else {
					b.AppendValue(row[0])
				}
			}
			return b.Finish(), nil
		},
		encode: func(s *reservoir, dst []byte) []byte {
			dst = putUint64(dst, s.total)
			dst = putUvarint(dst, uint64(len(s.sample)))
			for _, v := range s.sample {
				dst = putFloat64(dst, v)
			}
			return dst
		},
		decode: func(s *reservoir, r *reader) {
			s.total = r.uint64()
			for range r.count(8) {
				s.sample = append(s.sample, r.float64())
			}
		},
	}
}

var (
	_ = addReservoir("quantile", []string{"median"}, false, false)
	_ = addReservoir("quantiles", nil, true, false)
	_ = addReservoir("quantileDeterministic", []string{"medianDeterministic"}, false, true)
	_ = addReservoir("quantilesDeterministic", nil, true, true)
)
