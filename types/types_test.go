package types

import (
	"testing"

	"lakeserver/cherr"
)

// The answers are ClickHouse 26.9's: toTypeName(CAST(… AS written)).
func TestParse(t *testing.T) {
	for written, want := range map[string]string{
		"Decimal(5)": "Decimal(5, 0)", "Decimal32(3)": "Decimal(9, 3)", "dec(10,2)": "Decimal(10, 2)", "DECIMAL": "Decimal(10, 0)",
		"INTEGER UNSIGNED": "UInt32", "BIGINT": "Int64", "TINYINT(1)": "Int8", "DOUBLE PRECISION": "Float64", "VARCHAR(10)": "String",
		"BOOLEAN": "Bool", "TIMESTAMP": "DateTime", "DateTime32": "DateTime", "DateTime(3)": "DateTime64(3)", "DateTime('UTC')": "DateTime('UTC')",
		"DateTime64": "DateTime64(3)", "DateTime64(3,'Europe/Moscow')": "DateTime64(3, 'Europe/Moscow')", "Enum('a','b')": "Enum8('a' = 1, 'b' = 2)",
		"Enum('a'=1000)": "Enum16('a' = 1000)", "Nested(a UInt8, b String)": "Nested(a UInt8, b String)", "Tuple(a UInt8, b String)": "Tuple(a UInt8, b String)",
		"Tuple(`a b` UInt8)": "Tuple(`a b` UInt8)", "Map(String,UInt8)": "Map(String, UInt8)", "LowCardinality(Nullable(String))": "LowCardinality(Nullable(String))",
		"AggregateFunction(quantiles(0.5,0.9), UInt8)": "AggregateFunction(quantiles(0.5, 0.9), UInt8)", "BINARY(4)": "FixedString(4)", "CHAR": "String",
		"datetime": "DateTime", "bool": "Bool", "Tuple()": "Tuple()", "IntervalDay": "IntervalDay", "Tuple(INT UNSIGNED, a INT UNSIGNED)": "Tuple(UInt32, UInt32)",
	} {
		got, err := Parse(written)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %v, %v; want %s", written, got, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for written, code := range map[string]cherr.Code{
		"uint8": 50, "Foo": 50, "Decimal(77,2)": 69, "Decimal(5,6)": 69, "FixedString(0)": 223, "Array(Nullable(Array(UInt8)))": 43,
		"LowCardinality(Array(UInt8))": 43, "Map(Nullable(String),UInt8)": 36, "Array(": 62, "Array(UInt8": 62, "UInt8)": 62,
	} {
		if _, err := Parse(written); cherr.CodeOf(err) != code {
			t.Errorf("Parse(%q): %v, want code %d", written, err, code)
		}
	}
}

// The answers are ClickHouse 26.9's for toTypeName([x, y]); "" where it makes a Variant.
func TestSuper(t *testing.T) {
	for _, c := range [][3]string{
		{"UInt8", "Int8", "Int16"},
		{"UInt8", "Int64", "Int64"},
		{"UInt32", "Int8", "Int64"},
		{"UInt64", "Int8", ""},
		{"UInt128", "Int8", "Int256"},
		{"UInt64", "Int128", "Int128"},
		{"UInt8", "Float32", "Float32"},
		{"UInt32", "Float32", "Float64"},
		{"Int64", "Float64", ""},
		{"UInt16", "BFloat16", "Float32"},
		{"UInt8", "Bool", "UInt8"},
		{"UInt16", "Decimal(9,2)", "Decimal(9, 2)"},
		{"UInt32", "Decimal(9,2)", "Decimal(18, 2)"},
		{"Int64", "Decimal(18,4)", "Decimal(38, 4)"},
		{"Decimal(9,2)", "Decimal(18,4)", "Decimal(18, 4)"},
		{"String", "FixedString(2)", "String"},
		{"String", "Enum8('a'=1)", "String"},
		{"Enum8('a'=1)", "Enum16('a'=1)", "Int16"},
		{"Date", "DateTime('UTC')", "DateTime('UTC')"},
		{"Date32", "DateTime('UTC')", "DateTime64(0)"},
		{"Date", "Date32", "Date32"},
		{"UInt64", "IPv4", "UInt64"},
		{"UInt8", "IntervalDay", "IntervalDay"},
		{"LowCardinality(String)", "Nullable(String)", "Nullable(String)"},
		{"Array(UInt8)", "Array(Nothing)", "Array(UInt8)"},
		{"Array(UInt8)", "Array(String)", ""},
		{"Nullable(Nothing)", "UInt8", "Nullable(UInt8)"},
		{"Nullable(Nothing)", "Array(UInt8)", ""},
		{"Bool", "Enum8('a'=1)", "Int16"},
	} {
		a, _ := Parse(c[0])
		b, _ := Parse(c[1])
		for _, pair := range [][2]*Type{{a, b}, {b, a}} {
			got, err := Super(pair[0], pair[1])
			if c[2] == "" && cherr.CodeOf(err) != cherr.NoCommonType || c[2] != "" && (err != nil || got.String() != c[2]) {
				t.Errorf("Super(%s, %s) = %v, %v; want %q", pair[0], pair[1], got, err, c[2])
			}
		}
	}
}
