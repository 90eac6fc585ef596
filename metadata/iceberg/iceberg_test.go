package iceberg

import (
	"encoding/hex"
	"reflect"
	"testing"

	"lakeserver/column"
	"lakeserver/types"
)

// The vectors of the spec's appendix B, and more computed by independent code.
func TestBucketHash(t *testing.T) {
	dec := &Type{Kind: Decimal, Precision: 9, Scale: 2}
	uuid, _ := ParseUUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
	for _, c := range []struct {
		t    *Type
		v    column.Value
		hash int32
	}{
		{intType, int32(34), 2017239379},
		{ParseType("long"), int64(34), 2017239379},
		{ParseType("long"), int64(-1), 1651860712},
		{ParseType("long"), int64(1<<63 - 1), -2106506049},
		{ParseType("long"), int64(-1 << 63), 1366273829},
		{dateType, int32(17486), -653330422},
		{ParseType("time"), int64(81068000000), -662762989},
		{ParseType("timestamp"), int64(1510871468000000), -2047944441},
		{ParseType("timestamptz"), int64(1510871468000001), -1207196810},
		{ParseType("timestamp_ns"), int64(-1), 1651860712},
		{dec, int32(1420), -500754589},
		{dec, int32(0), 1364076727},
		{dec, int32(-1), -43192051},
		{dec, int32(127), 1435096473},
		{dec, int32(128), 1544076949},
		{dec, int32(-128), 267099677},
		{dec, int32(-129), -435537839},
		{&Type{Kind: Decimal, Precision: 30, Scale: 2}, types.ToI128(-129), -435537839},
		{ParseType("string"), "iceberg", 1210000089},
		{ParseType("string"), "", 0},
		{ParseType("string"), "é", 269551495},
		{ParseType("uuid"), uuid, 1488055340},
		{ParseType("fixed[4]"), "\x00\x01\x02\x03", -188683207},
		{ParseType("double"), 1.0, -142385009},
		{ParseType("boolean"), uint8(1), 1392991556},
	} {
		if h, ok := Hash(c.t, c.v); !ok || h != c.hash {
			t.Errorf("%s %v: %d, want %d", c.t.Name, c.v, h, c.hash)
		}
	}
	if v, _ := ParseTransform("bucket[16]").Apply(ParseType("string"), "iceberg"); v != int32(9) {
		t.Errorf("bucket[16](iceberg) = %v", v)
	}
}

func TestTransforms(t *testing.T) {
	ts, dec := ParseType("timestamp"), &Type{Kind: Decimal, Precision: 9, Scale: 2}
	us := func(s string) int64 { v, _ := timestampText(ts, s); return v.(int64) }
	for _, c := range []struct {
		transform string
		t         *Type
		v, want   column.Value
	}{
		{"truncate[10]", intType, int32(1), int32(0)},
		{"truncate[10]", intType, int32(-1), int32(-10)},
		{"truncate[10]", intType, int32(-10), int32(-10)},
		{"truncate[10]", intType, int32(-11), int32(-20)},
		{"truncate[50]", dec, int32(1065), int32(1050)},
		{"truncate[10]", dec, int32(-5), int32(-10)},
		{"truncate[3]", ParseType("string"), "aüßx", "aüß"},
		{"truncate[3]", ParseType("binary"), "aüß", "aü"},
		{"year", ts, us("1969-12-31T23:59:59.999999"), int32(-1)},
		{"month", ts, us("1969-12-31T23:59:59.999999"), int32(-1)},
		{"day", ts, us("1969-12-31T23:59:59.999999"), int32(-1)},
		{"hour", ts, us("1969-12-31T10:00:00"), int32(-14)},
		{"year", ts, us("1968-12-31T23:59:59.999999"), int32(-2)},
		{"month", ts, us("1968-12-31T23:59:59.999999"), int32(-13)},
		{"days", ts, us("1968-12-31T23:59:59.999999"), int32(-366)},
		{"hours", ts, us("1968-12-31T23:59:59.999999"), int32(-8761)},
		{"year", ts, us("1582-10-15T00:00:00"), int32(-388)},
		{"month", ts, us("1582-10-15T00:00:00"), int32(-4647)},
		{"day", ts, us("1582-10-15T00:00:00"), int32(-141427)},
		{"month", ts, us("2017-12-01T10:12:55.038194"), int32(575)},
		{"month", dateType, int32(17501), int32(575)},
		{"void", ts, int64(5), nil},
		{"bucket[4]", ts, nil, nil},
	} {
		if got, ok := ParseTransform(c.transform).Apply(c.t, c.v); !ok || got != c.want {
			t.Errorf("%s(%v) = %v, %t; want %v", c.transform, c.v, got, ok, c.want)
		}
	}
}

