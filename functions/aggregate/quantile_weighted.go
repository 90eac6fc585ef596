package aggregate

import (
	"math"
	"math/bits"
	"slices"

	"lakeserver/column"
	"lakeserver/types"
)

// weightedRows orders rows by value and gives their weights; rows of weight 0
// are left out.
func weightedRows(args []column.Column, from, to int) (rows []int, weights []float64, total float64) {
	w := numbersOf[float64](args[1].Slice(from, to))
	for _, r := range sortedRows(args[0], from, to) {
		if x := w[r-from]; x > 0 {
			rows, weights = append(rows, r), append(weights, x)
			total += x
		}
	}
	return rows, weights, total
}

// byWeight gives the value at which the weights reach the level's share.
func byWeight(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
	rows, weights, total := weightedRows(args, from, to)
	out := make([]column.Value, len(levels))
	for i, l := range levels {
		if len(rows) == 0 {
			out[i] = noValue(t)
			continue
		}
		need, sum, at := math.Ceil(total*l), 0.0, 0
		for at = range rows {
			if sum += weights[at]; sum >= need {
				break
			}
		}
		out[i] = column.At(args[0], rows[at])
	}
	return out
}

var _ = quantileKind{
	suffix: "ExactWeighted", weighted: true, summary: "The exact quantile, each value counted weight times.", check: orderedKind, result: sameType, answer: byWeight,
}.register()

var _ = quantileKind{
	suffix: "ExactWeightedInterpolated", weighted: true, summary: "The exact quantile between values, each counted weight times.", check: isNumber, result: toFloat64,
	answer: func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		rows, weights, total := weightedRows(args, from, to)
		v := floatsOf(t, args[0])
		// nth gives the value at a place of the list that repeats each by its weight.
		nth := func(place float64) float64 {
			sum := 0.0
			for i, r := range rows {
				if sum += weights[i]; place < sum {
					return v[r]
				}
			}
			return v[rows[len(rows)-1]]
		}
		out := make([]column.Value, len(levels))
		for i, l := range levels {
			if len(rows) == 0 {
				out[i] = math.NaN()
				continue
			}
			place := l * (total - 1)
			low := math.Floor(place)
			a, b := nth(low), nth(low+1)
			out[i] = a + (b-a)*(place-low)
		}
		return out
	},
}.register()

var _ = quantileKind{
	suffix: "InterpolatedWeighted", weighted: true, summary: "The quantile between the middles of the weights.", check: orderedKind, result: sameType,
	answer: func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		rows, weights, total := weightedRows(args, from, to)
		v := numbersOf[float64](args[0])
		out := make([]column.Value, len(levels))
		for i, l := range levels {
			if len(rows) == 0 {
				out[i] = noValue(t)
				continue
			}
			points := make([]float64, len(rows))
			sum := 0.0
			for k, w := range weights {
				sum += w
				points[k] = (sum - w/2) / total
			}
			out[i] = fromFloat(t, alongPoints(points, rows, v, l))
		}
		return out
	},
}.register()

func alongPoints(points []float64, rows []int, v []float64, level float64) float64 {
	k, _ := slices.BinarySearch(points, level)
	switch {
	case k == 0:
		return v[rows[0]]
	case k == len(points):
		return v[rows[k-1]]
	}
	part := (level - points[k-1]) / (points[k] - points[k-1])
	return v[rows[k-1]] + (v[rows[k]]-v[rows[k-1]])*part
}

// fromFloat gives a float as a value of a numeric type's form, cut off.
func fromFloat(t *types.Type, x float64) column.Value { // long: one case a form
	switch t.Physical() {
	case types.PhysUInt8:
		return uint8(x)
	case types.PhysUInt16:
		return uint16(x)
	case types.PhysUInt32:
		return uint32(x)
	case types.PhysUInt64:
		return uint64(x)
	case types.PhysInt8:
		return int8(x)
	case types.PhysInt16:
		return int16(x)
	case types.PhysInt32:
		return int32(x)
	case types.PhysInt64:
		return int64(x)
	case types.PhysFloat32:
		return float32(x)
	case types.PhysInt128:
		return types.ToI128(int64(x))
	case types.PhysUInt128:
		return types.U128{Lo: uint64(x)}
	case types.PhysInt256:
		return types.ToI256(int64(x))
	case types.PhysUInt256:
		return types.U256{uint64(x)}
	}
	return x
}

// timing keeps what quantileTiming keeps: whole milliseconds up to 30,000.
func timing(c column.Column, from, to int) []float64 {
	v := slices.Clone(numbersOf[float64](c.Slice(from, to)))
	for i, x := range v {
		v[i] = math.Trunc(min(max(x, 0), 30000))
	}
	return v
}

// timingExact is how many times quantileTiming keeps one by one. Of more it
// counts those below timingFine by the millisecond, and those up to timingMost
// by sixteen of them.
const (
	timingExact = 5672
	timingFine  = 1024
	timingMost  = 30000
	timingStep  = 16
)

// timingBucket gives what a bucket of sixteen is shown as: not always its
// middle, so that not all numbers look round.
func timingBucket(i uint64) float64 {
	return float64(int64(i*timingStep+timingFine) + int64(spread32(i)%timingStep) - timingStep/2)
}

// spread32 is ClickHouse's hash intHash32.
func spread32(k uint64) uint32 {
	k = ^k + k<<18
	k ^= bits.RotateLeft64(k, -31)
	k *= 21
	k ^= bits.RotateLeft64(k, -11)
	k += k << 6
	k ^= bits.RotateLeft64(k, -22)
	return uint32(k)
}

// timingShown gives a time as quantileTiming of many rows tells it.
func timingShown(x float64) float64 {
	if x < timingFine || x >= timingMost {
		return x
	}
	return timingBucket((uint64(x) - timingFine) / timingStep)
}

var _ = quantileKind{
	suffix: "Timing", summary: "The quantile of times in milliseconds.", check: isNumber, result: toFloat32,
	answer: func(_ *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		v := timing(args[0], from, to)
		slices.Sort(v)
		out := make([]column.Value, len(levels))
		for i, l := range levels {
			switch {
			case len(v) == 0:
				out[i] = float32(math.NaN())
			case len(v) > timingExact:
				out[i] = float32(timingShown(v[max(int(math.Ceil(l*float64(len(v))))-1, 0)]))
			default:
				out[i] = float32(v[rankOf(l, len(v))])
			}
		}
		return out
	},
}.register()

var _ = quantileKind{
	suffix: "TimingWeighted", weighted: true, summary: "The quantile of times in milliseconds, each counted weight times.", check: isNumber, result: toFloat32,
	answer: func(_ *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		times := []column.Column{column.NewFixed(timing(args[0], from, to)), args[1].Slice(from, to)}
		out := byWeight(types.Float64, levels, times, 0, to-from)
		for i, v := range out {
			out[i] = float32(v.(float64))
		}
		return out
	},
}.register()

var _ = quantileKind{
	suffix: "BFloat16", summary: "The quantile of values cut to the 16 upper bits of a float.", check: isNumber, result: toFloat64,
	answer: func(t *types.Type, levels []float64, args []column.Column, from, to int) []column.Value {
		v := sortedFloats(t, args[0], from, to)
		out := make([]column.Value, len(levels))
		for i, l := range levels {
			if len(v) == 0 {
				out[i] = math.NaN()
				continue
			}
			x := float32(v[max(int(math.Ceil(l*float64(len(v))))-1, 0)])
			out[i] = float64(math.Float32frombits(math.Float32bits(x) &^ 0xFFFF))
		}
		return out
	},
}.register()
