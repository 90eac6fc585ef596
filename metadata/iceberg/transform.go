package iceberg

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/types"
)

// TransformKind is the family of a partition transform.
type TransformKind uint8

// The transforms.
const (
	UnknownTransform TransformKind = iota
	Identity
	Bucket
	Truncate
	Year
	Month
	Day
	Hour
	Void
)

// Transform makes a partition value of a column's value.
type Transform struct {
	Kind TransformKind
	N    int    // Bucket: buckets; Truncate: width
	Name string // as written
}

// ParseTransform reads a transform's name; the plural forms are what
// ClickHouse writes. A name not known gives UnknownTransform.
func ParseTransform(name string) Transform {
	t := Transform{Name: name}
	head, arg, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "]"), "[")
	n, err := strconv.Atoi(arg)
	withArg := err == nil && n > 0 && n <= 1<<31-1
	switch head {
	case "identity":
		t.Kind = Identity
	case "year", "years":
		t.Kind = Year
	case "month", "months":
		t.Kind = Month
	case "day", "days":
		t.Kind = Day
	case "hour", "hours":
		t.Kind = Hour
	case "void":
		t.Kind = Void
	case "bucket":
		if withArg {
			t.Kind, t.N = Bucket, n
		}
	case "truncate":
		if withArg {
			t.Kind, t.N = Truncate, n
		}
	}
	return t
}

// String gives the transform's name, as written or as the spec spells it.
func (t Transform) String() string {
	if t.Name != "" {
		return t.Name
	}
	switch t.Kind {
	case Bucket, Truncate:
		return transformNames[t.Kind] + "[" + strconv.Itoa(t.N) + "]"
	}
	return transformNames[t.Kind]
}

var transformNames = [...]string{"unknown", "identity", "bucket", "truncate", "year", "month", "day", "hour", "void"}

func (t Transform) same(o Transform) bool {
	return t.Kind == o.Kind && t.N == o.N && (t.Kind != UnknownTransform || t.Name == o.Name)
}

// ResultType gives the type of a transform's values; source may be nil when
// the column is not known any more. nil: not known.
func (t Transform) ResultType(source *Type) *Type {
	switch t.Kind {
	case Bucket, Year, Month, Hour:
		return intType
	case Day:
		return dateType
	case Identity, Truncate, Void:
		return source
	}
	return nil
}

var (
	intType  = &Type{Kind: Int, Name: "int"}
	dateType = &Type{Kind: Date, Name: "date"}
)

// Apply gives the partition value of a column's value, both in the physical
// form of their ClickHouse types; ok is false when the transform is not
// defined for the type. NULL gives NULL.
func (t Transform) Apply(source *Type, v column.Value) (out column.Value, ok bool) {
	if v == nil || t.Kind == Void {
		return nil, t.Kind != UnknownTransform
	}
	switch t.Kind {
	case Identity:
		return v, true
	case Bucket:
		h, ok := Hash(source, v)
		return int32(int(h&0x7fffffff) % t.N), ok
	case Truncate:
		return truncate(source, v, t.N)
	case Year, Month, Day, Hour:
		return t.temporal(source, v)
	}
	return nil, false
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func (t Transform) temporal(source *Type, v column.Value) (column.Value, bool) {
	var days int64
	switch source.Kind {
	case Date:
		if t.Kind == Hour {
			return nil, false
		}
		d, ok := v.(int32)
		if !ok {
			return nil, false
		}
		days = int64(d)
	case Timestamp, TimestampTZ, TimestampNS, TimestampTZNS:
		x, ok := v.(int64)
		if !ok {
			return nil, false
		}
		hour := int64(3_600_000_000)
		if source.Kind >= TimestampNS {
			hour *= 1000
		}
		if t.Kind == Hour {
			return int32(floorDiv(x, hour)), true
		}
		days = floorDiv(x, 24*hour)
	default:
		return nil, false
	}
	if t.Kind == Day {
		return int32(days), true
	}
	y, m := civil(days)
	if t.Kind == Year {
		return int32(y - 1970), true
	}
	return int32((y-1970)*12 + m - 1), true
}

// civil gives year and month of a day counted from 1970-01-01, in the
// proleptic Gregorian calendar.
func civil(days int64) (year, month int64) {
	days += 719468 // from 0000-03-01
	era := floorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month = yoe+era*400, mp+3
	if month > 12 {
		month -= 12
		year++
	}
	return year, month
}

func truncate(source *Type, v column.Value, w int) (column.Value, bool) {
	switch x := v.(type) {
	case int32:
		if source.Kind != Int && source.Kind != Decimal {
			return nil, false
		}
		r := int64(x) - mod(int64(x), int64(w))
		if r < -1<<31 { // below the least int: what no writer can have stored
			return nil, false
		}
		return int32(r), true
	case int64:
		if source.Kind != Long && source.Kind != Decimal {
			return nil, false
		}
		r := x - mod(x, int64(w))
		return r, r <= x
	case types.I128:
		big := types.ToI128(int64(w))
		_, rem := x.QuoRem(big)
		if rem.Negative() {
			rem = rem.Add(big)
		}
		return x.Sub(rem), true
	case string:
		if source.Kind == Binary || source.Kind == Fixed {
			return x[:min(w, len(x))], true
		}
		return firstRunes(x, w), source.Kind == String
	}
	return nil, false
}

func mod(v, w int64) int64 { return ((v % w) + w) % w }

// firstRunes cuts after n code points.
func firstRunes(s string, n int) string {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}
