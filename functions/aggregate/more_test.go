package aggregate

import (
	"testing"

	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/types"
)

// TestMore holds answers that ClickHouse 26.9 gave over number of numbers(n).
func TestMore(t *testing.T) {
	n := func(rows int, f func(i uint64) uint64) column.Column {
		v := make([]uint64, rows)
		for i := range v {
			v[i] = f(uint64(i))
		}
		return column.NewFixed(v)
	}
	same := func(i uint64) uint64 { return i }
	mod := func(m uint64) func(uint64) uint64 { return func(i uint64) uint64 { return i % m } }
	is := func(rows int, x uint64) column.Column {
		v := make([]uint8, rows)
		if x < uint64(rows) {
			v[x] = 1
		}
		return column.NewFixed(v)
	}
	p := func(v ...column.Value) []functions.Param {
		var out []functions.Param
		for _, x := range v {
			switch x.(type) {
			case float64:
				out = append(out, param(types.Float64, x))
			case string:
				out = append(out, param(types.String, x))
			default:
				out = append(out, param(types.UInt64, x))
			}
		}
		return out
	}
	u64, u8 := types.UInt64, types.UInt8
	arr := func(lists ...[]uint64) column.Column {
		a := &column.Array{Offsets: []uint64{0}}
		var all []uint64
		for _, l := range lists {
			all = append(all, l...)
			a.Offsets = append(a.Offsets, uint64(len(all)))
		}
		a.Elems = column.NewFixed(all)
		return a
	}
	lists := arr([]uint64{1, 2}, []uint64{1, 2}, []uint64{1, 2})
	values := arr([]uint64{0, 1}, []uint64{1, 1}, []uint64{2, 1})
	for _, c := range []struct {
		name   string
		params []functions.Param
		types  []*types.Type
		args   []column.Column
		typ    string
		want   string
	}{
		{"groupBitAnd", nil, []*types.Type{u64}, []column.Column{n(3, func(i uint64) uint64 { return i + 4 })}, "UInt64", "4"},
		{"groupBitXor", nil, []*types.Type{u64}, []column.Column{n(3, same)}, "UInt64", "3"},
		{"varPop", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Float64", "2"},
		{"stddevSamp", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Float64", "1.58113883008"},
		{"varSamp", nil, []*types.Type{u64}, []column.Column{n(1, same)}, "Float64", "NaN"},
		{"varSampStable", nil, []*types.Type{u64}, []column.Column{n(1, same)}, "Float64", "+Inf"},
		{"kurtPop", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Float64", "1.7"},
		{"kurtSamp", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Float64", "1.088"},
		{"covarSamp", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return 2 * i })}, "Float64", "5"},
		{"corr", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return i * i })}, "Float64", "0.958926602971"},
		{"simpleLinearRegression", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return 2*i + 1 })}, "Tuple(k Float64, b Float64)", "[2 1]"},
		{"quantile", nil, []*types.Type{u64}, []column.Column{n(10, same)}, "Float64", "4.5"},
		{"quantiles", p(0.1, 0.9), []*types.Type{u64}, []column.Column{n(10, same)}, "Array(Float64)", "[0.9 8.1]"},
		{"median", nil, []*types.Type{types.Date}, []column.Column{column.NewFixed([]uint16{1, 2})}, "Date", "1"},
		{"quantileExact", p(0.5), []*types.Type{u64}, []column.Column{n(10, same)}, "UInt64", "5"},
		{"quantileExactLow", nil, []*types.Type{u64}, []column.Column{n(10, same)}, "UInt64", "4"},
		{"quantileExactInclusive", p(0.3), []*types.Type{u64}, []column.Column{n(10, same)}, "Float64", "2.7"},
		{"quantileExactExclusive", p(0.3), []*types.Type{u64}, []column.Column{n(10, same)}, "Float64", "2.3"},
		{"quantilesExact", p(0.1, 0.5), []*types.Type{u64}, []column.Column{n(10, same)}, "Array(UInt64)", "[1 5]"},
		{"quantileExactWeighted", nil, []*types.Type{u64, u64}, []column.Column{n(10, same), n(10, same)}, "UInt64", "7"},
		{"quantileExactWeightedInterpolated", nil, []*types.Type{u64, u64}, []column.Column{n(10, same), n(10, same)}, "Float64", "7"},
		{"quantileInterpolatedWeighted", nil, []*types.Type{u64, u64}, []column.Column{n(10, same), n(10, same)}, "UInt64", "6"},
		{"quantileDeterministic", nil, []*types.Type{u64, u64}, []column.Column{n(10, same), n(10, same)}, "Float64", "4.5"},
		{"quantileTiming", nil, []*types.Type{u64}, []column.Column{n(10, same)}, "Float32", "5"},
		{"quantileTDigest", nil, []*types.Type{u64}, []column.Column{n(10, same)}, "Float32", "4"},
		{"quantileTDigestWeighted", nil, []*types.Type{u64, u64}, []column.Column{n(10, same), n(10, same)}, "Float32", "6.6923075"},
		{"quantileBFloat16", nil, []*types.Type{u64}, []column.Column{n(10, same)}, "Float64", "4"},
		{"quantileGK", p(uint64(100), 0.5), []*types.Type{u64}, []column.Column{n(10, same)}, "UInt64", "4"},
		{"sumMap", nil, []*types.Type{types.Array(u64), types.Array(u64)}, []column.Column{lists, values}, "Tuple(Array(UInt64), Array(UInt64))", "[[1 2] [3 3]]"},
		{"minMap", nil, []*types.Type{types.Array(u64), types.Array(u64)}, []column.Column{lists, values}, "Tuple(Array(UInt64), Array(UInt64))", "[[1 2] [0 1]]"},
		{"topK", p(uint64(1)), []*types.Type{u64}, []column.Column{n(10, mod(3))}, "Array(UInt64)", "[0]"},
		{"topKWeighted", p(uint64(2)), []*types.Type{u64, u64}, []column.Column{n(10, mod(3)), n(10, mod(3))}, "Array(UInt64)", "[2 1]"},
		{"deltaSum", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "UInt64", "4"},
		{"boundingRatio", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return 2 * i })}, "Float64", "2"},
		{"entropy", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Float64", "2.32192809489"},
		{"exponentialMovingAverage", p(uint64(5)), []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, same)}, "Float64", "1.13748802056"},
		{"maxIntersections", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return i + 2 })}, "UInt64", "2"},
		{"maxIntersectionsPosition", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return i + 2 })}, "UInt64", "1"},
		{"intervalLengthSum", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return i + 2 })}, "UInt64", "6"},
		{"groupUniqArray", p(uint64(2)), []*types.Type{u64}, []column.Column{n(5, mod(3))}, "Array(UInt64)", "[0 1]"},
		{"groupConcat", p(", "), []*types.Type{u64}, []column.Column{n(5, same)}, "String", "0, 1, 2, 3, 4"},
		{"groupConcat", p(",", uint64(2)), []*types.Type{u64}, []column.Column{n(5, same)}, "String", "0,1"},
		{"groupArrayInsertAt", p(uint64(99), uint64(5)), []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, func(i uint64) uint64 { return i + 1 })}, "Array(UInt64)", "[99 0 1 2 3]"},
		{"groupArrayMovingSum", p(uint64(2)), []*types.Type{u64}, []column.Column{n(5, same)}, "Array(UInt64)", "[0 1 3 5 7]"},
		{"groupArrayMovingAvg", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Array(Float64)", "[0 0.2 0.6 1.2 2]"},
		{"groupArraySorted", p(uint64(2)), []*types.Type{u64}, []column.Column{n(5, func(i uint64) uint64 { return 4 - i })}, "Array(UInt64)", "[0 1]"},
		{"groupArrayIntersect", nil, []*types.Type{types.Array(u64)}, []column.Column{arr([]uint64{1, 2, 3}, []uint64{3, 1}, []uint64{1, 1, 3})}, "Array(UInt64)", "[1 3]"},
		{"sumCount", nil, []*types.Type{u64}, []column.Column{n(5, same)}, "Tuple(UInt64, UInt64)", "[10 5]"},
		{"avgWeighted", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, same)}, "Float64", "3"},
		{"anyHeavy", nil, []*types.Type{u64}, []column.Column{n(5, mod(2))}, "UInt64", "0"},
		{"uniqUpTo", p(uint64(3)), []*types.Type{u64}, []column.Column{n(5, same)}, "UInt64", "4"},
		{"uniq", nil, []*types.Type{u64}, []column.Column{n(1000, same)}, "UInt64", "1000"},
		{"windowFunnel", p(uint64(10)), []*types.Type{u64, u8, u8, u8}, []column.Column{n(6, same), is(6, 1), is(6, 2), is(6, 4)}, "UInt8", "3"},
		{"retention", nil, []*types.Type{u8, u8, u8}, []column.Column{is(6, 1), is(6, 2), is(6, 9)}, "Array(UInt8)", "[1 1 0]"},
		{"sequenceMatch", p("(?1)(?2)"), []*types.Type{u64, u8, u8}, []column.Column{n(6, same), is(6, 1), is(6, 2)}, "UInt8", "1"},
		{"sequenceCount", p("(?1).*(?2)"), []*types.Type{u64, u8, u8}, []column.Column{n(6, same), is(6, 1), is(6, 3)}, "UInt64", "1"},
		{"histogram", p(uint64(3)), []*types.Type{u64}, []column.Column{n(6, same)}, "Array(Tuple(Float64, Float64, Float64))", "[[0 1.5 2] [1.5 3.5 2] [3.5 5 2]]"},
		{"sumDistinct", nil, []*types.Type{u64}, []column.Column{n(5, mod(3))}, "UInt64", "3"},
		{"sumForEach", nil, []*types.Type{types.Array(u64)}, []column.Column{values}, "Array(UInt64)", "[3 3]"},
		{"sumResample", p(uint64(0), uint64(5), uint64(2)), []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, same)}, "Array(UInt64)", "[1 5 4]"},
		{"sumArgMin", nil, []*types.Type{u64, u64}, []column.Column{n(5, same), n(5, mod(3))}, "UInt64", "3"},
		{"sumOrNullIf", nil, []*types.Type{u64, u8}, []column.Column{n(5, same), is(5, 9)}, "Nullable(UInt64)", "<nil>"},
		{"sumIfOrNull", nil, []*types.Type{u64, u8}, []column.Column{n(5, same), is(5, 9)}, "Nullable(UInt64)", "<nil>"},
	} {
		b, got := call(t, c.name, c.params, c.types, c.args...)
		if b.Result.String() != c.typ || text(got) != c.want {
			t.Errorf("%s: %s of type %s, want %s of type %s", c.name, text(got), b.Result, c.want, c.typ)
		}
	}
}
