package paimon

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"lakeserver/column"
	"lakeserver/types"
)

func must(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parseValue reads a value of the fixtures' JSON; ok is false for types that
// the tests do not need.
func parseValue(t *Type, s string, ok bool) (column.Value, bool) { // long: one case a type
	num := func(bits int) int64 { n, _ := strconv.ParseInt(s, 10, bits); return n }
	switch t.Kind {
	case Boolean:
		if s == "true" {
			return uint8(1), ok
		}
		return uint8(0), ok
	case TinyInt:
		return int8(num(8)), ok
	case SmallInt:
		return int16(num(16)), ok
	case Int:
		return int32(num(32)), ok
	case BigInt:
		return num(64), ok
	case Float:
		f, _ := strconv.ParseFloat(s, 32)
		return float32(f), ok
	case Double:
		f, _ := strconv.ParseFloat(s, 64)
		return f, ok
	case Decimal:
		n, _ := new(big.Int).SetString(strings.ReplaceAll(s, ".", ""), 10)
		switch {
		case t.Precision <= 9:
			return int32(n.Int64()), ok
		case t.Precision <= 18:
			return n.Int64(), ok
		}
		return types.I128FromBig(n), ok
	case Char, VarChar:
		return s, ok
	case Date:
		d, err := time.Parse("2006-01-02", s)
		return int32(d.Unix() / 86400), ok && err == nil
	case Time:
		d, err := time.Parse("15:04:05.999999999", s)
		return int64(d.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)) / time.Microsecond), ok && err == nil
	case Timestamp, TimestampLTZ:
		d, err := time.Parse("2006-01-02T15:04:05.999999999", strings.TrimSuffix(s, "Z"))
		return timestampValue(d.UnixMilli(), int64(d.Nanosecond()%1e6), t.Precision), ok && err == nil
	}
	return nil, false
}

