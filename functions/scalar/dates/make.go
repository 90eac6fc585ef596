package dates

import (
	"context"
	"math"

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

var _ = addMakers()

func addMakers() struct{} {
	for _, m := range []struct {
		name        string
		least, most int
	}{{"makeDate", 2, 3}, {"makeDate32", 2, 3}, {"makeDateTime", 6, 7}, {"makeDateTime64", 6, 9}} {
		add(functions.Scalar{
			Name: m.name, MinArgs: m.least, MaxArgs: m.most,
			Doc: functions.Doc{Syntax: m.name + "(year, month, day, …)", Summary: "The date or time of its parts.", Examples: []string{"SELECT " + m.name + map[bool]string{true: "(2020, 3, 4)", false: "(2020, 3, 4, 5, 6, 7)"}[m.least == 2]}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindMake(env, m.name, args)
			},
		})
	}
	return struct{}{}
}

// bindMake finds how many arguments are numbers; scale and zone stand behind.
func bindMake(env *functions.Env, name string, args []functions.Arg) (*expr.Function, error) {
	numbers, scale := len(args), 0
	var zone []functions.Arg
	result := types.Date
	var err error
	switch name {
	case "makeDate32":
		result = types.Date32
	case "makeDateTime":
		numbers, zone = 6, args[6:]
		result, err = dateTimeType(types.DateTime, zone)
	case "makeDateTime64":
		scale, numbers = 3, min(len(args), 7)
		if len(args) > 7 {
			if scale, err = precisionArg("makeDateTime64", args, 7); err != nil {
				return nil, err
			}
			zone = args[8:]
		}
		result, err = dateTime64Type(scale, zoneName(types.DateTime, zone))
	}
	if err != nil {
		return nil, err
	}
	for _, a := range args[:numbers] {
		if !a.Type.IsNumber() {
			return nil, illegal(name, a)
		}
	}
	loc, err := locationOf(env, types.DateTime, zone)
	if err != nil {
		return nil, err
	}
	kinds := make([]*types.Type, numbers)
	for i := range kinds {
		kinds[i] = args[i].Type
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		z := civil.NewZone(loc)
		v := make([][]float64, numbers)
		for i := range v {
			v[i] = cast.Floats(column.Full(args[i]), kinds[i])
		}
		out := make([]int64, rows)
		p := make([]float64, numbers)
		for i := range out {
			for j := range p {
				p[j] = math.Trunc(v[j][i])
			}
			if out[i], err = makeTicks(p, result, z); err != nil {
				return nil, err
			}
		}
		return integers(out, result), nil
	}}, nil
}

// makeTicks puts parts together. Impossible ones give the first date that
// there is, years behind the last one its last second.
func makeTicks(p []float64, t *types.Type, z *civil.Zone) (int64, error) {
	switch {
	case len(p) == 2 && possible(p, t):
		return inRange(int64(civil.Days(int(p[0]), 1, 1))+int64(p[1])-1, p[0], t), nil
	case isDay(t) && possible(p, t):
		return inRange(int64(civil.Days(int(p[0]), int(p[1]), int(p[2]))), p[0], t), nil
	case isDay(t):
		return 0, nil
	}
	unix, fraction := unixOf(p, z)
	if t.Kind() == types.KindDateTime {
		return min(max(unix, 0), math.MaxUint32), nil
	}
	per := text.Pow10(t.Scale())
	if len(p) > 6 {
		switch {
		case p[6] != p[6]:
			unix = int64(civil.Days(1900, 1, 1)) * civil.Day
		case possible(p, t):
			fraction = min(max(int64(p[6]), 0), per-1)
		}
	}
	if p[0] > 2299 && fraction > 0 {
		fraction = per - 1
	}
	return withFraction(unix, fraction, t)
}

// withFraction gives ticks of a DateTime64.
func withFraction(unix, fraction int64, t *types.Type) (int64, error) {
	per := text.Pow10(t.Scale())
	if unix > (math.MaxInt64-fraction)/per || unix < math.MinInt64/per {
		return 0, cherr.New(cherr.DecimalOverflow, "Decimal math overflow")
	}
	return unix*per + fraction, nil
}

// unixOf puts six parts together; the fraction of a year beyond the last one is
// its last.
func unixOf(p []float64, z *civil.Zone) (unix, fraction int64) {
	switch {
	case possible(p, types.DateTime):
		return z.Unix(int64(civil.Days(int(p[0]), int(p[1]), int(p[2])))*civil.Day + int64(p[3])*3600 + int64(p[4])*60 + int64(p[5])), 0
	case p[0] > 2299 && possible(append([]float64{2299}, p[1:]...), types.DateTime):
		return z.Unix(int64(civil.Days(2299, 12, 31))*civil.Day + civil.Day - 1), 1
	}
	return z.Unix(int64(civil.Days(1900, 1, 1)) * civil.Day), 0
}

