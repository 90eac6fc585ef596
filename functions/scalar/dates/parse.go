package dates

import (
	"context"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var _ = addParsers()

func addParsers() struct{} {
	for _, head := range []string{"parseDateTime", "parseDateTimeInJodaSyntax", "parseDateTime64", "parseDateTime64InJodaSyntax"} {
		for _, tail := range []string{"", "OrNull", "OrZero"} {
			s := functions.Scalar{
				Name: head + tail, MinArgs: 1, MaxArgs: 3,
				Doc: functions.Doc{Syntax: head + tail + "(text[, format[, zone]])", Summary: "The time that a text means by a format; the opposite of formatDateTime.", Examples: []string{"SELECT " + head + tail + "('2020-01-02', '" + exampleFormat(head) + "')"}},
				Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
					return bindParse(env, head, tail, args)
				},
			}
			if head+tail == "parseDateTimeOrNull" {
				s.AnyCase = []string{"STR_TO_DATE"}
			}
			add(s)
		}
	}
	return struct{}{}
}

func exampleFormat(head string) string {
	if strings.HasSuffix(head, "Syntax") {
		return "yyyy-MM-dd"
	}
	return "%Y-%m-%d"
}

// parseFormat compiles the constant format, or the one that stands for none.
func parseFormat(env *functions.Env, head string, args []functions.Arg) (steps []parseStep, scale int, err error) {
	joda, wide := strings.HasSuffix(head, "Syntax"), strings.Contains(head, "64")
	format := "%Y-%m-%d %H:%i:%s"
	switch {
	case joda:
		format = "yyyy-MM-dd HH:mm:ss"
	case wide:
		format, scale = "%Y-%m-%d %H:%i:%s.%f", 6
	}
	if len(args) > 1 {
		if !args[1].Type.IsString() {
			return nil, 0, illegal(head, args[1])
		}
		var ok bool
		if format, ok = args[1].ConstString(); !ok {
			return nil, 0, cherr.New(cherr.IllegalColumn, "A value of illegal type was provided as 2nd argument 'format' to function '%s'. Expected: const String", head)
		}
	}
	if !joda {
		steps, err = mysqlParser(format, parseRules{
			monthName: env.Settings.Bool("formatdatetime_parsedatetime_m_is_month_name"),
			bare:      env.Settings.Bool("parsedatetime_parse_without_leading_zeros"),
		})
		return steps, scale, err
	}
	steps, scale, err = jodaParser(format)
	if !wide {
		scale = 0
	}
	if scale > 6 {
		return nil, 0, cannotParse("Precision %d of the fraction is beyond 6 digits", scale)
	}
	return steps, scale, err
}

func bindParse(env *functions.Env, head, tail string, args []functions.Arg) (*expr.Function, error) {
	if !args[0].Type.IsString() {
		return nil, illegal(head+tail, args[0])
	}
	steps, scale, err := parseFormat(env, head, args)
	if err != nil {
		return nil, err
	}
	loc, err := locationOf(env, types.DateTime, args[min(len(args), 2):])
	if err != nil {
		return nil, err
	}
	// The zone stands in the type even when it is the session's.
	inner, first, last := types.DateTimeIn(loc.String(), loc), 1970, 2106
	if strings.Contains(head, "64") {
		inner, first, last = types.DateTime64(scale, loc.String(), loc), 1900, 2299
	}
	result := inner
	if tail == "OrNull" {
		result = types.Nullable(inner)
	}
	return &expr.Function{Result: result, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		s := column.Full(args[0]).(*column.Str)
		z := civil.NewZone(loc)
		out, nulls := make([]int64, rows), make([]uint8, rows)
		p := parsed{firstYear: first, lastYear: last, scale: scale}
		for i := range rows {
			p.reset(s.At(i), z)
			v, err := p.run(steps)
			if err == nil && last == 2106 && v < 0 {
				err = cherr.New(cherr.ValueIsOutOfRangeOfDataType, "Seconds since epoch is negative")
			}
			switch {
			case err == nil:
				out[i] = v
			case tail == "":
				return nil, err
			default:
				nulls[i] = 1
			}
		}
		if tail == "OrNull" {
			return column.NewNullable(integers(out, inner), nulls), nil
		}
		return integers(out, inner), nil
	}}, nil
}

// run reads the whole text.
func (p *parsed) run(steps []parseStep) (int64, error) {
	for _, step := range steps {
		if err := step(p); err != nil {
			return 0, err
		}
	}
	return p.ticks()
}