func typed(t *testing.T, texts ...string) []*Type {
	t.Helper()
	var out []*Type
	for _, s := range texts {
		x, err := ParseType(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// The bytes were taken from tables that Java wrote.
func TestRowBytes(t *testing.T) {
	for _, c := range []struct {
		types  []string
		values column.Row
		hex    string
	}{
		{[]string{"INT"}, column.Row{int32(10)}, "00000001 0000000000000000 0a00000000000000"},
		{[]string{"STRING", "INT"}, column.Row{"Tony", int32(0)}, "00000002 0000000000000000 546f6e7900000084 0000000000000000"},
		{[]string{"STRING", "INT", "INT", "DOUBLE"}, column.Row{"Alex", int32(10), int32(0), 21.0}, "00000004 0000000000000000 416c657800000084 0a00000000000000 0000000000000000 0000000000003540"},
		{[]string{"STRING"}, column.Row{"abcdefgh"}, "00000001 0000000000000000 0800000010000000 6162636465666768"},
		{nil, nil, "00000000 0000000000000000"},
	} {
		ts := typed(t, c.types...)
		if got, want := hex.EncodeToString(EncodeRow(c.values, ts)), strings.ReplaceAll(c.hex, " ", ""); got != want {
			t.Errorf("%v: %s, not %s", c.values, got, want)
		}
	}
}

func TestMurmur(t *testing.T) {
	for _, c := range []struct {
		t    string
		v    column.Value
		hash int32
	}{
		{"INT", int32(0), -300363099},
		{"INT", int32(1), 1465514398},
		{"INT", int32(2), 1340390384},
		{"INT", int32(10), 124495984},
		{"INT", int32(-1), 1133687267},
		{"STRING", "", 302122119},
		{"STRING", "Alice", 1285337400},
		{"STRING", "abcdefg", -1431907323},
		{"STRING", "abcdefgh", -843760178},
		{"STRING", "Two roads", -472857057},
	} {
		if got := Hash(column.Row{c.v}, typed(t, c.t)); got != c.hash {
			t.Errorf("%v: %d, not %d", c.v, got, c.hash)
		}
	}
	if got := Hash(nil, nil); got != -1670924195 {
		t.Errorf("no fields: %d", got)
	}
}

func TestTypes(t *testing.T) {
	for text, want := range map[string]string{
		"INTEGER NOT NULL": "INT NOT NULL", "decimal": "DECIMAL(10, 0)", "DEC(5,2)": "DECIMAL(5, 2)", "VARCHAR(2147483647)": "STRING",
		"TIMESTAMP(3) WITH LOCAL TIME ZONE": "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(9)": "TIMESTAMP(9) WITH LOCAL TIME ZONE",
		"TIMESTAMP": "TIMESTAMP(6)", "TIME": "TIME(0)", "DOUBLE PRECISION": "DOUBLE", "MAP<STRING NOT NULL, BIGINT>": "MAP<STRING NOT NULL, BIGINT>",
		"ROW<`a b` INT NOT NULL 'it''s', c ARRAY<FLOAT>>": "ROW<`a b` INT NOT NULL COMMENT 'it''s', `c` ARRAY<FLOAT>>", "VECTOR<FLOAT, 3>": "VECTOR<FLOAT, 3>",
		"GEOMETRY(4326)": "GEOMETRY(4326)", "BYTES": "BYTES", "BINARY(3)": "BINARY(3)", "CHAR": "CHAR(1)",
	} {
		x, err := ParseType(text)
		if err != nil || x.String() != want {
			t.Errorf("%s: %v, %v", text, x, err)
		}
	}
	for _, text := range []string{"", "INT x", "ARRAY<", "MAP<INT>", "DECIMAL(", "ROW<a>", strings.Repeat("ARRAY<", 200)} {
		if _, err := ParseType(text); err == nil {
			t.Errorf("%q is no type", text)
		}
	}
}

func TestUnknownFieldsAreKept(t *testing.T) {
	text := `{"version":3,"id":7,"schemaId":0,"baseManifestList":"b","deltaManifestList":"d","commitUser":"u","commitIdentifier":9223372036854775807,` +
		`"commitKind":"APPEND","timeMillis":5,"zz":{"a":[1,2]},"future":"<&>"}`
	s, err := ParseSnapshot("s", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := s.MarshalJSON()
	if !sameJSON(out, []byte(text)) || !strings.Contains(string(out), `"future":"<&>"`) {
		t.Errorf("%s", out)
	}
	tag, err := ParseTag("t", "t", []byte(strings.TrimSuffix(text, "}")+`,"tagCreateTime":[2026,1,2,3,4],"tagTimeRetained":5.000000001}`))
	if err != nil || tag.Created.Minute() != 4 || *tag.Retained != 5*time.Second+1 {
		t.Fatalf("%v %v", tag, err)
	}
	if out, _ = tag.MarshalJSON(); !strings.Contains(string(out), `"future":"<&>","zz"`) || !strings.Contains(string(out), `"tagTimeRetained":5.000000001`) {
		t.Errorf("%s", out)
	}
}

func TestDamagedRows(t *testing.T) {
	ts := typed(t, "STRING", "DECIMAL(30, 2)", "TIMESTAMP(6)")
	good := EncodeRow(column.Row{"a long string", types.ToI128(-5), int64(1)}, ts)
	for at := range good {
		for _, bad := range [][]byte{good[:at], append(append([]byte(nil), good[:at]...), append([]byte{good[at] ^ 0xff}, good[at+1:]...)...)} {
			_, _ = DecodeRow(bad, ts) // no panic
		}
	}
}

func TestJavaFloat(t *testing.T) {
	for f, want := range map[float64]string{1e20: "1.0E20", 0.001: "0.001", 0.0001: "1.0E-4", 100: "100.0", 1e7: "1.0E7", 9999999: "9999999.0", -0.5: "-0.5"} {
		if got := JavaFloat(f, 64); got != want {
			t.Errorf("%g: %s", f, got)
		}
	}
}
