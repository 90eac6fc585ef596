package aggregate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// reservoirSize is how many values a quantile keeps.
const reservoirSize = 8192

// The generator's first state and its multiplier.
const (
	reservoirSeed = 123456 | 3
	reservoirStep = 6364136223846793005
)

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
		r.rng = reservoirSeed
	}
	s := r.rng
	r.rng *= reservoirStep
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

// interpolate goes between the two nearest values.
func interpolate(sorted []float64, level float64) float64 {
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

func addReservoir(name string, aliases []string, many bool) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(level)(x)", Summary: "The quantile of a sample of up to 8192 values, between the nearest two."},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			levels, err := levelsOf(name, many, params)
			if err != nil {
				return nil, err
			}
			if len(args) != 1 {
				return nil, wrongCount(name)
			}
			t := args[0]
			if !orderedKind(t) {
				return nil, illegal(name, t)
			}
			result := types.Float64
			if t.IsDateOrTime() || t.IsDecimal() {
				result = t
			}
			return bound(listIf(many, result), reservoirOps(levels, many, result, t).new), nil
		},
	})
}

func listIf(many bool, t *types.Type) *types.Type {
	if many {
		return types.Array(t)
	}
	return t
}

func reservoirOps(levels []float64, many bool, result, t *types.Type) *ops[reservoir] {
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
			samples := make([][]float64, len(s))
			for i := range s {
				samples[i] = s[i].sample
			}
			return interpolated(samples, levels, many, result)
		},
		encode: func(s *reservoir, dst []byte) []byte {
			state := s.rng
			if state == 0 {
				state = reservoirSeed
			}
			dst = putUint64(putUint64(dst, reservoirSize), s.total)
			rng := fmt.Sprintf("%d 0 %d", uint64(reservoirStep), state)
			dst = append(putUvarint(dst, uint64(len(rng))), rng...)
			for _, v := range s.sample {
				dst = putValue(dst, t, fromFloat(t, v))
			}
			return dst
		},
		decode: func(s *reservoir, r *reader) {
			if size := r.uint64(); r.err == nil && size != reservoirSize {
				r.fail()
				return
			}
			s.total = r.uint64()
			rng := r.bytes(r.count(1))
			if i := bytes.LastIndexByte(rng, ' '); i >= 0 {
				s.rng, _ = strconv.ParseUint(string(rng[i+1:]), 10, 64)
			}
			for i := uint64(0); i < min(s.total, reservoirSize) && r.err == nil; i++ {
				s.sample = append(s.sample, toFloat(readValue(r, t)))
			}
		},
	}
}

var (
	_ = addReservoir("quantile", []string{"median"}, false)
	_ = addReservoir("quantiles", nil, true)
)
