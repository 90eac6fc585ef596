package sqlfuzz

import "math/rand/v2"

// A class is a family of types that functions take alike. Any type of a class
// may come where the class is asked for; where an engine refuses one, both
// must.
//
//	int float dec num bool str date dt dt64 uuid ip4 enum ints strs map tup any
var classOf = map[string][]string{
	"num": {"int", "int", "float", "dec", "bool"},
	"any": {"int", "float", "dec", "str", "date", "dt", "dt64", "uuid", "ip4", "enum", "ints", "strs", "map", "tup", "bool"},
	"ord": {"int", "float", "dec", "str", "date", "dt", "dt64", "uuid", "ip4", "bool", "enum"},
	"tim": {"date", "dt", "dt64"},
	"arr": {"ints", "strs"},
}

// fits tells whether a node of one class may stand where another is asked for.
func fits(class, want string) bool {
	if class == want {
		return true
	}
	for _, c := range classOf[want] {
		if fits(class, c) {
			return true
		}
	}
	return false
}

// columnTypes are the types that a column of a class gets.
var columnTypes = map[string][]string{
	"int": {
		"Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Int128", "UInt128", "Int256", "UInt256",
		"Nullable(Int32)", "Nullable(UInt64)", "Nullable(Int8)",
	},
	"float": {"Float32", "Float64", "Nullable(Float64)"},
	"dec":   {"Decimal(9, 2)", "Decimal(18, 4)", "Decimal(38, 10)", "Decimal(76, 3)", "Nullable(Decimal(18, 3))"},
	"bool":  {"Bool", "Nullable(Bool)"},
	"str": {
		"String", "String", "FixedString(5)", "Nullable(String)", "LowCardinality(String)", "LowCardinality(Nullable(String))",
	},
	"date": {"Date", "Date32", "Nullable(Date)"},
	"dt":   {"DateTime('UTC')", "DateTime('Europe/Berlin')", "Nullable(DateTime('UTC'))"},
	"dt64": {"DateTime64(3, 'UTC')", "DateTime64(6, 'America/New_York')", "DateTime64(9, 'UTC')", "Nullable(DateTime64(3, 'UTC'))"},
	"uuid": {"UUID"},
	"ip4":  {"IPv4"},
	"enum": {"Enum8('a' = 1, 'b' = 2, 'z' = -3)", "Enum16('a' = 1000, 'b' = 2, '' = 0)"},
	"ints": {"Array(Int32)", "Array(UInt8)", "Array(Nullable(Int64))"},
	"strs": {"Array(String)", "Array(Nullable(String))", "Array(LowCardinality(String))"},
	"map":  {"Map(String, Int64)", "Map(LowCardinality(String), UInt8)"},
	"tup":  {"Tuple(Int32, String)", "Tuple(a UInt8, b String)"},
}

// simple are the values that shrinking tries; the first is also what fills in
// where nothing else can.
var simple = map[string][]string{
	"int": {"1", "0"}, "float": {"1.5", "0."}, "dec": {"toDecimal64('1.25', 2)"}, "bool": {"true"}, "num": {"1"},
	"str": {"'a'", "''"}, "date": {"toDate('2024-02-29')"}, "dt": {"toDateTime('2024-02-29 12:34:56', 'UTC')"},
	"dt64": {"toDateTime64('2024-02-29 12:34:56.789', 3, 'UTC')"},
	"uuid": {"toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')"}, "ip4": {"toIPv4('10.1.2.3')"},
	"enum": {"CAST('a', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)')"}, "ints": {"[1, 2]", "[]"}, "strs": {"['a', 'b']", "['']"},
	"map": {"map('a', 1)"}, "tup": {"tuple(1, 'a')"}, "ord": {"1"}, "any": {"1", "'a'"}, "tim": {"toDate('2024-02-29')"}, "arr": {"[1, 2]"},
}