// possible tells whether each part can stand in a time; days beyond the end of
// their month run on into the next.
func possible(p []float64, t *types.Type) bool {
	first, last := 1970.0, 2149.0
	switch t.Kind() {
	case types.KindDate32:
		first, last = 0, 9999
	case types.KindDateTime64, types.KindDateTime:
		first, last = 1900, 2299
	}
	if !(p[0] >= first && p[0] <= last) {
		return false
	}
	if len(p) == 2 {
		return p[1] >= 1 && p[1] <= 365+float64(boolInt(civil.Leap(int(p[0]))))
	}
	most := []float64{0, 12, 31, 99, 99, 99} // two digits: 25 hours run on into the next day
	for i := 1; i < len(p) && i < 6; i++ {
		least := 0.0
		if i < 3 {
			least = 1
		}
		if !(p[i] >= least && p[i] <= most[i]) {
			return false
		}
	}
	return true
}

func inRange(days int64, year float64, t *types.Type) int64 {
	if t.Kind() == types.KindDate && (year < 1970 || days > math.MaxUint16 || days < 0) {
		return 0
	}
	return days
}

var _ = addPacked()

// addPacked adds the readers of dates written as one number.
func addPacked() struct{} {
	for _, f := range []struct {
		name string
		time bool
		t    *types.Type
	}{{"YYYYMMDDToDate", false, types.Date}, {"YYYYMMDDToDate32", false, types.Date32}, {"YYYYMMDDhhmmssToDateTime", true, types.DateTime}, {"YYYYMMDDhhmmssToDateTime64", true, nil}} {
		most := 1
		if f.time {
			most = 2
		}
		if f.t == nil {
			most = 3
		}
		add(functions.Scalar{
			Name: f.name, MinArgs: 1, MaxArgs: most,
			Doc: functions.Doc{Syntax: f.name + "(n)", Summary: "The date or time written as one number.", Examples: []string{"SELECT " + f.name + map[bool]string{true: "(20200304050607)", false: "(20200304)"}[f.time]}},
			Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
				return bindPacked(env, f.name, f.t, args)
			},
		})
	}
	return struct{}{}
}

func bindPacked(env *functions.Env, name string, result *types.Type, args []functions.Arg) (*expr.Function, error) {
	in := args[0].Type
	if !in.IsNumber() {
		return nil, illegal(name, args[0])
	}
	var err error
	scale, zone := 0, args[1:]
	if result == nil {
		scale = 3
		if len(zone) > 0 {
			if scale, err = precisionArg(name, args, 1); err != nil {
				return nil, err
			}
			zone = zone[1:]
		}
	}
	if len(zone) > 0 && !zone[0].Type.IsString() {
		return nil, kernel.WrongType(name, len(args)-1, zone[0].Type)
	}
	if result == nil {
		result, err = dateTime64Type(scale, zoneName(types.DateTime, zone))
	} else if result.Kind() == types.KindDateTime {
		result, err = dateTimeType(result, zone)
	}
	if err != nil {
		return nil, err
	}
	loc, err := locationOf(env, types.DateTime, zone)
	if err != nil {
		return nil, err
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		z := civil.NewZone(loc)
		out := make([]int64, rows)
		for i, v := range cast.Floats(column.Full(args[0]), in) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, cherr.New(cherr.BadArguments, "Argument for function %s must be finite", name)
			}
			if out[i], err = unpackTicks(v, result, z); err != nil {
				return nil, err
			}
		}
		return integers(out, result), nil
	}}, nil
}

// unpackTicks reads a date or time written as one number.
func unpackTicks(v float64, t *types.Type, z *civil.Zone) (int64, error) {
	n := int64(min(max(v, -1e18), 1e18))
	if isDay(t) {
		return makeTicks([]float64{float64(n / 10000), float64(n / 100 % 100), float64(n % 100)}, t, z)
	}
	d := n / 1000000
	p := []float64{float64(d / 10000), float64(d / 100 % 100), float64(d % 100), float64(n / 10000 % 100), float64(n / 100 % 100), float64(n % 100)}
	unix, _ := unixOf(p, z)
	if t.Kind() == types.KindDateTime {
		return min(max(unix, 0), math.MaxUint32), nil
	}
	per := text.Pow10(t.Scale())
	return withFraction(unix, int64(math.Round((v-float64(n))*float64(per))), t)
}

// precisionArg reads the number of fraction digits of a result.
func precisionArg(name string, args []functions.Arg, i int) (int, error) {
	a := args[i]
	if !a.Type.IsNumber() {
		return 0, kernel.WrongType(name, i, a.Type)
	}
	if a.Const == nil {
		return 0, kernel.NotConst(name, i)
	}
	v := kernel.Floats(a.Const, a.Type).At(0)
	if !(v >= 0 && v < 10) {
		return 0, cherr.New(cherr.ArgumentOutOfBound, "Argument 'precision' for function %s must be in range [0, 9]", name)
	}
	return int(v), nil
}
