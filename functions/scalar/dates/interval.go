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
	n, ok := args[1].ConstInt()
	if args[1].Type.Kind() != types.KindInterval || !ok {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of 2nd argument of function toStartOfInterval. Should be interval", args[1].Type)
	}
	if n <= 0 {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Value for 2nd argument of function toStartOfInterval must be positive")
	}
	if len(rest) > 0 && rest[0].Type.IsDateOrTime() {
		return bindOrigin(env, args, n)
	}
	return startOfInterval(env, t, args[1].Type.Interval(), n, rest)
}

func startOfInterval(env *functions.Env, t *types.Type, unit types.IntervalUnit, n int64, zone []functions.Arg) (*expr.Function, error) {
	if isDay(t) && unit < types.Day {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal interval kind for argument data type %s", t)
	}
	if unit < types.Second && t.Kind() != types.KindDateTime64 {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal interval kind for argument data type %s", t)
	}
	loc, err := locationOf(env, t, zone)
	if err != nil {
		return nil, err
	}
	switch unit {
	case types.Week, types.Month, types.Quarter, types.Year:
		return bindDay(env, "toStartOfInterval", functions.Arg{Type: t}, zone, daysStart(unit, int(n)))
	case types.Nanosecond, types.Microsecond, types.Millisecond:
		return fractionStart(t, zone, unit, n)
	}
	result, err := dateTimeType(t, zone)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		z := civil.NewZone(loc)
		return integers(mapUnix(args[0], t, loc, unixStart(z, unit, n)), types.UInt32), nil
	}}, nil
}

// daysStart rounds a date down to weeks counted from a Monday, months counted
// from year 0.
func daysStart(unit types.IntervalUnit, n int) func(days int) int {
	switch unit {
	case types.Week:
		return func(d int) int {
			if d < 4 {
				return 0
			}
			return (d-4)/(7*n)*(7*n) + 4
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
	t, unit := args[0].Type, args[1].Type.Interval()
	if args[2].Const == nil || args[2].Type.Kind() != t.Kind() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Origin of function toStartOfInterval must be a constant of type %s, got %s", t, args[2].Type)
	}
	loc, err := locationOf(env, t, args[3:])
	if err != nil {
		return nil, err
	}
	m := &mover{t: t, loc: loc, result: t}
	return &expr.Function{Result: t, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		z := civil.NewZone(loc)
		v, origin := ticksOf(args[0]), ticksOf(args[2])[0]
		if _, ok := args[0].(*column.Const); ok {
			v = ticksOf(column.Full(args[0]))
		}
		out := make([]int64, rows)
		for i, x := range v {
			if x < origin {
				return nil, cherr.New(cherr.BadArguments, "Origin must be before the end date / datetime")
			}
			out[i] = fromOrigin(m, z, x, origin, unit, n)
		}
		return integers(out, t), nil
	}}, nil
}

// fromOrigin finds the last multiple of the interval after origin that is not
// past x.
func fromOrigin(m *mover, z *civil.Zone, x, origin int64, unit types.IntervalUnit, n int64) int64 {
	if unit >= types.Month {
		months := map[types.IntervalUnit]int64{types.Month: 1, types.Quarter: 3, types.Year: 12}[unit] * n
		lo := int64(0)
		for step := int64(1 << 20); step > 0; step /= 2 {
			if m.move(z, origin, types.Month, (lo+step)*months) <= x {
				lo += step
			}
		}
		return m.move(z, origin, types.Month, lo*months)
	}
	per := m.move(z, 0, unit, n) - m.move(z, 0, unit, 0)
	if per <= 0 {
		return x
	}
	return origin + (x-origin)/per*per
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
	f, err := truncTo(env, t, unit, args[2:])
	if err != nil {
		return nil, err
	}
	k := f.Kernel
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		return k(ctx, []column.Column{args[1]}, rows)
	}
	return f, nil
}

// truncTo keeps DateTime64 for seconds.
func truncTo(env *functions.Env, t *types.Type, unit types.IntervalUnit, zone []functions.Arg) (*expr.Function, error) {
	f, err := startOfInterval(env, t, unit, 1, zone)
	if err != nil || unit != types.Second || t.Kind() != types.KindDateTime64 {
		return f, err
	}
	k := f.Kernel
	if f.Result, err = dateTime64Type(0, zoneName(t, zone)); err != nil {
		return nil, err
	}
	f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
		c, err := k(ctx, args, rows)
		if err != nil {
			return nil, err
		}
		return column.NewFixed(ticksOf(c)), nil
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
