package types

import (
	"strconv"
	"strings"
	"time"
)

// Type is one ClickHouse data type with its parameters. Types are immutable
// and shared freely; two types are the same when their names are (Equal).
type Type struct {
	kind  Kind
	name  string
	elems []*Type  // Nullable, LowCardinality, Array: one; Map: key, value; Tuple, Variant: all; JSON: of names; (Simple)AggregateFunction: arguments
	names []string // Tuple: element names, nil when unnamed; JSON: paths with types

	precision int            // Decimal: digits; DateTime64, Time64: fraction digits; FixedString: bytes; Dynamic: types
	scale     int            // Decimal: fraction digits; DateTime64, Time64: same as precision
	zone      string         // DateTime, DateTime64: as written, "" for the session's
	loc       *time.Location // the zone loaded, nil for the session's
	enum      *Enum
	interval  IntervalUnit
	agg       *AggregateSpec
	json      *JSONSpec
}

// AggregateSpec says which function's states an AggregateFunction type holds.
type AggregateSpec struct {
	Function string   // with combinators, as written
	Params   []string // printed literals
}

// Kind gives the family.
func (t *Type) Kind() Kind { return t.kind }

// String gives the name as ClickHouse prints it.
func (t *Type) String() string { return t.name }

// Equal tells whether both are the same type.
func (t *Type) Equal(o *Type) bool { return t == o || t.name == o.name }

// Elem gives the inner type of Nullable, LowCardinality, Array, SimpleAggregateFunction.
func (t *Type) Elem() *Type { return t.elems[0] }

// Elems gives the element types of Tuple and Variant, key and value of Map,
// the argument types of AggregateFunction. It must not be written to.
func (t *Type) Elems() []*Type { return t.elems }

// Names gives a Tuple's element names, nil when it has none.
func (t *Type) Names() []string { return t.names }

// Scale gives the number of fraction digits of Decimal, DateTime64, Time64; else 0.
func (t *Type) Scale() int { return t.scale }

// Precision gives a Decimal's digits, DateTime64's and Time64's fraction digits.
func (t *Type) Precision() int { return t.precision }

// Length gives a FixedString's bytes.
func (t *Type) Length() int { return t.precision }

// Zone gives the time zone written in DateTime and DateTime64, "" if none.
func (t *Type) Zone() string { return t.zone }

// Location gives that zone loaded, nil if none was written.
func (t *Type) Location() *time.Location { return t.loc }

// Enum gives the values of Enum8 and Enum16.
func (t *Type) Enum() *Enum { return t.enum }

// Interval gives an Interval's unit.
func (t *Type) Interval() IntervalUnit { return t.interval }

// Aggregate gives what an AggregateFunction or SimpleAggregateFunction names.
func (t *Type) Aggregate() *AggregateSpec { return t.agg }

// Physical gives the Go form of the values; Nullable and LowCardinality give
// their element's form.
func (t *Type) Physical() Physical {
	switch t.kind {
	case KindNullable, KindLowCardinality, KindSimpleAggregateFunction:
		return t.elems[0].Physical()
	}
	return physicals[t.kind]
}

// Types without parameters.
var (
	Nothing = simple(KindNothing, "Nothing")
	UInt8   = simple(KindUInt8, "UInt8")
	UInt16  = simple(KindUInt16, "UInt16")
	UInt32  = simple(KindUInt32, "UInt32")
	UInt64  = simple(KindUInt64, "UInt64")
	UInt128 = simple(KindUInt128, "UInt128")
	UInt256 = simple(KindUInt256, "UInt256")
	Int8    = simple(KindInt8, "Int8")
	Int16   = simple(KindInt16, "Int16")
	Int32   = simple(KindInt32, "Int32")
	Int64   = simple(KindInt64, "Int64")
	Int128  = simple(KindInt128, "Int128")
	Int256  = simple(KindInt256, "Int256")
	Float32 = simple(KindFloat32, "Float32")
	Float64 = simple(KindFloat64, "Float64")

	BFloat16 = simple(KindBFloat16, "BFloat16")
	Bool     = simple(KindBool, "Bool")
	String   = simple(KindString, "String")
	Date     = simple(KindDate, "Date")
	Date32   = simple(KindDate32, "Date32")
	Time     = simple(KindTime, "Time")
	DateTime = simple(KindDateTime, "DateTime")
	UUID     = simple(KindUUID, "UUID")
	IPv4     = simple(KindIPv4, "IPv4")
	IPv6     = simple(KindIPv6, "IPv6")

	NullableNothing = Nullable(Nothing)
)

