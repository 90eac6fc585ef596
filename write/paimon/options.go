package paimon

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"lakeserver/metadata/paimon"
)

// options are the table's, with those of the context over them.
type options map[string]string

func optionsOf(s *paimon.Schema, over map[string]string) options {
	out := options{}
	maps.Copy(out, s.Options)
	maps.Copy(out, over)
	return out
}

// supported refuses what asks commits for a protocol that is not theirs.
func (o options) supported() error {
	for _, name := range []string{"commit.strict-mode.last-safe-snapshot", "sequence.snapshot-ordering", "pk-clustering-override"} {
		if _, ok := o[name]; ok {
			return invalid("option `%s` is not supported by this commit path: use Paimon's Java commit for this table", name)
		}
	}
	return nil
}

func (o options) number(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(strings.TrimSpace(o[name]), 10, 64); err == nil {
		return n
	}
	return otherwise
}

func (o options) share(name string, otherwise float64) float64 {
	if n, err := strconv.ParseFloat(strings.TrimSpace(o[name]), 64); err == nil {
		return n
	}
	return otherwise
}

func (o options) flag(name string, otherwise bool) bool {
	if v, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(o[name]))); err == nil {
		return v
	}
	return otherwise
}

func (o options) text(name, otherwise string) string {
	if v, ok := o[name]; ok && v != "" {
		return v
	}
	return otherwise
}

var durationUnits = map[string]time.Duration{
	"": time.Millisecond, "ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"ns": time.Nanosecond, "nano": time.Nanosecond, "nanos": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "micro": time.Microsecond, "micros": time.Microsecond,
}

// duration reads "10 min"; a number alone is in milliseconds.
func (o options) duration(name string, otherwise time.Duration) time.Duration {
	if d, ok := ParseDuration(o[name]); ok {
		return d
	}
	return otherwise
}

// ParseDuration reads a duration as Paimon's options spell it.
func ParseDuration(text string) (time.Duration, bool) {
	n, unit, ok := quantity(text)
	u, known := durationUnits[unit]
	return time.Duration(n) * u, ok && known
}

var sizeUnits = map[string]int64{
	"": 1, "b": 1, "bytes": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "t": 1 << 40, "tb": 1 << 40,
}

// size reads "8 mb"; a number alone is in bytes.
func (o options) size(name string, otherwise int64) int64 {
	n, unit, ok := quantity(o[name])
	if u, known := sizeUnits[unit]; ok && known {
		return n * u
	}
	return otherwise
}

func quantity(text string) (n int64, unit string, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(text[:i], 10, 64)
	return n, strings.TrimSpace(text[i:]), err == nil
}
