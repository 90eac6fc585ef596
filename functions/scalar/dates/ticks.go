package dates

import (
	"time"

	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/column/text"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// scaleTo brings ticks of 10^-from seconds to 10^-to, cutting digits off.
func scaleTo(v int64, from, to int) int64 {
	if to >= from {
		return v * text.Pow10(to-from)
	}
	return civil.FloorDiv(v, text.Pow10(from-to))
}

// mapUnix calls f with each row's unix time in seconds; a date is its midnight.
func mapUnix(c column.Column, t *types.Type, loc *time.Location, f func(unix int64) int64) []int64 {
	v := cast.Native[int64](full(c))
	out := make([]int64, len(v))
	z := civil.NewZone(loc)
	if isDay(t) {
		for i, d := range v {
			out[i] = f(z.Midnight(int(d)))
		}
		return out
	}
	per := text.Pow10(t.Scale())
	for i, x := range v {
		out[i] = f(civil.FloorDiv(x, per))
	}
	return out
}
