package pruning

import (
	"math"
	"math/big"
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/types"
)

// literal is where a constant stands among the values of a column's type: it
// is at Lo when exact, else somewhere from Lo to Hi. nil Lo is below all
// values, nil Hi above all.
type literal struct {
	lo, hi Value
	exact  bool
}

// place finds a constant's place among the values of type to; ok is false when
// nothing can be said. zone is the session's, for types without their own.
func place(from *types.Type, v Value, to *types.Type, zone *time.Location) (literal, bool) {
	from, to = types.Unwrap(from), types.Unwrap(to)
	if v == nil {
		return literal{}, false
	}
	switch {
	case from.Equal(to) && !to.IsFloat():
		return exactly(v), true
	case to.Kind() == types.KindString || to.Kind() == types.KindFixedString:
		s, ok := v.(string)
		if from.Kind() == types.KindFixedString || to.Kind() == types.KindFixedString {
			return literal{}, false // padding: what equals what is not worth it here
		}
		return exactly(s), ok && from.IsString()
	case to.Kind() == types.KindUUID:
		s, ok := v.(string)
		if !ok {
			return literal{}, false
		}
		u, ok := parseUUID(s)
		return exactly(u), ok
	case to.Kind() == types.KindDate32 || to.Kind() == types.KindDate || to.Kind() == types.KindDateTime || to.Kind() == types.KindDateTime64:
		return placeTime(from, v, to, zone)
	case to.IsNumber() && from.IsNumber():
		return placeNumber(from, v, to)
	case (to.IsDecimal() || to.IsInteger()) && from.Kind() == types.KindString:
		return placeText(v, to)
	}
	return literal{}, false
}

// placeText reads a number that is compared as text: the comparison reads it as
// a value of the column's type, which it is exactly or the query fails.
func placeText(v Value, to *types.Type) (literal, bool) {
	s, _ := v.(string)
	if s == "" || len(s) > 80 || strings.Trim(s, "0123456789.-") != "" {
		return literal{}, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return literal{}, false
	}
	if to.IsDecimal() {
		r.Mul(r, new(big.Rat).SetInt(pow10(to.Scale())))
	}
	least, most, fits := limits(to)
	if !fits || !r.IsInt() || r.Num().Cmp(least) < 0 || r.Num().Cmp(most) > 0 {
		return literal{}, false
	}
	return exactly(intValue(to, r.Num())), true
}

func exactly(v Value) literal { return literal{v, v, true} }

func parseUUID(s string) (types.U128, bool) {
	n, ok := new(big.Int).SetString(strings.ReplaceAll(s, "-", ""), 16)
	if !ok || len(strings.ReplaceAll(s, "-", "")) != 32 || n.Sign() < 0 {
		return types.U128{}, false
	}
	return types.U128{Lo: n.Uint64(), Hi: new(big.Int).Rsh(n, 64).Uint64()}, true
}

