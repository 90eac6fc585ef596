package aggregate

import (
	"sort"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// action is one element of a pattern of events.
type action struct {
	kind byte // 'e' an event, '.' any one event, '*' any events, 't' a time since the event before
	n    int  // the event, from 0
	op   string
	by   float64
}

// parsePattern reads (?1), (?t<=10), . and .*
func parsePattern(name, text string, events int) ([]action, error) {
	bad := func() ([]action, error) {
		return nil, cherr.New(cherr.BadArguments, "Malformed pattern '%s' of aggregate function %s", text, name)
	}
	var out []action
	for s := text; s != ""; {
		switch {
		case strings.HasPrefix(s, "(?t"):
			end := strings.IndexByte(s, ')')
			if end < 0 {
				return bad()
			}
			body := s[3:end]
			digits := strings.TrimLeft(body, "<>=!")
			n, err := strconv.ParseUint(digits, 10, 63)
			op := body[:len(body)-len(digits)]
			if err != nil || op == "" {
				return bad()
			}
			out = append(out, action{kind: 't', op: op, by: float64(n)})
			s = s[end+1:]
		case strings.HasPrefix(s, "(?"):
			end := strings.IndexByte(s, ')')
			if end < 0 {
				return bad()
			}
			n, err := strconv.Atoi(s[2:end])
			if err != nil {
				return bad()
			}
			if n < 1 || n > events {
				return nil, cherr.New(cherr.BadArguments, "Event number %d is out of range", n)
			}
			out = append(out, action{kind: 'e', n: n - 1})
			s = s[end+1:]
		case strings.HasPrefix(s, ".*"):
			out = append(out, action{kind: '*'})
			s = s[2:]
		case s[0] == '.':
			out = append(out, action{kind: '.'})
			s = s[1:]
		default:
			return bad()
		}
	}
	return out, nil
}

type sequenceEvent struct {
	at   float64
	held uint32 // a bit a condition
}

func sequenceEvents(cols []column.Column, from, to int) []sequenceEvent {
	at := numbersOf[float64](cols[0])
	var out []sequenceEvent
	for r := from; r < to; r++ {
		out = append(out, sequenceEvent{at: at[r]})
	}
	for k, c := range cols[1:] {
		for i, v := range numbersOf[uint8](c.Slice(from, to)) {
			if v != 0 {
				out[i].held |= 1 << k
			}
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].at < out[b].at })
	return out
}

// matchFrom tries a pattern at event i; it gives where the match ends, or -1.
// prev is the event matched last. steps bounds the work.
func matchFrom(pattern []action, events []sequenceEvent, i, prev int, steps *int) int {
	*steps++
	if *steps > 1_000_000 {
		return -1
	}
	if len(pattern) == 0 {
		return i
	}
	p, rest := pattern[0], pattern[1:]
	switch p.kind {
	case 'e':
		if i < len(events) && events[i].held>>p.n&1 != 0 {
			return matchFrom(rest, events, i+1, i, steps)
		}
	case '.':
		if i < len(events) {
			return matchFrom(rest, events, i+1, i, steps)
		}
	case '*':
		for k := i; k <= len(events); k++ {
			if end := matchFrom(rest, events, k, prev, steps); end >= 0 {
				return end
			}
		}
	case 't':
		for k := i; k < len(events); k++ {
			d := 0.0
			if prev >= 0 {
				d = events[k].at - events[prev].at
			}
			if holds(p.op, d, p.by) {
				if end := matchFrom(rest, events, k, prev, steps); end >= 0 {
					return end
				}
			}
		}
	}
	return -1
}

func holds(op string, a, b float64) bool {
	switch op {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "==", "=":
		return a == b
	}
	return a != b
}

func addSequence(name string, result *types.Type, value func(pattern []action, events []sequenceEvent) column.Value) bool {
	return add(functions.Aggregate{
		Name: name, OrderDependent: true,
		Doc: functions.Doc{Syntax: name + "(pattern)(time, cond1, cond2, …)", Summary: "Looks for a pattern of events in order of time.", Examples: []string{"SELECT " + name + "('(?1)(?2)')(toDateTime(number), number = 1, number = 2) FROM numbers(4)"}},
		Bind: func(_ *functions.Env, params []functions.Param, args []*types.Type) (*functions.BoundAggregate, error) {
			if len(params) != 1 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires exactly one parameter", name)
			}
			if len(args) < 3 || len(args) > 33 {
				return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Aggregate function %s requires at least 3 arguments", name)
			}
			if !args[0].IsUnsigned() && !args[0].IsDateOrTime() {
				return nil, illegal(name, args[0])
			}
			text, _ := params[0].Value.(string)
			pattern, err := parsePattern(name, text, len(args)-1)
			if err != nil {
				return nil, err
			}
			c := &collecting{types: args, result: result}
			c.finish = func(out column.Builder, cols []column.Column, from, to int) error {
				out.AppendValue(value(pattern, sequenceEvents(cols, from, to)))
				return nil
			}
			return c.bound(), nil
		},
	})
}

var _ = addSequence("sequenceMatch", types.UInt8, func(pattern []action, events []sequenceEvent) column.Value {
	steps := 0
	for i := range events {
		if matchFrom(pattern, events, i, -1, &steps) >= 0 {
			return uint8(1)
		}
	}
	return uint8(0)
})

var _ = addSequence("sequenceCount", types.UInt64, func(pattern []action, events []sequenceEvent) column.Value {
	n, steps := uint64(0), 0
	for i := 0; i < len(events); {
		if end := matchFrom(pattern, events, i, -1, &steps); end > i {
			n++
			i = end
		} else {
			i++
		}
	}
	return n
})
