package engine

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
)

// schedule is EVERY|AFTER interval [OFFSET interval] [RANDOMIZE FOR interval].
type schedule struct {
	after           bool
	months          int
	length          time.Duration
	offset, scatter time.Duration
}

var scheduleUnits = map[string]time.Duration{
	"SECOND": time.Second, "MINUTE": time.Minute, "HOUR": time.Hour, "DAY": 24 * time.Hour, "WEEK": 7 * 24 * time.Hour,
}

func parseSchedule(text string) (s schedule, err error) {
	into := &s.length
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; w {
		case "EVERY":
		case "AFTER":
			s.after = true
		case "OFFSET":
			into = &s.offset
		case "RANDOMIZE":
			into = &s.scatter
		case "FOR":
		default:
			n, err := strconv.Atoi(w)
			i++
			if err != nil || n <= 0 || i == len(words) {
				return s, cherr.New(cherr.BadArguments, "Refresh schedule %s has no whole positive number of units", text)
			}
			unit := strings.TrimSuffix(words[i], "S")
			months := map[string]int{"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
			switch {
			case months > 0 && into == &s.length:
				s.months += n * months
			case scheduleUnits[unit] > 0:
				*into += time.Duration(n) * scheduleUnits[unit]
			default:
				return s, cherr.New(cherr.BadArguments, "Refresh schedule %s has the unit %s, which is not possible there", text, words[i])
			}
		}
	}
	if s.months > 0 && s.length > 0 || s.months == 0 && s.length == 0 {
		return s, cherr.New(cherr.BadArguments, "Refresh schedule %s is neither of months nor of shorter units", text)
	}
	return s, nil
}

// next gives the first time after now, before it is scattered. EVERY counts
// from the calendar: weeks from a Monday, months from January.
func (s schedule) next(now time.Time) time.Time {
	if s.after {
		return now.Add(s.length).AddDate(0, s.months, 0)
	}
	base := now.Add(-s.offset).UTC()
	if s.months > 0 {
		n := (base.Year()*12+int(base.Month())-1)/s.months*s.months + s.months
		return time.Date(n/12, time.Month(n%12+1), 1, 0, 0, 0, 0, time.UTC).Add(s.offset)
	}
	monday := time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC)
	if s.length%(7*24*time.Hour) != 0 {
		monday = time.Unix(0, 0).UTC()
	}
	return monday.Add(base.Sub(monday)/s.length*s.length + s.length).Add(s.offset)
}

// nextRefresh gives when a view is refreshed next; its schedule was checked when
// it was made.
func nextRefresh(text string, now time.Time) time.Time {
	s, err := parseSchedule(text)
	if err != nil {
		return now.Add(time.Hour)
	}
	at := s.next(now)
	if s.scatter > 0 {
		at = at.Add(rand.N(s.scatter) - s.scatter/2)
	}
	return at
}
