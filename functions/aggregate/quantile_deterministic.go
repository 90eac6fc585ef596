package aggregate

import (
	"math"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// hashedSample keeps values whose determinator's hash ends in enough zero bits,
// one more whenever more than reservoirSize would be kept.
type hashedSample struct {
	total  uint64
	skip   uint
	values []float64
	hashes []uint32
}

func (s *hashedSample) good(h uint32) bool { return h>>s.skip<<s.skip == h }

func (s *hashedSample) insert(v float64, h uint32) error {
	if !s.good(h) {
		return nil
	}
	for len(s.values) >= reservoirSize {
		if s.skip++; s.skip > 32 {
			return cherr.New(cherr.BadArguments, "The determinators of quantileDeterministic are too few: more than %d values have the same", reservoirSize)
		}
		s.thin()
		if !s.good(h) {
			return nil
		}
	}
	s.values, s.hashes = append(s.values, v), append(s.hashes, h)
	return nil
}

func (s *hashedSample) thin() {
	n := 0
	for i, h := range s.hashes {
		if s.good(h) {
			s.values[n], s.hashes[n] = s.values[i], h
			n++
		}
	}
	s.values, s.hashes = s.values[:n], s.hashes[:n]
}

func addDeterministic(name string, aliases []string, many bool) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(level)(x, determinator)", Summary: "The quantile of up to 8192 values, chosen by the hash of a number."},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			levels, err := levelsOf(name, many, params)
			if err != nil {
				return nil, err
			}
			if len(args) != 2 {
				return nil, wrongCount(name)
			}
			t := args[0]
			if !orderedKind(t) || !args[1].IsInteger() {
				return nil, illegal(name, t)
			}
			result := types.Float64
			if t.IsDateOrTime() || t.IsDecimal() {
				result = t
			}
			return bound(listIf(many, result), deterministicOps(levels, many, result, t).new), nil
		},
	})
}

func deterministicOps(levels []float64, many bool, result, t *types.Type) *ops[hashedSample] { // long: the five operations
	width := max(t.Bytes(), 4) // of a value beside its hash
	return &ops[hashedSample]{
		add: func(a *states[hashedSample], groups []uint32, args []column.Column) error {
			v, by := numbersOf[float64](args[0]), numbersOf[uint64](args[1])
			for i, g := range groups {
				if v[i] != v[i] {
					continue
				}
				s := &a.s[g]
				before := cap(s.values)
				if err := s.insert(v[i], mix32(by[i])); err != nil {
					return err
				}
				s.total++
				a.extra += int64(cap(s.values)-before) * 12
			}
			return nil
		},
		merge: func(_ *states[hashedSample], to, from *hashedSample) error {
			if from.skip > to.skip {
				to.skip = from.skip
				to.thin()
			}
			for i, v := range from.values {
				if err := to.insert(v, from.hashes[i]); err != nil {
					return err
				}
			}
			to.total += from.total
			return nil
		},
		result: func(s []hashedSample) (column.Column, error) {
			samples := make([][]float64, len(s))
			for i := range s {
				samples[i] = s[i].values
			}
			return interpolated(samples, levels, many, result)
		},
		encode: func(s *hashedSample, dst []byte) []byte {
			dst = putUint64(putUint64(dst, uint64(len(s.values))), s.total)
			for i, v := range s.values {
				from := len(dst)
				dst = putValue(dst, t, fromFloat(t, v))
				dst = append(dst, make([]byte, width-(len(dst)-from))...)
				dst = putUint32(dst, s.hashes[i])
				if width == 8 {
					dst = putUint32(dst, 0)
				}
			}
			return append(dst, 0)
		},
		decode: func(s *hashedSample, r *reader) {
			n := r.length()
			s.total = r.uint64()
			for range n {
				from := r.at
				v := readValue(r, t)
				r.bytes(width - (r.at - from))
				h := r.uint32()
				if width == 8 {
					r.uint32()
				}
				if r.err != nil {
					return
				}
				s.values, s.hashes = append(s.values, toFloat(v)), append(s.hashes, h)
			}
			r.byte()
			for s.total > reservoirSize && s.skip < 32 && !slices.ContainsFunc(s.hashes, func(h uint32) bool { return h>>(s.skip+1)<<(s.skip+1) != h }) {
				s.skip++
			}
		},
	}
}

// toFloat is the opposite of fromFloat.
func toFloat(v column.Value) float64 {
	switch x := v.(type) {
	case uint8:
		return float64(x)
	case uint16:
		return float64(x)
	case uint32:
		return float64(x)
	case uint64:
		return float64(x)
	case int8:
		return float64(x)
	case int16:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case float32:
		return float64(x)
	case float64:
		return x
	case types.I128:
		return x.Float64()
	case types.U128:
		return x.Float64()
	case types.I256:
		return x.Float64()
	case types.U256:
		return x.Float64()
	}
	return math.NaN()
}

// interpolated gives quantiles of samples between the two nearest values.
func interpolated(samples [][]float64, levels []float64, many bool, result *types.Type) (column.Column, error) {
	b := column.NewBuilder(listIf(many, result), len(samples))
	for _, sample := range samples {
		sorted := slices.Clone(sample)
		slices.Sort(sorted)
		row := make(column.Row, len(levels))
		for k, l := range levels {
			x := interpolate(sorted, l)
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
}

var (
	_ = addDeterministic("quantileDeterministic", []string{"medianDeterministic"}, false)
	_ = addDeterministic("quantilesDeterministic", nil, true)
)
