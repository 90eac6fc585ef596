package dates

import (
	"context"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// nameParts are the parts that dateName names.
var nameParts = map[string]func(dst []byte, f *face) []byte{
	"year": plain(func(f *face) int { return f.year }), "quarter": plain(func(f *face) int { return (f.month-1)/3 + 1 }),
	"month": word(func(f *face) string { return monthNames[f.month-1] }), "dayofyear": plain(func(f *face) int { return civil.YearDay(f.days) }),
	"day": plain(func(f *face) int { return f.day }), "week": plain(isoWeek),
	"weekday": word(func(f *face) string { return dayNames[civil.Weekday(f.days)-1] }),
	"hour":    plain((*face).hour), "minute": plain(func(f *face) int { return f.second / 60 % 60 }), "second": plain(func(f *face) int { return f.second % 60 }),
}

func plain(of func(f *face) int) step {
	return func(dst []byte, f *face) []byte { return strconv.AppendInt(dst, int64(of(f)), 10) }
}

var _ = add(functions.Scalar{
	Name: "dateName", CaseInsensitive: true, MinArgs: 2, MaxArgs: 3,
	Doc: functions.Doc{Syntax: "dateName('part', t[, zone])", Summary: "A part of a time as text, with names for months and days of the week.", Examples: []string{"SELECT dateName('month', toDate('2020-03-04'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		name, ok := args[0].ConstString()
		if !ok {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "First argument of function dateName must be a constant string")
		}
		s, ok := nameParts[strings.ToLower(name)]
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "Invalid datepart value: %s", name)
		}
		f, err := named(env, "dateName", s, args[1:])
		if err != nil {
			return nil, err
		}
		k := f.Kernel
		f.Kernel = func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return k(ctx, args[1:], rows)
		}
		return f, nil
	},
})

var _ = add(functions.Scalar{
	Name: "monthName", CaseInsensitive: true, MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "monthName(t)", Summary: "The name of the month.", Examples: []string{"SELECT monthName(toDate('2020-03-04'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return named(env, "monthName", nameParts["month"], args)
	},
})

func named(env *functions.Env, name string, s step, args []functions.Arg) (*expr.Function, error) {
	t := args[0].Type
	if err := needTime(name, args[0]); err != nil {
		return nil, err
	}
	loc, err := locationOf(env, t, args[1:])
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		z := civil.NewZone(loc)
		v := ticksOf(column.Full(args[0]))
		out := &column.Str{}
		for i := range rows {
			f := faceOf(v[i], t, z)
			from := len(out.Data)
			out.Data = s(out.Data, &f)
			out.Seal(from)
		}
		return out, nil
	}}, nil
}
