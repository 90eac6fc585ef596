package read

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// direct tells whether a codec gives a stored type as another by itself, with
// the same values: the same type, or a wider one.
func direct(from, to *paimon.Type) bool {
	switch {
	case from.Kind == to.Kind:
		switch from.Kind {
		case paimon.Decimal:
			return from.Scale == to.Scale && from.Precision <= to.Precision
		case paimon.Char, paimon.VarChar, paimon.VarBinary:
			return from.Length <= to.Length
		case paimon.Binary:
			return from.Length == to.Length
		case paimon.Time, paimon.Timestamp, paimon.TimestampLTZ:
			return from.Precision <= to.Precision
		}
		return !from.Nested()
	case to.Kind == paimon.VarChar && from.Kind == paimon.Char, to.Kind == paimon.VarBinary && from.Kind == paimon.Binary:
		return from.Length <= to.Length
	case from.Kind >= paimon.TinyInt && from.Kind <= paimon.BigInt:
		return to.Kind > from.Kind && to.Kind <= paimon.BigInt
	}
	return from.Kind == paimon.Float && to.Kind == paimon.Double
}

// timeFinish brings the milliseconds of TIME, in which Paimon stores it, to
// the form in which it is shown; other types are as they were read.
func (m *paimonColumns) timeFinish(t *paimon.Type) finish {
	if t.Kind != paimon.Time || m.src.AsClickHouse {
		return nil
	}
	return chain(fractions(1000, false), truncated(t))
}

// truncated drops the digits that a TIME's precision does not have.
func truncated(t *paimon.Type) finish {
	if t.Precision >= 3 {
		return nil
	}
	unit := int64(1_000_000)
	for range t.Precision {
		unit /= 10
	}
	return overLongs(func(v int64) int64 { return v - v%unit })
}

// fractions multiplies or divides.
func fractions(by int64, divide bool) finish {
	if divide {
		return overLongs(func(v int64) int64 { return v / by })
	}
	return overLongs(func(v int64) int64 { return v * by })
}

func overLongs(f func(int64) int64) finish {
	return full(func(c column.Column) (column.Column, error) {
		values, null := column.SplitNulls(c)
		src := column.Values[int64](values)
		out := make([]int64, len(src))
		for i, v := range src {
			out[i] = f(v)
		}
		if _, ok := c.(*column.Nullable); ok {
			return &column.Nullable{Values: column.NewFixed(out), Null: null}, nil
		}
		return column.NewFixed(out), nil
	})
}

// chain applies two steps, either of which may be nil.
func chain(a, b finish) finish {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(c column.Column) (column.Column, error) {
		c, err := a(c)
		if err != nil {
			return nil, err
		}
		return b(c)
	}
}

// cast changes values that were stored under another type than the column has
// now, as Paimon does it. It goes value by value: such files are rewritten by
// the next compaction. The column that comes in is Nullable.
func (m *paimonColumns) cast(from, to *paimon.Type, t *types.Type) (finish, error) {
	one := caster(from, to)
	if one == nil {
		return nil, cherr.New(cherr.NotImplemented, "a column of type %s cannot be read as %s", from, to)
	}
	if m.src.AsClickHouse {
		inner := one
		one = func(v column.Value) (column.Value, error) {
			out, err := inner(v)
			if err != nil {
				return nil, err
			}
			return asClickHouse(out, to)
		}
	}
	return full(func(c column.Column) (column.Column, error) {
		b := column.NewBuilder(t, c.Len())
		for i := range c.Len() {
			v := column.At(c, i)
			if v == nil {
				b.AppendValue(nil)
				continue
			}
			if from.Kind == paimon.Time {
				v = v.(int64) * 1000
			}
			out, err := one(v)
			if err != nil {
				return nil, err
			}
			b.AppendValue(out)
		}
		return b.Finish(), nil
	}), nil
}

// asClickHouse brings a value to the form of the types that ClickHouse shows.
func asClickHouse(v column.Value, t *paimon.Type) (column.Value, error) {
	switch x := v.(type) {
	case uint8:
		return int8(x), nil
	case int32:
		if t.Kind == paimon.Date {
			if uint32(x) > math.MaxUint16 {
				return nil, cherr.New(cherr.ValueIsOutOfRangeOfDataType, "Day number %d is out of the range of Date", x)
			}
			return uint16(x), nil
		}
	case int64:
		if t.Kind == paimon.Time {
			return x / 1000, nil
		}
	case string:
		if t.Kind == paimon.Char {
			if len(x) > t.Length {
				return nil, cherr.New(cherr.TooLargeStringSize, "a value of %d bytes does not fit FixedString(%d)", len(x), t.Length)
			}
			return x + strings.Repeat("\x00", t.Length-len(x)), nil
		}
	}
	return v, nil
}

type castFunc = func(column.Value) (column.Value, error)

func isNumber(t *paimon.Type) bool { return t.Kind >= paimon.TinyInt && t.Kind <= paimon.Decimal }
func isTimestamp(t *paimon.Type) bool {
	return t.Kind == paimon.Timestamp || t.Kind == paimon.TimestampLTZ
}

