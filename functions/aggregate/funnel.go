package aggregate

import (
	"sort"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Aggregate{
	Name: "windowFunnel", OrderDependent: true,
	Doc: functions.Doc{
		Syntax: "windowFunnel(window[, mode, …])(time, cond1, cond2, …)", Summary: "How many of the conditions held one after the other within the window.",
		Examples: []string{"SELECT windowFunnel(10)(number, number = 1, number = 2) FROM numbers(5)"},
	},
	Bind: bindFunnel,
})

type funnel struct {
	window                                        float64
	deduplication, order, increase, once, reentry bool
	steps                                         int
}

func bindFunnel(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
	const name = "windowFunnel"
	if len(params) < 1 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires at least one parameter", name)
	}
	if len(args) < 2 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires one timestamp argument and at least one event condition", name)
	}
	if len(args) > 33 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Too many event arguments for aggregate function %s", name)
	}
	if !args[0].IsUnsigned() && !args[0].IsDateOrTime() {
		return nil, illegal(name, args[0])
	}
	f := funnel{steps: len(args) - 1}
	f.window, _ = paramFloat(params[0])
	for _, p := range params[1:] {
		switch mode, _ := p.Value.(string); mode {
		case "strict_deduplication":
			f.deduplication = true
		case "strict_order":
			f.order = true
		case "strict_increase":
			f.increase = true
		case "strict_once":
			f.once = true
		case "allow_reentry":
			f.reentry = true
		default:
			return nil, cherr.New(cherr.BadArguments, "Aggregate function %s doesn't support a parameter: %s", name, p.Text)
		}
	}
	c := &collecting{types: args, result: types.UInt8}
	c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
		out.AppendValue(uint8(f.level(funnelEvents(cols, from, to))))
		return nil
	}
	return c.bound(), nil
}

type funnelEvent struct {
	at   float64
	step int // from 1; 0: none, with strict_order
}

// funnelEvents lists what held when, in order of time; of one row the last
// condition comes first, so that a row cannot be two steps.
func funnelEvents(cols []column.Column, from, to int) []funnelEvent {
	at := numbersOf[float64](cols[0])
	conds := make([][]uint8, len(cols)-1)
	for k := range conds {
		conds[k] = numbersOf[uint8](cols[k+1])
	}
	var out []funnelEvent
	for r := from; r < to; r++ {
		any := false
		for k := len(conds) - 1; k >= 0; k-- {
			if conds[k][r] != 0 {
				out = append(out, funnelEvent{at[r], k + 1})
				any = true
			}
		}
		if !any {
			out = append(out, funnelEvent{at[r], 0})
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].at < out[b].at })
	return out
}

// level gives the longest chain of steps.
func (f *funnel) level(events []funnelEvent) int {
	type mark struct {
		first, last float64
		set         bool
	}
	marks := make([]mark, f.steps)
	begun := false
	for _, e := range events {
		k := e.step - 1
		switch {
		case k < 0:
			if f.order && begun {
				for k := range marks {
					if !marks[k].set {
						return k
					}
				}
			}
			continue
		case k == 0:
			marks[0] = mark{e.at, e.at, true}
			begun = true
			continue
		case f.deduplication && marks[k].set:
			return k
		case f.order && begun && !marks[k-1].set:
			for k := range marks {
				if !marks[k].set {
					return k
				}
			}
		case marks[k-1].set:
			ok := e.at <= marks[k-1].first+f.window
			if f.increase {
				ok = ok && marks[k-1].last < e.at
			}
			if ok {
				marks[k] = mark{marks[k-1].first, e.at, true}
				if k+1 == f.steps {
					return f.steps
				}
			}
		}
	}
	for k := f.steps; k > 0; k-- {
		if marks[k-1].set {
			return k
		}
	}
	return 0
}
