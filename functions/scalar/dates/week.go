package dates

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// The bits of MySQL's week modes.
const (
	mondayFirst  = 1
	withYear     = 2
	firstWeekday = 4
)

// weekOf gives year and week of a date by MySQL's modes 0 … 9.
func weekOf(days int, mode uint8) (year, week int) {
	if mode == 8 || mode == 9 { // the week of January 1st is the new year's first
		start := weekStart(days, mode)
		year, _, _ = civil.FromDays(start + 6)
		return year, (start-weekStart(civil.Days(year, 1, 1), mode))/7 + 1
	}
	mode &= 7
	if mode&mondayFirst == 0 {
		mode ^= firstWeekday
	}
	monday, long, first := mode&mondayFirst != 0, mode&withYear != 0, mode&firstWeekday != 0
	year, month, day := civil.FromDays(days)
	dayOne := civil.Days(year, 1, 1)
	weekday := civil.FloorMod(civil.Weekday(dayOne)-1+boolInt(!monday), 7) // of January 1st, 0 first
	if month == 1 && day <= 7-weekday {
		if !long && (first && weekday != 0 || !first && weekday >= 4) {
			return year, 0
		}
		long = true
		year--
		n := 365 + boolInt(civil.Leap(year))
		dayOne -= n
		weekday = (weekday + 53*7 - n) % 7
	}
	var since int
	if first && weekday != 0 || !first && weekday >= 4 {
		since = days - (dayOne + 7 - weekday)
	} else {
		since = days - (dayOne - weekday)
	}
	if long && since >= 52*7 {
		weekday = (weekday + 365 + boolInt(civil.Leap(year))) % 7
		if !first && weekday < 4 || first && weekday == 0 {
			return year + 1, 1
		}
	}
	return year, since/7 + 1
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// modeOf reads the mode argument, which must be constant.
func modeOf(name string, args []functions.Arg) (uint8, []functions.Arg, error) {
	if len(args) < 2 {
		return 0, nil, nil
	}
	m, ok := args[1].ConstInt()
	if !ok {
		return 0, nil, cherr.New(cherr.IllegalTypeOfArgument, "The second argument of function %s must be a constant mode", name)
	}
	return uint8(m), args[2:], nil
}

var _ = addWeeks()

func addWeeks() struct{} {
	for _, w := range []struct {
		name, alias, summary string
		result               *types.Type
		of                   func(days int, mode uint8) int64
	}{
		{"toWeek", "week", "The week of the year by MySQL's modes.", types.UInt8, func(d int, m uint8) int64 { _, w := weekOf(d, m); return int64(w) }},
		{"toYearWeek", "yearweek", "Year and week as one number.", types.UInt32, func(d int, m uint8) int64 {
			if m < 8 {
				m |= withYear
			}
			y, w := weekOf(d, m)
			return int64(y*100 + w)
		}},
		{"toDayOfWeek", "DAYOFWEEK", "The day of the week; mode 0: 1 is Monday, 1: 0 is Monday, 2: 0 is Sunday, 3: 1 is Sunday.", types.UInt8, func(d int, m uint8) int64 {
			n := civil.Weekday(d)
			switch m & 3 {
			case 1:
				return int64(n - 1)
			case 2:
				return int64(n % 7)
			case 3:
				return int64(n%7 + 1)
			}
			return int64(n)
		}},
	} {
		add(functions.Scalar{
			Name: w.name, Aliases: []string{w.alias}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 3,
			Doc: functions.Doc{Syntax: w.name + "(t[, mode[, zone]])", Summary: w.summary, Examples: []string{"SELECT " + w.name + "(toDate('2020-03-04'))"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				err := needTime(w.name, args[0])
				if err != nil {
					return nil, err
				}
				mode, zone, err := modeOf(w.name, args)
				if err != nil {
					return nil, err
				}
				loc, err := locationOf(env, args[0].Type, zone)
				if err != nil {
					return nil, err
				}
				t := args[0].Type
				return &expr.Function{Result: w.result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return integers(eachLocal(args[0], t, loc, func(d, _ int) int64 { return w.of(d, mode) }), w.result), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}

func needTime(name string, a functions.Arg) error {
	if !a.Type.IsDateOrTime() {
		return illegal(name, a)
	}
	return nil
}