// rational gives a number as a fraction; ok is false for NaN and infinities.
func rational(t *types.Type, v Value) (*big.Rat, bool) { // long: one case a form
	r := new(big.Rat)
	switch x := v.(type) {
	case uint8:
		r.SetInt64(int64(x))
	case uint16:
		if t.Kind() == types.KindBFloat16 {
			return nil, false
		}
		r.SetInt64(int64(x))
	case uint32:
		r.SetInt64(int64(x))
	case uint64:
		r.SetUint64(x)
	case int8:
		r.SetInt64(int64(x))
	case int16:
		r.SetInt64(int64(x))
	case int32:
		r.SetInt64(int64(x))
	case int64:
		r.SetInt64(x)
	case types.I128:
		r.SetInt(x.Big())
	case types.I256:
		r.SetInt(x.Big())
	case types.U128:
		r.SetInt(x.Big())
	case types.U256:
		r.SetInt(x.Big())
	case float32:
		if r.SetFloat64(float64(x)) == nil {
			return nil, false
		}
	case float64:
		if r.SetFloat64(x) == nil {
			return nil, false
		}
	default:
		return nil, false
	}
	if t.IsDecimal() && t.Scale() > 0 {
		r.Quo(r, new(big.Rat).SetInt(pow10(t.Scale())))
	}
	return r, true
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func placeNumber(from *types.Type, v Value, to *types.Type) (literal, bool) {
	r, ok := rational(from, v)
	if !ok {
		return literal{}, false
	}
	if to.IsFloat() {
		return placeFloat(from, r, to)
	}
	if from.IsFloat() && to.IsDecimal() {
		return placeFloatInDecimal(v, r, to)
	}
	if to.IsDecimal() {
		r.Mul(r, new(big.Rat).SetInt(pow10(to.Scale())))
	}
	floor, rem := new(big.Int), new(big.Int)
	floor.DivMod(r.Num(), r.Denom(), rem)
	least, most, fits := limits(to)
	if !fits {
		return literal{}, false
	}
	switch {
	case floor.Cmp(least) < 0:
		return literal{hi: intValue(to, least)}, true
	case floor.Cmp(most) >= 0 && (rem.Sign() != 0 || floor.Cmp(most) > 0):
		return literal{lo: intValue(to, most)}, true
	case rem.Sign() == 0:
		return exactly(intValue(to, floor)), true
	}
	return literal{lo: intValue(to, floor), hi: intValue(to, new(big.Int).Add(floor, big.NewInt(1)))}, true
}

// placeFloatInDecimal: the two are compared as floats, so the constant equals
// every decimal that rounds to it. With fewer digits than a float has that is
// one at most; otherwise the constant is somewhere between its neighbours.
func placeFloatInDecimal(v Value, r *big.Rat, to *types.Type) (literal, bool) {
	f, ok := v.(float64)
	if !ok {
		return literal{}, false
	}
	scale := new(big.Rat).SetInt(pow10(to.Scale()))
	nearest := new(big.Int).Div(new(big.Int).Add(new(big.Int).Mul(new(big.Rat).Mul(r, scale).Num(), big.NewInt(2)), new(big.Rat).Mul(r, scale).Denom()),
		new(big.Int).Mul(new(big.Rat).Mul(r, scale).Denom(), big.NewInt(2)))
	least, most, fits := limits(to)
	if !fits || nearest.Cmp(least) <= 0 || nearest.Cmp(most) >= 0 {
		return literal{}, false
	}
	back := new(big.Rat).Quo(new(big.Rat).SetInt(nearest), scale)
	if near, _ := back.Float64(); near == f && nearest.BitLen() <= 50 && to.Scale() <= 15 {
		return exactly(intValue(to, nearest)), true
	}
	one := big.NewInt(1)
	slack := new(big.Int).Add(one, new(big.Int).Rsh(new(big.Int).Abs(nearest), 48))
	lo, hi := new(big.Int).Sub(nearest, slack), new(big.Int).Add(nearest, slack)
	return literal{lo: intValue(to, maxBig(lo, least)), hi: intValue(to, minBig(hi, most))}, true
}

// placeFloat brackets the value by its neighbours: how ClickHouse rounds the
// constant is then no matter.
func placeFloat(from *types.Type, r *big.Rat, to *types.Type) (literal, bool) {
	if to.Kind() == types.KindBFloat16 {
		return literal{}, false
	}
	f, exact := r.Float64()
	if to.Kind() == types.KindFloat32 {
		f32, same := r.Float32()
		if math.IsInf(float64(f32), 0) {
			return literal{}, false
		}
		if same {
			return exactly(f32), true
		}
		return literal{lo: math.Nextafter32(f32, float32(math.Inf(-1))), hi: math.Nextafter32(f32, float32(math.Inf(1)))}, true
	}
	if math.IsInf(f, 0) {
		return literal{}, false
	}
	if exact && (from.IsFloat() || from.IsInteger()) {
		return exactly(f), true
	}
	return literal{lo: math.Nextafter(f, math.Inf(-1)), hi: math.Nextafter(f, math.Inf(1))}, true
}

func limits(t *types.Type) (least, most *big.Int, ok bool) {
	if t.Kind() == types.KindBool {
		return big.NewInt(0), big.NewInt(255), true
	}
	n := uint(8 * t.Bytes())
	if n == 0 || n > 256 {
		return nil, nil, false
	}
	one := big.NewInt(1)
	if t.IsUnsigned() {
		return big.NewInt(0), new(big.Int).Sub(new(big.Int).Lsh(one, n), one), true
	}
	half := new(big.Int).Lsh(one, n-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one), true
}

func intValue(t *types.Type, n *big.Int) Value { // long: one case a form
	switch t.Physical() {
	case types.PhysUInt8:
		return uint8(n.Uint64())
	case types.PhysUInt16:
		return uint16(n.Uint64())
	case types.PhysUInt32:
		return uint32(n.Uint64())
	case types.PhysUInt64:
		return n.Uint64()
	case types.PhysInt8:
		return int8(n.Int64())
	case types.PhysInt16:
		return int16(n.Int64())
	case types.PhysInt32:
		return int32(n.Int64())
	case types.PhysInt64:
		return n.Int64()
	case types.PhysInt128:
		return types.I128FromBig(n)
	case types.PhysInt256:
		return types.I256FromBig(n)
	}
	return nil
}

// placeTime goes by instants: a day begins at midnight of the zone in which
// the two are compared, which is not told here, so a day against a time is
// placed within a day and a half around.
func placeTime(from *types.Type, v Value, to *types.Type, zone *time.Location) (literal, bool) {
	nanos, slack, ok := instant(from, v, to, zone)
	if !ok {
		return literal{}, false
	}
	lo, hi := new(big.Int).Sub(nanos, slack), new(big.Int).Add(nanos, slack)
	unit := big.NewInt(86400_000_000_000)
	switch to.Kind() {
	case types.KindDateTime:
		unit = big.NewInt(1_000_000_000)
	case types.KindDateTime64:
		unit = pow10(9 - to.Scale())
	}
	least, most, _ := limits(to)
	if to.Kind() == types.KindDate || to.Kind() == types.KindDateTime {
		least, most = big.NewInt(0), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*to.Bytes())), big.NewInt(1))
	}
	floor, rem := new(big.Int).DivMod(lo, unit, new(big.Int))
	exact := slack.Sign() == 0 && rem.Sign() == 0
	ceil, crem := new(big.Int).DivMod(hi, unit, new(big.Int))
	if crem.Sign() != 0 {
		ceil.Add(ceil, big.NewInt(1))
	}
	out := literal{exact: exact}
	switch {
	case floor.Cmp(least) < 0:
		out.exact = false
	default:
		out.lo = intValue(to, minBig(floor, most))
	}
	if ceil.Cmp(most) <= 0 {
		out.hi = intValue(to, maxBig(ceil, least))
	} else {
		out.exact = false
	}
	return out, out.lo != nil || out.hi != nil
}

func minBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func maxBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// instant gives nanoseconds since 1970 and how far they may be off.
func instant(from *types.Type, v Value, to *types.Type, zone *time.Location) (nanos, slack *big.Int, ok bool) {
	isDay := func(t *types.Type) bool { return t.Kind() == types.KindDate || t.Kind() == types.KindDate32 }
	n, zero := new(big.Int), new(big.Int)
	day, second := big.NewInt(86400_000_000_000), big.NewInt(1_000_000_000)
	slack = zero
	if isDay(from) != isDay(to) && from.Kind() != types.KindString {
		slack = new(big.Int).Mul(day, big.NewInt(2))
	}
	switch x := v.(type) {
	case uint16:
		if !isDay(from) {
			return nil, nil, false
		}
		return n.Mul(big.NewInt(int64(x)), day), slack, true
	case int32:
		if !isDay(from) {
			return nil, nil, false
		}
		return n.Mul(big.NewInt(int64(x)), day), slack, true
	case uint32:
		return n.Mul(big.NewInt(int64(x)), second), slack, from.Kind() == types.KindDateTime
	case int64:
		if from.Kind() != types.KindDateTime64 {
			return nil, nil, false
		}
		return n.Mul(big.NewInt(x), pow10(9-from.Scale())), slack, true
	case string:
		t, ok := parseTime(x, to, zone)
		if !ok {
			return nil, nil, false
		}
		if t.Location() != time.UTC { // an hour that the clocks show twice
			slack = new(big.Int).Mul(second, big.NewInt(7200))
		}
		n.Mul(big.NewInt(t.Unix()), second)
		return n.Add(n, big.NewInt(int64(t.Nanosecond()))), slack, true
	}
	return nil, nil, false
}

// parseTime reads the plain forms that a string constant compared with a date
// or time has; other forms are left to the comparison itself.
func parseTime(s string, to *types.Type, zone *time.Location) (time.Time, bool) {
	if to.Kind() == types.KindDate || to.Kind() == types.KindDate32 {
		t, err := time.Parse("2006-01-02", s)
		return t, err == nil
	}
	if l := to.Location(); l != nil {
		zone = l
	}
	if zone == nil {
		return time.Time{}, false
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// constants gives the elements of a constant column.
func constants(c column.Column) []Value {
	out := make([]Value, c.Len())
	for i := range out {
		out[i] = column.At(c, i)
	}
	return out
}
