package text

import (
	"bytes"
	"strings"

	"lakeserver/cherr"
	"lakeserver/types/civil"
)

// BestEffort reads times in the many ways that people write them, as
// parseDateTimeBestEffort does.
type BestEffort struct {
	Zone *civil.Zone
	US   bool // month before day in 01/02/2020
	// Year stands for a missing one; 0 is 2000. Times alone are on January 1st of it.
	Year int
}

// best is the state of one reading.
type best struct {
	BestEffort
	s                 []byte
	i                 int
	year, month, day  int
	hasTime           bool
	hour, minute, sec int
	nanos             int64
	hasZone           bool
	offset            int64
	half              int // 1 AM, 2 PM
	unix              *Moment
}

// Parse reads the whole text; CANNOT_PARSE_DATETIME if it is no time.
func (p BestEffort) Parse(s []byte) (Moment, error) {
	b := &best{BestEffort: p, s: s}
	for b.i < len(b.s) {
		if err := b.step(); err != nil {
			return Moment{}, err
		}
		if b.unix != nil {
			if b.i < len(b.s) {
				return Moment{}, badTime("unexpected text after a unix timestamp")
			}
			return *b.unix, nil
		}
	}
	return b.finish()
}

func badTime(format string, args ...any) error {
	return cherr.New(cherr.CannotParseDatetime, "Cannot read DateTime: "+format, args...)
}

func (b *best) step() error {
	c := b.s[b.i]
	switch {
	case isDigit(c):
		return b.digits()
	case c == ' ' || c == ',' || c == 'T' && b.day != 0 && b.i+1 < len(b.s) && isDigit(b.s[b.i+1]):
		b.i++
		return nil
	case c == '+' || c == '-':
		if (b.hasTime || b.day != 0) && b.i+1 < len(b.s) && isDigit(b.s[b.i+1]) {
			return b.zone(c)
		}
		return badTime("unexpected symbol %q", c)
	case c == '.':
		if b.hasTime {
			nanos, n, ok := fraction(b.s[b.i:])
			if ok {
				b.nanos = nanos
				b.i += n
				return nil
			}
		}
		return badTime("unexpected symbol '.'")
	}
	return b.word()
}

// run gives the number of digits at the cursor.
func (b *best) run() int {
	n := b.i
	for n < len(b.s) && isDigit(b.s[n]) {
		n++
	}
	return n - b.i
}

func (b *best) take(n int) int {
	v, next := number(b.s, b.i, n)
	b.i = next
	return v
}

func (b *best) peek() byte {
	if b.i < len(b.s) {
		return b.s[b.i]
	}
	return 0
}

func (b *best) digits() error { // long: one case a number of digits
	n := b.run()
	if n >= 9 && b.day == 0 && b.year == 0 && n != 14 {
		return b.unixTime(n)
	}
	switch n {
	case 14, 12:
		b.year, b.month, b.day = b.take(4), b.take(2), b.take(2)
		b.hour, b.minute = b.take(2), b.take(2)
		if n == 14 {
			b.sec = b.take(2)
		}
		b.hasTime = true
	case 8:
		b.year, b.month, b.day = b.take(4), b.take(2), b.take(2)
	case 6:
		switch {
		case b.year == 0 && b.month == 0:
			b.year, b.month = b.take(4), b.take(2)
		case !b.hasTime:
			b.hour, b.minute, b.sec, b.hasTime = b.take(2), b.take(2), b.take(2), true
		default:
			return badTime("unexpected number of decimal digits: 6")
		}
	case 4:
		return b.four()
	case 1, 2:
		return b.few()
	case 3:
		if b.hasTime || b.day == 0 {
			return badTime("unexpected number of decimal digits: 3")
		}
		return badTime("unexpected number of decimal digits: 3")
	default:
		return badTime("unexpected number of decimal digits: %d", n)
	}
	return nil
}

