package dates

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

func firstOf(f func(y, m int) (int, int)) func(days int) int {
	return func(days int) int {
		y, m, _ := civil.FromDays(days)
		y, m = f(y, m)
		return civil.Days(y, m, 1)
	}
}

var (
	startOfYear    = firstOf(func(y, _ int) (int, int) { return y, 1 })
	startOfQuarter = firstOf(func(y, m int) (int, int) { return y, (m-1)/3*3 + 1 })
	startOfMonth   = firstOf(func(y, m int) (int, int) { return y, m })
)

func monday(days int) int { return days - civil.Weekday(days) + 1 }

func sunday(days int) int { return days - civil.Weekday(days)%7 }

func startOfISOYear(days int) int {
	y, _ := civil.ISOWeek(days)
	return monday(civil.Days(y, 1, 4))
}

func lastOfMonth(days int) int {
	y, m, _ := civil.FromDays(days)
	return civil.Days(y, m, civil.MonthDays(y, m))
}

var _ = addDayStarts()

// addDayStarts adds the starts that are dates.
func addDayStarts() struct{} {
	for _, s := range []struct {
		name, alias, summary string
		of                   func(days int) int
	}{
		{"toStartOfYear", "", "The first day of the year.", startOfYear},
		{"toStartOfISOYear", "", "The first day of the ISO year.", startOfISOYear},
		{"toStartOfQuarter", "", "The first day of the quarter.", startOfQuarter},
		{"toStartOfMonth", "", "The first day of the month.", startOfMonth},
		{"toMonday", "", "The Monday of the week.", monday},
		{"toLastDayOfMonth", "LAST_DAY", "The last day of the month.", lastOfMonth},
	} {
		f := functions.Scalar{
			Name: s.name, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: s.name + "(t[, zone])", Summary: s.summary, Examples: []string{"SELECT " + s.name + "(toDate('2020-03-04'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindDay(env, s.name, args[0], args[1:], s.of)
			},
		}
		if s.alias != "" {
			f.Aliases, f.CaseInsensitive = []string{s.alias}, true
		}
		add(f)
	}
	for _, w := range []struct {
		name  string
		first func(days int, mode uint8) int
	}{
		{"toStartOfWeek", weekStart},
		{"toLastDayOfWeek", func(days int, mode uint8) int { return weekStart(days, mode) + 6 }},
	} {
		add(functions.Scalar{
			Name: w.name, MinArgs: 1, MaxArgs: 3,
			Doc: functions.Doc{Syntax: w.name + "(t[, mode[, zone]])", Summary: "A day of the week that begins on Sunday, or on Monday in mode 1.", Examples: []string{"SELECT " + w.name + "(toDate('2020-03-04'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				mode, zone, err := modeOf(w.name, args)
				if err != nil {
					return nil, err
				}
				return bindDay(env, w.name, args[0], zone, func(d int) int { return w.first(d, mode) })
			},
		})
	}
	return struct{}{}
}

func weekStart(days int, mode uint8) int {
	if mode&mondayFirst != 0 {
		return monday(days)
	}
	return sunday(days)
}

// extended is the type of a day that a date or time becomes: Date32 only with
// the setting.
func extended(env *functions.Env, t *types.Type) bool {
	return env.Settings.Bool("enable_extended_results_for_datetime_functions") && (t.Kind() == types.KindDate32 || t.Kind() == types.KindDateTime64)
}

func bindDay(env *functions.Env, name string, arg functions.Arg, zone []functions.Arg, of func(days int) int) (*expr.Function, error) {
	if err := needTime(name, arg); err != nil {
		return nil, err
	}
	loc, err := locationOf(env, arg.Type, zone)
	if err != nil {
		return nil, err
	}
	t := arg.Type
	if extended(env, t) {
		return &expr.Function{Result: types.Date32, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return column.NewFixed(eachLocal(args[0], t, loc, func(d, _ int) int32 { return int32(of(d)) })), nil
		}}, nil
	}
	return &expr.Function{Result: types.Date, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return column.NewFixed(eachLocal(args[0], t, loc, func(d, _ int) uint16 { return clampDate(of(d)) })), nil
	}}, nil
}

