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

// snowflakeBits are those behind a snowflake's milliseconds: a machine and a
// counter.
const snowflakeBits = 22

var _ = addSnowflakes()

func addSnowflakes() struct{} {
	for _, f := range []struct {
		to, from string
		precise  bool
	}{{"dateTimeToSnowflakeID", "snowflakeIDToDateTime", false}, {"dateTime64ToSnowflakeID", "snowflakeIDToDateTime64", true}} {
		kind, cast := types.KindDateTime, "toDateTime"
		if f.precise {
			kind, cast = types.KindDateTime64, "toDateTime64"
		}
		example := map[bool]string{false: "('2021-08-15 18:57:56')", true: "('2021-08-15 18:57:56.492', 3)"}[f.precise]
		add(functions.Scalar{
			Name: f.to, MinArgs: 1, MaxArgs: 2,
			Doc: functions.Doc{Syntax: f.to + "(t[, epoch])", Summary: "The first snowflake ID of a time; epoch is in milliseconds.", Examples: []string{"SELECT " + f.to + "(" + cast + example + ")"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				t := args[0].Type
				if t.Kind() != kind {
					return nil, kernel.WrongType(f.to, 0, t)
				}
				epoch, err := epochArg(f.to, args)
				if err != nil {
					return nil, err
				}
				return &expr.Function{Result: types.UInt64, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
					return column.NewFixed(eachUnix(args[0], t, func(unix, ticks int64) uint64 {
						return uint64(unix*1000+scaleTo(ticks, t.Scale(), 3)-epoch) << snowflakeBits
					})), nil
				}}, nil
			},
		})
		add(functions.Scalar{
			Name: f.from, MinArgs: 1, MaxArgs: 3,
			Doc: functions.Doc{Syntax: f.from + "(id[, epoch[, zone]])", Summary: "The time of a snowflake ID; epoch is in milliseconds.", Examples: []string{"SELECT " + f.from + "(toUInt64(6832747190385901568))"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindFromSnowflake(f.from, f.precise, args)
			},
		})
	}
	return struct{}{}
}

// epochArg is the optional second argument.
func epochArg(name string, args []functions.Arg) (int64, error) {
	if len(args) < 2 {
		return 0, nil
	}
	if t := args[1].Type; !t.IsInteger() || t.IsSigned() || t.Bytes() > 8 {
		return 0, kernel.WrongType(name, 1, t)
	}
	if args[1].Const == nil {
		return 0, kernel.NotConst(name, 1)
	}
	return kernel.Integers(args[1].Const).At(0), nil
}

func bindFromSnowflake(name string, precise bool, args []functions.Arg) (*expr.Function, error) {
	if args[0].Type.Kind() != types.KindUInt64 {
		return nil, kernel.WrongType(name, 0, args[0].Type)
	}
	epoch, err := epochArg(name, args)
	if err != nil {
		return nil, err
	}
	zone := args[min(len(args), 2):]
	if len(zone) > 0 && !zone[0].Type.IsString() {
		return nil, kernel.WrongType(name, 2, zone[0].Type)
	}
	if len(zone) > 0 && zone[0].Const == nil {
		return nil, kernel.NotConst(name, 2)
	}
	result, err := dateTimeType(types.DateTime, zone)
	if precise {
		result, err = dateTime64Type(3, zoneName(types.DateTime, zone))
	}
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		out := make([]int64, rows)
		for i, v := range column.Values[uint64](column.Full(args[0])) {
			out[i] = int64(v>>snowflakeBits) + epoch
			if !precise {
				out[i] = civil.FloorDiv(out[i], 1000)
			}
		}
		return integers(out, result), nil
	}}, nil
}
