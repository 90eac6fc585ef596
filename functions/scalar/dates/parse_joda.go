package dates

import (
	"lakeserver/cherr"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// jodaParser reads runs of one letter and quoted text; the count of S is the
// scale of the result.
func jodaParser(format string) (out []parseStep, scale int, err error) {
	for i := 0; i < len(format); {
		c := format[i]
		if c == '\'' {
			s, n, err := jodaQuoted(format[i:])
			if err != nil {
				return nil, 0, err
			}
			out = append(out, func(p *parsed) error { return p.literal(s) })
			i += n
			continue
		}
		n := 1
		for i+n < len(format) && format[i+n] == c {
			n++
		}
		text := format[i : i+n]
		i += n
		if c|0x20 < 'a' || c|0x20 > 'z' {
			out = append(out, func(p *parsed) error { return p.literal(text) })
			continue
		}
		if c == 'S' {
			scale = n
		}
		s, err := jodaParseStep(c, n)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, s)
	}
	return out, scale, nil
}

// looseNumber reads up to most digits.
func looseNumber(most int, what string, set func(p *parsed, v int) error) parseStep {
	return func(p *parsed) error {
		v, _, err := p.upTo(most, what)
		if err != nil {
			return err
		}
		return set(p, v)
	}
}

func jodaParseStep(c byte, n int) (parseStep, error) { // long: one case a letter
	two := max(n, 2)
	switch c {
	case 'G':
		return func(p *parsed) error {
			s, err := p.take(2, "era")
			switch {
			case err != nil:
				return err
			case hasFold(s, "ad"), hasFold(s, "ce") && len(s) == 2:
				return nil
			}
			return cannotParse("Era %s exceeds the range of DateTime", s)
		}, nil
	case 'C':
		return looseNumber(two, "century", func(p *parsed, v int) error {
			if err := within("century", v, 19, 21); err != nil {
				return err
			}
			return p.setYear(v * 100)
		}), nil
	case 'y', 'Y', 'x':
		return jodaYear(c, n), nil
	case 'w':
		return looseNumber(two, "week", (*parsed).setWeek), nil
	case 'e':
		return looseNumber(max(n, 1), "day of week", (*parsed).setWeekday), nil
	case 'E':
		return func(p *parsed) error {
			v, err := p.name(dayWords, false, false, "day of week")
			if err != nil {
				return err
			}
			return p.setWeekday(v)
		}, nil
	case 'D':
		return looseNumber(max(n, 3), "day of year", (*parsed).setYearDay), nil
	case 'M':
		if n >= 3 {
			return monthStep(false, false), nil
		}
		return looseNumber(two, "month", (*parsed).setMonth), nil
	case 'd':
		return looseNumber(two, "day of month", (*parsed).setDay), nil
	case 'a':
		return (*parsed).half, nil
	case 'K', 'h', 'H', 'k':
		return looseNumber(two, "hour", func(p *parsed, v int) error {
			return p.setHour(v, c == 'K' || c == 'h', c == 'h' || c == 'k')
		}), nil
	case 'm':
		return looseNumber(two, "minute", (*parsed).setMinute), nil
	case 's':
		return looseNumber(two, "second", (*parsed).setSecond), nil
	case 'S':
		return fixedNumber(n, false, "fraction of a second", func(p *parsed, v int) error {
			if p.scale > 0 {
				p.fraction = v
			}
			return nil
		}), nil
	case 'z':
		return jodaZone, nil
	case 'Z':
		return (*parsed).utcOffset, nil
	}
	return nil, cherr.New(cherr.NotImplemented, "format is not supported for %c", c)
}

// jodaYear: two letters take two digits of this or the last century.
func jodaYear(c byte, n int) parseStep {
	return func(p *parsed) error {
		if c == 'x' {
			p.byWeek, p.byYearDay = true, false
		}
		if len(p.s) > 0 && p.s[0] == '+' {
			p.s = p.s[1:]
		}
		if n == 2 {
			v, err := p.digits(2, "year")
			if err != nil {
				return err
			}
			return p.setYear(shortYear(v))
		}
		v, _, err := p.upTo(max(n, 4), "year")
		if err != nil {
			return err
		}
		return p.setYear(v)
	}
}

// jodaZone reads a zone's name as far as it goes.
func jodaZone(p *parsed) error {
	n := 0
	for n < len(p.s) && (p.s[n]|0x20 >= 'a' && p.s[n]|0x20 <= 'z' || p.s[n] == '/' || p.s[n] == '_' || p.s[n] == '-' || p.s[n] == '+' || p.s[n] >= '0' && p.s[n] <= '9') {
		n++
	}
	loc, err := types.LoadZone(string(p.s[:n]))
	if err != nil {
		return err
	}
	p.s, p.zone = p.s[n:], civil.NewZone(loc)
	return nil
}
