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
			v, _ := args[7].ConstInt()
			scale, zone = int(v), args[8:]
			if v < 0 || v > 9 {
				return nil, cherr.New(cherr.ArgumentOutOfBound, "Precision %d of function makeDateTime64 must be from 0 to 9", v)
			}
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
			switch {
			case possible(p, result):
				out[i] = makeTicks(p, result, scale, z)
			case result.Kind() == types.KindDateTime64: // the first that there is
				out[i] = int64(civil.Days(1900, 1, 1)) * civil.Day * text.Pow10(scale)
			}
		}
		return integers(out, result), nil
	}}, nil
}

// makeTicks puts parts together; impossible ones give the zero date.
func makeTicks(p []float64, t *types.Type, scale int, z *civil.Zone) int64 {
	for _, x := range p {
		if !(x >= -1e9 && x <= 1e9) {
			return 0
		}
	}
	if len(p) == 2 {
		return inRange(int64(civil.Days(int(p[0]), 1, 1))+int64(p[1])-1, p[0], t)
	}
	if p[1] < 1 || p[1] > 12 || p[2] < 1 || p[2] > 31 {
		return 0
	}
	days := int64(civil.Days(int(p[0]), int(p[1]), int(p[2])))
	if isDay(t) {
		return inRange(days, p[0], t)
	}
	unix := z.Unix(days*civil.Day + int64(p[3])*3600 + int64(p[4])*60 + int64(p[5]))
	if t.Kind() == types.KindDateTime {
		return min(max(unix, 0), math.MaxUint32)
	}
	fraction := int64(0)
	if len(p) > 6 {
		fraction = min(max(int64(p[6]), 0), text.Pow10(scale)-1)
	}
	return unix*text.Pow10(scale) + fraction
}

// possible tells whether each part can stand in a time; days beyond the end of
// their month run on into the next.
func possible(p []float64, t *types.Type) bool {
	first, last := 1970.0, 2149.0
	switch t.Kind() {
	case types.KindDate32:
		first, last = 0, 9999
	case types.KindDateTime64:
		first, last = 1900, 2299
	case types.KindDateTime:
		last = 2106
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
	scale, zone := 0, args[1:]
	var err error
	if result == nil {
		scale = 3
		if len(zone) > 0 {
			v, _ := zone[0].ConstInt()
			scale, zone = int(v), zone[1:]
		}
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
			n := int64(v)
			p := []float64{0, 0, 0}
			if isDay(result) {
				p[0], p[1], p[2] = float64(n/10000), float64(n/100%100), float64(n%100)
			} else {
				d := n / 1000000
				p[0], p[1], p[2] = float64(d/10000), float64(d/100%100), float64(d%100)
				p = append(p, float64(n/10000%100), float64(n/100%100), float64(n%100), math.Trunc((v-float64(n))*float64(text.Pow10(scale))))
			}
			switch {
			case possible(p, result):
				out[i] = makeTicks(p, result, scale, z)
			case result.Kind() == types.KindDateTime64: // the first that there is
				out[i] = int64(civil.Days(1900, 1, 1)) * civil.Day * text.Pow10(scale)
			}
		}
		return integers(out, result), nil
	}}, nil
}
