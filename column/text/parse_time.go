package text

import (
	"bytes"
	"math"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/types/civil"
)

func digit(b byte) int { return int(b - '0') }

func isDigit(b byte) bool { return b-'0' <= 9 }

// number reads up to most digits from i on.
func number(s []byte, i, most int) (v, next int) {
	for n := 0; n < most && i < len(s) && isDigit(s[i]); n++ {
		v = v*10 + digit(s[i])
		i++
	}
	return v, i
}

// ParseDate reads YYYY-MM-DD, with any mark between and one or two digits, or
// YYYYMMDD, and gives the bytes used.
func ParseDate(s []byte) (days, n int, err error) {
	y, i := number(s, 0, 4)
	if i < 4 {
		return 0, 0, errDate
	}
	var m, d int
	if i < len(s) && isDigit(s[i]) {
		m, i = number(s, 4, 2)
		d, n = number(s, i, 2)
		if n != 8 {
			return 0, 0, errDate
		}
	} else {
		from := i + 1
		m, i = number(s, from, 2)
		if i == from || i >= len(s) {
			return 0, 0, errDate
		}
		from = i + 1
		d, n = number(s, from, 2)
		if n <= from {
			return 0, 0, errDate
		}
	}
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, n, nil
	}
	return civil.Days(y, m, d), n, nil
}

var errDate = cherr.New(cherr.CannotParseDate, "Cannot parse date: expected a date in the YYYY-MM-DD or YYYYMMDD format")

// wholeDate reads a date that may have a time behind it.
func wholeDate(s []byte, name string) (int, error) {
	days, n, err := ParseDate(s)
	if err != nil {
		return 0, err
	}
	if n < len(s) && !(len(s) == n+9 && s[n] == ' ' && clock(s[n+1:]) >= 0) {
		return 0, syntaxError(s, n, name)
	}
	return days, nil
}

// clock reads hh:mm:ss at the front, -1 if it is not there.
func clock(s []byte) int {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return -1
	}
	for _, i := range [...]int{0, 1, 3, 4, 6, 7} {
		if !isDigit(s[i]) {
			return -1
		}
	}
	return (digit(s[0])*10+digit(s[1]))*3600 + (digit(s[3])*10+digit(s[4]))*60 + digit(s[6])*10 + digit(s[7])
}

// Moment is a time read: seconds since 1970 and a fraction of up to nine digits.
type Moment struct {
	Unix  int64
	Nanos int64
}

// Ticks gives the moment in units of 10^-scale seconds, further digits cut
// off; ok is false when that does not fit.
func (m Moment) Ticks(scale int) (v int64, ok bool) {
	p := Pow10(scale)
	if m.Unix > math.MaxInt64/p-1 || m.Unix < math.MinInt64/p+1 {
		return 0, false
	}
	return m.Unix*p + m.Nanos/Pow10(9-scale), true
}

// ParseDateTime reads a time as ClickHouse reads one in data: by best effort,
// or only YYYY-MM-DD[ hh:mm:ss[.fraction]] and unix times.
func ParseDateTime(s []byte, z *civil.Zone, o *Options) (Moment, error) {
	if m, ok := plainDateTime(s, z); ok {
		return m, nil
	}
	if o.BasicTimes {
		if m, ok := basicDateTime(s, z); ok {
			return m, nil
		}
		return Moment{}, cherr.New(cherr.CannotParseDatetime, "Cannot parse DateTime: `%s`", s)
	}
	return BestEffort{Zone: z, Year: o.Year}.Parse(s)
}

