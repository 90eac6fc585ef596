package cast

import (
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
	"lakeserver/types/civil"
)

// toTime converts numbers, dates and times to dates and times.
func (b *binder) toTime(from, to *types.Type) kernel {
	switch to.Kind() {
	case types.KindDate, types.KindDate32:
		return b.toDays(from, to)
	case types.KindDateTime:
		return b.toSeconds(from, to)
	case types.KindDateTime64:
		return b.toTicks(from, to)
	case types.KindTime, types.KindTime64:
		return b.toClock(from, to)
	}
	return nil
}

// The largest number that toDate takes for days; greater ones are unix times.
const (
	maxDay   = math.MaxUint16
	maxDay32 = 2932896 // 9999-12-31
	lastDay  = 49709   // 2106-02-06, the last whole day of DateTime
)

func (b *binder) toDays(from, to *types.Type) kernel {
	days := func(v []int64, bad *failures) (column.Column, error) {
		if to.Kind() == types.KindDate32 {
			return narrow[int32](v), nil
		}
		if err := b.bounded(v, math.MaxUint16, to, bad); err != nil {
			return nil, err
		}
		return narrow[uint16](v), nil
	}
	switch k := from.Kind(); {
	case k == types.KindDate || k == types.KindDate32:
		return func(c column.Column, bad *failures) (column.Column, error) {
			f, err := native[int64](c, nil, false)
			if err != nil {
				return nil, err
			}
			return days(f.Values, bad)
		}
	case k == types.KindDateTime || k == types.KindDateTime64:
		loc, per := b.zone(from), text.Pow10(from.Scale())
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, z := ticksOf(c), civil.NewZone(loc)
			out := make([]int64, len(v))
			for i, x := range v {
				out[i] = int64(z.LocalDays(civil.FloorDiv(x, per)))
			}
			return days(out, bad)
		}
	case from.IsNumber() && k != types.KindBool:
		loc := b.zone(to)
		whole := b.saturated(from)
		most := int64(maxDay)
		if to.Kind() == types.KindDate32 {
			most = maxDay32
		}
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, err := whole(c, bad)
			if err != nil {
				return nil, err
			}
			z := civil.NewZone(loc)
			out := make([]int64, v.Len())
			raw := column.Values[int64](v)
			if to.Kind() != types.KindDate32 && b.o.Accurate {
				if err := fits(raw, math.MaxUint32, bad); err != nil {
					return nil, err
				}
			}
			if to.Kind() != types.KindDate32 && b.o.Overflow == Throw {
				if err := b.bounded(append([]int64(nil), raw...), math.MaxUint32, to, bad); err != nil {
					return nil, err
				}
			}
			for i, x := range raw {
				switch {
				case x > most:
					out[i] = int64(z.LocalDays(min(x, math.MaxUint32)))
				case x >= 0 || to.Kind() == types.KindDate32:
					out[i] = x
				}
			}
			return days(out, bad)
		}
	}
	return nil
}

