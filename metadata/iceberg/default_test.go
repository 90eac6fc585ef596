package iceberg

import (
	"reflect"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// TestDefaultJSON: the forms are those of the spec's appendix D, and are read
// back as what they were.
func TestDefaultJSON(t *testing.T) {
	uuid, _ := ParseUUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
	for _, c := range []struct {
		t    string
		v    column.Value
		want string
	}{
		{"boolean", uint8(1), `true`},
		{"int", int32(34), `34`},
		{"long", int64(-1 << 63), `-9223372036854775808`},
		{"float", float32(1.1), `1.1`},
		{"double", 1e200, `1e+200`},
		{"decimal(4, 2)", int32(1420), `"14.20"`},
		{"decimal(18, 4)", int64(-5), `"-0.0005"`},
		{"decimal(38, 0)", types.ToI128(-12), `"-12"`},
		{"date", int32(17486), `"2017-11-16"`},
		{"date", int32(-1), `"1969-12-31"`},
		{"time", int64(81068000000), `"22:31:08.000000"`},
		{"timestamp", int64(1510871468000001), `"2017-11-16T22:31:08.000001"`},
		{"timestamp", int64(-1), `"1969-12-31T23:59:59.999999"`},
		{"timestamptz", int64(1510871468000001), `"2017-11-16T22:31:08.000001+00:00"`},
		{"timestamp_ns", int64(-1), `"1969-12-31T23:59:59.999999999"`},
		{"string", "ice<berg>", `"ice<berg>"`},
		{"uuid", uuid, `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`},
		{"fixed[4]", "\x00\x01\x02\xff", `"000102ff"`},
		{"binary", "\x00", `"00"`},
	} {
		it := ParseType(c.t)
		got, err := DefaultJSON(it, c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %v: %s, %v", c.t, c.v, got, err)
			continue
		}
		if back, err := jsonValue(it, got); err != nil || !reflect.DeepEqual(back, c.v) {
			t.Errorf("%s %s: read back as %v, %v", c.t, got, back, err)
		}
	}
	if got, err := DefaultJSON(ParseType("int"), nil); got != nil || err != nil {
		t.Errorf("NULL: %s, %v", got, err)
	}
	for _, bad := range []column.Value{"x", 1.5, column.Row{}} {
		if _, err := DefaultJSON(ParseType("int"), bad); !cherr.Is(err, cherr.BadArguments) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
