package dates

import (
	"lakeserver/cherr"
	"lakeserver/column/text"
	"lakeserver/types/civil"
)

// parsed collects what a text said of a time. What it did not say is 1970's
// first second; a month, day or week without a year is of 2000.
type parsed struct {
	s                              []byte // what is left to read
	hasYear, byYearDay, byWeek     bool
	year, month, day               int
	yearDay, week, weekday         int
	hour, minute, second, fraction int
	clockHour                      bool // hours count from 1
	halfDay                        bool // hours are of a half day
	afternoon                      bool
	zone                           *civil.Zone
	offset                         int64
	hasOffset                      bool
	firstYear, lastYear            int
	scale                          int
}

// parseStep reads one part of a format off the front.
type parseStep func(p *parsed) error

func cannotParse(format string, args ...any) error {
	return cherr.New(cherr.CannotParseDatetime, format, args...)
}

func (p *parsed) reset(s []byte, z *civil.Zone) {
	*p = parsed{
		s: s, year: 1970, month: 1, day: 1, yearDay: 1, week: 1, weekday: 1, zone: z,
		firstYear: p.firstYear, lastYear: p.lastYear, scale: p.scale,
	}
}

func within(what string, v, least, most int) error {
	if v < least || v > most {
		return cannotParse("Value %d for %s must be in the range [%d, %d]", v, what, least, most)
	}
	return nil
}

func (p *parsed) setYear(v int) error {
	p.year, p.hasYear = v, true
	return within("year", v, p.firstYear, p.lastYear)
}

func (p *parsed) needYear() {
	if !p.hasYear {
		p.year, p.hasYear = 2000, true
	}
}

func (p *parsed) setMonth(v int) error {
	p.month, p.byYearDay, p.byWeek = v, false, false
	p.needYear()
	return within("month", v, 1, 12)
}

func (p *parsed) setDay(v int) error {
	p.day, p.byYearDay, p.byWeek = v, false, false
	p.needYear()
	return within("day of month", v, 1, 31)
}

func (p *parsed) setYearDay(v int) error {
	p.yearDay, p.byYearDay, p.byWeek = v, true, false
	p.needYear()
	return within("day of year", v, 1, 366)
}

func (p *parsed) setWeek(v int) error {
	p.week, p.byYearDay, p.byWeek = v, false, true
	p.needYear()
	return within("week", v, 1, 53)
}

func (p *parsed) setWeekday(v int) error {
	p.weekday, p.byYearDay, p.byWeek = v, false, true
	p.needYear()
	return within("day of week", v, 1, 7)
}

func (p *parsed) setHour(v int, half, clock bool) error {
	p.hour, p.halfDay, p.clockHour = v, half, clock
	least, most := 0, 23
	if half {
		most = 11
	}
	if clock {
		least, most = 1, most+1
	}
	if err := within("hour", v, least, most); err != nil {
		return err
	}
	if clock {
		p.hour = v % most // the greatest is hour 0
	}
	return nil
}

func (p *parsed) setMinute(v int) error {
	p.minute = v
	return within("minute", v, 0, 59)
}

func (p *parsed) setSecond(v int) error {
	p.second = v
	return within("second", v, 0, 59)
}

// take gives the next n bytes.
func (p *parsed) take(n int, what string) ([]byte, error) {
	if len(p.s) < n {
		return nil, cannotParse("Unable to parse %s from %q: %d characters are needed", what, p.s, n)
	}
	out := p.s[:n]
	p.s = p.s[n:]
	return out, nil
}

// digits reads exactly n digits.
func (p *parsed) digits(n int, what string) (int, error) {
	s, err := p.take(n, what)
	if err != nil {
		return 0, err
	}
	v := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, cannotParse("Unable to parse %s from %q: digits are expected", what, s)
		}
		v = v*10 + int(c-'0')
	}
	return v, nil
}