// values are literals that fit the column types of a class.
var values = map[string][]string{
	"int":   {"0", "1", "2", "3", "7", "10", "100", "127"},
	"float": {"0", "1", "-1", "0.5", "1.5", "-2.25", "1e10", "1e-7", "inf", "nan", "3.4028234e38", "-0.", "16777217", "123456789.123"},
	"dec":   {"0", "1", "-1", "1.25", "-99.99", "12345.67", "0.01"},
	"bool":  {"true", "false"},
	"str":   {"''", "'a'", "'ab'", "'Abc'", "'12'", "'-5'", "'1.5'", "'x y'", "'é'", "'a,b'", "'\\''", "'a\\tb'", "'true'", "'NULL'", "'a\\0b'"},
	"date":  {"'1970-01-01'", "'2024-02-29'", "'2000-12-31'", "'2149-06-06'", "'2023-03-26'", "'1999-01-03'"},
	"dt":    {"'1970-01-01 00:00:00'", "'2024-02-29 23:59:59'", "'2024-10-27 02:30:00'", "'2000-01-01 12:00:00'", "'2106-02-07 06:28:15'"},
	"dt64":  {"'1970-01-01 00:00:00.000'", "'2024-02-29 23:59:59.999'", "'1969-12-31 23:59:59.5'", "'2024-03-10 02:30:00.123'", "'1950-05-05 05:05:05'"},
	"uuid":  {"'00000000-0000-0000-0000-000000000000'", "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", "'ffffffff-ffff-4fff-bfff-ffffffffffff'"},
	"ip4":   {"'0.0.0.0'", "'10.1.2.3'", "'192.168.255.1'", "'255.255.255.255'"},
	"enum":  {"'a'", "'b'"},
	"ints":  {"[]", "[1]", "[3, 1, 2]", "[0, 0, 5]", "[1, 2, 3, 4, 5]", "[100, 7]"},
	"strs":  {"[]", "['a']", "['b', 'a', '']", "['x', 'x']", "['é', 'Z']"},
	"map":   {"map()", "map('a', 1)", "map('b', 2, 'a', 3)", "map('', 0)"},
	"tup":   {"(0, '')", "(1, 'a')", "(5, 'zz')"},
}

// wide are more literals, for expressions; columns may be too narrow for them.
var wide = map[string][]string{
	"int": {
		"-1", "-128", "128", "255", "256", "-32768", "65535", "65536", "2147483647", "-2147483648", "4294967295", "4294967296",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "1::Int8", "200::UInt8", "-7::Int16", "5::UInt32", "12::Int128",
		"'-170141183460469231731687303715884105728'::Int128", "3::UInt256", "toNullable(4)", "NULL::Nullable(Int32)", "toInt64(-100)", "toUInt16(500)",
	},
	"float": {"2.", "-1.5", "1e300", "-1e-300", "toFloat32(0.1)", "0.1", "NULL::Nullable(Float64)", "1/3", "123456789012345678."},
	"dec": {
		"toDecimal32('1.5', 2)", "toDecimal64('-123.4567', 4)", "toDecimal128('99999999999.123456', 6)", "toDecimal256('1', 20)",
		"NULL::Nullable(Decimal(9, 2))",
	},
	"bool": {"true", "false", "NULL::Nullable(Bool)"},
	"str": {
		"'hello world'", "'HeLLo'", "'aaa'", "'2024-02-29'", "'2024-02-29 12:34:56'", "'[1, 2]'", "'{\"a\": 1}'", "'a.b.c'", "'http://u:p@ex.com:80/p/q?x=1&y=2#f'",
		"toFixedString('abc', 5)", "toNullable('n')", "NULL::Nullable(String)", "toLowCardinality('lc')", "'日本語'", "'\\xff\\xfe'", "'  pad '",
	},
	"date": {"toDate('2024-02-29')", "toDate32('1925-01-01')", "toDate32('2299-12-31')", "toDate(0)", "NULL::Nullable(Date)", "makeDate(2023, 12, 31)"},
	"dt": {
		"toDateTime('2024-02-29 12:34:56', 'UTC')", "toDateTime(0, 'UTC')", "toDateTime('2023-10-29 02:30:00', 'Europe/Berlin')",
		"toDateTime('2024-12-30 23:59:59', 'Asia/Kolkata')", "NULL::Nullable(DateTime('UTC'))",
	},
	"dt64": {
		"toDateTime64('2024-02-29 12:34:56.789', 3, 'UTC')", "toDateTime64('1900-01-01 00:00:00', 0, 'UTC')",
		"toDateTime64('2299-12-31 23:59:59.999999', 6, 'UTC')", "toDateTime64('1969-07-20 20:17:40.123456789', 9, 'America/New_York')",
	},
}

// picker makes choices from a seeded source.
type picker struct{ *rand.Rand }

func (p picker) of(s []string) string { return s[p.IntN(len(s))] }

// chance is true n times in a hundred.
func (p picker) chance(n int) bool { return p.IntN(100) < n }

// class resolves a class of classes to one.
func (p picker) class(c string) string {
	for len(classOf[c]) > 0 {
		c = p.of(classOf[c])
	}
	return c
}
