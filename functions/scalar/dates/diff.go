package dates

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = add(functions.Scalar{
	Name: "dateDiff", Aliases: []string{"date_diff", "DATE_DIFF", "timestampDiff", "timestamp_diff", "TIMESTAMP_DIFF"}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 4,
	Doc: functions.Doc{Syntax: "dateDiff('unit', from, to[, zone])", Summary: "The number of borders of a unit between two times.", Examples: []string{"SELECT dateDiff('day', toDate('2020-01-01'), toDate('2020-02-01'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindDiff(env, "dateDiff", false, args)
	},
})

var _ = add(functions.Scalar{
	Name: "age", MinArgs: 3, MaxArgs: 4,
	Doc: functions.Doc{Syntax: "age('unit', from, to[, zone])", Summary: "The number of whole units between two times.", Examples: []string{"SELECT age('month', toDate('2020-01-31'), toDate('2020-02-29'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindDiff(env, "age", true, args)
	},
})

// instant is a time taken apart: nanoseconds would not hold all of DateTime64.
type instant struct {
	local      int64 // seconds on the wall's clock
	unix, frac int64 // frac: nanoseconds
}

// hours counts hours as the wall's clock begins them, without its leaps.
func (x instant) hours() int64 {
	return civil.FloorDiv(x.unix+civil.FloorMod(x.local-x.unix, civil.Hour), civil.Hour)
}

func (x instant) days() int { return int(civil.FloorDiv(x.local, civil.Day)) }

// within is the place within the day, in nanoseconds.
func (x instant) within() int64 { return civil.FloorMod(x.local, civil.Day)*1e9 + x.frac }

func instantsOf(c column.Column, t *types.Type, z *civil.Zone) []instant {
	v := ticksOf(column.Full(c))
	out := make([]instant, len(v))
	per := text.Pow10(t.Scale())
	for i, x := range v {
		if isDay(t) {
			out[i] = instant{local: x * civil.Day, unix: z.Midnight(int(x))}
			continue
		}
		u := civil.FloorDiv(x, per)
		out[i] = instant{local: z.Local(u), unix: u, frac: (x - u*per) * text.Pow10(9-t.Scale())}
	}
	return out
}

func bindDiff(env *functions.Env, name string, whole bool, args []functions.Arg) (*expr.Function, error) {
	if len(args) == 2 {
		args = append([]functions.Arg{{Type: types.String, Const: column.NewStr("day")}}, args...)
		f, err := bindDiff(env, name, whole, args)
		if err != nil {
			return nil, err
		}
		k := f.Kernel
		f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return k(ctx, []column.Column{nil, args[0], args[1]}, rows)
		}
		return f, nil
	}
	unitName, ok := args[0].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function %s (unit) must be constant String", name)
	}
	u, ok := unitOf(strings.ToLower(unitName))
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "Function %s does not support '%s' unit", name, unitName)
	}
	for _, a := range args[1:3] {
		if err := needTime(name, a); err != nil {
			return nil, err
		}
	}
	a, b := args[1].Type, args[2].Type
	zoneA, err := locationOf(env, a, args[3:])
	if err != nil {
		return nil, err
	}
	zoneB, err := locationOf(env, b, args[3:])
	if err != nil {
		return nil, err
	}
	diff := borders
	if whole {
		diff = wholeUnits
	}
	return &expr.Function{Result: types.Int64, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		x, y := instantsOf(args[1], a, civil.NewZone(zoneA)), instantsOf(args[2], b, civil.NewZone(zoneB))
		out := make([]int64, rows)
		for i := range out {
			out[i] = diff(u, x[i], y[i])
		}
		return column.NewFixed(out), nil
	}}, nil
}

func monthNumber(days int) int64 {
	y, m, _ := civil.FromDays(days)
	return int64(y*12 + m - 1)
}

// borders counts the starts of units in between.
func borders(u types.IntervalUnit, a, b instant) int64 {
	switch u {
	case types.Year:
		return civil.FloorDiv(monthNumber(b.days()), 12) - civil.FloorDiv(monthNumber(a.days()), 12)
	case types.Quarter:
		return civil.FloorDiv(monthNumber(b.days()), 3) - civil.FloorDiv(monthNumber(a.days()), 3)
	case types.Month:
		return monthNumber(b.days()) - monthNumber(a.days())
	case types.Week:
		return int64(monday(b.days())-monday(a.days())) / 7
	case types.Day:
		return int64(b.days() - a.days())
	case types.Hour:
		return b.hours() - a.hours()
	case types.Minute:
		return civil.FloorDiv(b.unix, 60) - civil.FloorDiv(a.unix, 60)
	case types.Second:
		return b.unix - a.unix
	}
	p := text.Pow10(digitsOf(u))
	cut := int64(1e9) / p
	return (b.unix-a.unix)*p + b.frac/cut - a.frac/cut
}

// wholeUnits counts the units that have passed wholly.
func wholeUnits(u types.IntervalUnit, a, b instant) int64 {
	if b.unix < a.unix || b.unix == a.unix && b.frac < a.frac {
		return -wholeUnits(u, b, a)
	}
	months := map[types.IntervalUnit]int64{types.Year: 12, types.Quarter: 3, types.Month: 1}[u]
	if months > 0 {
		n := monthNumber(b.days()) - monthNumber(a.days())
		_, _, da := civil.FromDays(a.days())
		_, _, db := civil.FromDays(b.days())
		if db < da || db == da && b.within() < a.within() {
			n--
		}
		return n / months
	}
	seconds := b.unix - a.unix
	if b.frac < a.frac {
		seconds--
	}
	switch u {
	case types.Week, types.Day:
		n := int64(b.days() - a.days())
		if b.within() < a.within() {
			n--
		}
		if u == types.Week {
			return n / 7
		}
		return n
	case types.Hour:
		return seconds / civil.Hour
	case types.Minute:
		return seconds / 60
	case types.Second:
		return seconds
	}
	return borders(u, a, b)
}
