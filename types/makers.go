package types

import (
	"strconv"
	"strings"

	"lakeserver/cherr"
)

// maker reads a family's arguments; open says that a parenthesis was opened,
// and the maker leaves the closing one.
type maker func(p *typeParser, depth int, open bool, written string) (*Type, error)

// byName has the types without parameters.
var byName = map[string]*Type{
	"UInt8": UInt8, "UInt16": UInt16, "UInt32": UInt32, "UInt64": UInt64, "UInt128": UInt128, "UInt256": UInt256,
	"Int8": Int8, "Int16": Int16, "Int32": Int32, "Int64": Int64, "Int128": Int128, "Int256": Int256,
	"Float32": Float32, "Float64": Float64, "BFloat16": BFloat16, "Bool": Bool, "String": String, "Date": Date,
	"Date32": Date32, "Time": Time, "UUID": UUID, "IPv4": IPv4, "IPv6": IPv6, "Nothing": Nothing,
}

// makers has every family. It is filled once, below, since the makers parse
// nested types and so refer back to it.
var makers map[string]maker

var _ = fillMakers()

func fillMakers() bool {
	makers = map[string]maker{
		"Nullable": makeNullable, "LowCardinality": makeLowCardinality, "Array": makeArray, "Tuple": makeTuple,
		"Nested": makeNested, "Map": makeMap, "FixedString": makeFixedString, "Decimal": makeDecimal,
		"Decimal32": sizedDecimal(9), "Decimal64": sizedDecimal(18), "Decimal128": sizedDecimal(38), "Decimal256": sizedDecimal(76),
		"DateTime": makeDateTime, "DateTime32": makeDateTime, "DateTime64": makeDateTime64, "Time64": makeTime64,
		"Enum8": makeEnum, "Enum16": makeEnum, "Enum": makeEnum,
		"Variant": makeVariant, "Dynamic": makeDynamic, "JSON": makeJSON,
		"AggregateFunction": makeAggregate, "SimpleAggregateFunction": makeAggregate,
	}
	for name, t := range byName {
		makers[name] = plain(t)
	}
	for _, u := range Units() {
		t := Interval(u)
		makers[t.name] = plain(t)
	}
	return true
}

// plain takes no arguments, but passes over the length of VARCHAR(10) and INT(11).
func plain(t *Type) maker {
	return func(p *typeParser, _ int, open bool, written string) (*Type, error) {
		if !open {
			return t, nil
		}
		if written == t.name && t.kind != KindString || t.kind == KindNothing {
			return nil, cherr.New(cherr.DataTypeCannotHaveArguments, "Data type %s cannot have arguments", t.name)
		}
		for p.peek() != ')' {
			if _, err := p.integer(); err != nil {
				return nil, err
			}
			p.eat(',')
		}
		return t, nil
	}
}

func makeNullable(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	t, err := oneIf(p, depth, open, "Nullable")
	if err != nil {
		return nil, err
	}
	if t.kind == KindTuple {
		return Nullable(t), nil
	}
	if !t.CanBeNullable() || t.kind == KindLowCardinality {
		return nil, cherr.New(cherr.IllegalTypeOfArgument, "Nested type %s cannot be inside Nullable type", t)
	}
	return Nullable(t), nil
}

func oneIf(p *typeParser, depth int, open bool, family string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "%s data type family must have exactly one argument - nested type", family)
	}
	return p.one(depth, family)
}

func makeLowCardinality(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	t, err := oneIf(p, depth, open, "LowCardinality")
	if err != nil {
		return nil, err
	}
	in := WithoutNullable(t)
	if !in.IsInteger() && !in.IsFloat() && !in.IsString() && !lowCardinalityOther(in.kind) {
		return nil, cherr.New(cherr.IllegalTypeOfArgument,
			"DataTypeLowCardinality is supported only for numbers, strings, Date or DateTime, but got %s", t)
	}
	return LowCardinality(t), nil
}

