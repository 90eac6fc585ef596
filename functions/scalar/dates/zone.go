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

var _ = add(functions.Scalar{
	Name: "toTimeZone", Aliases: []string{"toTimezone"}, MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "toTimeZone(t, zone)", Summary: "The same time, shown in another zone.", Examples: []string{"SELECT toTimeZone(toDateTime('2020-01-01 00:00:00', 'UTC'), 'Asia/Tokyo')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !isTime(t) {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function toTimezone. Should be DateTime or DateTime64", t)
		}
		name, ok := args[1].ConstString()
		if !ok {
			return nil, cherr.New(cherr.IllegalColumn, "Illegal type of time zone argument: a constant string is expected, got %s", args[1].Type)
		}
		result, err := dateTimeType(t, args[1:])
		if t.Kind() == types.KindDateTime64 {
			result, err = dateTime64Type(t.Scale(), name)
		}
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			return args[0], nil
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "timezoneOf", Aliases: []string{"timeZoneOf"}, MinArgs: 1, MaxArgs: 1, KeepNulls: true,
	Doc: functions.Doc{Syntax: "timezoneOf(t)", Summary: "The zone of the type of t.", Examples: []string{"SELECT timezoneOf(toDateTime('2020-01-01 00:00:00', 'UTC'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := types.Unwrap(args[0].Type)
		if !isTime(t) {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Bad argument for function timezoneOf, should be DateTime or DateTime64")
		}
		name := t.Zone()
		if name == "" {
			name = env.Zone.String()
		}
		return constant(types.String, name), nil
	},
})

var _ = add(functions.Scalar{
	Name: "timezoneOffset", Aliases: []string{"timeZoneOffset"}, MinArgs: 1, MaxArgs: 1,
	Doc: functions.Doc{Syntax: "timezoneOffset(t)", Summary: "The seconds by which the clock of the zone of t is ahead of UTC.", Examples: []string{"SELECT timezoneOffset(toDateTime('2020-01-01 00:00:00', 'Asia/Tokyo'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !isTime(t) {
			return nil, illegal("timezoneOffset", args[0])
		}
		loc, err := locationOf(env, t, nil)
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.Int32, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			z := civil.NewZone(loc)
			return integers(mapUnix(args[0], t, loc, z.Offset), types.Int32), nil
		}}, nil
	},
})

// shifts read the wall's clock of one zone as UTC's, and the reverse.
var _ = addShifts()

func addShifts() struct{} {
	for _, f := range []struct {
		name, alias string
		toUTC       bool
	}{{"toUTCTimestamp", "to_utc_timestamp", true}, {"fromUTCTimestamp", "from_utc_timestamp", false}} {
		add(functions.Scalar{
			Name: f.name, Aliases: []string{f.alias}, CaseInsensitive: true, MinArgs: 2, MaxArgs: 2,
			Doc: functions.Doc{Syntax: f.name + "(t, zone)", Summary: "The time moved between the clocks of a zone and UTC.", Examples: []string{"SELECT " + f.name + "(toDateTime('2020-01-01 00:00:00'), 'Asia/Tokyo')"}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if !isTime(t) {
					return nil, illegal(f.name, args[0])
				}
				loc, err := locationOf(env, t, args[1:])
				if err != nil {
					return nil, err
				}
				result := types.DateTime
				if t.Kind() == types.KindDateTime64 {
					result = types.DateTime64(t.Scale(), "", nil)
				}
				return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					z := civil.NewZone(loc)
					return integers(eachUnix(args[0], t, func(unix, ticks int64) int64 {
						if f.toUTC {
							unix = z.Unix(unix)
						} else {
							unix = z.Local(unix)
						}
						return scaleTo(unix, 0, t.Scale()) + ticks
					}), result), nil
				}}, nil
			},
		})
	}
	return struct{}{}
}
