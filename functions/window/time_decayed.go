package window

import (
	"context"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Window{
	Name: "exponentialTimeDecayedSum",
	Doc: functions.Doc{
		Syntax: "exponentialTimeDecayedSum(length)(x, time)", Summary: "The frame's sum, each value weighted by e^(-age/length).",
		Examples: []string{"SELECT exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	BindParams: bindDecayed("exponentialTimeDecayedSum", 2, func(sum, _, _ float64) float64 { return sum }),
})

var _ = add(functions.Window{
	Name: "exponentialTimeDecayedMax",
	Doc: functions.Doc{
		Syntax: "exponentialTimeDecayedMax(length)(x, time)", Summary: "The greatest of the frame's values, each weighted by e^(-age/length).",
		Examples: []string{"SELECT exponentialTimeDecayedMax(10)(number, number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	BindParams: bindDecayed("exponentialTimeDecayedMax", 2, func(_, _, most float64) float64 { return most }),
})

var _ = add(functions.Window{
	Name: "exponentialTimeDecayedCount",
	Doc: functions.Doc{
		Syntax: "exponentialTimeDecayedCount(length)(time)", Summary: "The sum of the weights e^(-age/length) of the frame's rows.",
		Examples: []string{"SELECT exponentialTimeDecayedCount(10)(number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	BindParams: bindDecayed("exponentialTimeDecayedCount", 1, func(_, count, _ float64) float64 { return count }),
})

var _ = add(functions.Window{
	Name: "exponentialTimeDecayedAvg",
	Doc: functions.Doc{
		Syntax: "exponentialTimeDecayedAvg(length)(x, time)", Summary: "The frame's mean, each value weighted by e^(-age/length).",
		Examples: []string{"SELECT exponentialTimeDecayedAvg(10)(number, number) OVER (ORDER BY number) FROM numbers(3)"},
	},
	BindParams: bindDecayed("exponentialTimeDecayedAvg", 2, func(sum, count, _ float64) float64 { return sum / count }),
})

func bindDecayed(name string, args int, result func(sum, count, most float64) float64) func(*functions.Env, []functions.Param, []functions.Arg) (*functions.BoundWindow, error) {
	return func(_ *functions.Env, params []functions.Param, given []functions.Arg) (*functions.BoundWindow, error) {
		if len(params) != 1 {
			return nil, cherr.New(cherr.BadArguments, "%s takes exactly one parameter", name)
		}
		if len(given) != args {
			return nil, wrongCount(name)
		}
		length, ok := floats(column.FromValue(params[0].Type, params[0].Value, 1))
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "The parameter of %s must be a number", name)
		}
		ticks := 1.0
		for range given[args-1].Type.Scale() {
			ticks *= 10
		}
		return &functions.BoundWindow{Name: name, Result: types.Float64, Eval: func(_ context.Context, p *functions.Partition) (column.Column, error) {
			return decayed(p, length[0]*ticks, result)
		}}, nil
	}
}

// decayed carries sum, count and greatest value from row to row while the
// frame only grows at its end, and begins anew where it does not.
func decayed(p *functions.Partition, length float64, result func(sum, count, most float64) float64) (column.Column, error) {
	times, ok := floats(p.Args[len(p.Args)-1])
	values, fine := floats(p.Args[0])
	if !ok || !fine {
		return nil, cherr.New(cherr.BadArguments, "Exponentially decayed functions take numbers and times")
	}
	out := make([]float64, p.Rows)
	var sum, count, most, at float64
	start, end := -1, -1
	for i := range out {
		if p.FrameStart[i] != start || p.FrameEnd[i] < end {
			start, end = p.FrameStart[i], p.FrameStart[i]
			sum, count, most = 0, 0, math.Inf(-1)
		} else {
			by := math.Exp((at - times[i]) / length)
			sum, count, most = sum*by, count*by, most*by
		}
		at = times[i]
		for ; end < p.FrameEnd[i]; end++ {
			w := math.Exp((times[end] - at) / length)
			sum += values[end] * w
			count += w
			most = max(most, values[end]*w)
		}
		out[i] = result(sum, count, most)
	}
	return column.NewFixed(out), nil
}