var _ = addTimeStarts()

// addTimeStarts adds the starts that are times.
func addTimeStarts() struct{} {
	for _, s := range []struct {
		name, aliases string
		seconds       int64
	}{
		{"toStartOfDay", "", civil.Day},
		{"toStartOfHour", "", civil.Hour},
		{"toStartOfMinute", "", 60},
		{"toStartOfFiveMinutes", "toStartOfFiveMinute", 300},
		{"toStartOfTenMinutes", "", 600},
		{"toStartOfFifteenMinutes", "", 900},
		{"timeSlot", "", 1800},
	} {
		f := functions.Scalar{
			Name: s.name, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: s.name + "(t[, zone])", Summary: "The time at which the period began.", Examples: []string{"SELECT " + s.name + "(toDateTime('2020-03-04 05:06:07'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindTimeStart(env, s.name, s.seconds, args)
			},
		}
		if s.aliases != "" {
			f.Aliases = strings.Split(s.aliases, ",")
		}
		add(f)
	}
	return struct{}{}
}

func dateTimeType(t *types.Type, zone []functions.Arg) (*types.Type, error) {
	name := zoneName(t, zone)
	if name == "" {
		return types.DateTime, nil
	}
	loc, err := types.LoadZone(name)
	if err != nil {
		return nil, err
	}
	return types.DateTimeIn(name, loc), nil
}

func bindTimeStart(env *functions.Env, name string, seconds int64, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if !isTime(t) && !(isDay(t) && seconds == civil.Day) {
		return nil, illegal(name, args[0])
	}
	result, err := dateTimeType(t, args[1:])
	if err != nil {
		return nil, err
	}
	loc, err := locationOf(env, t, args[1:])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		z := civil.NewZone(loc)
		return dateTimes(mapUnix(args[0], t, loc, func(unix int64) int64 { return timeStart(z, unix, seconds) })), nil
	}}, nil
}

// timeStart goes back to a multiple of seconds on the wall's clock.
func timeStart(z *civil.Zone, unix, seconds int64) int64 {
	local := z.Local(unix)
	if seconds == civil.Day {
		return z.Midnight(int(civil.FloorDiv(local, civil.Day)))
	}
	return unix - civil.FloorMod(local, seconds)
}

var _ = addFractionStarts()

func addFractionStarts() struct{} {
	for _, s := range []struct {
		name   string
		digits int
	}{{"toStartOfSecond", 0}, {"toStartOfMillisecond", 3}, {"toStartOfMicrosecond", 6}, {"toStartOfNanosecond", 9}} {
		add(functions.Scalar{
			Name: s.name, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: s.name + "(t[, zone])", Summary: "The time with the digits behind cut off.", Examples: []string{"SELECT " + s.name + "(toDateTime64('2020-03-04 05:06:07.123', 3))"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if t.Kind() != types.KindDateTime64 {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument for function %s", t, s.name)
				}
				result, err := dateTime64Type(max(t.Scale(), s.digits), zoneName(t, args[1:]))
				if err != nil {
					return nil, err
				}
				return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return column.NewFixed(eachUnix(args[0], t, func(unix, ticks int64) int64 {
						return scaleTo(unix, 0, result.Scale()) + scaleTo(scaleTo(ticks, t.Scale(), min(s.digits, t.Scale())), min(s.digits, t.Scale()), result.Scale())
					})), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}

func dateTime64Type(scale int, zone string) (*types.Type, error) {
	if zone == "" {
		return types.DateTime64(scale, "", nil), nil
	}
	loc, err := types.LoadZone(zone)
	if err != nil {
		return nil, err
	}
	return types.DateTime64(scale, zone, loc), nil
}