func simple(k Kind, name string) *Type { return &Type{kind: k, name: name} }

// Nullable wraps a type; a Nullable, and Variant and Dynamic, stay what they
// are. LowCardinality(T) becomes LowCardinality(Nullable(T)).
func Nullable(t *Type) *Type {
	switch t.kind {
	case KindNullable, KindVariant, KindDynamic:
		return t
	case KindLowCardinality:
		return LowCardinality(Nullable(t.elems[0]))
	}
	return &Type{kind: KindNullable, name: "Nullable(" + t.name + ")", elems: []*Type{t}}
}

// CanBeNullable tells whether Nullable(t) is a legal type.
func (t *Type) CanBeNullable() bool {
	switch t.kind {
	case KindArray, KindMap, KindTuple, KindNullable, KindAggregateFunction, KindVariant, KindDynamic, KindJSON:
		return false
	case KindLowCardinality:
		return t.elems[0].kind == KindNullable || t.elems[0].CanBeNullable()
	}
	return true
}

// IsNullable tells whether NULL is a value: Nullable, LowCardinality(Nullable),
// Variant, Dynamic.
func (t *Type) IsNullable() bool {
	switch t.kind {
	case KindNullable, KindVariant, KindDynamic:
		return true
	case KindLowCardinality:
		return t.elems[0].kind == KindNullable
	}
	return false
}

// LowCardinality wraps a type; it says nothing of the physical form.
func LowCardinality(t *Type) *Type {
	if t.kind == KindLowCardinality {
		return t
	}
	return &Type{kind: KindLowCardinality, name: "LowCardinality(" + t.name + ")", elems: []*Type{t}}
}

// Unwrap removes LowCardinality and then Nullable.
func Unwrap(t *Type) *Type { return WithoutNullable(WithoutLowCardinality(t)) }

// WithoutNullable removes Nullable, also inside LowCardinality.
func WithoutNullable(t *Type) *Type {
	switch {
	case t.kind == KindNullable:
		return t.elems[0]
	case t.kind == KindLowCardinality && t.elems[0].kind == KindNullable:
		return LowCardinality(t.elems[0].elems[0])
	}
	return t
}

// WithoutLowCardinality removes LowCardinality at the top.
func WithoutLowCardinality(t *Type) *Type {
	if t.kind == KindLowCardinality {
		return t.elems[0]
	}
	return t
}

// Array makes Array(t).
func Array(t *Type) *Type {
	return &Type{kind: KindArray, name: "Array(" + t.name + ")", elems: []*Type{t}}
}

// Map makes Map(k, v).
func Map(k, v *Type) *Type {
	return &Type{kind: KindMap, name: "Map(" + k.name + ", " + v.name + ")", elems: []*Type{k, v}}
}

// Tuple makes a tuple; names is nil or has one for each element.
func Tuple(elems []*Type, names []string) *Type {
	var b strings.Builder
	b.WriteString("Tuple(")
	for i, e := range elems {
		if i > 0 {
			b.WriteString(", ")
		}
		if names != nil {
			b.WriteString(backquoteIfNeeded(names[i]))
			b.WriteByte(' ')
		}
		b.WriteString(e.name)
	}
	b.WriteByte(')')
	return &Type{kind: KindTuple, name: b.String(), elems: elems, names: names}
}

