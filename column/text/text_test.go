package text

import (
	"testing"
	"time"
	_ "time/tzdata"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

func mustType(t *testing.T, name string) *types.Type {
	t.Helper()
	typ, err := types.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestRoundTrip: texts that ClickHouse prints for a value, by form, read back
// and printed again.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		typ                               string
		plain, escaped, quoted, csv, json string
	}{
		{"Int32", "-5", "-5", "-5", "-5", "-5"},
		{"UInt64", "18446744073709551615", "18446744073709551615", "18446744073709551615", "18446744073709551615", "18446744073709551615"},
		{"Int256", "-57896044618658097711785492504343953926634992332820282019728792003956564819968", "-57896044618658097711785492504343953926634992332820282019728792003956564819968", "-57896044618658097711785492504343953926634992332820282019728792003956564819968", "-57896044618658097711785492504343953926634992332820282019728792003956564819968", "-57896044618658097711785492504343953926634992332820282019728792003956564819968"},
		{"Float64", "1.5e21", "1.5e21", "1.5e21", "1.5e21", "1.5e21"},
		{"Float64", "100000000000000000000", "100000000000000000000", "100000000000000000000", "100000000000000000000", "100000000000000000000"},
		{"Float64", "1e-7", "1e-7", "1e-7", "1e-7", "1e-7"},
		{"Float32", "0.1", "0.1", "0.1", "0.1", "0.1"},
		{"BFloat16", "9999221000", "9999221000", "9999221000", "9999221000", "9999221000"},
		{"String", "a\tb'c\\\"/\x01", `a\tb\'c\\"/` + "\x01", `'a\tb\'c\\"/` + "\x01'", "\"a\tb'c\\\"\"/\x01\"", `"a\tb'c\\\"\/\u0001"`},
		{"FixedString(3)", "a\x00\x00", `a\0\0`, `'a\0\0'`, "\"a\x00\x00\"", `"a\u0000\u0000"`},
		{"Bool", "true", "true", "true", "true", "true"},
		{"Date", "2020-01-31", "2020-01-31", "'2020-01-31'", `"2020-01-31"`, `"2020-01-31"`},
		{"Date32", "1800-12-31", "1800-12-31", "'1800-12-31'", `"1800-12-31"`, `"1800-12-31"`},
		{"DateTime('Europe/Berlin')", "2020-06-01 12:00:00", "2020-06-01 12:00:00", "'2020-06-01 12:00:00'", `"2020-06-01 12:00:00"`, `"2020-06-01 12:00:00"`},
		{"DateTime64(3, 'UTC')", "1969-12-31 23:59:58.500", "1969-12-31 23:59:58.500", "'1969-12-31 23:59:58.500'", `"1969-12-31 23:59:58.500"`, `"1969-12-31 23:59:58.500"`},
		{"Time", "-01:02:03", "-01:02:03", "'-01:02:03'", `"-01:02:03"`, `"-01:02:03"`},
		{"Time64(3)", "999:59:59.123", "999:59:59.123", "'999:59:59.123'", `"999:59:59.123"`, `"999:59:59.123"`},
		{"Decimal(9, 3)", "1.5", "1.5", "1.5", "1.5", "1.5"},
		{"Decimal(76, 2)", "-123456789012345678901234567890.25", "-123456789012345678901234567890.25", "-123456789012345678901234567890.25", "-123456789012345678901234567890.25", "-123456789012345678901234567890.25"},
		{"Enum8('a\\'b' = 1)", "a'b", `a\'b`, `'a\'b'`, `"a'b"`, `"a'b"`},
		{"UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", `"61f0c404-5cb3-11e7-907b-a6006ad3dba0"`, `"61f0c404-5cb3-11e7-907b-a6006ad3dba0"`},
		{"IPv4", "1.2.3.4", "1.2.3.4", "'1.2.3.4'", `"1.2.3.4"`, `"1.2.3.4"`},
		{"IPv6", "2001:db8::1", "2001:db8::1", "'2001:db8::1'", `"2001:db8::1"`, `"2001:db8::1"`},
		{"IPv6", "::ffff:1.2.3.4", "::ffff:1.2.3.4", "'::ffff:1.2.3.4'", `"::ffff:1.2.3.4"`, `"::ffff:1.2.3.4"`},
		{"IPv6", "1:0:0:2::3", "1:0:0:2::3", "'1:0:0:2::3'", `"1:0:0:2::3"`, `"1:0:0:2::3"`},
		{"IPv6", "::", "::", "'::'", `"::"`, `"::"`},
		{"Nullable(Int8)", "NULL", `\N`, "NULL", `\N`, "null"},
		{"Array(Nullable(String))", `[NULL,'a\tb']`, `[NULL,'a\tb']`, `[NULL,'a\tb']`, `"[NULL,'a\tb']"`, `[null,"a\tb"]`},
		{"Array(Array(Date))", `[['2020-01-01'],[]]`, `[['2020-01-01'],[]]`, `[['2020-01-01'],[]]`, `"[['2020-01-01'],[]]"`, `[["2020-01-01"],[]]`},
		{"Tuple(String, Int8)", `('x',1)`, `('x',1)`, `('x',1)`, `"x",1`, `["x",1]`},
		{"Tuple(a String, b Int8)", `('x',1)`, `('x',1)`, `('x',1)`, `"x",1`, `{"a":"x","b":1}`},
		{"Map(String, Int8)", `{'k':1,'l':2}`, `{'k':1,'l':2}`, `{'k':1,'l':2}`, `"{'k':1,'l':2}"`, `{"k":1,"l":2}`},
		{"Map(Int32, Array(Bool))", `{1:[true]}`, `{1:[true]}`, `{1:[true]}`, `"{1:[true]}"`, `{"1":[true]}`},
	} {
		typ := mustType(t, c.typ)
		for f, text := range map[Form]string{Plain: c.plain, Escaped: c.escaped, Quoted: c.quoted, CSV: c.csv, JSON: c.json} {
			r := NewReader(typ, f, nil)
			n, err := r.Read([]byte(text))
			if err != nil || n != len(text) {
				t.Errorf("%s form %d: %q: read %d bytes of %d: %v", c.typ, f, text, n, len(text), err)
				continue
			}
			got := string(Print(typ, f, nil, r.Finish())(nil, 0))
			if got != text {
				t.Errorf("%s form %d: %q printed as %q", c.typ, f, text, got)
			}
		}
	}
}

