package dates

import (
	"context"
	"strings"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// part is a number that a local date and time of day have.
type part struct {
	name, aliases string
	result        *types.Type
	summary       string
	of            func(days, second int) int64
	monotonic     bool
}

func ymd(f func(y, m, d int) int) func(days, second int) int64 {
	return func(days, _ int) int64 { return int64(f(civil.FromDays(days))) }
}

var parts = [...]part{
	{"toYear", "YEAR", types.UInt16, "The year.", ymd(func(y, _, _ int) int { return y }), true},
	{"toQuarter", "QUARTER", types.UInt8, "The quarter, 1 to 4.", ymd(func(_, m, _ int) int { return (m-1)/3 + 1 }), false},
	{"toMonth", "MONTH", types.UInt8, "The month, 1 to 12.", ymd(func(_, m, _ int) int { return m }), false},
	{"toDayOfMonth", "DAY,DAYOFMONTH", types.UInt8, "The day of the month.", ymd(func(_, _, d int) int { return d }), false},
	{"toDayOfYear", "DAYOFYEAR", types.UInt16, "The day of the year.", func(d, _ int) int64 { return int64(civil.YearDay(d)) }, false},
	{"toHour", "HOUR", types.UInt8, "The hour.", func(_, s int) int64 { return int64(s / civil.Hour) }, false},
	{"toMinute", "MINUTE", types.UInt8, "The minute.", func(_, s int) int64 { return int64(s / civil.Minute % 60) }, false},
	{"toSecond", "SECOND", types.UInt8, "The second.", func(_, s int) int64 { return int64(s % 60) }, false},
	{"toISOYear", "", types.UInt16, "The year of the ISO week.", func(d, _ int) int64 { y, _ := civil.ISOWeek(d); return int64(y) }, true},
	{"toISOWeek", "", types.UInt8, "The ISO week.", func(d, _ int) int64 { _, w := civil.ISOWeek(d); return int64(w) }, false},
	{"toYYYYMM", "", types.UInt32, "Year and month as one number: 202003.", ymd(func(y, m, _ int) int { return y*100 + m }), true},
	{"toYYYYMMDD", "", types.UInt32, "The date as one number: 20200304.", ymd(func(y, m, d int) int { return y*10000 + m*100 + d }), true},
	{"toYYYYMMDDhhmmss", "", types.UInt64, "The time as one number: 20200304050607.", func(days, s int) int64 {
		y, m, d := civil.FromDays(days)
		return (int64(y)*10000+int64(m)*100+int64(d))*1000000 + int64(s/3600*10000+s/60%60*100+s%60)
	}, true},
	{"toRelativeYearNum", "", types.UInt16, "The number of the year.", ymd(func(y, _, _ int) int { return y }), true},
	{"toRelativeQuarterNum", "", types.UInt32, "The number of the quarter since year 0.", ymd(func(y, m, _ int) int { return y*4 + (m-1)/3 }), true},
	{"toRelativeMonthNum", "", types.UInt32, "The number of the month since year 0.", ymd(func(y, m, _ int) int { return y*12 + m }), true},
	{"toRelativeWeekNum", "", types.UInt32, "The number of the week.", func(d, _ int) int64 { return max(int64(civil.FloorDiv(d+8-civil.Weekday(d), 7)), 0) }, true},
	{"toRelativeDayNum", "", types.UInt32, "The number of the day since 1970.", func(d, _ int) int64 { return max(int64(d), 0) }, true},
	{"toDaysSinceYearZero", "", types.UInt32, "The number of the day since 0000-01-01.", func(d, _ int) int64 { return int64(d) + 719528 }, true},
}

var _ = addParts()

func addParts() struct{} {
	for _, p := range parts {
		s := functions.Scalar{
			Name: p.name, MinArgs: 1, MaxArgs: 2,
			Doc:  functions.Doc{Syntax: p.name + "(t[, zone])", Summary: p.summary, Examples: []string{"SELECT " + p.name + "(toDateTime('2020-03-04 05:06:07'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) { return p.bind(env, args) },
		}
		if p.aliases != "" {
			s.Aliases, s.CaseInsensitive = strings.Split(p.aliases, ","), true
		}
		if p.name == "toDaysSinceYearZero" {
			s.AnyCase = []string{"TO_DAYS"}
		}
		add(s)
	}
	return struct{}{}
}

func (p part) bind(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	clock := p.name == "toHour" || p.name == "toMinute" || p.name == "toSecond"
	if !t.IsDateOrTime() || clock && !isTime(t) {
		return nil, illegal(p.name, args[0])
	}
	loc, err := locationOf(env, t, args[1:])
	if err != nil {
		return nil, err
	}
	f := &expr.Function{Result: p.result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return integers(eachLocal(args[0], t, loc, p.of), p.result), nil
	}}
	if p.monotonic {
		f.Monotonic = 1
	}
	return f, nil
}

// unixParts count from the unix time, whatever the zone.
var unixParts = [...]struct {
	name    string
	seconds int64
}{{"toRelativeHourNum", 3600}, {"toRelativeMinuteNum", 60}, {"toRelativeSecondNum", 1}}

var _ = addUnixParts()

func addUnixParts() struct{} {
	for _, p := range unixParts {
		add(functions.Scalar{
			Name: p.name, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: p.name + "(t[, zone])", Summary: "The number of the period since 1970.", Examples: []string{"SELECT " + p.name + "(toDateTime('2020-03-04 05:06:07'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if !t.IsDateOrTime() {
					return nil, illegal(p.name, args[0])
				}
				loc, err := locationOf(env, t, args[1:])
				if err != nil {
					return nil, err
				}
				return &expr.Function{Result: types.UInt32, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return integers(mapUnix(args[0], t, loc, func(unix int64) int64 { return max(civil.FloorDiv(unix, p.seconds), 0) }), types.UInt32), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}

// fractions are the parts of a second.
var fractions = [...]struct {
	name   string
	digits int
	result *types.Type
}{{"toMillisecond", 3, types.UInt16}, {"toMicrosecond", 6, types.UInt32}, {"toNanosecond", 9, types.UInt32}}

var _ = addFractions()

func addFractions() struct{} {
	for _, p := range fractions {
		add(functions.Scalar{
			Name: p.name, Aliases: []string{strings.ToUpper(p.name[2:])}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: p.name + "(t)", Summary: "The part of the second.", Examples: []string{"SELECT " + p.name + "(toDateTime64('2020-03-04 05:06:07.123', 3))"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if !t.IsDateOrTime() {
					return nil, illegal(p.name, args[0])
				}
				return &expr.Function{Result: p.result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return integers(eachUnix(args[0], t, func(_, ticks int64) int64 { return scaleTo(ticks, t.Scale(), p.digits) }), p.result), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}
