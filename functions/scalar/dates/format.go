package dates

import (
	"context"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/expr"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

var dayNames = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// face is what a format shows of one time.
type face struct {
	days, second int
	nanos        int64
	offset       int64
	year         int
	month, day   int
}

func (f *face) hour() int { return f.second / 3600 }

func (f *face) hour12() int {
	if h := f.hour() % 12; h != 0 {
		return h
	}
	return 12
}

// step appends one piece of a format.
type step func(dst []byte, f *face) []byte

var _ = add(functions.Scalar{
	Name: "formatDateTime", Aliases: []string{"DATE_FORMAT"}, MinArgs: 2, MaxArgs: 3,
	Doc: functions.Doc{Syntax: "formatDateTime(t, format[, zone])", Summary: "The text of a time by a format in MySQL's way.", Examples: []string{"SELECT formatDateTime(toDateTime('2020-03-04 05:06:07'), '%Y-%m-%d')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindFormat(env, "formatDateTime", args, false)
	},
})

var _ = add(functions.Scalar{
	Name: "formatDateTimeInJodaSyntax", MinArgs: 2, MaxArgs: 3,
	Doc: functions.Doc{Syntax: "formatDateTimeInJodaSyntax(t, format[, zone])", Summary: "The text of a time by a format in Joda's way.", Examples: []string{"SELECT formatDateTimeInJodaSyntax(toDateTime('2020-03-04 05:06:07'), 'yyyy-MM-dd')"}},
	Bind: func(env *functions.Env, args []functions.Arg) (*expr.Function, error) {
		return bindFormat(env, "formatDateTimeInJodaSyntax", args, true)
	},
})

// bindFormat needs a constant format, or compiles it for each row.
func bindFormat(env *functions.Env, name string, args []functions.Arg, joda bool) (*expr.Function, error) {
	t := args[0].Type
	if err := needTime(name, args[0]); err != nil {
		return nil, err
	}
	if !args[1].Type.IsString() {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of 2nd argument of function %s. Must be String", args[1].Type, name)
	}
	loc, err := locationOf(env, t, args[2:])
	if err != nil {
		return nil, err
	}
	compile := mysqlFormat
	if joda {
		compile = jodaFormat
	}
	return &expr.Function{Result: types.String, Kernel: func(_ context.Context, args []column.Column, rows int) (column.Column, error) {
		formats := column.Full(args[1]).(*column.Str)
		known := map[string][]step{}
		z := civil.NewZone(loc)
		v := ticksOf(column.Full(args[0]))
		out := &column.Str{}
		for i := range rows {
			steps, ok := known[formats.StringAt(i)]
			if !ok {
				var err error
				if steps, err = compile(string(formats.At(i)), z); err != nil {
					return nil, err
				}
				known[string(formats.At(i))] = steps
			}
			f := faceOf(v[i], t, z)
			from := len(out.Data)
			for _, s := range steps {
				out.Data = s(out.Data, &f)
			}
			out.Seal(from)
		}
		return out, nil
	}}, nil
}

func faceOf(x int64, t *types.Type, z *civil.Zone) face {
	var f face
	if isDay(t) {
		f.days = int(x)
	} else {
		per := text.Pow10(t.Scale())
		unix := civil.FloorDiv(x, per)
		f.nanos = (x - unix*per) * text.Pow10(9-t.Scale())
		f.offset = z.Offset(unix)
		local := unix + f.offset
		f.days = int(civil.FloorDiv(local, civil.Day))
		f.second = int(civil.FloorMod(local, civil.Day))
	}
	f.year, f.month, f.day = civil.FromDays(f.days)
	return f
}

// padded appends a number with zeros in front.
func padded(dst []byte, v, width int) []byte {
	for p := 10; width > 1; width-- {
		q := p
		for range width - 2 {
			q *= 10
		}
		if v >= q {
			break
		}
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

func number(width int, of func(f *face) int) step {
	return func(dst []byte, f *face) []byte { return padded(dst, of(f), width) }
}

func word(of func(f *face) string) step {
	return func(dst []byte, f *face) []byte { return append(dst, of(f)...) }
}

func literal(s string) step { return func(dst []byte, _ *face) []byte { return append(dst, s...) } }

func half(f *face) string {
	if f.hour() < 12 {
		return "AM"
	}
	return "PM"
}

// isoWeek of a face.
func isoWeek(f *face) int { _, w := civil.ISOWeek(f.days); return w }
func isoYear(f *face) int { y, _ := civil.ISOWeek(f.days); return y }

// mysqlSteps are the letters after %.
func mysqlStep(letter byte) (step, bool) { // long: one case a letter
	switch letter {
	case 'a':
		return word(func(f *face) string { return dayNames[civil.Weekday(f.days)-1][:3] }), true
	case 'b':
		return word(func(f *face) string { return monthNames[f.month-1][:3] }), true
	case 'c', 'm':
		return number(2, func(f *face) int { return f.month }), true
	case 'C':
		return number(2, func(f *face) int { return f.year / 100 }), true
	case 'd':
		return number(2, func(f *face) int { return f.day }), true
	case 'D':
		return joined(mysqlLetters("m/d/y")), true
	case 'e':
		return number(1, func(f *face) int { return f.day }), true
	case 'f':
		return number(6, func(f *face) int { return int(f.nanos / 1000) }), true
	case 'F':
		return joined(mysqlLetters("Y-m-d")), true
	case 'g':
		return number(2, func(f *face) int { return isoYear(f) % 100 }), true
	case 'G':
		return number(4, isoYear), true
	case 'h', 'I', 'l':
		return number(2, (*face).hour12), true
	case 'H', 'k':
		return number(2, (*face).hour), true
	case 'i':
		return number(2, func(f *face) int { return f.second / 60 % 60 }), true
	case 'j':
		return number(3, func(f *face) int { return civil.YearDay(f.days) }), true
	case 'M':
		return word(func(f *face) string { return monthNames[f.month-1] }), true
	case 'n':
		return literal("\n"), true
	case 'p':
		return word(half), true
	case 'Q':
		return number(1, func(f *face) int { return (f.month-1)/3 + 1 }), true
	case 'r':
		return joined(append(mysqlLetters("h:i"), literal(" "), word(half))), true
	case 'R':
		return joined(mysqlLetters("H:i")), true
	case 's', 'S':
		return number(2, func(f *face) int { return f.second % 60 }), true
	case 't':
		return literal("\t"), true
	case 'T':
		return joined(mysqlLetters("H:i:s")), true
	case 'u':
		return number(1, func(f *face) int { return civil.Weekday(f.days) }), true
	case 'V':
		return number(2, isoWeek), true
	case 'w':
		return number(1, func(f *face) int { return civil.Weekday(f.days) % 7 }), true
	case 'W':
		return word(func(f *face) string { return dayNames[civil.Weekday(f.days)-1] }), true
	case 'y':
		return number(2, func(f *face) int { return f.year % 100 }), true
	case 'Y':
		return number(4, func(f *face) int { return f.year }), true
	case 'z':
		return offsetStep(false), true
	case '%':
		return literal("%"), true
	}
	return nil, false
}

func offsetStep(colon bool) step {
	return func(dst []byte, f *face) []byte {
		o, sign := f.offset, byte('+')
		if o < 0 {
			o, sign = -o, '-'
		}
		dst = padded(append(dst, sign), int(o/3600), 2)
		if colon {
			dst = append(dst, ':')
		}
		return padded(dst, int(o/60%60), 2)
	}
}

func joined(steps []step) step {
	return func(dst []byte, f *face) []byte {
		for _, s := range steps {
			dst = s(dst, f)
		}
		return dst
	}
}

// mysqlLetters makes steps of letters with marks between.
func mysqlLetters(s string) []step {
	var out []step
	for i := range len(s) {
		if st, ok := mysqlStep(s[i]); ok && s[i] != '%' {
			out = append(out, st)
		} else {
			out = append(out, literal(s[i:i+1]))
		}
	}
	return out
}

func mysqlFormat(format string, _ *civil.Zone) ([]step, error) {
	var out []step
	from := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if from < i {
			out = append(out, literal(format[from:i]))
		}
		if i+1 == len(format) {
			return nil, cherr.New(cherr.BadArguments, "Trailing '%%' symbol at the end of format")
		}
		i++
		s, ok := mysqlStep(format[i])
		switch {
		case !ok && (format[i] == 'U' || format[i] == 'v' || format[i] == 'x' || format[i] == 'X'):
			return nil, cherr.New(cherr.NotImplemented, "format is not supported: %%%c", format[i])
		case !ok:
			return nil, cherr.New(cherr.BadArguments, "Unknown format symbol '%%%c'", format[i])
		}
		out = append(out, s)
		from = i + 1
	}
	if from < len(format) {
		out = append(out, literal(format[from:]))
	}
	return out, nil
}