// TestParse has ClickHouse's own answers to toString(CAST(text AS type)), or
// the code of its error.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		typ, text, want string
		code            cherr.Code
	}{
		{"Int32", "abc", "", cherr.CannotParseText},
		{"Int32", "12a", "", cherr.CannotParseText},
		{"Int32", "", "", cherr.AttemptToReadAfterEof},
		{"Int32", " 5", "", cherr.CannotParseText},
		{"Int32", "-", "", cherr.CannotParseNumber},
		{"UInt8", "-1", "", cherr.CannotParseNumber},
		{"Int8", "300", "44", 0},
		{"Int32", "99999999999", "1215752191", 0},
		{"UInt64", "99999999999999999999999", "200376420520689663", 0},
		{"Int64", "-9223372036854775809", "9223372036854775807", 0},
		{"Int128", "170141183460469231731687303715884105728", "-170141183460469231731687303715884105728", 0},
		{"Float64", "1e400", "inf", 0},
		{"Float64", "-Infinity", "-inf", 0},
		{"Float64", "5.", "5", 0},
		{"Float64", "+1.5", "1.5", 0},
		{"Float64", "", "", cherr.CannotParseNumber},
		{"Float64", "1.5x", "", cherr.CannotParseText},
		{"Float64", "1e", "", cherr.CannotParseText},
		{"Float32", "3.4028236e38", "inf", 0},
		{"Date", "2020-1-2", "2020-01-02", 0},
		{"Date", "20200102", "2020-01-02", 0},
		{"Date", "2020/01/02", "2020-01-02", 0},
		{"Date", "2020-01-02 03:04:05", "2020-01-02", 0},
		{"Date", "2020-02-30", "2020-03-01", 0},
		{"Date", "2020-13-01", "1970-01-01", 0},
		{"Date", "2200-01-01", "2149-06-06", 0},
		{"Date", "1577836800", "", cherr.CannotParseText},
		{"Date", "18262", "", cherr.CannotParseDate},
		{"Date", "2020-01-02T03:04:05Z", "", cherr.CannotParseText},
		{"DateTime('UTC')", "2020-01-02T03:04:05Z", "2020-01-02 03:04:05", 0},
		{"DateTime('UTC')", "2020-01-02 03:04", "2020-01-02 03:04:00", 0},
		{"DateTime('UTC')", "2020-1-2 3:4:5", "2020-01-02 03:04:05", 0},
		{"DateTime('UTC')", "2020-01-02 25:00:00", "2020-01-03 01:00:00", 0},
		{"DateTime('UTC')", "2020-13-02 00:00:00", "", cherr.CannotParseDatetime},
		{"DateTime('UTC')", "", "", cherr.CannotParseDatetime},
		{"DateTime('UTC')", "abc", "", cherr.CannotParseDatetime},
		{"DateTime('UTC')", "12345", "", cherr.CannotParseDatetime},
		{"DateTime('UTC')", "1960-01-02 00:00:00", "1970-01-01 00:00:00", 0},
		{"DateTime('UTC')", "2110-01-02 00:00:00", "2106-02-07 06:28:15", 0},
		{"DateTime('UTC')", "20200102030405", "2020-01-02 03:04:05", 0},
		{"DateTime('UTC')", "20200102", "2020-01-02 00:00:00", 0},
		{"DateTime('UTC')", "02/01/2020 03:04:05", "2020-01-02 03:04:05", 0},
		{"DateTime('UTC')", "2 Jan 2020", "2020-01-02 00:00:00", 0},
		{"DateTime('UTC')", "Jan 2 2020 3PM", "2020-01-02 15:00:00", 0},
		{"DateTime('UTC')", "2020-01-02 03:04:05+03:00", "2020-01-02 00:04:05", 0},
		{"DateTime('UTC')", "2020-01-02 03:04:05 -0500", "2020-01-02 08:04:05", 0},
		{"DateTime('UTC')", "Thu, 02 Jan 2020 03:04:05 GMT", "2020-01-02 03:04:05", 0},
		{"DateTime('UTC')", "2020-01-02 03:04:05 xyz", "", cherr.CannotParseDatetime},
		{"DateTime('UTC')", "157783680", "1975-01-01 04:48:00", 0},
		{"DateTime64(3, 'UTC')", "2020-01-02 03:04:05.6789", "2020-01-02 03:04:05.678", 0},
		{"DateTime64(3, 'UTC')", "1577836800.123", "2020-01-01 00:00:00.123", 0},
		{"DateTime64(6, 'UTC')", "1577836800123456", "2020-01-01 00:00:00.123456", 0},
		{"DateTime64(9, 'UTC')", "9999-12-31 23:59:59", "", cherr.DecimalOverflow},
		{"DateTime('Europe/Berlin')", "2020-03-29 02:30:00", "2020-03-29 01:30:00", 0},
		{"Decimal(9, 2)", "1.999", "1.99", 0},
		{"Decimal(18, 2)", "1e3", "1000", 0},
		{"Decimal(18, 2)", "1e-5", "0", 0},
		{"Decimal(38, 2)", "1e30", "1000000000000000000000000000000", 0},
		{"Decimal(9, 1)", "5.", "5", 0},
		{"Decimal(9, 1)", "+5", "5", 0},
		{"Decimal(9, 2)", "abc", "", cherr.CannotParseText},
		{"Decimal(9, 2)", "", "", cherr.AttemptToReadAfterEof},
		{"Decimal(9, 2)", "12345678901", "", cherr.ArgumentOutOfBound},
		{"Decimal(9, 2)", "1.5x", "", cherr.CannotParseText},
		{"UUID", "x", "", cherr.CannotParseUUID},
		{"IPv4", "1.2.3", "", cherr.CannotParseIPv4},
		{"IPv4", "1.2.3.256", "", cherr.CannotParseIPv4},
		{"IPv6", "1.2.3.4", "::ffff:1.2.3.4", 0},
		{"IPv6", "zz", "", cherr.CannotParseIPv6},
		{"Bool", "T", "true", 0},
		{"Bool", "off", "false", 0},
		{"Bool", "abc", "", cherr.CannotParseBool},
		{"Enum8('a' = 1)", "1", "a", 0},
		{"Enum8('a' = 1)", " a", "", cherr.UnknownElementOfEnum},
		{"Array(Int32)", "[1, 2]", "[1,2]", 0},
		{"Array(Int32)", "[1,2", "", cherr.CannotParseInputAssertionFailed},
		{"Array(Int32)", "[1,2]x", "", cherr.UnexpectedDataAfterParsedValue},
		{"Array(String)", "[a]", "", cherr.CannotParseQuotedString},
		{"Array(Int8)", "", "", cherr.CannotReadArrayFromText},
		{"Tuple(Int8, Int8)", "( 1 , 2 )", "(1,2)", 0},
		{"Tuple(Int8, Int8)", "(1)", "", cherr.CannotParseInputAssertionFailed},
		{"FixedString(3)", "abcd", "", cherr.TooLargeStringSize},
		{"Time", "25:00:00", "25:00:00", 0},
		{"Time", "12", "00:00:12", 0},
		{"Time", "1:2:3", "", cherr.CannotParseText},
	} {
		typ := mustType(t, c.typ)
		r := NewReader(typ, Plain, nil)
		_, err := r.Read([]byte(c.text))
		if cherr.CodeOf(err) != c.code {
			t.Errorf("%s %q: code %d (%v), want %d", c.typ, c.text, cherr.CodeOf(err), err, c.code)
			continue
		}
		if err != nil {
			if r.Len() != 0 {
				t.Errorf("%s %q: %d values after an error", c.typ, c.text, r.Len())
			}
			continue
		}
		if got := string(Print(typ, Plain, nil, r.Finish())(nil, 0)); got != c.want {
			t.Errorf("%s %q gives %q, want %q", c.typ, c.text, got, c.want)
		}
	}
}