func (b *best) unixTime(n int) error {
	v := int64(0)
	for range n {
		v = v*10 + int64(digit(b.s[b.i]))
		b.i++
	}
	m := &Moment{}
	switch n {
	case 9, 10:
		m.Unix = v
	case 13:
		m.Unix, m.Nanos = v/1e3, v%1e3*1e6
	case 16:
		m.Unix, m.Nanos = v/1e6, v%1e6*1e3
	case 19:
		m.Unix, m.Nanos = v/1e9, v%1e9
	default:
		return badTime("unexpected number of decimal digits: %d", n)
	}
	if b.peek() == '.' {
		nanos, used, ok := fraction(b.s[b.i:])
		if !ok || n > 10 {
			return badTime("unexpected fraction")
		}
		m.Nanos = nanos
		b.i += used
	}
	b.unix = m
	return nil
}

// four digits are a year, with month and day behind a mark, or hhmm.
func (b *best) four() error {
	if b.year != 0 && !b.hasTime {
		b.hour, b.minute, b.hasTime = b.take(2), b.take(2), true
		return nil
	}
	b.year = b.take(4)
	mark := b.peek()
	if mark != '-' && mark != '/' && mark != '.' && mark != ':' || b.month != 0 {
		return nil
	}
	b.i++
	if n := b.run(); n != 1 && n != 2 {
		if n == 0 {
			return b.monthThenDay(mark)
		}
		return badTime("unexpected number of decimal digits after year: %d", n)
	}
	b.month = b.take(2)
	if b.peek() == mark {
		b.i++
		if n := b.run(); n != 1 && n != 2 {
			return badTime("unexpected number of decimal digits after month: %d", n)
		}
		b.day = b.take(2)
	}
	return nil
}

// monthThenDay reads Jan-02 behind a year.
func (b *best) monthThenDay(mark byte) error {
	if !b.monthName() {
		return badTime("unexpected text after year")
	}
	if b.peek() == mark {
		b.i++
		if n := b.run(); n != 1 && n != 2 {
			return badTime("unexpected number of decimal digits after month: %d", n)
		}
		b.day = b.take(2)
	}
	return nil
}

// few: one or two digits are hours before a colon, a day and month before a
// mark, or a day.
func (b *best) few() error {
	v := b.take(2)
	switch mark := b.peek(); {
	case mark == ':' && !b.hasTime:
		b.hour, b.hasTime = v, true
		b.i++
		if n := b.run(); n != 2 && n != 1 {
			return badTime("unexpected number of decimal digits after hour: %d", n)
		}
		b.minute = b.take(2)
		if b.peek() == ':' {
			b.i++
			if n := b.run(); n != 2 && n != 1 {
				return badTime("unexpected number of decimal digits after minute: %d", n)
			}
			b.sec = b.take(2)
		}
		return nil
	case (mark == '/' || mark == '-' || mark == '.') && b.month == 0:
		b.i++
		return b.dayFirst(v, mark)
	case b.day == 0:
		b.day = v
		if b.peek() == 's' || b.peek() == 'n' || b.peek() == 'r' || b.peek() == 't' { // 1st, 2nd, 3rd, 4th
			b.i = min(b.i+2, len(b.s))
		}
		return nil
	case !b.hasTime:
		b.hour, b.hasTime = v, true
		return nil
	}
	return badTime("unexpected number of decimal digits: %d", v)
}

func (b *best) dayFirst(v int, mark byte) error {
	if n := b.run(); n == 0 {
		b.day = v
		if !b.monthName() {
			return badTime("unexpected text after day")
		}
	} else if second := b.take(2); b.US {
		b.month, b.day = v, second
		if b.month > 12 {
			b.month, b.day = b.day, b.month
		}
	} else {
		b.day, b.month = v, second
		if b.month > 12 {
			b.month, b.day = b.day, b.month
		}
	}
	if b.peek() != mark {
		return nil
	}
	b.i++
	switch n := b.run(); n {
	case 4:
		b.year = b.take(4)
	case 2:
		b.year = b.take(2)
		if b.year < 70 {
			b.year += 2000
		} else {
			b.year += 1900
		}
	default:
		return badTime("unexpected number of decimal digits after month: %d", n)
	}
	return nil
}

