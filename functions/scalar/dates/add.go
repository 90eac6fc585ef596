package dates

import (
	"context"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = addMoves()

func addMoves() struct{} {
	for _, u := range types.Units() {
		for _, m := range []struct {
			head string
			sign int64
		}{{"add", 1}, {"subtract", -1}} {
			name := m.head + u.String() + "s"
			add(functions.Scalar{
				Name: name, MinArgs: 2, MaxArgs: 2,
				Doc: functions.Doc{Syntax: name + "(t, n)", Summary: "The time moved by n units.", Examples: []string{"SELECT " + name + "(toDateTime('2020-03-04 05:06:07'), 1)"}},
				Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
					return bindMove(env, name, u, m.sign, args)
				},
			})
		}
	}
	return struct{}{}
}

// mover moves ticks of a type by units.
type mover struct {
	t      *types.Type // of the time; its ticks are days, seconds or fractions
	result *types.Type
	loc    *time.Location
}

// move gives x, ticks of the type result, moved by n units.
func (m *mover) move(z *civil.Zone, x int64, u types.IntervalUnit, n int64) int64 {
	if isDay(m.result) {
		return moveDays(x, u, n)
	}
	per := text.Pow10(m.result.Scale())
	switch u {
	case types.Second:
		return x + n*per
	case types.Minute:
		return x + n*60*per
	case types.Hour:
		return x + n*civil.Hour*per
	case types.Nanosecond, types.Microsecond, types.Millisecond:
		return x + scaleTo(n, digitsOf(u), m.result.Scale())
	}
	unix := civil.FloorDiv(x, per)
	local := z.Local(unix)
	days := civil.FloorDiv(local, civil.Day)
	if u < types.Month {
		const most = 1 << 40 // beyond either end of the calendar
		n = min(max(n, -most), most)
	}
	to := moveDays(days, u, n)
	switch {
	case u < types.Month:
		to = min(max(to, firstDay), lastDay)
	case m.result.Kind() == types.KindDateTime: // months lead back into what DateTime64 shows, before the low 32 bits are taken
		if to < 0 {
			return 0
		}
		to = min(to, lastDayOf2299)
	}
	return z.Unix(to*civil.Day+local-days*civil.Day)*per + x - unix*per
}

// The calendar's ends, in days.
var (
	firstDay      = int64(civil.Days(0, 1, 1))
	lastDay       = int64(civil.Days(9999, 12, 31))
	lastDayOf2299 = int64(civil.Days(2299, 12, 31))
)

// moveDays moves a day. Days and weeks wrap around, months stop at the
// calendar's ends.
func moveDays(days int64, u types.IntervalUnit, n int64) int64 {
	switch u {
	case types.Day:
		return days + n
	case types.Week:
		return days + 7*n
	}
	const most = 12 * 10000
	n = min(max(n, -most), most)
	switch u {
	case types.Quarter:
		n *= 3
	case types.Year:
		y, _, _ := civil.FromDays(int(days))
		n = 12 * min(max(n, int64(-y)), int64(9999-y))
	}
	return min(max(int64(civil.AddMonths(int(days), int(n))), firstDay), lastDay)
}

// moveResult is the type of a moved time: dates become times when moved by
// less than a day, and times gain digits when moved by less than theirs.
func moveResult(name string, t *types.Type, u types.IntervalUnit) (*types.Type, error) {
	zone, loc := t.Zone(), t.Location()
	switch {
	case isDay(t) && u < types.Second:
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "%s cannot be used with %s", name, t)
	case t.Kind() == types.KindDate && u < types.Day:
		return types.DateTime, nil
	case t.Kind() == types.KindDate32 && u < types.Day:
		return types.DateTime64(3, "", nil), nil
	case t.Kind() == types.KindDateTime && u < types.Second:
		return types.DateTime64(digitsOf(u), zone, loc), nil
	case t.Kind() == types.KindDateTime64 && digitsOf(u) > t.Scale():
		return types.DateTime64(digitsOf(u), zone, loc), nil
	}
	return t, nil
}

func bindMove(env *functions.Env, name string, u types.IntervalUnit, sign int64, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if !args[1].Type.IsNativeNumber() && args[1].Type.Kind() != types.KindInterval {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Invalid type of 2nd argument of function %s: Should be native numeric", name)
	}
	prepare := func(c column.Column) (column.Column, error) { return c, nil }
	if t.IsString() {
		to := types.DateTime64(3, "", nil)
		if digitsOf(u) > 3 {
			to = types.DateTime64(digitsOf(u), "", nil)
		}
		f, err := cast.Bind(t, to, &cast.Options{Zone: env.Zone})
		if err != nil {
			return nil, err
		}
		prepare, t = f, to
	}
	if t.Kind() == types.KindTime || t.Kind() == types.KindTime64 {
		return moveClock(name, t, u, sign, args[1].Type)
	}
	if !t.IsDateOrTime() {
		return nil, illegal(name, args[0])
	}
	result, err := moveResult(name, t, u)
	if err != nil {
		return nil, err
	}
	loc, err := locationOf(env, t, nil)
	if err != nil {
		return nil, err
	}
	widen := func(c column.Column) (column.Column, error) { return c, nil }
	if !result.Equal(t) {
		if widen, err = cast.Bind(t, result, &cast.Options{Zone: env.Zone}); err != nil {
			return nil, err
		}
	}
	m := &mover{t: t, result: result, loc: loc}
	by := args[1].Type
	return &expr.Function{Result: result, Monotonic: monotonicMove(args), Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		c, err := prepare(args[0])
		if err == nil {
			c, err = widen(c)
		}
		if err != nil {
			return nil, err
		}
		return m.all(c, args[1], by, u, sign, rows)
	}}, nil
}

