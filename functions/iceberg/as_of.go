package iceberg

import (
	"strconv"
	"time"

	"lakeserver/cherr"
	"lakeserver/functions"
	"lakeserver/timetravel"
	"lakeserver/types"
)

// asOf reads FOR VERSION AS OF (a snapshot id, or the name of a branch or tag)
// and FOR TIMESTAMP AS OF (a date or time, its text in the session's zone, or
// seconds since 1970; numbers too great for that are milliseconds).
func asOf(v *functions.TimeTravel, env *functions.Env) (timetravel.When, error) {
	if v == nil {
		return timetravel.When{}, nil
	}
	if !v.Timestamp {
		if s, ok := v.Value.(string); ok {
			if id, err := strconv.ParseInt(s, 10, 64); err == nil {
				return timetravel.When{SnapshotID: &id}, nil
			}
			return timetravel.When{Ref: s}, nil
		}
		if id, ok := integer(v.Value); ok {
			return timetravel.When{SnapshotID: &id}, nil
		}
		return timetravel.When{}, cherr.New(cherr.BadArguments, "FOR VERSION AS OF wants a snapshot id or the name of a branch or tag, not %s", v.Type)
	}
	ms, ok := milliseconds(v, env.Zone)
	if !ok {
		return timetravel.When{}, cherr.New(cherr.BadArguments, "FOR TIMESTAMP AS OF wants a date or time, not %v of type %s", v.Value, v.Type)
	}
	return timetravel.When{TimestampMs: &ms}, nil
}

func integer(v any) (int64, bool) {
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

func milliseconds(v *functions.TimeTravel, zone *time.Location) (int64, bool) {
	t := types.Unwrap(v.Type)
	if l := t.Location(); l != nil {
		zone = l
	}
	if zone == nil {
		zone = time.UTC
	}
	switch t.Kind() {
	case types.KindString:
		s, _ := v.Value.(string)
		for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", time.RFC3339Nano, "2006-01-02 15:04", "2006-01-02"} {
			if at, err := time.ParseInLocation(layout, s, zone); err == nil {
				return at.UnixMilli(), true
			}
		}
		return 0, false
	case types.KindDate, types.KindDate32:
		days, ok := integer(v.Value)
		y, m, d := time.Unix(days*86400, 0).UTC().Date()
		return time.Date(y, m, d, 0, 0, 0, 0, zone).UnixMilli(), ok
	case types.KindDateTime:
		s, ok := integer(v.Value)
		return s * 1000, ok
	case types.KindDateTime64:
		x, ok := integer(v.Value)
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
	n, ok := integer(v.Value)
	if n <= lastSecond && n >= -lastSecond {
		n *= 1000
	}
	return n, ok && t.IsInteger()
}
