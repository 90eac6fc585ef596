package dates

import (
	"math"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/cast"
	"lakeserver/column/text"
	"lakeserver/functions"
	"lakeserver/types"
	"lakeserver/types/civil"
)

func illegal(name string, a functions.Arg) error {
	return cherr.New(cherr.IllegalTypeOfArgument, "Illegal type %s of argument of function %s. Should be Date, Date32, DateTime or DateTime64", a.Type, name)
}

func isDay(t *types.Type) bool { return t.Kind() == types.KindDate || t.Kind() == types.KindDate32 }

func isTime(t *types.Type) bool {
	return t.Kind() == types.KindDateTime || t.Kind() == types.KindDateTime64
}

// locationOf is the zone in which a time is read: an argument's, its type's,
// the session's.
func locationOf(env *functions.Env, t *types.Type, zone []functions.Arg) (*time.Location, error) {
	if len(zone) > 0 {
		name, ok := zone[0].ConstString()
		if !ok {
			if !zone[0].Type.IsString() {
				return nil, cherr.New(cherr.IllegalTypeOfArgument, "Illegal type of time zone argument: a constant string is expected, got %s", zone[0].Type)
			}
			return nil, cherr.New(cherr.IllegalColumn, "Illegal type of time zone argument: a constant string is expected, got %s", zone[0].Type)
		}
		if name == "" {
			return nil, cherr.New(cherr.IllegalTypeOfArgument, "Provided time zone must be non-empty and be a valid time zone")
		}
		return types.LoadZone(name)
	}
	if t.Location() != nil {
		return t.Location(), nil
	}
	return env.Zone, nil
}

// zoneName is the zone that a result's type names: an argument's or the
// argument type's, "" for the session's.
func zoneName(t *types.Type, zone []functions.Arg) string {
	if len(zone) > 0 {
		name, _ := zone[0].ConstString()
		return name
	}
	return t.Zone()
}

// full gives a column of rows values.
func full(c column.Column) column.Column { return column.Full(c) }

// eachLocal calls f with each row's local date and second of the day.
func eachLocal[R any](c column.Column, t *types.Type, loc *time.Location, f func(days, second int) R) []R {
	v := cast.Native[int64](full(c))
	out := make([]R, len(v))
	if isDay(t) {
		for i, d := range v {
			out[i] = f(int(d), 0)
		}
		return out
	}
	z, per := civil.NewZone(loc), text.Pow10(t.Scale())
	for i, x := range v {
		local := z.Local(civil.FloorDiv(x, per))
		d := civil.FloorDiv(local, civil.Day)
		out[i] = f(int(d), int(local-d*civil.Day))
	}
	return out
}

// eachUnix calls f with each row's unix second and ticks past it.
func eachUnix[R any](c column.Column, t *types.Type, f func(unix, ticks int64) R) []R {
	v, per := cast.Native[int64](full(c)), text.Pow10(t.Scale())
	out := make([]R, len(v))
	for i, x := range v {
		s := civil.FloorDiv(x, per)
		out[i] = f(s, x-s*per)
	}
	return out
}

// clampDate brings days into the range of Date.
func clampDate(days int) uint16 { return uint16(min(max(days, 0), math.MaxUint16)) }

// dateTimes brings unix times into the range of DateTime.
func dateTimes(v []int64) column.Column {
	out := make([]uint32, len(v))
	for i, x := range v {
		out[i] = uint32(min(max(x, 0), math.MaxUint32))
	}
	return column.NewFixed(out)
}

// integers gives numbers in the form of an integer type.
func integers(v []int64, t *types.Type) column.Column {
	c := column.NewFixed(v)
	switch t.Physical() {
	case types.PhysUInt8:
		return column.NewFixed(cast.Native[uint8](c))
	case types.PhysUInt16:
		return column.NewFixed(cast.Native[uint16](c))
	case types.PhysUInt32:
		return column.NewFixed(cast.Native[uint32](c))
	case types.PhysUInt64:
		return column.NewFixed(cast.Native[uint64](c))
	case types.PhysInt8:
		return column.NewFixed(cast.Native[int8](c))
	case types.PhysInt16:
		return column.NewFixed(cast.Native[int16](c))
	case types.PhysInt32:
		return column.NewFixed(cast.Native[int32](c))
	}
	return c
}
