package dates

import (
	"context"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = add(functions.Scalar{
	Name: "toStartOfInterval", Aliases: []string{"time_bucket", "date_bin"}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 4,
	Doc:  functions.Doc{Syntax: "toStartOfInterval(t, interval[, origin][, zone])", Summary: "The time at which the interval that t falls in began.", Examples: []string{"SELECT toStartOfInterval(toDateTime('2020-03-04 05:06:07'), toIntervalHour(2))"}},
	Bind: bindInterval,
})

func bindInterval(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	t, rest := args[0].Type, args[2:]
	if err := needTime("toStartOfInterval", args[0]); err != nil {
		return nil, err
	}
	if args[1].Type.Kind() != types.KindInterval {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of 2nd argument of function toStartOfInterval, expected a time interval", args[1].Type)
	}
	n, ok := args[1].ConstInt()
	if !ok {
		return nil, kernel.NotConst("toStartOfInterval", 1)
	}
	if n <= 0 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Value for 2nd argument of function toStartOfInterval must be positive")
	}
	if len(rest) > 0 {
		if zone := rest[len(rest)-1]; !zone.Type.IsString() && (len(rest) > 1 || !zone.Type.IsDateOrTime()) {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument %d of function toStartOfInterval: an origin or the name of a time zone is expected", zone.Type, len(args))
		}
	}
	if len(rest) > 1 || len(rest) > 0 && !rest[0].Type.IsString() {
		return bindOrigin(env, args, n)
	}
	return startOfInterval(env, t, args[1].Type.Interval(), n, rest, false)
}

// intervalFits tells whether times of a type can be rounded to a unit.
func intervalFits(t *types.Type, unit types.IntervalUnit, zone []functions.Arg) error {
	if isDay(t) && unit < types.Day || unit < types.Second && t.Kind() != types.KindDateTime64 {
		return cherr.New(cherr.IllegalTypeOfArgument, "Illegal interval kind for argument data type %s", t)
	}
	if isDay(t) && unit >= types.Week && len(zone) > 0 {
		return cherr.New(cherr.IllegalTypeOfArgument, "A time zone is of use only where the 1st argument is a DateTime or DateTime64, not a %s", t)
	}
	return nil
}

// startOfInterval rounds down to n units. The result is a Date or DateTime, so
// that what came before 1970 is brought to it; where wide, it is a Date32 or
// DateTime64 for the types that go further back.
func startOfInterval(env *functions.Env, t *types.Type, unit types.IntervalUnit, n int64, zone []functions.Arg, wide bool) (*expr.Function, error) {
	if err := intervalFits(t, unit, zone); err != nil {
		return nil, err
	}
	loc, err := locationOf(env, t, zone)
	if err != nil {
		return nil, err
	}
	wide = wide && (t.Kind() == types.KindDate32 || t.Kind() == types.KindDateTime64)
	switch unit {
	case types.Week, types.Month, types.Quarter, types.Year:
		return dayOfInterval(env, t, loc, zone, daysStart(unit, int(n)), wide)
	case types.Nanosecond, types.Microsecond, types.Millisecond:
		return fractionStart(t, zone, unit, n)
	}
	result, err := dateTimeType(t, zone)
	if wide {
		result, err = dateTime64Type(0, zoneName(t, zone))
	}
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		z := civil.NewZone(loc)
		f := unixStart(z, unit, n)
		switch {
		case wide && isDay(t):
			return column.NewFixed(mapUnix(args[0], t, loc, f)), nil
		case wide: // a fraction before 1970 is cut towards it, as ClickHouse does
			return column.NewFixed(eachUnix(args[0], t, func(unix, ticks int64) int64 {
				if unix < 0 && ticks > 0 {
					unix++
				}
				return f(unix)
			})), nil
		case isDay(t):
			return integers(mapUnix(args[0], t, loc, f), types.UInt32), nil
		}
		return dateTimes(mapUnix(args[0], t, loc, f)), nil
	}}, nil
}

