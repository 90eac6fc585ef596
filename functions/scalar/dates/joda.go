package dates

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column/text"
	"lakeserver/types/civil"
)

// jodaFormat reads runs of one letter, whose length is the least width, and
// text in single quotes.
func jodaFormat(format string, z *civil.Zone) ([]step, error) {
	var out []step
	for i := 0; i < len(format); {
		c := format[i]
		if c == '\'' {
			s, n, err := jodaQuoted(format[i:])
			if err != nil {
				return nil, err
			}
			out = append(out, literal(s))
			i += n
			continue
		}
		n := 1
		for i+n < len(format) && format[i+n] == c {
			n++
		}
		if c|0x20 < 'a' || c|0x20 > 'z' {
			out = append(out, literal(format[i:i+n]))
			i += n
			continue
		}
		s, err := jodaStep(c, n, z)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		i += n
	}
	return out, nil
}

// jodaQuoted takes 'text' off the front; ” is a quote.
func jodaQuoted(s string) (string, int, error) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), i + 1, nil
	}
	return "", 0, cherr.New(cherr.BadArguments, "No closing single quote for literal")
}

func jodaStep(c byte, n int, z *civil.Zone) (step, error) { // long: one case a letter
	short := func(names []string, at func(f *face) int) step {
		return word(func(f *face) string {
			if n >= 4 {
				return names[at(f)]
			}
			return names[at(f)][:3]
		})
	}
	switch c {
	case 'G':
		names := [2]string{"BC", "AD"}
		if n >= 4 {
			names = [2]string{"Before Christ", "Anno Domini"}
		}
		return word(func(f *face) string { return names[boolInt(f.year > 0)] }), nil
	case 'C':
		return number(n, func(f *face) int { return f.year / 100 }), nil
	case 'Y', 'y':
		if n == 2 {
			return number(2, func(f *face) int { return f.year % 100 }), nil
		}
		return number(n, func(f *face) int { return f.year }), nil
	case 'x':
		return number(n, isoYear), nil
	case 'w':
		return number(n, isoWeek), nil
	case 'e':
		return number(n, func(f *face) int { return civil.Weekday(f.days) }), nil
	case 'E':
		return short(dayNames[:], func(f *face) int { return civil.Weekday(f.days) - 1 }), nil
	case 'D':
		return number(n, func(f *face) int { return civil.YearDay(f.days) }), nil
	case 'M':
		if n >= 3 {
			return short(monthNames[:], func(f *face) int { return f.month - 1 }), nil
		}
		return number(n, func(f *face) int { return f.month }), nil
	case 'd':
		return number(n, func(f *face) int { return f.day }), nil
	case 'a':
		return word(half), nil
	case 'K':
		return number(n, func(f *face) int { return f.hour() % 12 }), nil
	case 'h':
		return number(n, (*face).hour12), nil
	case 'H':
		return number(n, (*face).hour), nil
	case 'k':
		return number(n, func(f *face) int {
			if f.hour() == 0 {
				return 24
			}
			return f.hour()
		}), nil
	case 'm':
		return number(n, func(f *face) int { return f.second / 60 % 60 }), nil
	case 's':
		return number(n, func(f *face) int { return f.second % 60 }), nil
	case 'S':
		return func(dst []byte, f *face) []byte {
			digits := strconv.FormatInt(text.Pow10(9)+f.nanos, 10)[1:]
			return append(dst, digits[:min(n, len(digits))]...)
		}, nil
	case 'z':
		if n >= 4 {
			return word(func(f *face) string { return z.Location().String() }), nil
		}
	}
	return nil, cherr.New(cherr.NotImplemented, "format is not supported for %s", strings.Repeat(string(c), n))
}