// FixedString makes FixedString(n), n in bytes.
func FixedString(n int) *Type {
	return &Type{kind: KindFixedString, name: "FixedString(" + strconv.Itoa(n) + ")", precision: n}
}

// Decimal makes Decimal(precision, scale) in the narrowest form that holds it;
// the caller has checked 1 ≤ precision ≤ 76 and 0 ≤ scale ≤ precision.
func Decimal(precision, scale int) *Type {
	k := KindDecimal256
	switch {
	case precision <= 9:
		k = KindDecimal32
	case precision <= 18:
		k = KindDecimal64
	case precision <= 38:
		k = KindDecimal128
	}
	return &Type{
		kind: k, precision: precision, scale: scale,
		name: "Decimal(" + strconv.Itoa(precision) + ", " + strconv.Itoa(scale) + ")",
	}
}

// DateTimeIn makes DateTime('zone'); loc is that zone loaded.
func DateTimeIn(zone string, loc *time.Location) *Type {
	if zone == "" {
		return DateTime
	}
	return &Type{kind: KindDateTime, name: "DateTime(" + quote(zone) + ")", zone: zone, loc: loc}
}

// DateTime64 makes DateTime64(scale[, 'zone']); zone "" is the session's.
func DateTime64(scale int, zone string, loc *time.Location) *Type {
	name := "DateTime64(" + strconv.Itoa(scale)
	if zone != "" {
		name += ", " + quote(zone)
	}
	return &Type{kind: KindDateTime64, name: name + ")", precision: scale, scale: scale, zone: zone, loc: loc}
}

// Time64 makes Time64(scale).
func Time64(scale int) *Type {
	return &Type{kind: KindTime64, name: "Time64(" + strconv.Itoa(scale) + ")", precision: scale, scale: scale}
}

// Interval makes IntervalDay and its like.
func Interval(u IntervalUnit) *Type {
	return &Type{kind: KindInterval, name: "Interval" + u.String(), interval: u}
}

// AggregateFunction makes the type of an aggregate function's states.
func AggregateFunction(spec AggregateSpec, args []*Type) *Type {
	return &Type{kind: KindAggregateFunction, name: aggName("AggregateFunction", spec, args), elems: args, agg: &spec}
}

// SimpleAggregateFunction makes a type that stores plain values of elem and
// merges them with a function.
func SimpleAggregateFunction(spec AggregateSpec, elem *Type) *Type {
	args := []*Type{elem}
	return &Type{kind: KindSimpleAggregateFunction, name: aggName("SimpleAggregateFunction", spec, args), elems: args, agg: &spec}
}

func aggName(head string, spec AggregateSpec, args []*Type) string {
	name := head + "(" + spec.Function
	if len(spec.Params) > 0 {
		name += "(" + strings.Join(spec.Params, ", ") + ")"
	}
	for _, a := range args {
		name += ", " + a.name
	}
	return name + ")"
}

// IntervalUnit is the unit of an Interval type.
type IntervalUnit uint8

// The units, smallest first.
const (
	Nanosecond IntervalUnit = iota
	Microsecond
	Millisecond
	Second
	Minute
	Hour
	Day
	Week
	Month
	Quarter
	Year
)

var unitNames = [...]string{"Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"}

// String gives the unit as it stands in type names: Day.
func (u IntervalUnit) String() string { return unitNames[u] }

// Units gives every unit, smallest first.
func Units() []IntervalUnit {
	return []IntervalUnit{Nanosecond, Microsecond, Millisecond, Second, Minute, Hour, Day, Week, Month, Quarter, Year}
}

func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// backquoteIfNeeded prints an element name as ClickHouse does in type names.
func backquoteIfNeeded(s string) string {
	plain := s != "" && (s[0] < '0' || s[0] > '9')
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if plain {
		return s
	}
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}
