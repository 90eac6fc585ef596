package cast

import (
	"strings"
	"testing"
	_ "time/tzdata"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

func typeOf(t *testing.T, name string) *types.Type {
	t.Helper()
	typ, err := types.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// value reads one value; "NULL" is NULL.
func value(t *testing.T, typ *types.Type, s string) column.Column {
	t.Helper()
	r := text.NewReader(typ, text.Plain, nil)
	if _, err := r.Read([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return r.Finish()
}

// TestCast has ClickHouse's answers to CAST(CAST(text AS from) AS to), or the
// code of its error.
func TestCast(t *testing.T) {
	for _, c := range strings.Split(strings.TrimSpace(answers), "\n") {
		f := strings.Split(c, " | ")
		from, to := typeOf(t, f[1]), typeOf(t, f[2])
		got := ""
		out, err := Column(value(t, from, f[0]), from, to, nil)
		if err != nil {
			got = "error " + cherr.CodeOf(err).String()
		} else {
			got = string(text.Print(to, text.Plain, nil, out)(nil, 0))
		}
		if got != f[3] {
			t.Errorf("%s gives %s (%v)", c, got, err)
		}
	}
}

const answers = `
300 | UInt16 | UInt8 | 44
-1 | Int8 | UInt64 | 18446744073709551615
-1 | Int8 | UInt256 | 115792089237316195423570985008687907853269984665640564039457584007913129639935
300.7 | Float64 | Int8 | 44
-1.0 | Float64 | UInt8 | 255
1e30 | Float64 | Int64 | -9223372036854775808
3e9 | Float64 | Int32 | -2147483648
5e9 | Float64 | UInt32 | 705032704
nan | Float64 | Int32 | error CANNOT_CONVERT_TYPE
16777217 | UInt32 | Float32 | 16777216
0.1 | Float32 | Float64 | 0.10000000149011612
1.005 | Float64 | BFloat16 | 1
-5 | Int256 | Float64 | -5
0.5 | Float64 | Bool | true
true | Bool | UInt8 | 1
1000 | UInt16 | Decimal(3, 1) | 1000
999999999 | UInt32 | Decimal(9, 1) | error DECIMAL_OVERFLOW
1e10 | Float64 | Decimal(9, 1) | error DECIMAL_OVERFLOW
nan | Float64 | Decimal(9, 1) | error DECIMAL_OVERFLOW
-1.999 | Float64 | Decimal(9, 2) | -1.99
1.005 | Float64 | Decimal(9, 2) | 1
12345.678 | Decimal(18, 3) | Decimal(9, 1) | 12345.6
-1.55 | Decimal(9, 2) | Decimal(9, 1) | -1.5
1000000000000 | Decimal(18, 3) | Decimal(9, 1) | error DECIMAL_OVERFLOW
300 | Decimal(9, 1) | Int8 | error DECIMAL_OVERFLOW
-1 | Decimal(9, 1) | UInt8 | error DECIMAL_OVERFLOW
-1.9 | Decimal(9, 1) | Int32 | -1
-1.9 | Decimal(9, 1) | Float64 | -1.9
1.5 | Decimal(38, 1) | Int256 | 1
0.5 | Decimal(9, 1) | Bool | true
65535 | UInt32 | Date | 2149-06-06
65536 | UInt32 | Date | 1970-01-01
-1 | Int8 | Date | 1970-01-01
1577836800 | UInt32 | Date | 2020-01-01
10000000000 | UInt64 | Date | 2106-02-07
3.7 | Float64 | Date | 1970-01-04
-100 | Int32 | Date32 | 1969-09-23
120530 | UInt32 | Date32 | 2300-01-01
-1 | Int8 | DateTime('UTC') | 1970-01-01 00:00:00
4294967296 | UInt64 | DateTime('UTC') | 2106-02-07 06:28:15
1.9 | Float64 | DateTime('UTC') | 1970-01-01 00:00:01
1.5 | Float64 | DateTime64(3, 'UTC') | 1970-01-01 00:00:01.500
-1 | Int8 | DateTime64(3, 'UTC') | 1969-12-31 23:59:59.000
1.2345 | Decimal(18, 4) | DateTime64(3, 'UTC') | 1970-01-01 00:00:01.234
1900-01-01 | Date32 | Date | 2079-06-07
1900-01-01 | Date32 | DateTime('UTC') | 2036-02-07 06:28:16
2020-01-01 | Date | DateTime('Europe/Berlin') | 2020-01-01 00:00:00
2020-01-01 23:00:00 | DateTime('UTC') | Date | 2020-01-01
2200-01-01 00:00:00 | DateTime64(3, 'UTC') | Date | 2020-07-27
2200-01-01 00:00:00 | DateTime64(3, 'UTC') | DateTime('UTC') | 2063-11-24 17:31:44
2020-01-01 | Date | UInt8 | 86
2020-01-01 00:00:00.999 | DateTime64(3, 'UTC') | Int64 | 1577836800
2020-01-01 00:00:00.999 | DateTime64(3, 'UTC') | Float64 | 1577836800.999
2020-01-01 00:00:00.999 | DateTime64(3, 'UTC') | Decimal(18, 2) | 1577836800.99
1 | UInt8 | Enum8('a' = 1) | a
2 | UInt8 | Enum8('a' = 1) | error UNKNOWN_ELEMENT_OF_ENUM
a | Enum8('a' = 1) | Enum8('a' = 2) | error CANNOT_CONVERT_TYPE
a | Enum8('a' = 1) | Enum8('b' = 1) | b
a | Enum8('a' = 1) | Int32 | 1
a | FixedString(3) | String | a
a | String | FixedString(3) | a` + "\x00\x00" + `
abcd | String | FixedString(3) | error TOO_LARGE_STRING_SIZE
1 | UInt8 | FixedString(3) | error NOT_IMPLEMENTED
NULL | Nullable(Int8) | Int32 | error CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
NULL | Nullable(String) | Nullable(Int32) | NULL
abc | String | Nullable(Int32) | NULL
300 | String | UInt8 | 44
['a','1'] | Array(String) | Array(Nullable(Int8)) | [NULL,1]
[1,2] | Array(UInt8) | Array(String) | ['1','2']
(1,'2') | Tuple(UInt8, String) | Tuple(String, Int8) | ('1',2)
(1,2) | Tuple(a Int8, b Int8) | Tuple(b Int8, a Int8) | (2,1)
(1,2) | Tuple(UInt8, UInt8) | Tuple(Int8) | error TYPE_MISMATCH
[(1,2)] | Array(Tuple(UInt8, UInt8)) | Map(Int8, Int8) | {1:2}
([1,2],['a','b']) | Tuple(Array(UInt8), Array(String)) | Map(Int8, String) | {1:'a',2:'b'}
1 | UInt8 | Array(Int8) | error TYPE_MISMATCH
[1] | Array(UInt8) | Int8 | error ILLEGAL_TYPE_OF_ARGUMENT
1.2.3.4 | IPv4 | IPv6 | ::ffff:1.2.3.4
1.2.3.4 | IPv4 | UInt32 | 16909060
61f0c404-5cb3-11e7-907b-a6006ad3dba0 | UUID | UInt128 | 130185242535069267264091000241780939680
1 | UInt128 | UUID | error NOT_IMPLEMENTED
3 | Int64 | IntervalDay | 3
`

func TestTry(t *testing.T) {
	for _, c := range []struct{ v, from, to, want string }{
		{"-1", "Int8", "UInt8", ""},
		{"abc", "String", "UInt8", ""},
		{"300", "String", "UInt8", ""},
		{"1.0", "Float64", "UInt8", "1"},
		{"1.5", "Float64", "Float32", "1.5"},
		{"0.1", "Float64", "Float32", ""},
		{"256", "UInt16", "Decimal(3, 1)", "256"},
		{"1.55", "Decimal(9, 2)", "Int8", "1"},
	} {
		from, to := typeOf(t, c.from), typeOf(t, c.to)
		f, err := BindTry(from, to, &Options{Accurate: true})
		if err != nil {
			t.Fatal(err)
		}
		v, bad, err := f(value(t, from, c.v))
		if err != nil {
			t.Fatal(err)
		}
		got := string(text.Print(to, text.Plain, nil, v)(nil, 0))
		if bad != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s %s to %s gives %q, want %q", c.from, c.v, c.to, got, c.want)
		}
	}
}