func lowCardinalityOther(k Kind) bool {
	switch k {
	case KindDate, KindDate32, KindDateTime, KindUUID, KindIPv4, KindIPv6, KindBool, KindNothing:
		return true
	}
	return false
}

func makeArray(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	t, err := oneIf(p, depth, open, "Array")
	if err != nil {
		return nil, err
	}
	return Array(t), nil
}

func makeTuple(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	if !open {
		return Tuple(nil, nil), nil
	}
	ts, names, err := p.named(depth)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return nil, cherr.New(cherr.DuplicateColumn, "Tuple names must be unique. Duplicate name: %s", n)
		}
		seen[n] = true
	}
	return Tuple(ts, names), nil
}

// makeNested makes what Nested stands for as a value: an array of tuples that
// prints as Nested.
func makeNested(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.EmptyNestedTable, "Nested cannot be empty")
	}
	ts, names, err := p.named(depth)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return nil, cherr.New(cherr.BadArguments, "Nested data type needs names of its elements")
	}
	t := Array(Tuple(ts, names))
	t.name = "Nested" + strings.TrimPrefix(t.elems[0].name, "Tuple")
	return t, nil
}

// IsNested tells whether t was written Nested(...).
func (t *Type) IsNested() bool { return t.kind == KindArray && strings.HasPrefix(t.name, "Nested(") }

func makeMap(p *typeParser, depth int, open bool, _ string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Map data type family must have two arguments: key and value types")
	}
	ts, err := p.list(depth)
	if err != nil {
		return nil, err
	}
	if len(ts) != 2 {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Map data type family must have two arguments: key and value types")
	}
	if ts[0].IsNullable() {
		return nil, cherr.New(cherr.BadArguments, "Map cannot have a key of type %s", ts[0])
	}
	return Map(ts[0], ts[1]), nil
}

func makeFixedString(p *typeParser, _ int, open bool, _ string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "FixedString data type family must have exactly one argument - size in bytes")
	}
	n, err := p.integer()
	if err != nil || n <= 0 {
		return nil, cherr.New(cherr.UnexpectedAstStructure, "FixedString data type family must have a number (positive integer) as its argument")
	}
	if n > 0xFFFFFF {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "FixedString size is too large")
	}
	return FixedString(n), nil
}

// maxDecimalDigits is the precision of Decimal256.
const maxDecimalDigits = 76

func makeDecimal(p *typeParser, _ int, open bool, _ string) (*Type, error) {
	precision, scale := 10, 0
	if open {
		var err error
		if precision, err = p.integer(); err != nil {
			return nil, err
		}
		if p.eat(',') {
			if scale, err = p.integer(); err != nil {
				return nil, err
			}
		}
	}
	return checkedDecimal(precision, scale)
}

func checkedDecimal(precision, scale int) (*Type, error) {
	if precision < 1 || precision > maxDecimalDigits {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Wrong precision: it must be between 1 and %d, got %d", maxDecimalDigits, precision)
	}
	if scale < 0 || scale > precision {
		return nil, cherr.New(cherr.ArgumentOutOfBound, "Negative scales and scales larger than precision are not supported")
	}
	return Decimal(precision, scale), nil
}

func sizedDecimal(precision int) maker {
	return func(p *typeParser, _ int, open bool, written string) (*Type, error) {
		if !open {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "%s data type family must have exactly one argument: scale", written)
		}
		scale, err := p.integer()
		if err != nil {
			return nil, err
		}
		return checkedDecimal(precision, scale)
	}
}

func (p *typeParser) zone() (string, error) {
	if p.peek() != '\'' {
		return "", p.syntax()
	}
	return p.quoted('\'')
}

func makeDateTime(p *typeParser, depth int, open bool, written string) (*Type, error) {
	if !open || p.peek() == ')' {
		return DateTime, nil
	}
	if p.peek() != '\'' { // DateTime(3) is DateTime64(3)
		return makeDateTime64(p, depth, open, written)
	}
	zone, err := p.zone()
	if err != nil {
		return nil, err
	}
	loc, err := location(zone)
	if err != nil {
		return nil, err
	}
	return DateTimeIn(zone, loc), nil
}