// bounded looks for values beyond 0 and most, and does with them what the
// option says; v is changed.
func (b *binder) bounded(v []int64, most int64, to *types.Type, bad *failures) error {
	if b.o.Overflow == Ignore {
		return nil
	}
	for i, x := range v {
		if x >= 0 && x <= most {
			continue
		}
		v[i] = min(max(x, 0), most)
		if b.o.Overflow == Throw {
			if err := bad.fail(i, cherr.New(cherr.ValueIsOutOfRangeOfDataType, "Value %d is out of bounds of type %s", x, to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits refuses numbers beyond 0 and most.
func fits(v []int64, most int64, bad *failures) error {
	for i, x := range v {
		if x < 0 || x > most {
			if err := bad.fail(i, errAccurate); err != nil {
				return err
			}
		}
	}
	return nil
}

func narrow[T integer](v []int64) column.Column {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return column.NewFixed(out)
}

// ticksOf gives DateTime, DateTime64, Date and Date32 as int64.
func ticksOf(c column.Column) []int64 {
	if f, ok := c.(*column.Fixed[int64]); ok {
		return f.Values
	}
	f, err := native[int64](c, nil, false)
	if err != nil {
		cherr.Bug("no ticks in a %T", c)
	}
	return f.Values
}

func (b *binder) toSeconds(from, to *types.Type) kernel {
	switch k := from.Kind(); {
	case k == types.KindDateTime:
		return identity
	case k == types.KindDate || k == types.KindDate32:
		loc := b.zone(to)
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, z := append([]int64(nil), ticksOf(c)...), civil.NewZone(loc)
			if err := b.bounded(v, lastDay, to, bad); err != nil {
				return nil, err
			}
			out := make([]uint32, len(v))
			for i, d := range v {
				out[i] = uint32(z.Midnight(int(d)))
			}
			return column.NewFixed(out), nil
		}
	case k == types.KindDateTime64:
		per := text.Pow10(from.Scale())
		return func(c column.Column, bad *failures) (column.Column, error) {
			v := ticksOf(c)
			out := make([]int64, len(v))
			for i, x := range v {
				out[i] = civil.FloorDiv(x, per)
			}
			err := b.bounded(out, math.MaxUint32, to, bad)
			return narrow[uint32](out), err
		}
	case from.IsNumber() && k != types.KindBool:
		whole := b.saturated(from)
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, err := whole(c, bad)
			if err != nil {
				return nil, err
			}
			out := make([]uint32, v.Len())
			raw := column.Values[int64](v)
			if b.o.Accurate {
				if err := fits(raw, math.MaxUint32, bad); err != nil {
					return nil, err
				}
			}
			if b.o.Overflow == Throw {
				if err := b.bounded(append([]int64(nil), raw...), math.MaxUint32, to, bad); err != nil {
					return nil, err
				}
			}
			for i, x := range raw {
				out[i] = uint32(min(max(x, 0), math.MaxUint32))
			}
			return column.NewFixed(out), nil
		}
	}
	return nil
}

func (b *binder) toTicks(from, to *types.Type) kernel {
	scale := to.Scale()
	per := text.Pow10(scale)
	switch k := from.Kind(); {
	case k == types.KindDateTime64:
		return func(c column.Column, bad *failures) (column.Column, error) {
			return rescaleTicks(ticksOf(c), from.Scale(), scale, bad)
		}
	case k == types.KindDateTime:
		return func(c column.Column, bad *failures) (column.Column, error) {
			return rescaleTicks(ticksOf(c), 0, scale, bad)
		}
	case k == types.KindDate || k == types.KindDate32:
		loc := b.zone(to)
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, z := ticksOf(c), civil.NewZone(loc)
			out := make([]int64, len(v))
			for i, d := range v {
				out[i] = z.Midnight(int(d))
			}
			return rescaleTicks(out, 0, scale, bad)
		}
	case from.IsFloat():
		return func(c column.Column, bad *failures) (column.Column, error) {
			if k == types.KindBFloat16 {
				c = widenBFloat16(c)
			}
			f, err := native[float64](c, bad, false)
			if err != nil {
				return nil, err
			}
			out := make([]int64, f.Len())
			for i, v := range f.Values {
				v *= float64(per)
				if v-v != 0 || v >= 1<<63 || v < -1<<63 {
					if err := bad.fail(i, errRange); err != nil {
						return nil, err
					}
					continue
				}
				out[i] = int64(v)
			}
			return column.NewFixed(out), nil
		}
	case from.IsDecimal(), from.IsInteger():
		return func(c column.Column, bad *failures) (column.Column, error) {
			return rescale(c, from.Scale(), scale, types.Int64, bad)
		}
	}
	return nil
}

// rescaleTicks rounds down, so that times before 1970 stay in their second.
func rescaleTicks(v []int64, from, to int, bad *failures) (column.Column, error) {
	if from == to {
		return column.NewFixed(v), nil
	}
	out := make([]int64, len(v))
	if to < from {
		by := text.Pow10(from - to)
		for i, x := range v {
			out[i] = civil.FloorDiv(x, by)
		}
		return column.NewFixed(out), nil
	}
	by := text.Pow10(to - from)
	for i, x := range v {
		if x > math.MaxInt64/by || x < math.MinInt64/by {
			if err := bad.fail(i, errTicks); err != nil {
				return nil, err
			}
			continue
		}
		out[i] = x * by
	}
	return column.NewFixed(out), nil
}

var errTicks = cherr.New(cherr.DecimalOverflow, "Decimal math overflow")

// toClock converts to Time and Time64: seconds, or a time's clock.
func (b *binder) toClock(from, to *types.Type) kernel {
	scale := to.Scale()
	finish := func(v []int64, at int, bad *failures) (column.Column, error) {
		c, err := rescaleTicks(v, at, scale, bad)
		if err != nil || to.Kind() == types.KindTime64 {
			return c, err
		}
		return narrow[int32](column.Values[int64](c)), nil
	}
	switch k := from.Kind(); {
	case k == types.KindTime || k == types.KindTime64:
		return func(c column.Column, bad *failures) (column.Column, error) {
			return finish(ticksOf(c), from.Scale(), bad)
		}
	case k == types.KindDateTime || k == types.KindDateTime64:
		loc, per := b.zone(from), text.Pow10(from.Scale())
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, z := ticksOf(c), civil.NewZone(loc)
			out := make([]int64, len(v))
			for i, x := range v {
				s := civil.FloorDiv(x, per)
				out[i] = civil.FloorMod(z.Local(s), civil.Day)*per + x - s*per
			}
			return finish(out, from.Scale(), bad)
		}
	case from.IsFloat() || from.IsDecimal():
		ticks := b.toTicks(from, types.DateTime64(scale, "", nil))
		return func(c column.Column, bad *failures) (column.Column, error) {
			v, err := ticks(c, bad)
			if err != nil {
				return nil, err
			}
			return finish(column.Values[int64](v), scale, bad)
		}
	case from.IsInteger():
		return func(c column.Column, bad *failures) (column.Column, error) {
			v := append([]int64(nil), ticksOf(c)...)
			const most = 999*3600 + 59*60 + 59
			for i := range v {
				v[i] = min(max(v[i], -most), most)
			}
			return finish(v, 0, bad)
		}
	}
	return nil
}

// saturated gives numbers as Int64; those beyond it become its ends.
func (b *binder) saturated(from *types.Type) func(c column.Column, bad *failures) (column.Column, error) {
	switch from.Kind() {
	case types.KindUInt64:
		return func(c column.Column, _ *failures) (column.Column, error) {
			v := column.Values[uint64](c)
			out := make([]int64, len(v))
			for i, x := range v {
				out[i] = int64(min(x, math.MaxInt64))
			}
			return column.NewFixed(out), nil
		}
	case types.KindFloat32, types.KindFloat64:
		return func(c column.Column, _ *failures) (column.Column, error) {
			v := Floats(c, from)
			out := make([]int64, len(v))
			for i, x := range v {
				switch {
				case x >= math.MaxInt64:
					out[i] = math.MaxInt64
				case x > math.MinInt64: // a NaN is 0
					out[i] = int64(x)
				case x <= math.MinInt64:
					out[i] = math.MinInt64
				}
			}
			return column.NewFixed(out), nil
		}
	}
	return b.toNumber(from, types.Int64)
}
