package dates

import (
	"context"

	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/functions/scalar/kernel"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = add(functions.Scalar{
	Name: "timeDiff", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "timeDiff(from, to)", Summary: "The number of seconds between two times.", Examples: []string{"SELECT timeDiff(toDateTime('1927-01-01 00:00:00'), toDateTime('1927-01-02 00:00:00'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		for i, a := range args {
			if !a.Type.IsDateOrTime() {
				return nil, kernel.WrongType("timeDiff", i, a.Type)
			}
		}
		unit := functions.Arg{Type: types.String, Const: column.NewStr("second")}
		f, err := bindDiff(env, "timeDiff", false, append([]functions.Arg{unit}, args...))
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: types.Int64, Kernel: func(ctx context.Context, args []column.Column, rows int) (column.Column, error) {
			return f.Kernel(ctx, []column.Column{nil, args[0], args[1]}, rows)
		}}, nil
	},
})

var _ = add(functions.Scalar{
	Name: "toTimeWithFixedDate", MinArgs: 1, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "toTimeWithFixedDate(t[, zone])", Summary: "The time of day, on 1970-01-02.", Examples: []string{"SELECT toTimeWithFixedDate(toDateTime('2020-03-04 05:06:07'))"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		t := args[0].Type
		if !isTime(t) {
			return nil, kernel.WrongType("toTimeWithFixedDate", 0, t)
		}
		result, err := dateTimeType(t, args[1:])
		if err != nil {
			return nil, err
		}
		loc, err := locationOf(env, t, args[1:])
		if err != nil {
			return nil, err
		}
		return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
			z := civil.NewZone(loc)
			return dateTimes(mapUnix(args[0], t, loc, func(unix int64) int64 {
				return z.Unix(civil.Day + civil.FloorMod(z.Local(unix), civil.Day))
			})), nil
		}}, nil
	},
})