func TestDeletionVectorVectors(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want []int64
	}{
		{"0000002ad1d339640100000000000000000000003a3000000100000000000400100000000100030005000700640063a83554", []int64{1, 3, 5, 7, 100}},
		{"00000038d1d339640200000000000000000000003a3000000100000000000000100000000100020000003a3000000100000000000000100000000200cdd1ad61", []int64{1, 1<<33 + 2}},
		{"0000000cd1d339640000000000000000bf18480c", nil},
	} {
		blob, _ := hex.DecodeString(c.hex)
		p, err := ParseDeletionVector(blob)
		if err != nil || p.Len() != int64(len(c.want)) {
			t.Fatalf("%s: %v, %v", c.hex, p, err)
		}
		for _, x := range c.want {
			if !p.Contains(x) || p.Contains(x+1) || p.CountWithin(0, x+1) != p.CountWithin(0, x)+1 {
				t.Errorf("position %d", x)
			}
			if got := p.Within(x-1, x+2, nil); !reflect.DeepEqual(got, []uint32{1}) {
				t.Errorf("around %d: %v", x, got)
			}
		}
		for i := range blob { // every flipped byte is noticed
			bad := append([]byte(nil), blob...)
			bad[i] ^= 0x41
			if _, err := ParseDeletionVector(bad); err == nil {
				t.Errorf("byte %d flipped: no error", i)
			}
			if _, err := ParseDeletionVector(blob[:i]); err == nil {
				t.Errorf("cut at %d: no error", i)
			}
			if len(blob) > 28 && i >= 8 && i < len(blob)-4 { // past the checksum, too, no panic
				_, _ = parsePortable(bad[8 : len(bad)-4])
			}
		}
	}
}

func TestBoundsTellTheTypeBeforePromotion(t *testing.T) {
	for _, c := range []struct {
		t     string
		bytes string
		want  column.Value
		ok    bool
	}{
		{"long", "feffffff", int64(-2), true},
		{"long", "feffffffffffffff", int64(-2), true},
		{"long", "feffff", nil, false},
		{"double", "0000803f", 1.0, true},
		{"timestamp", "01000000", int64(86400000000), true},
		{"float", "0000c07f", float32(0), false},
		{"decimal(9, 2)", "fe", int32(-2), true},
		{"decimal(38, 2)", "00ff", types.ToI128(255), true},
		{"int", "", nil, false},
		{"uuid", "f79c3e09677c4bbda4793f349cb785e7", types.U128{Hi: 0xf79c3e09677c4bbd, Lo: 0xa4793f349cb785e7}, true},
	} {
		b, _ := hex.DecodeString(c.bytes)
		v, ok := DecodeBound(ParseType(c.t), b)
		if ok != c.ok || ok && v != c.want {
			t.Errorf("%s %s: %v, %t; want %v, %t", c.t, c.bytes, v, ok, c.want, c.ok)
		}
	}
}

func TestPathMapper(t *testing.T) {
	for _, c := range []struct{ root, location, path, want string }{
		{"x", "file:/lake/db/t", "file:/lake/db/t/data/a.parquet", "x/data/a.parquet"},
		{"x/", "file:///lake/db/t/", "/lake/db/t/data/a", "x/data/a"},
		{"/abs/x", "s3://b/t", "s3a://b/t/metadata/m.avro", "/abs/x/metadata/m.avro"},
		{"x", "/lake/t", "local:///lake/t/d", "x/d"},
		{"x", "/lake/t", "/lake/t2/d", "/lake/t2/d"},
	} {
		if got := NewPathMapper(c.root, c.location).Map(c.path); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestMetadataNames(t *testing.T) {
	for name, want := range map[string]int64{
		"v1.metadata.json": 1, "v10.gz.metadata.json": 10, "00003-78d50e02-2beb-49e6-b10e-2323d826c17c.metadata.json": 3,
		"v4.metadata.json.gz": 4, "00003-1111.gz.metadata.json": 3, "v7-1111.metadata.json": 7, "v2.zstd.metadata.json": 2,
		"foo.metadata.json": -1, "v1.metadata.json.crc": -1, ".v1.metadata.json.crc": -1, "v.metadata.json": -1, "snap-1.avro": -1,
	} {
		if v, ok := parseName("t/metadata/" + name); ok != (want >= 0) || ok && v != want {
			t.Errorf("%s: %d, %t", name, v, ok)
		}
	}
}