// dayOfInterval is the day on which a time's interval began.
func dayOfInterval(env *functions.Env, t *types.Type, loc *time.Location, zone []functions.Arg, of func(days int) int, wide bool) (*expr.Function, error) {
	if t.Kind() != types.KindDate32 && !wide || extended(env, t) {
		return bindDay(env, "toStartOfInterval", functions.Arg{Type: t}, zone, of)
	}
	if wide {
		return &expr.Function{Result: types.Date32, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return column.NewFixed(eachLocal(args[0], t, loc, func(d, _ int) int32 { return int32(of(d)) })), nil
		}}, nil
	}
	return &expr.Function{Result: types.Date, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return column.NewFixed(eachLocal(args[0], t, loc, func(d, _ int) uint16 { return uint16(of(d)) })), nil
	}}, nil
}

// daysStart rounds a date down to weeks counted from a Monday, months counted
// from year 0.
func daysStart(unit types.IntervalUnit, n int) func(days int) int {
	switch unit {
	case types.Week:
		return func(d int) int {
			return int(civil.FloorDiv(int64(d-4), int64(7*n)))*(7*n) + 4
		}
	case types.Quarter:
		n *= 3
	case types.Year:
		n *= 12
	}
	return func(d int) int {
		y, m, _ := civil.FromDays(d)
		at := civil.FloorDiv(y*12+m-1, n) * n
		return civil.Days(at/12, at%12+1, 1)
	}
}

// unixStart rounds a unix time down: days and hours on the wall's clock,
// shorter ones on the unix clock where the zone's offset is whole hours.
func unixStart(z *civil.Zone, unit types.IntervalUnit, n int64) func(unix int64) int64 {
	switch unit {
	case types.Day:
		return func(u int64) int64 {
			d := civil.FloorDiv(z.Local(u), civil.Day)
			return z.Midnight(int(civil.FloorDiv(d, n) * n))
		}
	case types.Hour:
		return func(u int64) int64 {
			return u - civil.FloorMod(civil.FloorMod(z.Local(u), civil.Day), n*civil.Hour)
		}
	case types.Minute:
		n *= 60
	}
	return func(u int64) int64 {
		if z.Offset(u)%civil.Hour == 0 {
			return u - civil.FloorMod(u, n)
		}
		return u - civil.FloorMod(z.Local(u), n)
	}
}

func fractionStart(t *types.Type, zone []functions.Arg, unit types.IntervalUnit, n int64) (*expr.Function, error) {
	digits := digitsOf(unit)
	result, err := dateTime64Type(digits, zoneName(t, zone))
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return column.NewFixed(eachUnix(args[0], t, func(unix, ticks int64) int64 {
			v := scaleTo(unix, 0, digits) + scaleTo(ticks, t.Scale(), digits)
			return v - civil.FloorMod(v, n)
		})), nil
	}}, nil
}

// digitsOf gives the fraction digits of a unit below the second.
func digitsOf(u types.IntervalUnit) int {
	switch u {
	case types.Nanosecond:
		return 9
	case types.Microsecond:
		return 6
	case types.Millisecond:
		return 3
	}
	return 0
}

// bindOrigin counts intervals from an origin of the time's own type.
func bindOrigin(env *functions.Env, args []functions.Arg, n int64) (*expr.Function, error) {
	t, unit, zone := args[0].Type, args[1].Type.Interval(), args[3:]
	if args[2].Type.Kind() != t.Kind() || args[2].Type.Scale() != t.Scale() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Datetime argument and origin argument for function toStartOfInterval must have the same type: %s and %s", t, args[2].Type)
	}
	if args[2].Const == nil {
		return nil, kernel.NotConst("toStartOfInterval", 2)
	}
	if err := intervalFits(t, unit, zone); err != nil {
		return nil, err
	}
	loc, err := locationOf(env, t, zone)
	if err != nil {
		return nil, err
	}
	result := t
	switch {
	case t.Kind() == types.KindDateTime:
		result, err = dateTimeType(t, zone)
	case t.Kind() == types.KindDateTime64 && unit < types.Second:
		result, err = dateTime64Type(digitsOf(unit), zoneName(t, zone))
	case t.Kind() == types.KindDateTime64:
		result, err = dateTime64Type(t.Scale(), zoneName(t, zone))
	}
	if err != nil {
		return nil, err
	}
	m := &mover{t: result, loc: loc, result: result}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		z := civil.NewZone(loc)
		v, origin := ticksOf(column.Full(args[0])), ticksOf(args[2])[0]
		out := make([]int64, rows)
		for i, x := range v {
			if x < origin {
				return nil, cherr.New(cherr.BadArguments, "The origin must be before the end date / date with time")
			}
			if unit < types.Second {
				out[i] = scaleTo(origin, t.Scale(), result.Scale()) + scaleTo(x-origin, t.Scale(), result.Scale())/n*n
			} else {
				out[i] = fromOrigin(m, z, x, origin, unit, n)
			}
		}
		return integers(out, result), nil
	}}, nil
}

