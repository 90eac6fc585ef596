package engine

import (
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	now := time.Date(2024, 2, 29, 13, 47, 12, 0, time.UTC) // a Thursday
	for text, want := range map[string]string{
		"EVERY 10 SECOND":                        "2024-02-29 13:47:20",
		"EVERY 1 HOUR":                           "2024-02-29 14:00:00",
		"EVERY 1 HOUR 30 MINUTE":                 "2024-02-29 15:00:00",
		"EVERY 1 DAY OFFSET 2 HOUR":              "2024-03-01 02:00:00",
		"EVERY 1 DAY OFFSET 20 HOUR":             "2024-02-29 20:00:00",
		"EVERY 1 WEEK":                           "2024-03-04 00:00:00",
		"EVERY 1 MONTH":                          "2024-03-01 00:00:00",
		"EVERY 6 MONTH OFFSET 1 DAY":             "2024-07-02 00:00:00",
		"EVERY 1 YEAR":                           "2025-01-01 00:00:00",
		"AFTER 90 SECONDS":                       "2024-02-29 13:48:42",
		"AFTER 1 MONTH":                          "2024-03-29 13:47:12",
		"EVERY 5 MINUTES RANDOMIZE FOR 1 MINUTE": "2024-02-29 13:50:00",
	} {
		s, err := parseSchedule(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.next(now).Format(time.DateTime); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"EVERY 0 DAY", "EVERY 1 MONTH 1 DAY", "EVERY", "EVERY 1 DAY OFFSET 1 MONTH", "EVERY 1 CENTURY"} {
		if _, err := parseSchedule(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