// caster gives the change of values from one type to another, nil if there is
// none. Values are in the forms of metadata/paimon, none is NULL.
func caster(from, to *paimon.Type) castFunc { // long: one case a pair of families
	switch {
	case from.Equal(to):
		return func(v column.Value) (column.Value, error) { return v, nil }
	case (to.IsText() || to.IsBytes()) && (from.IsText() || from.IsBytes()):
		return func(v column.Value) (column.Value, error) { return fit(v.(string), to), nil }
	case to.IsText():
		if from.Nested() || from.Kind == paimon.Variant {
			return nil
		}
		return func(v column.Value) (column.Value, error) { return fit(paimon.ValueText(from, v), to), nil }
	case from.IsText():
		return func(v column.Value) (column.Value, error) { return parseText(strings.TrimSpace(v.(string)), to) }
	case isNumber(from) && isNumber(to):
		return func(v column.Value) (column.Value, error) { return castNumber(v, from, to), nil }
	case from.Kind == paimon.Boolean && isNumber(to):
		return func(v column.Value) (column.Value, error) {
			return castNumber(int32(v.(uint8)), &paimon.Type{Kind: paimon.Int}, to), nil
		}
	case isNumber(from) && to.Kind == paimon.Boolean:
		return func(v column.Value) (column.Value, error) {
			if floatOf(v, from) != 0 {
				return uint8(1), nil
			}
			return uint8(0), nil
		}
	case from.Kind == paimon.Date && isTimestamp(to):
		return func(v column.Value) (column.Value, error) {
			return rescaled(int64(v.(int32))*86400, 0, to.Precision), nil
		}
	case isTimestamp(from) && isTimestamp(to):
		return func(v column.Value) (column.Value, error) {
			return rescaled(v.(int64), from.Precision, to.Precision), nil
		}
	case isTimestamp(from) && to.Kind == paimon.Date:
		return func(v column.Value) (column.Value, error) {
			return int32(floorDiv(rescaled(v.(int64), from.Precision, 0), 86400)), nil
		}
	case isTimestamp(from) && to.Kind == paimon.Time:
		return func(v column.Value) (column.Value, error) {
			us := rescaled(v.(int64), from.Precision, 6)
			return us - floorDiv(us, 86400e6)*86400e6, nil
		}
	case isTimestamp(from) && (to.Kind == paimon.Int || to.Kind == paimon.BigInt):
		return func(v column.Value) (column.Value, error) {
			return castNumber(rescaled(v.(int64), from.Precision, 0), &paimon.Type{Kind: paimon.BigInt}, to), nil
		}
	case (from.Kind == paimon.Int || from.Kind == paimon.BigInt) && isTimestamp(to):
		return func(v column.Value) (column.Value, error) {
			n, _ := integerOf(v)
			return rescaled(n, 0, to.Precision), nil
		}
	case from.Kind == paimon.Time && to.Kind == paimon.Time:
		return func(v column.Value) (column.Value, error) { return v, nil }
	}
	return nil
}

// Recast changes a value as reading a file of another schema does; nil when it
// cannot be.
func Recast(v column.Value, from, to *paimon.Type) column.Value {
	if v == nil {
		return nil
	}
	one := caster(from, to)
	if one == nil {
		return nil
	}
	out, err := one(v)
	if err != nil {
		return nil
	}
	return out
}

