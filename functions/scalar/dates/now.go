package dates

import (
	"context"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// constant is a function of the query alone.
func constant(t *types.Type, v column.Value) *expr.Function {
	one := column.FromValue(t, v, 1).Value
	return &expr.Function{Result: t, KeepForms: true, Kernel: func(_ context.Context, _ []column.Column, rows int) (column.Column, error) {
		return column.NewConst(one, rows), nil
	}}
}

var (
	_ = add(functions.Scalar{
		Name: "now", Aliases: []string{"current_timestamp", "localtimestamp"}, CaseInsensitive: true, MaxArgs: 1,
		Doc: functions.Doc{Syntax: "now([zone])", Summary: "The time at which the query began.", Examples: []string{"SELECT now() > toDateTime('2020-01-01 00:00:00')"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			t, err := dateTimeType(types.DateTime, args)
			if err != nil {
				return nil, err
			}
			return constant(t, uint32(env.Now.Unix())), nil
		},
	})
	_ = add(functions.Scalar{
		Name: "UTCTimestamp", Aliases: []string{"UTC_timestamp"}, CaseInsensitive: true,
		Doc: functions.Doc{Syntax: "UTCTimestamp()", Summary: "The time at which the query began, in UTC.", Examples: []string{"SELECT UTCTimestamp() > toDateTime('2020-01-01 00:00:00')"}},
		Bind: func(env *functions.Env, _ []functions.Arg) (*expr.Function, error) {
			return constant(types.DateTimeIn("UTC", time.UTC), uint32(env.Now.Unix())), nil
		},
	})
	_ = add(functions.Scalar{
		Name: "now64", MaxArgs: 2,
		Doc: functions.Doc{Syntax: "now64([scale[, zone]])", Summary: "The time at which the query began, with digits of its second.", Examples: []string{"SELECT now64(3) > toDateTime('2020-01-01 00:00:00')"}},
		Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
			scale := int64(3)
			if len(args) > 0 {
				var ok bool
				if scale, ok = args[0].ConstInt(); !ok || scale < 0 || scale > 9 {
					return nil, cherr.New(cherr.ArgumentOutOfBound, "Scale of function now64 must be a constant from 0 to 9")
				}
				args = args[1:]
			}
			t, err := dateTime64Type(int(scale), zoneName(types.DateTime, args))
			if err != nil {
				return nil, err
			}
			return constant(t, env.Now.Unix()*text.Pow10(int(scale))+int64(env.Now.Nanosecond())/text.Pow10(9-int(scale))), nil
		},
	})
	_ = add(today("today", []string{"current_date", "curdate"}, 0))
	_ = add(today("yesterday", nil, -1))
)

func today(name string, aliases []string, shift int) functions.Scalar {
	return functions.Scalar{
		Name: name, Aliases: aliases, CaseInsensitive: len(aliases) > 0,
		Doc: functions.Doc{Syntax: name + "()", Summary: "The date in the session's zone when the query began, or the one before.", Examples: []string{"SELECT " + name + "() > toDate('2020-01-01')"}},
		Bind: func(env *functions.Env, _ []functions.Arg) (*expr.Function, error) {
			return constant(types.Date, clampDate(civil.NewZone(env.Zone).LocalDays(env.Now.Unix())+shift)), nil
		},
	}
}
