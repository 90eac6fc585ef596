package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

var pow10 = [...]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// timeTo gives times and timestamps of unit fraction digits.
func timeTo[S int32 | int64](unit int, t *types.Type) convertFunc {
	switch t.Kind() {
	case types.KindDateTime64, types.KindTime64:
		return rescale[S](t.Scale() - unit)
	case types.KindDateTime:
		return toSeconds[S](pow10[unit])
	case types.KindDate32:
		return toDays[S, int32](86400 * pow10[unit])
	case types.KindDate:
		return toDays[S, uint16](86400 * pow10[unit])
	}
	return integerTo[S](t)
}

// rescale moves the decimal point by digits, towards minus infinity when
// digits are dropped.
func rescale[S int32 | int64](digits int) convertFunc {
	switch {
	case digits == 0:
		return cast[S, int64]
	case digits > 0:
		k := pow10[digits]
		return func(v *vec) (column.Column, error) {
			src := view[S](v.fixed)
			out := make([]int64, len(src))
			least, most := math.MinInt64/k, math.MaxInt64/k
			for i, x := range src {
				if y := int64(x); y < least || y > most {
					return nil, cherr.New(cherr.DecimalOverflow, "Timestamp %d does not fit into the wanted scale", y)
				}
				out[i] = int64(x) * k
			}
			return column.NewFixed(out), nil
		}
	}
	k := pow10[-digits]
	return func(v *vec) (column.Column, error) {
		src := view[S](v.fixed)
		out := make([]int64, len(src))
		for i, x := range src {
			out[i] = floorDiv(int64(x), k)
		}
		return column.NewFixed(out), nil
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// toSeconds gives a DateTime; what is outside its range becomes its end.
func toSeconds[S int32 | int64](k int64) convertFunc {
	return func(v *vec) (column.Column, error) {
		src := view[S](v.fixed)
		out := make([]uint32, len(src))
		for i, x := range src {
			out[i] = uint32(min(max(floorDiv(int64(x), k), 0), math.MaxUint32))
		}
		return column.NewFixed(out), nil
	}
}

func toDays[S int32 | int64, T int32 | uint16](k int64) convertFunc {
	return func(v *vec) (column.Column, error) {
		src := view[S](v.fixed)
		out := make([]T, len(src))
		for i, x := range src {
			d := floorDiv(int64(x), k)
			if int64(T(d)) != d {
				return nil, cherr.New(cherr.ValueIsOutOfRangeOfDataType, "Day number %d is out of range", d)
			}
			out[i] = T(d)
		}
		return column.NewFixed(out), nil
	}
}

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// fromInt96 reads nanoseconds of a day and a Julian day.
func fromInt96(t *types.Type) convertFunc {
	scale := t.Scale()
	return func(v *vec) (column.Column, error) {
		n := v.len()
		out := make([]int64, n)
		for i := range out {
			b := v.fixed[i*12 : i*12+12]
			nanos := int64(binary.LittleEndian.Uint64(b))
			days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - julianEpoch
			x, ok := int96At(days, nanos, scale)
			if !ok {
				return nil, cherr.New(cherr.DecimalOverflow, "INT96 timestamp of Julian day %d does not fit into %s", days+julianEpoch, t)
			}
			out[i] = x
		}
		if t.Kind() == types.KindDateTime {
			secs := make([]uint32, n)
			for i, x := range out {
				secs[i] = uint32(min(max(x, 0), math.MaxUint32))
			}
			return column.NewFixed(secs), nil
		}
		return column.NewFixed(out), nil
	}
}

// int96At joins days and nanoseconds at a scale without overflowing on the way.
func int96At(days, nanos int64, scale int) (int64, bool) {
	fraction := floorDiv(nanos, pow10[9-scale])
	perDay := 86400 * pow10[scale]
	hi, lo := bits.Mul64(uint64(max(days, -days)), uint64(perDay))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	x := int64(lo)
	if days < 0 {
		x = -x
	}
	sum := x + fraction
	return sum, (sum > x) == (fraction > 0)
}