// maxTimeScale is nanoseconds.
const maxTimeScale = 9

func makeDateTime64(p *typeParser, _ int, open bool, _ string) (*Type, error) {
	if !open {
		return DateTime64(3, "", nil), nil
	}
	scale, err := p.timeScale()
	if err != nil {
		return nil, err
	}
	if !p.eat(',') {
		return DateTime64(scale, "", nil), nil
	}
	zone, err := p.zone()
	if err != nil {
		return nil, err
	}
	loc, err := location(zone)
	if err != nil {
		return nil, err
	}
	return DateTime64(scale, zone, loc), nil
}

func (p *typeParser) timeScale() (int, error) {
	scale, err := p.integer()
	if err != nil {
		return 0, err
	}
	if scale > maxTimeScale {
		return 0, cherr.New(cherr.ArgumentOutOfBound, "Scale %d is too large for DateTime64. Maximum is up to nanoseconds (9)", scale)
	}
	return scale, nil
}

func makeTime64(p *typeParser, _ int, open bool, _ string) (*Type, error) {
	if !open {
		return Time64(3), nil
	}
	scale, err := p.timeScale()
	if err != nil {
		return nil, err
	}
	return Time64(scale), nil
}

func makeEnum(p *typeParser, _ int, open bool, written string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.EmptyDataPassed, "Data type Enum cannot be empty")
	}
	var names []string
	var values []int16
	next, wide := int64(1), strings.HasSuffix(written, "16")
	for p.peek() != ')' {
		if len(names) > 0 && !p.eat(',') {
			return nil, p.syntax()
		}
		name, err := p.zone()
		if err != nil {
			return nil, err
		}
		if p.eat('=') {
			sign := int64(1)
			if p.eat('-') {
				sign = -1
			}
			n, err := strconv.ParseInt(p.word(), 10, 64)
			if err != nil {
				return nil, p.syntax()
			}
			next = sign * n
		}
		if next < -32768 || next > 32767 {
			return nil, cherr.New(cherr.ArgumentOutOfBound, "Value %d for element '%s' exceeds range of Enum16", next, name)
		}
		names, values = append(names, name), append(values, int16(next))
		wide = wide || written == "Enum" && (next < -128 || next > 127)
		next++
	}
	kind := KindEnum8
	if wide {
		kind = KindEnum16
	}
	return NewEnum(kind, names, values)
}

// makeAggregate reads AggregateFunction([version,] name[(params)], types…).
func makeAggregate(p *typeParser, depth int, open bool, written string) (*Type, error) {
	if !open {
		return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Data type %s requires parameters: name of aggregate function and list of data types for arguments", written)
	}
	spec := AggregateSpec{Function: p.word()}
	if _, err := strconv.Atoi(spec.Function); err == nil && p.eat(',') {
		spec.Function = p.word()
	}
	if p.eat('(') {
		spec.Params = p.rawParams()
		if !p.eat(')') {
			return nil, p.syntax()
		}
	}
	var args []*Type
	for p.eat(',') {
		t, err := p.parse(depth + 1)
		if err != nil {
			return nil, err
		}
		args = append(args, t)
	}
	if written == "SimpleAggregateFunction" {
		if len(args) != 1 {
			return nil, cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Data type SimpleAggregateFunction takes one argument type")
		}
		return SimpleAggregateFunction(spec, args[0]), nil
	}
	return AggregateFunction(spec, args), nil
}

// rawParams takes the literals up to the closing parenthesis as text.
func (p *typeParser) rawParams() (out []string) {
	from, depth := p.pos, 0
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '\'':
			if _, err := p.quoted('\''); err != nil {
				return out
			}
			continue
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case c == ')' || c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(p.text[from:p.pos]))
			if c == ')' {
				return out
			}
			from = p.pos + 1
		}
		p.pos++
	}
	return out
}
