package iceberg

import (
	"lakeserver/cherr"
	"lakeserver/column"
)

// ApplyColumn is Apply for the plain values of a column (no NULL among them
// that matters: its caller knows which rows are). BAD_ARGUMENTS says that a
// value has no partition value of its type.
func (t Transform) ApplyColumn(source *Type, c column.Column) (column.Column, error) {
	switch t.Kind {
	case Identity:
		return c, nil
	case Bucket:
		switch v := c.(type) {
		case *column.Fixed[int32]:
			if source.Kind == Int || source.Kind == Date {
				return mapped(v.Values, func(x int32) int32 { return t.bucket(hashLong(int64(x))) }), nil
			}
		case *column.Fixed[int64]:
			switch source.Kind {
			case Long, Time, Timestamp, TimestampTZ:
				return mapped(v.Values, func(x int64) int32 { return t.bucket(hashLong(x)) }), nil
			}
		case *column.Str:
			out := make([]int32, v.Len())
			for i := range out {
				out[i] = t.bucket(murmur3(v.At(i)))
			}
			return column.NewFixed(out), nil
		}
	case Year, Month, Day, Hour:
		if out, ok := t.temporalColumn(source, c); ok {
			return out, nil
		}
	}
	return t.eachValue(source, c)
}

func (t Transform) bucket(hash int32) int32 { return int32(int(hash&0x7fffffff) % t.N) }

func mapped[S, T column.Element](v []S, f func(S) T) column.Column {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = f(x)
	}
	return column.NewFixed(out)
}

// temporalColumn does what divides alone; ok is false for the rest.
func (t Transform) temporalColumn(source *Type, c column.Column) (column.Column, bool) {
	v, ok := c.(*column.Fixed[int64])
	if !ok {
		return c, t.Kind == Day && source.Kind == Date
	}
	hour := int64(3_600_000_000)
	if source.Kind >= TimestampNS {
		hour *= 1000
	}
	switch t.Kind {
	case Hour:
		return mapped(v.Values, func(x int64) int32 { return int32(floorDiv(x, hour)) }), true
	case Day:
		return mapped(v.Values, func(x int64) int32 { return int32(floorDiv(x, 24*hour)) }), true
	}
	month := t.Kind == Month
	return mapped(v.Values, func(x int64) int32 {
		y, m := civil(floorDiv(x, 24*hour))
		if month {
			return int32((y-1970)*12 + m - 1)
		}
		return int32(y - 1970)
	}), true
}

// eachValue is the slow way, for types that rarely partition.
func (t Transform) eachValue(source *Type, c column.Column) (column.Column, error) {
	var out column.Builder
	for i := range c.Len() {
		v, ok := t.Apply(source, column.At(c, i))
		if !ok {
			return nil, cherr.New(cherr.BadArguments, "Value %v of type %s has no partition value by %s", column.At(c, i), source, t.Name)
		}
		if out == nil {
			ct, err := ClickHouseType(&Field{Required: true, Type: t.ResultType(source)})
			if err != nil {
				return nil, err
			}
			out = column.NewBuilder(ct, c.Len())
		}
		out.AppendValue(v)
	}
	if out == nil {
		return column.NewFixed([]int32{}), nil
	}
	return out.Finish(), nil
}
