package text

import (
	"strconv"

	"lakeserver/types/civil"
)

func appendTwo(dst []byte, v int) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

// AppendDate writes days since 1970-01-01 as 2020-01-31.
func AppendDate(dst []byte, days int) []byte {
	y, m, d := civil.FromDays(days)
	if y < 0 {
		y = 0
	}
	dst = append(dst, byte('0'+y/1000%10), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-')
	dst = append(appendTwo(dst, m), '-')
	return appendTwo(dst, d)
}

// AppendDateTime writes a unix time as the zone's clock shows it.
func AppendDateTime(dst []byte, unix int64, z *civil.Zone) []byte {
	return appendLocal(dst, z.Local(unix), ' ')
}

func appendLocal(dst []byte, local int64, between byte) []byte {
	days := civil.FloorDiv(local, civil.Day)
	s := int(local - days*civil.Day)
	dst = append(AppendDate(dst, int(days)), between)
	dst = append(appendTwo(dst, s/3600), ':')
	dst = append(appendTwo(dst, s/60%60), ':')
	return appendTwo(dst, s%60)
}

// AppendDateTime64 writes ticks of 10^-scale seconds.
func AppendDateTime64(dst []byte, ticks int64, scale int, z *civil.Zone) []byte {
	per := Pow10(scale)
	unix := civil.FloorDiv(ticks, per)
	return appendFraction(AppendDateTime(dst, unix, z), ticks-unix*per, scale)
}

func appendFraction(dst []byte, v int64, scale int) []byte {
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for p := Pow10(scale - 1); p > 0; p /= 10 {
		dst = append(dst, byte('0'+v/p%10))
	}
	return dst
}

// appendTimes writes a time in the format that the options ask.
func appendTimes(dst []byte, ticks int64, scale int, z *civil.Zone, f DateTimeFormat) []byte {
	switch f {
	case ISO:
		per := Pow10(scale)
		unix := civil.FloorDiv(ticks, per)
		dst = appendLocal(dst, unix, 'T')
		return append(appendFraction(dst, ticks-unix*per, scale), 'Z')
	case UnixTimestamp:
		return AppendDecimal(dst, ticks, scale, true)
	}
	return AppendDateTime64(dst, ticks, scale, z)
}

// AppendTime writes seconds of a Time as [-]hhh:mm:ss.
func AppendTime(dst []byte, seconds int64) []byte { return AppendTime64(dst, seconds, 0) }

// AppendTime64 writes ticks of 10^-scale seconds of a Time64.
func AppendTime64(dst []byte, ticks int64, scale int) []byte {
	if ticks < 0 {
		dst = append(dst, '-')
		ticks = -ticks
	}
	per := Pow10(scale)
	s := ticks / per
	if s/3600 < 10 {
		dst = append(dst, '0')
	}
	dst = append(strconv.AppendInt(dst, s/3600, 10), ':')
	dst = append(appendTwo(dst, int(s/60%60)), ':')
	return appendFraction(appendTwo(dst, int(s%60)), ticks%per, scale)
}

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// Pow10 gives 10^n for 0 ≤ n ≤ 18.
func Pow10(n int) int64 { return pow10[n] }