// upTo reads one digit or more, most at most.
func (p *parsed) upTo(most int, what string) (v, n int, err error) {
	for n < len(p.s) && n < most && p.s[n] >= '0' && p.s[n] <= '9' {
		v = v*10 + int(p.s[n]-'0')
		n++
	}
	if n == 0 {
		return 0, 0, cannotParse("Unable to parse %s from %q: read number failed", what, p.s)
	}
	p.s = p.s[n:]
	return v, n, nil
}

// literal reads a text that must be there.
func (p *parsed) literal(want string) error {
	s, err := p.take(len(want), "literal "+want)
	if err == nil && string(s) != want {
		return cannotParse("Unable to parse literal %q from %q", want, s)
	}
	return err
}

// name reads one of names in any case; long says that the whole name must
// stand there, short that only three letters do; neither takes what there is.
func (p *parsed) name(names []string, short, long bool, what string) (int, error) {
	for i, n := range names {
		if !short && hasFold(p.s, n) {
			p.s = p.s[len(n):]
			return i + 1, nil
		}
	}
	for i, n := range names {
		if !long && hasFold(p.s, n[:3]) {
			p.s = p.s[3:]
			return i + 1, nil
		}
	}
	return 0, cannotParse("Unable to parse %s from %q", what, p.s)
}

func hasFold(s []byte, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if s[i]|0x20 != prefix[i]|0x20 {
			return false
		}
	}
	return true
}

// half reads AM or PM.
func (p *parsed) half() error {
	switch {
	case hasFold(p.s, "am"):
	case hasFold(p.s, "pm"):
		p.afternoon = true
	default:
		return cannotParse("Unable to parse half of day from %q", p.s)
	}
	p.s = p.s[2:]
	return nil
}

// utcOffset reads +hhmm.
func (p *parsed) utcOffset() error {
	s, err := p.take(1, "time zone offset")
	if err != nil {
		return err
	}
	if s[0] != '+' && s[0] != '-' {
		return cannotParse("Unable to parse time zone offset: %q is not a sign", s)
	}
	hours, err := p.digits(2, "time zone offset")
	if err != nil {
		return err
	}
	minutes, err := p.digits(2, "time zone offset")
	if err != nil {
		return err
	}
	if err := within("hour of time zone offset", hours, 0, 23); err != nil {
		return err
	}
	if err := within("minute of time zone offset", minutes, 0, 59); err != nil {
		return err
	}
	p.offset, p.hasOffset = int64(hours)*3600+int64(minutes)*60, true
	if s[0] == '-' {
		p.offset = -p.offset
	}
	return nil
}

func (p *parsed) days() (int, error) {
	switch {
	case p.byYearDay:
		if p.yearDay == 366 && !civil.Leap(p.year) {
			return 0, cannotParse("Invalid date, out of range (year: %d, day of year: %d)", p.year, p.yearDay)
		}
		return civil.Days(p.year, 1, 1) + p.yearDay - 1, nil
	case p.byWeek:
		// The fourth of January is in the first week of its year.
		fourth := civil.Days(p.year, 1, 4)
		return fourth - (civil.Weekday(fourth) - 1) + (p.week-1)*7 + p.weekday - 1, nil
	}
	if p.day > civil.MonthDays(p.year, p.month) {
		return 0, cannotParse("Invalid date, out of range (year: %d, month: %d, day of month: %d)", p.year, p.month, p.day)
	}
	return civil.Days(p.year, p.month, p.day), nil
}

// ticks gives the time in units of 10^-scale seconds.
func (p *parsed) ticks() (int64, error) {
	if len(p.s) > 0 {
		return 0, cannotParse("Invalid format input is malformed at %q", p.s)
	}
	days, err := p.days()
	if err != nil {
		return 0, err
	}
	hour := p.hour
	if p.halfDay && p.afternoon {
		hour += 12
	}
	local := int64(days)*civil.Day + int64(hour)*3600 + int64(p.minute)*60 + int64(p.second)
	unix := local - p.offset
	if !p.hasOffset {
		unix = p.zone.Unix(local)
	}
	return unix*text.Pow10(p.scale) + int64(p.fraction), nil
}
