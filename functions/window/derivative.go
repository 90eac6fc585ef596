package window

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Window{
	Name: "nonNegativeDerivative",
	Doc: functions.Doc{
		Syntax: "nonNegativeDerivative(metric, time[, INTERVAL])", Summary: "The growth since the row before, by the interval (one second); 0 where it falls.",
		Examples: []string{"SELECT nonNegativeDerivative(number * 2, toDateTime(number * 10)) OVER (ORDER BY number) FROM numbers(3)"},
	},
	Bind: bindDerivative,
})

func bindDerivative(_ *functions.Env, args []functions.Arg) (*functions.BoundWindow, error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, wrongCount("nonNegativeDerivative")
	}
	if !args[0].Type.IsNumber() {
		return nil, cherr.New(cherr.BadArguments, "Argument 0 must be a number, '%s' given", args[0].Type)
	}
	t := args[1].Type
	if t.Kind() != types.KindDateTime && t.Kind() != types.KindDateTime64 {
		return nil, cherr.New(cherr.BadArguments, "Argument 1 must be DateTime or DateTime64, '%s' given", t)
	}
	ticks := 1.0
	for range t.Scale() {
		ticks *= 10
	}
	seconds := 1.0
	if len(args) == 3 {
		if args[2].Type.Kind() != types.KindInterval {
			return nil, cherr.New(cherr.BadArguments, "Argument 2 must be an INTERVAL, '%s' given", args[2].Type)
		}
		n, ok := args[2].ConstInt()
		unit, fixed := unitSeconds(args[2].Type.Interval())
		if !ok || !fixed {
			return nil, cherr.New(cherr.BadArguments, "The INTERVAL must be a week or shorter")
		}
		seconds = float64(n) * unit
	}
	return &functions.BoundWindow{Name: "nonNegativeDerivative", Result: types.Float64, Eval: func(_ context.Context, p *functions.Partition) (column.Column, error) {
		return derivative(p, ticks, seconds)
	}}, nil
}

// unitSeconds gives the length of a unit that is always as long.
func unitSeconds(u types.IntervalUnit) (float64, bool) {
	switch u {
	case types.Nanosecond:
		return 1e-9, true
	case types.Microsecond:
		return 1e-6, true
	case types.Millisecond:
		return 1e-3, true
	case types.Second:
		return 1, true
	case types.Minute:
		return 60, true
	case types.Hour:
		return 3600, true
	case types.Day:
		return 86400, true
	case types.Week:
		return 7 * 86400, true
	}
	return 0, false
}

func derivative(p *functions.Partition, ticks, seconds float64) (column.Column, error) {
	metric, ok := floats(p.Args[0])
	times, fine := ints(p.Args[1])
	if !ok || !fine {
		return nil, cherr.New(cherr.BadArguments, "nonNegativeDerivative takes a number and a time")
	}
	out := make([]float64, p.Rows)
	for i := 1; i < p.Rows; i++ {
		grown := metric[i] - metric[i-1]
		elapsed := float64(times[i]-times[i-1]) / ticks
		if grown >= 0 && elapsed > 0 {
			out[i] = grown / elapsed * seconds
		}
	}
	return column.NewFixed(out), nil
}

func floats(c column.Column) ([]float64, bool) {
	switch c := column.Full(c).(type) {
	case *column.Fixed[float64]:
		return c.Values, true
	case *column.Fixed[float32]:
		out := make([]float64, len(c.Values))
		for i, x := range c.Values {
			out[i] = float64(x)
		}
		return out, true
	}
	v, ok := ints(c)
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out, ok
}