// fit cuts text to a type's length, and fills up what has a fixed one.
func fit(s string, t *paimon.Type) string {
	switch t.Kind {
	case paimon.Char, paimon.VarChar:
		if len(s) <= t.Length {
			return s
		}
		n := 0
		for i := range s {
			if n == t.Length {
				return s[:i]
			}
			n++
		}
	case paimon.Binary:
		if len(s) < t.Length {
			return s + strings.Repeat("\x00", t.Length-len(s))
		}
		return s[:t.Length]
	case paimon.VarBinary:
		return s[:min(len(s), t.Length)]
	}
	return s
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// rescaled moves a timestamp to another number of fraction digits; what 64
// bits cannot hold becomes the nearest that they can.
func rescaled(v int64, from, to int) int64 {
	for ; from > to; from-- {
		v = floorDiv(v, 10)
	}
	for ; from < to; from++ {
		if v > math.MaxInt64/10 {
			return math.MaxInt64
		}
		if v < math.MinInt64/10 {
			return math.MinInt64
		}
		v *= 10
	}
	return v
}

func integerOf(v column.Value) (int64, bool) {
	switch x := v.(type) {
	case int8:
		return int64(x), true
	case int16:
		return int64(x), true
	case int32:
		return int64(x), true
	case int64:
		return x, true
	}
	return 0, false
}

func bigOf(v column.Value) *big.Int {
	if x, ok := v.(types.I128); ok {
		return x.Big()
	}
	n, _ := integerOf(v)
	return big.NewInt(n)
}

func floatOf(v column.Value, t *paimon.Type) float64 {
	switch x := v.(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	}
	f, _ := new(big.Rat).SetFrac(bigOf(v), pow10(t.Scale)).Float64()
	return f
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// castNumber is Java's: integers wrap around, floats are cut and end at the
// type's limits, a decimal is rounded half up; what does not fit a decimal is
// NULL.
func castNumber(v column.Value, from, to *paimon.Type) column.Value {
	if to.Kind == paimon.Float || to.Kind == paimon.Double {
		f := floatOf(v, from)
		if to.Kind == paimon.Float {
			return float32(f)
		}
		return f
	}
	if to.Kind == paimon.Decimal {
		var r *big.Rat
		switch x := v.(type) {
		case float32:
			r, _ = new(big.Rat).SetString(strconv.FormatFloat(float64(x), 'f', -1, 32))
		case float64:
			r, _ = new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		default:
			r = new(big.Rat).SetFrac(bigOf(v), pow10(from.Scale))
		}
		return decimalOf(r, to)
	}
	var n int64
	switch x := v.(type) {
	case float32:
		n = clampFloat(float64(x), to)
	case float64:
		n = clampFloat(x, to)
	default:
		b := bigOf(v)
		if from.Scale > 0 {
			b = new(big.Int).Quo(b, pow10(from.Scale))
		}
		n = int64(new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	switch to.Kind {
	case paimon.TinyInt:
		return int8(n)
	case paimon.SmallInt:
		return int16(n)
	case paimon.Int:
		return int32(n)
	}
	return n
}

func clampFloat(f float64, to *paimon.Type) int64 {
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	if to.Kind == paimon.BigInt {
		lo, hi = math.MinInt64, math.MaxInt64
	}
	switch {
	case f != f:
		return 0
	case f >= float64(hi):
		return hi
	case f <= float64(lo):
		return lo
	}
	return int64(f)
}

// decimalOf rounds half up; nil when the number has too many digits, or is none.
func decimalOf(r *big.Rat, t *paimon.Type) column.Value {
	if r == nil {
		return nil
	}
	n := new(big.Rat).Mul(r, new(big.Rat).SetInt(pow10(t.Scale)))
	twice := new(big.Int).Mul(new(big.Int).Abs(n.Num()), big.NewInt(2))
	q := twice.Add(twice, n.Denom())
	q.Quo(q, new(big.Int).Mul(n.Denom(), big.NewInt(2)))
	if n.Sign() < 0 {
		q.Neg(q)
	}
	if q.CmpAbs(pow10(t.Precision)) >= 0 {
		return nil
	}
	return decimalValue(q, t)
}

func decimalValue(q *big.Int, t *paimon.Type) column.Value {
	switch {
	case t.Precision <= 9:
		return int32(q.Int64())
	case t.Precision <= 18:
		return q.Int64()
	}
	return types.I128FromBig(q)
}

// parseText reads text as a value of a type.
func parseText(s string, t *paimon.Type) (column.Value, error) { // long: one case a type
	bad := func() (column.Value, error) {
		return nil, cherr.New(cherr.CannotParseText, "'%s' is no %s", s, t)
	}
	switch t.Kind {
	case paimon.Boolean:
		switch strings.ToLower(s) {
		case "t", "true", "y", "yes", "1":
			return uint8(1), nil
		case "f", "false", "n", "no", "0":
			return uint8(0), nil
		}
	case paimon.TinyInt, paimon.SmallInt, paimon.Int, paimon.BigInt:
		bits := map[paimon.Kind]int{paimon.TinyInt: 8, paimon.SmallInt: 16, paimon.Int: 32, paimon.BigInt: 64}[t.Kind]
		if whole, frac, ok := strings.Cut(s, "."); ok && strings.Trim(frac, "0123456789") == "" {
			s = whole
		}
		if n, err := strconv.ParseInt(s, 10, bits); err == nil {
			return castNumber(n, &paimon.Type{Kind: paimon.BigInt}, t), nil
		}
	case paimon.Float:
		if f, err := strconv.ParseFloat(s, 32); err == nil {
			return float32(f), nil
		}
	case paimon.Double:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return f, nil
		}
	case paimon.Decimal:
		if r, ok := new(big.Rat).SetString(s); ok && len(s) < 100 {
			return decimalOf(r, t), nil
		}
	case paimon.Date:
		if at, err := time.Parse("2006-01-02", s[:min(len(s), 10)]); err == nil {
			return int32(floorDiv(at.Unix(), 86400)), nil
		}
	case paimon.Time:
		if at, err := time.Parse("15:04:05.999999999", s); err == nil {
			return int64(at.Sub(at.Truncate(24*time.Hour)) / time.Microsecond), nil
		}
	case paimon.Timestamp, paimon.TimestampLTZ:
		for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02"} {
			if at, err := time.Parse(layout, s); err == nil {
				nanos := rescaled(int64(at.Nanosecond()), 9, t.Precision)
				return rescaled(at.Unix(), 0, t.Precision) + nanos, nil
			}
		}
	case paimon.Binary, paimon.VarBinary:
		return fit(s, t), nil
	}
	return bad()
}