// fromOrigin finds the last multiple of the interval after origin that is not
// past x.
func fromOrigin(m *mover, z *civil.Zone, x, origin int64, unit types.IntervalUnit, n int64) int64 {
	if unit >= types.Month {
		months := map[types.IntervalUnit]int64{types.Month: 1, types.Quarter: 3, types.Year: 12}[unit] * n
		last := (m.monthOf(z, x) - m.monthOf(z, origin)) / months
		if at := m.move(z, origin, types.Month, last*months); at <= x {
			return at
		}
		return m.move(z, origin, types.Month, (last-1)*months)
	}
	per := m.move(z, 0, unit, n) - m.move(z, 0, unit, 0)
	if per <= 0 {
		return x
	}
	return origin + (x-origin)/per*per
}

// monthOf counts the months up to that of ticks.
func (m *mover) monthOf(z *civil.Zone, ticks int64) int64 {
	days := ticks
	if !isDay(m.result) {
		days = civil.FloorDiv(z.Local(civil.FloorDiv(ticks, text.Pow10(m.result.Scale()))), civil.Day)
	}
	y, month, _ := civil.FromDays(int(days))
	return int64(y)*12 + int64(month)
}

var _ = addTrunc()

func addTrunc() struct{} {
	add(functions.Scalar{
		Name: "dateTrunc", Aliases: []string{"date_trunc"}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "dateTrunc('unit', t[, zone])", Summary: "The time with everything below a unit cut off.", Examples: []string{"SELECT dateTrunc('month', toDate('2020-03-04'))"}},
		Bind: bindTrunc,
	})
	return struct{}{}
}

func bindTrunc(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	name, ok := args[0].ConstString()
	if !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument for function dateTrunc must be constant string: name of datepart")
	}
	unit, ok := unitOf(strings.ToLower(name))
	if !ok {
		return nil, cherr.New(cherr.BadArguments, "%s doesn't look like datepart name in dateTrunc", name)
	}
	if err := needTime("dateTrunc", args[1]); err != nil {
		return nil, err
	}
	t := args[1].Type
	wide := env.Settings.Int("function_date_trunc_return_type_behavior") == 0
	f, err := startOfInterval(env, t, unit, 1, args[2:], wide)
	if err != nil {
		return nil, err
	}
	k := f.Kernel
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, []column.Column{args[1]}, rows)
	}
	return f, nil
}

// unitOf reads the names that ClickHouse has for a unit.
func unitOf(name string) (types.IntervalUnit, bool) {
	for _, u := range types.Units() {
		if s := strings.ToLower(u.String()); name == s || name == s+"s" {
			return u, true
		}
	}
	u, ok := map[string]types.IntervalUnit{
		"ns": types.Nanosecond, "us": types.Microsecond, "u": types.Microsecond, "ms": types.Millisecond, "ss": types.Second, "s": types.Second,
		"mi": types.Minute, "n": types.Minute, "hh": types.Hour, "h": types.Hour, "dd": types.Day, "d": types.Day, "wk": types.Week, "ww": types.Week,
		"mm": types.Month, "m": types.Month, "qq": types.Quarter, "q": types.Quarter, "yyyy": types.Year, "yy": types.Year,
		"sql_tsi_second": types.Second, "sql_tsi_minute": types.Minute, "sql_tsi_hour": types.Hour, "sql_tsi_day": types.Day,
		"sql_tsi_week": types.Week, "sql_tsi_month": types.Month, "sql_tsi_quarter": types.Quarter, "sql_tsi_year": types.Year,
	}[name]
	return u, ok
}