var (
	months   = [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	weekdays = [...]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	full     = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "sept"}
)

func (b *best) letters() string {
	n := b.i
	for n < len(b.s) && (b.s[n]|0x20 >= 'a' && b.s[n]|0x20 <= 'z') {
		n++
	}
	return strings.ToLower(string(b.s[b.i:n]))
}

func (b *best) monthName() bool {
	w := b.letters()
	if len(w) < 3 || !short(w) {
		return false
	}
	for m, name := range months {
		if w[:3] == name {
			b.month = m + 1
			b.i += len(w)
			return true
		}
	}
	return false
}

// short tells whether a word is a three-letter name or a whole one.
func short(w string) bool {
	if len(w) == 3 {
		return true
	}
	for _, f := range full {
		if w == f {
			return true
		}
	}
	return false
}

func (b *best) word() error {
	w := b.letters()
	switch w {
	case "":
		return badTime("unexpected symbol %q", b.s[b.i])
	case "am", "pm":
		b.half = 1
		if w == "pm" {
			b.half = 2
		}
		b.i += 2
		return nil
	case "z", "utc", "gmt":
		b.hasZone = true
		b.i += len(w)
		return nil
	case "msk", "msd":
		b.hasZone, b.offset = true, 3*3600
		if w == "msd" {
			b.offset = 4 * 3600
		}
		b.i += 3
		return nil
	case "est", "pst", "cet", "eet":
		return badTime("unexpected word")
	}
	if b.month == 0 && b.monthName() {
		if b.peek() == '-' || b.peek() == '/' {
			b.i++
		}
		return nil
	}
	if len(w) >= 3 && short(w) {
		for _, d := range weekdays {
			if w[:3] == d {
				b.i += len(w)
				return nil
			}
		}
	}
	if bytes.HasPrefix(b.s[b.i:], []byte("T")) && b.day != 0 {
		b.i++
		return nil
	}
	return badTime("unexpected word")
}

func (b *best) zone(sign byte) error {
	b.i++
	var h, m int
	switch n := b.run(); n {
	case 4:
		h, m = b.take(2), b.take(2)
	case 1, 2:
		h = b.take(2)
		if b.peek() == ':' {
			b.i++
			if b.run() != 2 {
				return badTime("unexpected number of decimal digits for time zone offset in minutes")
			}
			m = b.take(2)
		}
	default:
		return badTime("unexpected number of decimal digits for time zone offset: %d", n)
	}
	b.hasZone = true
	b.offset = int64(h)*3600 + int64(m)*60
	if sign == '-' {
		b.offset = -b.offset
	}
	return nil
}

func (b *best) finish() (Moment, error) {
	if b.year == 0 && b.month == 0 && b.day == 0 && !b.hasTime {
		return Moment{}, badTime("neither Date nor Time was parsed successfully")
	}
	if b.half != 0 {
		if b.hour > 12 || b.hour == 0 && b.half == 0 {
			return Moment{}, badTime("unexpected hour %d with AM or PM", b.hour)
		}
		b.hour %= 12
		if b.half == 2 {
			b.hour += 12
		}
	}
	if b.year == 0 {
		b.year = b.Year
		if b.year == 0 {
			b.year = 2000
		}
	}
	b.month, b.day = max(b.month, 1), max(b.day, 1)
	if b.month > 12 || b.day > civil.MonthDays(b.year, b.month) {
		return Moment{}, badTime("unexpected date: %d-%d-%d", b.year, b.month, b.day)
	}
	local := int64(civil.Days(b.year, b.month, b.day))*civil.Day + int64(b.hour)*3600 + int64(b.minute)*60 + int64(b.sec)
	if b.hasZone {
		return Moment{local - b.offset, b.nanos}, nil
	}
	return Moment{b.Zone.Unix(local), b.nanos}, nil
}