func monotonicMove(args []functions.Arg) int {
	if args[1].Const != nil && !args[0].Type.IsString() {
		return 1
	}
	return 0
}

// all moves each row. What leaves the range of a type keeps its low bits, as
// in ClickHouse.
func (m *mover) all(c, by column.Column, byType *types.Type, u types.IntervalUnit, sign int64, rows int) (column.Column, error) {
	z := civil.NewZone(m.loc)
	out := make([]int64, rows)
	v := ticksOf(column.Full(c))
	n, err := countsOf(by, byType)
	if err != nil {
		return nil, err
	}
	one, constant := int64(0), false
	if _, ok := by.(*column.Const); ok {
		one, constant = n[0], true
	}
	date := m.result.Kind() == types.KindDate && u >= types.Month
	for i, x := range v {
		k := one
		if !constant {
			k = n[i]
		}
		out[i] = m.move(z, x, u, sign*k)
		if date {
			out[i] = min(max(out[i], 0), lastDayOf2299)
		}
	}
	return integers(out, m.result), nil
}

// ticksOf gives a date's or time's ticks.
func ticksOf(c column.Column) []int64 {
	if k, ok := c.(*column.Const); ok {
		c = k.Value
	}
	return cast.Native[int64](c)
}

// countsOf gives numbers of units, fractions cut off; DECIMAL_OVERFLOW beyond
// Int64.
func countsOf(c column.Column, t *types.Type) ([]int64, error) {
	if k, ok := c.(*column.Const); ok {
		c = k.Value
	}
	switch {
	case t.IsFloat():
		f := cast.Floats(c, t)
		out := make([]int64, len(f))
		for i, v := range f {
			switch {
			case v != v: // no time at all: nothing is moved
			case v >= -1<<63 && v < 1<<63:
				out[i] = int64(v)
			default:
				return nil, cherr.New(cherr.DecimalOverflow, "Numeric overflow")
			}
		}
		return out, nil
	case t.Kind() == types.KindUInt64:
		for _, v := range column.Values[uint64](c) {
			if v > 1<<63-1 {
				return nil, cherr.New(cherr.DecimalOverflow, "Numeric overflow")
			}
		}
	}
	return cast.Native[int64](c), nil
}

// moveClock moves a Time or Time64 by a unit below the day.
func moveClock(name string, t *types.Type, u types.IntervalUnit, sign int64, by *types.Type) (*expr.Function, error) {
	if u >= types.Day {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "%s cannot be used with %s", name, t)
	}
	digits := max(t.Scale(), digitsOf(u))
	result := t
	if digits > t.Scale() {
		result = types.Time64(digits)
	}
	m := &mover{t: result, result: types.DateTime64(digits, "", nil)}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		v := ticksOf(column.Full(args[0]))
		n, err := countsOf(column.Full(args[1]), by)
		if err != nil {
			return nil, err
		}
		out := make([]int64, rows)
		for i := range out {
			out[i] = m.move(nil, scaleTo(v[i], t.Scale(), digits), u, sign*n[i])
		}
		return integers(out, result), nil
	}}, nil
}

var _ = addByUnit()

// addByUnit adds dateAdd and its like, which the parser may leave with a
// unit's name or an interval.
func addByUnit() struct{} {
	for _, f := range []struct {
		names []string
		op    string
	}{
		{[]string{"dateAdd", "date_add", "DATE_ADD", "timestampAdd", "timestamp_add", "TIMESTAMP_ADD", "addDate", "ADDDATE"}, "plus"},
		{[]string{"dateSub", "date_sub", "DATE_SUB", "timestampSub", "timestamp_sub", "TIMESTAMP_SUB", "subDate", "SUBDATE"}, "minus"},
	} {
		add(functions.Scalar{
			Name: f.names[0], Aliases: f.names[1:], MinArgs: 2, MaxArgs: 3,
			Doc: functions.Doc{Syntax: f.names[0] + "(t, interval)", Summary: "The time moved by an interval.", Examples: []string{"SELECT " + f.names[0] + "(toDate('2020-01-01'), toIntervalDay(1))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if len(args) == 2 {
					if args[1].Type.Kind() != types.KindInterval && args[0].Type.Kind() != types.KindInterval && args[1].Type.Kind() != types.KindTuple {
						return nil, kernel.WrongType(f.names[0], 1, args[1].Type)
					}
					return env.Registry.BindScalar(env, f.op, args)
				}
				name, ok := args[0].ConstString()
				if !ok {
					return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Number of arguments for function %s doesn't match: passed 3, should be 2", f.names[0])
				}
				u, ok := unitOf(name)
				if !ok {
					return nil, cherr.New(cherr.BadArguments, "%s is not a unit of time", name)
				}
				g, err := env.Registry.BindScalar(env, f.op, []functions.Arg{args[2], {Type: types.Interval(u), Const: args[1].Const}})
				if err != nil {
					return nil, err
				}
				k := g.Kernel
				h := *g
				h.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
					return k(ctx, []column.Column{args[2], args[1]}, rows)
				}
				return &h, nil
			},
		})
	}
	return struct{}{}
}
