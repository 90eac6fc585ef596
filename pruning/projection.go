package pruning

import (
	"math"
	"unicode/utf8"

	"lakeserver/metadata/iceberg"
	"lakeserver/types"
)

// partitionRange is what is known of one partition field: of a file's value,
// or of the values in a manifest.
type partitionRange struct {
	lo, hi      Value
	nulls, nans Presence
	exact       bool
}

// partitionStats turns partition values back into ranges of the columns that
// they were made of: which values of a column does the transform bring into
// [lo, hi]? A filter on the column is then judged as by any other statistics.
type partitionStats struct {
	c      *SpecCheck
	values []partitionRange
}

// Range joins what all fields over a column say of it.
func (s *partitionStats) Range(id int) Range {
	var out Range
	for i := range s.c.fields {
		f := &s.c.fields[i]
		if f.SourceID != id || f.source == nil {
			continue
		}
		out = narrow(out, f.invert(s.values[i]))
	}
	return out
}

// narrow joins two truths about one column.
func narrow(a, b Range) Range {
	if a.Nulls == Maybe {
		a.Nulls = b.Nulls
	}
	if a.NaNs == Maybe {
		a.NaNs = b.NaNs
	}
	if b.Lo != nil {
		if c, ok := compare(b.Lo, orValue(a.Lo, b.Lo)); ok && c >= 0 {
			a.Lo, a.Exact = b.Lo, b.Exact
		}
	}
	if b.Hi != nil {
		if c, ok := compare(b.Hi, orValue(a.Hi, b.Hi)); ok && c <= 0 {
			a.Hi, a.Exact = b.Hi, b.Exact && a.Exact
		}
	}
	return a
}

func orValue(v, or Value) Value {
	if v == nil {
		return or
	}
	return v
}

// MightHave judges a single value by bucket fields over its column.
func (s *partitionStats) MightHave(id int, v Value) bool {
	for i := range s.c.fields {
		f := &s.c.fields[i]
		if f.SourceID != id || f.source == nil || f.Transform.Kind != iceberg.Bucket {
			continue
		}
		r := &s.values[i]
		if r.nulls == All {
			return false
		}
		b, ok := f.Transform.Apply(f.source, v)
		if !ok {
			continue
		}
		if r.lo != nil {
			if c, ok := compare(b, r.lo); ok && c < 0 {
				return false
			}
		}
		if r.hi != nil {
			if c, ok := compare(b, r.hi); ok && c > 0 {
				return false
			}
		}
	}
	return true
}

// invert gives the column's range for a range of partition values.
func (f *specField) invert(p partitionRange) Range {
	if f.Transform.Kind == iceberg.Void || f.Transform.Kind == iceberg.UnknownTransform {
		return Range{}
	}
	// NULL and only NULL becomes NULL.
	r := Range{Nulls: p.nulls, NaNs: None}
	if f.source.Kind == iceberg.Float || f.source.Kind == iceberg.Double {
		r.NaNs = p.nans
	}
	switch f.Transform.Kind {
	case iceberg.Identity:
		r.Lo, r.Hi, r.Exact = p.lo, p.hi, p.exact
	case iceberg.Truncate:
		r.Lo = p.lo
		r.Hi = f.truncateEnd(p.hi)
	case iceberg.Year, iceberg.Month, iceberg.Day, iceberg.Hour:
		r.Lo, r.Hi = f.temporalStart(p.lo), f.temporalEnd(p.hi)
	}
	return r
}

// truncateEnd gives the greatest value that truncates to v or less, nil for none.
func (f *specField) truncateEnd(v Value) Value {
	w := int64(f.Transform.N)
	switch x := v.(type) {
	case int32:
		if int64(x)+w-1 <= math.MaxInt32 {
			return int32(int64(x) + w - 1)
		}
	case int64:
		if x <= math.MaxInt64-w+1 {
			return x + w - 1
		}
	case types.I128:
		if e := x.Add(types.ToI128(w - 1)); e.Cmp(x) >= 0 {
			return e
		}
	case string:
		return f.stringEnd(x)
	}
	return nil
}

// stringEnd: a value shorter than the width is whole; a full one begins every
// string that truncates to it. The end is the least string behind all those,
// which is not itself one: as an upper bound it keeps too much, by one value.
func (f *specField) stringEnd(x string) Value {
	if f.source.Kind == iceberg.String && utf8.RuneCountInString(x) < f.Transform.N || f.source.Kind != iceberg.String && len(x) < f.Transform.N {
		return x
	}
	b := []byte(x)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return nil
}

// unit gives the column's units of an hour or day, 0 when it has none.
func (f *specField) unit(hours int64) int64 {
	switch f.source.Kind {
	case iceberg.Timestamp, iceberg.TimestampTZ:
		return hours * 3_600_000_000
	case iceberg.TimestampNS, iceberg.TimestampTZNS:
		return hours * 3_600_000_000_000
	}
	return 0
}

// temporalStart gives the first instant of a partition value. Writers of old
// rounded times before 1970 towards zero and stored a value one too great, so a
// negative value may hold the unit before it as well.
func (f *specField) temporalStart(v Value) Value {
	n, ok := v.(int32)
	if !ok {
		return nil
	}
	at := int64(n)
	if at <= 0 {
		at--
	}
	return f.startOf(at)
}

func (f *specField) temporalEnd(v Value) Value {
	n, ok := v.(int32)
	if !ok {
		return nil
	}
	return predecessor(f.startOf(int64(n) + 1))
}

func predecessor(v Value) Value {
	switch x := v.(type) {
	case int32:
		return x - 1
	case int64:
		return x - 1
	}
	return nil
}

// startOf gives the first value of the column in unit n since 1970.
func (f *specField) startOf(n int64) Value {
	days := n
	switch f.Transform.Kind {
	case iceberg.Hour:
		if u := f.unit(1); u > 0 {
			return times(n, u)
		}
		return nil
	case iceberg.Month:
		days = daysFromCivil(1970+floorDiv(n, 12), n-12*floorDiv(n, 12)+1)
	case iceberg.Year:
		days = daysFromCivil(1970+n, 1)
	}
	if f.source.Kind == iceberg.Date {
		if days < math.MinInt32 || days > math.MaxInt32 {
			return nil
		}
		return int32(days)
	}
	if u := f.unit(24); u > 0 {
		return times(days, u)
	}
	return nil
}

func times(n, unit int64) Value {
	p := n * unit
	if n != 0 && p/n != unit {
		return nil
	}
	return p
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// daysFromCivil gives the day number of a month's first day.
func daysFromCivil(y, m int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	doy := (153*(m-3) + 2) / 5
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}
