package pruning

import (
	"math"
	"testing"
	"time"

	"lakeserver/types"
)

func TestPlace(t *testing.T) {
	dt6, dt6utc := types.DateTime64(6, "", nil), types.DateTime64(6, "UTC", time.UTC)
	dec := types.Decimal(9, 2)
	for _, c := range []struct {
		from   *types.Type
		v      Value
		to     *types.Type
		lo, hi Value
		exact  bool
	}{
		{types.UInt8, uint8(5), types.Int32, int32(5), int32(5), true},
		{types.Float64, 2.5, types.Int32, int32(2), int32(3), false},
		{types.Float64, -2.5, types.Int64, int64(-3), int64(-2), false},
		{types.UInt64, uint64(4e9), types.Int32, int32(math.MaxInt32), nil, false},
		{types.Int64, int64(-4e9), types.Int32, nil, int32(math.MinInt32), false},
		{types.UInt8, uint8(7), types.Float64, 7.0, 7.0, true},
		{types.Float64, 0.1, types.Float32, math.Nextafter32(0.1, -1), math.Nextafter32(0.1, 1), false},
		{types.Float64, 2.5, dec, int32(250), int32(250), true},
		{types.Float64, -1.25, dec, int32(-125), int32(-125), true},
		{types.Float64, 0.001, dec, int32(-1), int32(1), false},
		{types.UInt8, uint8(2), dec, int32(200), int32(200), true},
		{types.Decimal(5, 3), int32(1234), dec, int32(123), int32(124), false},
		{types.String, "2024-02-29", types.Date32, int32(19782), int32(19782), true},
		{types.String, "2024-02-29 00:00:01", dt6utc, int64(1709164801000000), int64(1709164801000000), true},
		{types.DateTime64(3, "UTC", time.UTC), int64(1500), dt6, int64(1500000), int64(1500000), true},
		{types.DateTime64(9, "UTC", time.UTC), int64(1500), dt6, int64(1), int64(2), false},
		{types.DateTime, uint32(1), dt6, int64(1000000), int64(1000000), true},
		{types.Date, uint16(19782), types.Date32, int32(19782), int32(19782), true},
		{types.String, "f79c3e09-677c-4bbd-a479-3f349cb785e7", types.UUID, types.U128{Hi: 0xf79c3e09677c4bbd, Lo: 0xa4793f349cb785e7}, types.U128{Hi: 0xf79c3e09677c4bbd, Lo: 0xa4793f349cb785e7}, true},
	} {
		l, ok := place(c.from, c.v, c.to, time.UTC)
		if !ok || l.lo != c.lo || l.hi != c.hi || l.exact != c.exact {
			t.Errorf("%v of %s among %s: %+v, %t; want %v, %v, %t", c.v, c.from, c.to, l, ok, c.lo, c.hi, c.exact)
		}
	}
	// A day against a time: within two days, wherever midnight is.
	l, ok := place(types.Date, uint16(10), dt6, time.UTC)
	if !ok || l.exact || l.lo != int64(8*86400e6) || l.hi != int64(12*86400e6) {
		t.Errorf("day against time: %+v, %t", l, ok)
	}
	for _, c := range []struct {
		from *types.Type
		v    Value
		to   *types.Type
	}{{types.Float64, math.NaN(), types.Int32}, {types.String, "x", types.Int32}, {types.Int32, nil, types.Int32}, {types.String, "now", dt6}} {
		if l, ok := place(c.from, c.v, c.to, time.UTC); ok {
			t.Errorf("%v among %s: %+v", c.v, c.to, l)
		}
	}
}

// Turning partition values back into columns must cover whatever the
// transform brings there.
func TestStringEnd(t *testing.T) {
	for _, c := range []struct{ value, want string }{{"ab", "ac"}, {"a\xff", "b"}} {
		f := stringField(2)
		if got := f.truncateEnd(c.value); got != c.want {
			t.Errorf("%q: %q", c.value, got)
		}
	}
	if got := stringField(2).truncateEnd("a"); got != "a" {
		t.Errorf("a short value is whole: %q", got)
	}
}
