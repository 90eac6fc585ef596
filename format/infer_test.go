package format

import (
	"bufio"
	"context"
	"strings"
	"testing"
)

// Structures as ClickHouse infers them for these documents.
func TestInfer(t *testing.T) {
	for _, x := range []struct{ format, doc, want string }{
		{"JSONEachRow", `{"a":1,"b":"x"}` + "\n" + `{"a":2.5,"b":null,"c":[1,2]}`, "a Nullable(Float64), b Nullable(String), c Array(Nullable(Int64))"},
		{"JSONEachRow", `{"d":"2020-01-01","t":"2020-01-01 00:00:00","y":true}`, "d Nullable(Date), t Nullable(DateTime), y Nullable(Bool)"},
		{"CSV", "1,x\n2,y\n", "c1 Nullable(Int64), c2 Nullable(String)"},
		{"CSV", "a,b\n1,x\n", "a Nullable(Int64), b Nullable(String)"},
		{"CSVWithNames", "\"a\",\"b\"\n1,2.5\n", "a Nullable(Int64), b Nullable(Float64)"},
		{"TSV", "1\tx\n", "c1 Nullable(Int64), c2 Nullable(String)"},
		{"TSVWithNamesAndTypes", "a\tb\nUInt8\tString\n1\tx\n", "a UInt8, b String"},
		{"JSONCompactEachRow", "[1, \"x\"]", "c1 Nullable(Int64), c2 Nullable(String)"},
		{"LineAsString", "x\n", "line String"},
	} {
		f, err := Lookup(x.format)
		if err != nil {
			t.Fatal(err)
		}
		h, err := f.Infer(context.Background(), bufio.NewReader(strings.NewReader(x.doc)), options(t))
		if err != nil {
			t.Errorf("%s: %v", x.format, err)
			continue
		}
		var got []string
		for _, c := range h {
			got = append(got, c.Name+" "+c.Type.String())
		}
		if s := strings.Join(got, ", "); s != x.want {
			t.Errorf("%s %q: %s, want %s", x.format, x.doc, s, x.want)
		}
	}
}
