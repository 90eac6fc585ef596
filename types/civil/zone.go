package civil

import (
	"math"
	"time"
)

// Zone gives a time zone's offsets and remembers the range in which the last
// one holds. It is used by one goroutine at a time: each kernel makes its own.
type Zone struct {
	loc    *time.Location
	lo, hi int64 // the offset holds for unix times in [lo, hi)
	off    int64
}

// NewZone starts with no range.
func NewZone(loc *time.Location) *Zone {
	if loc == nil {
		loc = time.UTC
	}
	z := &Zone{loc: loc, lo: 1, hi: 0}
	if loc == time.UTC || loc.String() == "UTC" {
		z.lo, z.hi = math.MinInt64, math.MaxInt64
	}
	return z
}

// Location gives the zone itself.
func (z *Zone) Location() *time.Location { return z.loc }

// Offset gives the seconds east of UTC at a unix time.
func (z *Zone) Offset(unix int64) int64 {
	if unix < z.lo || unix >= z.hi {
		z.find(unix)
	}
	return z.off
}

func (z *Zone) find(unix int64) {
	t := time.Unix(unix, 0).In(z.loc)
	_, off := t.Zone()
	z.off = int64(off)
	z.lo, z.hi = math.MinInt64, math.MaxInt64
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		z.lo = start.Unix()
	}
	if !end.IsZero() {
		z.hi = end.Unix()
	}
}

// Local gives the seconds that a clock on the wall shows, as if it stood in UTC.
func (z *Zone) Local(unix int64) int64 { return unix + z.Offset(unix) }

// Unix gives the time at which the clock on the wall shows local. Of two times
// it gives the earlier; a time that the clock leaps over is counted with the
// offset after the leap, as ClickHouse counts it: 02:30 becomes 01:30.
func (z *Zone) Unix(local int64) int64 {
	before := z.Offset(local - Day)
	first := local - before
	if z.Offset(first) == before {
		return first
	}
	return local - z.Offset(local+Day)
}

// LocalDays gives the date that the calendar on the wall shows.
func (z *Zone) LocalDays(unix int64) int { return int(FloorDiv(z.Local(unix), Day)) }

// Midnight gives the unix time at which a local date begins.
func (z *Zone) Midnight(days int) int64 { return z.Unix(int64(days) * Day) }
