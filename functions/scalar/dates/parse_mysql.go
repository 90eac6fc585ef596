package dates

import (
	"strings"

	"lakeserver/cherr"
)

var (
	monthWords = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	dayWords   = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

// parseRules are the settings that parsing by a format heeds.
type parseRules struct {
	monthName bool // %M is a month's name, not minutes
	bare      bool // leading zeros may be missing
}

// mysqlParser reads %-letters; all else must stand in the text as it is.
func mysqlParser(format string, rules parseRules) ([]parseStep, error) {
	var out []parseStep
	for format != "" {
		at := strings.IndexByte(format, '%')
		if at != 0 {
			if at < 0 {
				at = len(format)
			}
			text := format[:at]
			out = append(out, func(p *parsed) error { return p.literal(text) })
			format = format[at:]
			continue
		}
		if len(format) == 1 {
			return nil, cherr.New(cherr.BadArguments, "Trailing single '%%' in format string")
		}
		steps, err := mysqlParseSteps(format[1], rules)
		if err != nil {
			return nil, err
		}
		out = append(out, steps...)
		format = format[2:]
	}
	return out, nil
}

// mysqlParseSteps spells out the letters that stand for others.
func mysqlParseSteps(letter byte, rules parseRules) ([]parseStep, error) {
	long := map[byte]string{'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%i", 'T': "%H:%i:%S", 'r': "%I:%i %p"}
	if f, ok := long[letter]; ok {
		return mysqlParser(f, rules)
	}
	s, err := mysqlParseStep(letter, rules)
	return []parseStep{s}, err
}

// fixedNumber reads n digits into set, or up to n.
func fixedNumber(n int, bare bool, what string, set func(p *parsed, v int) error) parseStep {
	return func(p *parsed) error {
		var v int
		var err error
		if bare {
			v, _, err = p.upTo(n, what)
		} else {
			v, err = p.digits(n, what)
		}
		if err != nil {
			return err
		}
		return set(p, v)
	}
}

// spacedNumber reads one or two digits, or a space and one.
func spacedNumber(what string, set func(p *parsed, v int) error) parseStep {
	return func(p *parsed) error {
		if len(p.s) > 0 && p.s[0] == ' ' {
			p.s = p.s[1:]
			return fixedNumber(1, false, what, set)(p)
		}
		return fixedNumber(2, true, what, set)(p)
	}
}

func shortYear(v int) int {
	if v >= 70 {
		return 1900 + v
	}
	return 2000 + v
}

func hour12(p *parsed, v int) error { return p.setHour(v, true, true) }
func hour24(p *parsed, v int) error { return p.setHour(v, false, false) }

func mysqlParseStep(letter byte, rules parseRules) (parseStep, error) { // long: one case a letter
	switch letter {
	case 'a':
		return func(p *parsed) error {
			v, err := p.name(dayWords, true, false, "day of week")
			if err != nil {
				return err
			}
			return p.setWeekday(v)
		}, nil
	case 'b':
		return monthStep(true, false), nil
	case 'M':
		if rules.monthName {
			return monthStep(false, true), nil
		}
		return fixedNumber(2, rules.bare, "minute", (*parsed).setMinute), nil
	case 'c', 'm':
		return fixedNumber(2, rules.bare, "month", (*parsed).setMonth), nil
	case 'C':
		return fixedNumber(2, false, "century", func(p *parsed, v int) error {
			if err := within("century", v, 19, 21); err != nil {
				return err
			}
			return p.setYear(v * 100)
		}), nil
	case 'd':
		return fixedNumber(2, rules.bare, "day of month", (*parsed).setDay), nil
	case 'e':
		return spacedNumber("day of month", (*parsed).setDay), nil
	case 'f':
		return readMicroseconds, nil
	case 'g', 'y':
		return fixedNumber(2, false, "year", func(p *parsed, v int) error { return p.setYear(shortYear(v)) }), nil
	case 'G', 'Y':
		return fixedNumber(4, false, "year", (*parsed).setYear), nil
	case 'H':
		return fixedNumber(2, rules.bare, "hour", hour24), nil
	case 'k':
		return spacedNumber("hour", hour24), nil
	case 'h', 'I':
		return fixedNumber(2, rules.bare, "hour", hour12), nil
	case 'l':
		return spacedNumber("hour", hour12), nil
	case 'i':
		return fixedNumber(2, rules.bare, "minute", (*parsed).setMinute), nil
	case 'j':
		return fixedNumber(3, false, "day of year", (*parsed).setYearDay), nil
	case 'n':
		return func(p *parsed) error { return p.literal("\n") }, nil
	case 'p':
		return (*parsed).half, nil
	case 'Q':
		return nil, cherr.New(cherr.NotImplemented, "format is not supported for quarter")
	case 's', 'S':
		return fixedNumber(2, rules.bare, "second", (*parsed).setSecond), nil
	case 't':
		return func(p *parsed) error { return p.literal("\t") }, nil
	case 'u':
		return fixedNumber(1, false, "day of week", (*parsed).setWeekday), nil
	case 'V':
		return fixedNumber(2, false, "week", (*parsed).setWeek), nil
	case 'w':
		return fixedNumber(1, false, "day of week", func(p *parsed, v int) error {
			if v == 0 {
				v = 7
			} else if v == 7 {
				v = 8 // Sunday is 0 here
			}
			return p.setWeekday(v)
		}), nil
	case 'W':
		return func(p *parsed) error {
			v, err := p.name(dayWords, false, true, "day of week")
			if err != nil {
				return err
			}
			return p.setWeekday(v)
		}, nil
	case 'z':
		return (*parsed).utcOffset, nil
	case '%':
		return func(p *parsed) error { return p.literal("%") }, nil
	}
	return nil, cherr.New(cherr.BadArguments, "Incorrect syntax, symbol is not supported '%c'", letter)
}

func monthStep(short, long bool) parseStep {
	return func(p *parsed) error {
		v, err := p.name(monthWords, short, long, "month")
		if err != nil {
			return err
		}
		return p.setMonth(v)
	}
}

// readMicroseconds reads up to six digits of a fraction; a result without a
// fraction drops them.
func readMicroseconds(p *parsed) error {
	v, n, err := p.upTo(6, "microsecond")
	if err != nil {
		return err
	}
	if p.scale > 0 {
		for ; n < 6; n++ {
			v *= 10
		}
		p.fraction = v
	}
	return nil
}