// plainDateTime reads the usual forms quickly.
func plainDateTime(s []byte, z *civil.Zone) (Moment, bool) {
	if len(s) >= 10 && s[4] == '-' && s[7] == '-' && (len(s) == 10 || len(s) >= 19 && (s[10] == ' ' || s[10] == 'T')) {
		days, n, err := ParseDate(s)
		if err != nil || n != 10 || s[0] == '0' && days == 0 {
			return Moment{}, false
		}
		if m := digit(s[5])*10 + digit(s[6]); m < 1 || m > 12 {
			return Moment{}, false
		}
		if d := digit(s[8])*10 + digit(s[9]); d < 1 || d > 28 {
			y, m, _ := civil.FromDays(days)
			if d < 1 || m != digit(s[5])*10+digit(s[6]) || y < 0 {
				return Moment{}, false
			}
		}
		if len(s) == 10 {
			return Moment{Unix: z.Midnight(days)}, true
		}
		sec := clock(s[11:])
		if sec < 0 {
			return Moment{}, false
		}
		rest := s[19:]
		nanos, used, ok := fraction(rest)
		if !ok {
			return Moment{}, false
		}
		switch rest = rest[used:]; {
		case len(rest) == 0:
			return Moment{Unix: z.Unix(int64(days)*civil.Day + int64(sec)), Nanos: nanos}, true
		case len(rest) == 1 && rest[0] == 'Z':
			return Moment{Unix: int64(days)*civil.Day + int64(sec), Nanos: nanos}, true
		}
		return Moment{}, false
	}
	if len(s) == 9 || len(s) == 10 {
		if v, n := number(s, 0, 10); n == len(s) {
			return Moment{Unix: int64(v)}, true
		}
	}
	return Moment{}, false
}

// fraction reads .digits, which may be missing.
func fraction(s []byte) (nanos int64, n int, ok bool) {
	if len(s) == 0 || s[0] != '.' {
		return 0, 0, true
	}
	n = 1
	scale := int64(1e8)
	for n < len(s) && isDigit(s[n]) {
		nanos += int64(digit(s[n])) * scale
		scale /= 10
		n++
	}
	return nanos, n, n > 1
}

// ParseTime reads [-]hhh:mm:ss[.fraction] or a number of seconds, in units of
// 10^-scale seconds.
func ParseTime(s []byte, scale int, name string) (int64, error) {
	neg, i := false, 0
	if len(s) > 0 && s[0] == '-' {
		neg, i = true, 1
	}
	h, j := number(s, i, 3)
	var seconds int
	switch {
	case j == i:
		return 0, syntaxError(s, 0, name)
	case j+6 <= len(s) && s[j] == ':' && s[j+3] == ':':
		m, a := number(s, j+1, 2)
		sec, b := number(s, j+4, 2)
		if a != j+3 || b != j+6 {
			return 0, syntaxError(s, i+1, name)
		}
		seconds, j = h*3600+m*60+sec, b
	case j == i+2 && j+3 <= len(s) && s[j] == ':': // mm:ss
		sec, b := number(s, j+1, 2)
		if b != j+3 {
			return 0, syntaxError(s, i+1, name)
		}
		seconds, j = h*60+sec, b
	default:
		seconds, j = number(s, i, 9)
	}
	nanos, used, ok := fraction(s[j:])
	if !ok || j+used != len(s) {
		return 0, syntaxError(s, min(j, 2), name)
	}
	v := int64(seconds)*Pow10(scale) + nanos/Pow10(9-scale)
	if neg {
		v = -v
	}
	return v, nil
}

// basicDateTime reads what is left of the one form: any separators in a date
// (2020/01/02), and unix times of five digits on, with a fraction.
func basicDateTime(s []byte, z *civil.Zone) (Moment, bool) {
	if len(s) < 5 {
		return Moment{}, false
	}
	if s[4] >= '0' && s[4] <= '9' {
		whole, rest, _ := bytes.Cut(s, []byte{'.'})
		n, err := strconv.ParseInt(string(whole), 10, 64)
		if err != nil || n < 0 || len(whole) > 12 {
			return Moment{}, false
		}
		m := Moment{Unix: n}
		for i, c := range append(append([]byte{}, rest...), "000000000"[min(len(rest), 9):]...) {
			if c < '0' || c > '9' {
				return Moment{}, false
			}
			if i < 9 {
				m.Nanos = m.Nanos*10 + int64(c-'0')
			}
		}
		return m, true
	}
	if len(s) < 10 || s[4] == '-' || bytes.ContainsFunc(s[5:7], notDigit) || bytes.ContainsFunc(s[8:10], notDigit) {
		return Moment{}, false
	}
	usual := append([]byte{}, s...)
	usual[4], usual[7] = '-', '-'
	return plainDateTime(usual, z)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }
