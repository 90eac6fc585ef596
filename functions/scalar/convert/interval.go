package convert

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
)

var _ = addIntervals()

func addIntervals() struct{} {
	for _, u := range types.Units() {
		name := "toInterval" + u.String()
		add(functions.Scalar{
			Name: name, MinArgs: 1, MaxArgs: 1,
			Doc: functions.Doc{Syntax: name + "(n)", Summary: "An interval of n " + strings.ToLower(u.String()) + "s; also INTERVAL n " + strings.ToUpper(u.String()) + ".", Examples: []string{"SELECT " + name + "(5)"}},
			Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindInterval(args[0].Type, u)
			},
		})
	}
	return struct{}{}
}

func bindInterval(from *types.Type, u types.IntervalUnit) (*expr.Function, error) {
	to := types.Interval(u)
	if from.Kind() == types.KindInterval {
		from = types.Int64
	}
	convert := func(c column.Column) (column.Column, error) { return c, nil }
	if !from.Equal(types.Int64) {
		f, err := cast.Bind(from, types.Int64, nil)
		if err != nil {
			return nil, err
		}
		convert = f
	}
	return &expr.Function{Result: to, Monotonic: 1, Kernel: func(_ context.Context, args []column.Column, _ int) (column.Column, error) {
		return convert(args[0])
	}}, nil
}

var _ = add(functions.Scalar{
	Name: "toInterval", MinArgs: 2, MaxArgs: 2,
	Doc: functions.Doc{Syntax: "toInterval(n, unit)", Summary: "An interval of n units, named by a constant string.", Examples: []string{"SELECT toInterval(5, 'day')"}},
	Bind: func(_ *functions.Env, args []functions.Arg) (*expr.Function, error) {
		name, _ := args[1].ConstString()
		for _, u := range types.Units() {
			if strings.EqualFold(name, u.String()) {
				return bindInterval(args[0].Type, u)
			}
		}
		return nil, cherr.New(cherr.BadArguments, "%s doesn't look like an interval unit in toInterval", name)
	},
})
