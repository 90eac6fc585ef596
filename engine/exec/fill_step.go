package exec

import (
	"math"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/expr"
	"lakeserver/types"
	"lakeserver/types/civil"

	"lakeserver/engine/plan"
)

// floatUnits is how many points there are between two whole floats.
const floatUnits = 1e6

// fillStep knows one filled key: its values as whole numbers, and the next of one.
type fillStep struct {
	t               *types.Type // without Nullable
	nullable        bool
	from, to, stale *int64
	by              int64 // steps in units of the value
	months          int   // or in months
	ticks           int64 // of a DateTime64 second, else 1
	zone            *civil.Zone
	limited         bool // until is set
	until           int64
}

func newFillStep(t *types.Type, k plan.FillKey) (*fillStep, error) {
	t = types.WithoutLowCardinality(t)
	s := &fillStep{t: types.WithoutNullable(t), nullable: t.Kind() == types.KindNullable, by: 1, ticks: 1}
	if !s.t.IsNativeNumber() && !s.t.IsDateOrTime() && !s.t.IsDecimal() || s.t.Bytes() > 8 {
		return nil, errFillType(t)
	}
	if s.t.IsFloat() {
		s.by = floatUnits
	}
	if s.t.Kind() == types.KindDateTime64 || s.t.IsDecimal() {
		for range s.t.Scale() {
			s.ticks *= 10
		}
	}
	if s.t.IsDecimal() {
		s.by = s.ticks
	}
	loc := s.t.Location()
	if loc == nil {
		loc = time.UTC
	}
	s.zone = civil.NewZone(loc)
	if k.Key.Desc {
		s.by = -s.by
	}
	if err := s.setStep(k); err != nil {
		return nil, err
	}
	s.from, s.to = s.literal(k.From), s.literal(k.To)
	if s.stale = s.literal(k.Staleness); k.Staleness != nil && k.Staleness.T.Kind() == types.KindInterval {
		n, _ := s.interval(k.Staleness)
		s.stale = &n
	}
	return s, nil
}

// literal reads a bound of the key's own type.
func (s *fillStep) literal(l *expr.Literal) *int64 {
	if l == nil || column.IsNullAt(l.Value, 0) {
		return nil
	}
	p := s.points(l.Value)
	return &p[0]
}

func (s *fillStep) setStep(k plan.FillKey) error {
	if k.Step == nil {
		return nil
	}
	if k.Step.T.Kind() == types.KindInterval {
		var err error
		s.by, err = s.interval(k.Step)
		if err != nil {
			return err
		}
	} else {
		f, ok := orderFloats(k.Step.Value)
		if !ok {
			return errFillType(k.Step.T)
		}
		switch {
		case s.t.IsFloat():
			s.by = int64(math.Round(f[0] * floatUnits))
		case k.Step.T.Equal(s.t) || !s.t.IsDecimal():
			s.by = int64(f[0])
		default:
			s.by = int64(f[0] * float64(s.ticks))
		}
	}
	if n := s.by + int64(s.months); n == 0 || n < 0 != k.Key.Desc {
		return cherr.New(cherr.InvalidWithFillExpression, "STEP value has to be positive for ascending and negative for descending order")
	}
	return nil
}

// interval gives an Interval in the key's units, or sets months.
func (s *fillStep) interval(l *expr.Literal) (int64, error) {
	n, _ := column.At(l.Value, 0).(int64)
	date := s.t.Kind() == types.KindDate || s.t.Kind() == types.KindDate32
	switch u := l.T.Interval(); u {
	case types.Month, types.Quarter, types.Year:
		by := map[types.IntervalUnit]int{types.Month: 1, types.Quarter: 3, types.Year: 12}[u]
		s.months = int(n) * by
		return 0, nil
	case types.Day, types.Week:
		if u == types.Week {
			n *= 7
		}
		if date {
			return n, nil
		}
		return n * 86400 * s.ticks, nil
	case types.Hour:
		n *= 3600
	case types.Minute:
		n *= 60
	case types.Millisecond, types.Microsecond, types.Nanosecond:
		per := map[types.IntervalUnit]int64{types.Millisecond: 1e3, types.Microsecond: 1e6, types.Nanosecond: 1e9}[u]
		return n * s.ticks / per, nil
	}
	if date {
		return 0, cherr.New(cherr.InvalidWithFillExpression, "STEP of an interval shorter than a day needs a column of times")
	}
	return n * s.ticks, nil
}

// next gives the point after p.
func (s *fillStep) next(p int64) int64 {
	if s.months == 0 {
		return p + s.by
	}
	if s.t.Kind() == types.KindDate || s.t.Kind() == types.KindDate32 {
		return int64(civil.AddMonths(int(p), s.months))
	}
	local := s.zone.Local(civil.FloorDiv(p, s.ticks))
	days := civil.AddMonths(int(civil.FloorDiv(local, 86400)), s.months)
	return s.zone.Unix(int64(days)*86400+civil.FloorMod(local, 86400))*s.ticks + civil.FloorMod(p, s.ticks)
}

// points reads a column's values as whole numbers.
func (s *fillStep) points(c column.Column) []int64 {
	values, _ := column.SplitNulls(column.Full(c))
	switch v := values.(type) {
	case *column.Fixed[uint64]:
		return asInts(v.Values)
	case *column.Fixed[int64]:
		return v.Values
	case *column.Fixed[float32]:
		return scaledInts(v.Values)
	case *column.Fixed[float64]:
		return scaledInts(v.Values)
	}
	f, ok := orderFloats(values)
	if !ok {
		return make([]int64, c.Len())
	}
	out := make([]int64, len(f))
	for i, x := range f {
		out[i] = int64(x)
	}
	return out
}

func asInts(v []uint64) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func scaledInts[T float32 | float64](v []T) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(math.Round(float64(x) * floatUnits))
	}
	return out
}

// value gives a point as a column of one row.
func (s *fillStep) value(p int64) column.Column {
	var c column.Column
	switch s.t.Physical() {
	case types.PhysUInt8:
		c = column.NewFixed([]uint8{uint8(p)})
	case types.PhysUInt16:
		c = column.NewFixed([]uint16{uint16(p)})
	case types.PhysUInt32:
		c = column.NewFixed([]uint32{uint32(p)})
	case types.PhysUInt64:
		c = column.NewFixed([]uint64{uint64(p)})
	case types.PhysInt8:
		c = column.NewFixed([]int8{int8(p)})
	case types.PhysInt16:
		c = column.NewFixed([]int16{int16(p)})
	case types.PhysInt32:
		c = column.NewFixed([]int32{int32(p)})
	case types.PhysFloat32:
		c = column.NewFixed([]float32{float32(float64(p) / floatUnits)})
	case types.PhysFloat64:
		c = column.NewFixed([]float64{float64(p) / floatUnits})
	default:
		c = column.NewFixed([]int64{p})
	}
	if s.nullable {
		return column.NewNullable(c, nil)
	}
	return c
}