func TestJSONValues(t *testing.T) {
	typ := mustType(t, "Tuple(x Int8, y String, z Nullable(Float64))")
	r := NewReader(typ, JSON, nil)
	for _, s := range []string{`{"y":"q","u":[1,{"a":"}"}],"x":"7"}`, ` {"x":true , "y":{"k": 1},"z":1.5}`} {
		if n, err := r.Read([]byte(s)); err != nil || n != len(s) {
			t.Fatalf("%s: %d, %v", s, n, err)
		}
	}
	p := Print(typ, Quoted, nil, r.Finish())
	if got := string(p(nil, 0)) + string(p(nil, 1)); got != `(7,'q',NULL)(1,'{"k": 1}',1.5)` {
		t.Error(got)
	}
}

func TestConstAndDict(t *testing.T) {
	d := &column.Dict{Codes: []uint32{1, 0}, Values: column.NewStr("a", "b")}
	if got := string(Print(types.String, Quoted, nil, d)(nil, 0)); got != "'b'" {
		t.Error(got)
	}
	c := column.NewConst(column.NewFixed([]uint32{0}), 3)
	o := &Options{Zone: time.FixedZone("x", 3600), Times: ISO}
	if got := string(Print(types.DateTime, Escaped, o, c)(nil, 2)); got != "1970-01-01T00:00:00Z" {
		t.Error(got)
	}
}
