package convert

import (
	"context"
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = addBestEffort()

func addBestEffort() struct{} {
	for _, head := range []string{"parseDateTimeBestEffort", "parseDateTime64BestEffort", "parseDateTimeBestEffortUS", "parseDateTime64BestEffortUS", "parseDateTime32BestEffort"} {
		for _, tail := range []string{"", "OrNull", "OrZero"} {
			name := head + tail
			s := functions.Scalar{
				Name: name, MinArgs: 1, MaxArgs: 2,
				Doc: functions.Doc{Syntax: name + "(text[, zone])", Summary: "The time that a text means, in the many ways that people write it.", Examples: []string{"SELECT " + name + "('2 Jan 2020 10:20')"}},
				Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
					return bindBestEffort(env, name, tail, args)
				},
			}
			if strings.Contains(head, "64") {
				s.MaxArgs = 3
			}
			if name == "parseDateTimeBestEffort" {
				s.Aliases = []string{"TO_TIMESTAMP"}
				s.CaseInsensitive = false
			}
			add(s)
		}
	}
	return struct{}{}
}

func bindBestEffort(env *functions.Env, name, tail string, args []functions.Arg) (*expr.Function, error) {
	if !args[0].Type.IsString() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of first argument of function %s. Must be String", args[0].Type, name)
	}
	t := target{suffix: "DateTime", t: types.DateTime, zone: true}
	if strings.Contains(name, "64") {
		t = target{suffix: "DateTime64", t: types.DateTime64(3, "", nil), scale: true, zone: true}
	}
	result, err := t.resolve(env, name, args)
	if err != nil {
		return nil, err
	}
	loc := result.Location()
	if loc == nil {
		loc = env.Zone
	}
	year := env.Now.In(loc).Year()
	out := result
	if tail == "OrNull" {
		out = types.Nullable(result)
	}
	return &expr.Function{Result: out, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		p := text.BestEffort{Zone: civil.NewZone(loc), US: strings.Contains(name, "US"), Year: year}
		s := column.Full(args[0]).(*column.Str)
		ticks := make([]int64, rows)
		var null []uint8
		for i := range rows {
			m, err := p.Parse(s.At(i))
			if err == nil {
				var ok bool
				if ticks[i], ok = m.Ticks(result.Scale()); !ok {
					err = cherr.New(cherr.CannotParseDatetime, "Cannot read DateTime: out of range")
				}
			}
			switch {
			case err != nil && tail == "":
				return nil, err
			case err != nil:
				if null == nil {
					null = make([]uint8, rows)
				}
				null[i] = 1
			}
		}
		values := timesOf(ticks, result)
		if tail == "OrNull" {
			return column.NewNullable(values, null), nil
		}
		return values, nil
	}}, nil
}

func timesOf(ticks []int64, t *types.Type) column.Column {
	if t.Kind() == types.KindDateTime64 {
		return column.NewFixed(ticks)
	}
	out := make([]uint32, len(ticks))
	for i, x := range ticks {
		out[i] = uint32(min(max(x, 0), math.MaxUint32))
	}
	return column.NewFixed(out)
}
