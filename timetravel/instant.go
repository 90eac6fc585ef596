package timetravel

import (
	"time"

	"lakeserver/types"
)

// Integer gives an integer of any width.
func Integer(v any) (int64, bool) {
	switch x := v.(type) {
	case uint8:
		return int64(x), true
	case uint16:
		return int64(x), true
	case uint32:
		return int64(x), true
	case uint64:
		return int64(x), x < 1<<63
	case int8:
		return int64(x), true
	case int16:
		return int64(x), true
	case int32:
		return int64(x), true
	case int64:
		return x, true
	}
	return 0, false
}

// lastSecond is the greatest number taken for seconds: the year 5138.
const lastSecond = 100_000_000_000

// Milliseconds gives the instant that a constant of SQL means, since 1970: a
// date or time, its text in a zone, or a number of seconds (of milliseconds
// where it is too great for that). ok is false for anything else.
func Milliseconds(t *types.Type, v any, zone *time.Location) (ms int64, ok bool) {
	t = types.Unwrap(t)
	if l := t.Location(); l != nil {
		zone = l
	}
	if zone == nil {
		zone = time.UTC
	}
	switch t.Kind() {
	case types.KindString:
		s, _ := v.(string)
		for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.RFC3339Nano, "2006-01-02 15:04", "2006-01-02"} {
			if at, err := time.ParseInLocation(layout, s, zone); err == nil {
				return at.UnixMilli(), true
			}
		}
		return 0, false
	case types.KindDate, types.KindDate32:
		days, ok := Integer(v)
		y, m, d := time.Unix(days*86400, 0).UTC().Date()
		return time.Date(y, m, d, 0, 0, 0, 0, zone).UnixMilli(), ok
	case types.KindDateTime:
		s, ok := Integer(v)
		return s * 1000, ok
	case types.KindDateTime64:
		x, ok := Integer(v)
		for s := t.Scale(); s < 3; s++ {
			x *= 10
		}
		for s := t.Scale(); s > 3; s-- {
			q := x / 10
			if x%10 < 0 {
				q--
			}
			x = q
		}
		return x, ok
	}
	n, ok := Integer(v)
	if n <= lastSecond && n >= -lastSecond {
		n *= 1000
	}
	return n, ok && t.IsInteger()
}
