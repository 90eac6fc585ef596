package dates

import (
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = add(functions.Scalar{
	Name: "toUnixTimestamp", Aliases: []string{"UNIX_TIMESTAMP"}, MinArgs: 1, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "toUnixTimestamp(t[, zone])", Summary: "The seconds since 1970 in UTC.", Examples: []string{"SELECT toUnixTimestamp(toDateTime('2020-01-01 00:00:00'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !t.IsDateOrTime() && !t.IsString() {
			return nil, illegal("toUnixTimestamp", args[0])
		}
		loc, err := locationOf(env, t, args[1:])
		if err != nil {
			return nil, err
		}
		prepare := func(c column.Column) (column.Column, error) { return c, nil }
		if t.IsString() {
			if prepare, err = cast.Bind(t, types.DateTime, &cast.Options{Zone: loc}); err != nil {
				return nil, err
			}
			t = types.DateTime
		}
		return &expr.Function{Result: types.UInt32, Monotonic: boolInt(!args[0].Type.IsString()), Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			c, err := prepare(args[0])
			if err != nil {
				return nil, err
			}
			return integers(mapUnix(c, t, loc, func(u int64) int64 { return u }), types.UInt32), nil
		}}, nil
	},
})

var _ = addUnix64()

func addUnix64() struct{} {
	for _, u := range []struct {
		name   string
		digits int
	}{{"Second", 0}, {"Milli", 3}, {"Micro", 6}, {"Nano", 9}} {
		to, from := "toUnixTimestamp64"+u.name, "fromUnixTimestamp64"+u.name
		add(functions.Scalar{
			Name: to, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: to + "(t)", Summary: "The time as an Int64 since 1970.", Examples: []string{"SELECT " + to + "(toDateTime64('2020-01-01 00:00:00.123', 3))"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if t.Kind() != types.KindDateTime64 {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "The first argument for function %s must be DateTime64, got %s", to, t)
				}
				return &expr.Function{Result: types.Int64, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
					out := make([]int64, rows)
					for i, x := range ticksOf(column.Full(args[0])) {
						out[i] = scaleTo(x, t.Scale(), u.digits)
					}
					return column.NewFixed(out), nil
				}}, nil
			},
		})
		add(functions.Scalar{
			Name: from, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: from + "(n[, zone])", Summary: "The time of a number since 1970.", Examples: []string{"SELECT " + from + "(1577836800)"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if !args[0].Type.IsInteger() {
					return nil, cherr.New(cherr.IllegalTypeOfArgument, "The first argument for function %s must be Int64, got %s", from, args[0].Type)
				}
				t, err := dateTime64Type(u.digits, zoneName(types.DateTime, args[1:]))
				if err != nil {
					return nil, err
				}
				return &expr.Function{Result: t, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return column.NewFixed(cast.Native[int64](column.Full(args[0]))), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}

var (
	_ = add(functions.Scalar{
		Name: "fromUnixTimestamp", Aliases: []string{"FROM_UNIXTIME"}, CaseInsensitive: true, MinArgs: 1, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "fromUnixTimestamp(n[, format[, zone]])", Summary: "The time of a number of seconds since 1970, or its text.", Examples: []string{"SELECT fromUnixTimestamp(1577836800)"}},
		Bind: bindFromUnix("fromUnixTimestamp", false),
	})
	_ = add(functions.Scalar{
		Name: "fromUnixTimestampInJodaSyntax", MinArgs: 1, MaxArgs: 3,
		Doc:  functions.Doc{Syntax: "fromUnixTimestampInJodaSyntax(n[, format[, zone]])", Summary: "The time of a number of seconds since 1970, or its text by a format in Joda's way.", Examples: []string{"SELECT fromUnixTimestampInJodaSyntax(1577836800, 'yyyy-MM-dd')"}},
		Bind: bindFromUnix("fromUnixTimestampInJodaSyntax", true),
	})
)

func bindFromUnix(name string, joda bool) func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
	return func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		if !args[0].Type.IsInteger() && !args[0].Type.IsDateOrTime() {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of first argument of function %s", args[0].Type, name)
		}
		to := types.DateTime
		if len(args) > 1 { // text shows more than DateTime holds
			to = types.DateTime64(0, "", nil)
		}
		if args[0].Type.Kind() == types.KindDateTime64 {
			to = args[0].Type
		}
		convert, err := cast.Bind(args[0].Type, to, &cast.Options{Zone: env.Zone})
		if err != nil {
			return nil, err
		}
		if len(args) == 1 {
			if convert, err = cast.Bind(args[0].Type, types.DateTime, &cast.Options{Zone: env.Zone}); err != nil {
				return nil, err
			}
			return &expr.Function{Result: types.DateTime, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
				return convert(args[0])
			}}, nil
		}
		format, err := bindFormat(env, name, append([]functions.Arg{{Type: to}}, args[1:]...), joda)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.String, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			c, err := convert(args[0])
			if err != nil {
				return nil, err
			}
			return format.Kernel(ctx, append([]column.Column{c}, args[1:]...), rows)
		}}, nil
	}
}

var _ = add(functions.Scalar{
	Name: "timestamp", CaseInsensitive: true, MinArgs: 1, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "timestamp(text[, time])", Summary: "The text as DateTime64(6), a time of day added.", Examples: []string{"SELECT timestamp('2020-01-01')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		to := types.DateTime64(6, "", nil)
		convert, err := cast.Bind(args[0].Type, to, &cast.Options{Zone: env.Zone})
		if err != nil {
			return nil, err
		}
		var clock cast.Func
		if len(args) == 2 {
			if clock, err = cast.Bind(args[1].Type, types.Time64(6), nil); err != nil {
				return nil, err
			}
		}
		return &expr.Function{Result: to, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
			c, err := convert(args[0])
			if err != nil || clock == nil {
				return c, err
			}
			t, err := clock(args[1])
			if err != nil {
				return nil, err
			}
			a, b := ticksOf(column.Full(c)), ticksOf(column.Full(t))
			out := make([]int64, rows)
			for i := range out {
				out[i] = a[i] + b[i]
			}
			return column.NewFixed(out), nil
		}}, nil
	},
})

// numbered functions turn days into a date of another count.
var _ = addNumbered()

func addNumbered() struct{} {
	for _, f := range []struct {
		name, summary string
		aliases       []string
		result        *types.Type
		shift         int64
	}{
		{"fromDaysSinceYearZero", "The date of a number of days since 0000-01-01.", []string{"FROM_DAYS"}, types.Date, -719528},
		{"fromDaysSinceYearZero32", "The date of a number of days since 0000-01-01.", nil, types.Date32, -719528},
	} {
		add(functions.Scalar{
			Name: f.name, AnyCase: f.aliases, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: f.name + "(n)", Summary: f.summary, Examples: []string{"SELECT " + f.name + "(737790)"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				if !args[0].Type.IsInteger() {
					return nil, illegal(f.name, args[0])
				}
				signed := args[0].Type.IsSigned()
				return &expr.Function{Result: f.result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
					out := make([]int64, rows)
					for i, v := range cast.Native[int64](column.Full(args[0])) {
						if v < 0 && signed {
							return nil, cherr.New(cherr.ArgumentOutOfBound, "Expected a non-negative integer, got: %d", v)
						}
						out[i] = v + f.shift
					}
					return integers(out, f.result), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}
