package aggregate

import (
	"math"
	"slices"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// gkSummary is the sketch of Greenwald and Khanna as Spark and ClickHouse keep
// it: sorted samples, each with how many ranks lie between it and the one
// before, and how uncertain its own is.
type gkSummary struct {
	error   float64
	head    []float64 // not yet in samples
	samples []gkSample
	count   int64
}

type gkSample struct {
	value       float64
	gap, spread int64
}

const (
	gkHead     = 50000
	gkCompress = 10000
)

func (s *gkSummary) insert(v float64) {
	s.head = append(s.head, v)
	if len(s.head) >= gkHead {
		s.flush()
		if len(s.samples) >= gkCompress {
			s.compress()
		}
	}
}

// flush sorts the head into the samples.
func (s *gkSummary) flush() {
	if len(s.head) == 0 {
		return
	}
	slices.Sort(s.head)
	out := make([]gkSample, 0, len(s.samples)+len(s.head))
	at := 0
	for i, v := range s.head {
		for at < len(s.samples) && s.samples[at].value <= v {
			out = append(out, s.samples[at])
			at++
		}
		s.count++
		next := gkSample{value: v, gap: 1}
		if len(out) > 0 && (at < len(s.samples) || i < len(s.head)-1) {
			next.spread = int64(math.Floor(2 * s.error * float64(s.count)))
		}
		out = append(out, next)
	}
	s.samples, s.head = append(out, s.samples[at:]...), s.head[:0]
}

// compress joins samples that stay within the error together.
func (s *gkSummary) compress() {
	if len(s.samples) == 0 {
		return
	}
	limit := 2 * s.error * float64(s.count)
	head := s.samples[len(s.samples)-1]
	var out []gkSample
	for i := len(s.samples) - 2; i > 0; i-- {
		if x := s.samples[i]; float64(x.gap+head.gap+head.spread) < limit {
			head.gap += x.gap
		} else {
			out = append(out, head)
			head = x
		}
	}
	out = append(out, head)
	if first := s.samples[0]; first.value <= head.value && len(s.samples) > 1 {
		out = append(out, first)
	}
	slices.Reverse(out)
	s.samples = out
}

// at gives the quantiles of levels, which need not be in order.
func (s *gkSummary) at(levels []float64) []float64 {
	s.flush()
	s.compress()
	order := make([]int, len(levels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return column.CompareElements(levels[a], levels[b], 1) })
	most := int64(0)
	for _, x := range s.samples {
		most = max(most, x.spread+x.gap)
	}
	target := most / 2
	out := make([]float64, len(levels))
	index, rank := 0, s.samples[0].gap
	last := len(s.samples) - 1
	for _, k := range order {
		switch l := levels[k]; {
		case l <= s.error:
			out[k] = s.samples[0].value
		case l >= 1-s.error:
			out[k] = s.samples[last].value
		default:
			need := int64(math.Ceil(l * float64(s.count)))
			for index < last && !(rank+s.samples[index].spread-target <= need && need <= rank+target) {
				index++
				rank += s.samples[index].gap
			}
			out[k] = s.samples[index].value
		}
	}
	return out
}

// gkAccuracy reads the first parameter: one divided by the error.
func gkAccuracy(name string, p functions.Param) (float64, error) {
	if p.Type == nil || !p.Type.IsInteger() {
		return 0, cherr.New(cherr.IllegalTypeOfArgument, "Aggregate function %s requires accuracy parameter with integer type", name)
	}
	n, _ := paramFloat(p)
	if n <= 0 {
		return 0, cherr.New(cherr.BadArguments, "Aggregate function %s requires accuracy parameter with positive value", name)
	}
	return n, nil
}

func addGK(name string, aliases []string, many bool) bool {
	return add(functions.Aggregate{
		Name: name, Aliases: aliases, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(accuracy, level)(x)", Summary: "The quantile within an error of one by accuracy, by the sketch of Greenwald and Khanna."},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			if len(params) == 0 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires accuracy parameter", name)
			}
			accuracy, err := gkAccuracy(name, params[0])
			if err != nil {
				return nil, err
			}
			levels, err := levelsOf(name, many, params[1:])
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
			c := &collecting{types: args, result: listIf(many, t)}
			c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
				s := gkSummary{error: 1 / accuracy}
				for _, v := range numbersOf[float64](cols[0].Slice(from, to)) {
					if v == v {
						s.insert(v)
					}
				}
				row := make(column.Row, len(levels))
				if s.count == 0 && len(s.head) == 0 {
					for i := range row {
						row[i] = noValue(t)
					}
				} else {
					for i, v := range s.at(levels) {
						row[i] = fromFloat(t, v)
					}
				}
				if many {
					out.AppendValue(row)
				} else {
					out.AppendValue(row[0])
				}
				return nil
			}
			return c.bound(), nil
		},
	})
}

var (
	_ = addGK("quantileGK", []string{"medianGK"}, false)
	_ = addGK("quantilesGK", nil, true)
)
