package format

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
)

func readAll(t testing.TB, name string, doc string, h column.Header, o *Options) ([]*column.Block, Reader, error) {
	t.Helper()
	r, err := OpenReader(name, strings.NewReader(doc), h, o)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := column.ReadAll(context.Background(), r)
	return blocks, r, err
}

func show(b *column.Block) string {
	var s strings.Builder
	for row := range b.Rows {
		for _, c := range b.Columns {
			fmt.Fprintf(&s, "%v|", column.At(c, row))
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// What a format writes it reads again.
func TestRoundTrip(t *testing.T) {
	all := samples(t)
	o := options(t)
	for _, f := range All() {
		if f.NewWriter == nil || f.NewReader == nil || f.Name == "Null" || (f.Name == "LineAsString" || f.Name == "JSONAsString") || f.Name == "RawBLOB" || f.Name == "Template" {
			continue
		}
		for kind, s := range all {
			// a tuple's columns have names of their own there, as in ClickHouse
			if strings.HasPrefix(f.Name, "CSVWith") && kind != "many" && kind != "lines" {
				continue
			}
			if s.totals != nil || s.data.Rows == 0 || strings.HasPrefix(f.Name, "TabSeparatedRaw") && kind != "many" {
				continue
			}
			t.Run(f.Name+"."+kind, func(t *testing.T) {
				if f.Name == "Parquet" && (kind == "nest" || kind == "scalar" || kind == "row") {
					t.Skip("narrow integers and nested ones come back in Parquet's own widths")
				}
				doc := render(t, f.Name, s, o)
				blocks, _, err := readAll(t, f.Name, string(doc), s.h, o)
				if err != nil {
					t.Fatalf("%v\n%s", err, doc)
				}
				want := show(s.data)
				if strings.Contains(f.Name, "JSON") && !strings.Contains(f.Name, "Strings") {
					want = strings.ReplaceAll(strings.ReplaceAll(want, "NaN", "0"), "-Inf", "0") // null there
				}
				if len(blocks) != 1 || show(blocks[0]) != want {
					t.Errorf("read\n%s\nwant\n%s\nof\n%s", show(blocks[0]), want, doc)
				}
			})
		}
	}
}

// Codes and values as ClickHouse (chdb) gives them for these documents.
func TestInput(t *testing.T) { // long: a table
	for _, x := range []struct {
		format, structure, doc, want string
		code                         cherr.Code
		settings                     []string
	}{
		{"TSV", "a UInt8, b String", "1\tx\n2\ty\\tz\n", "1|x|\n2|y\tz|\n", 0, nil},
		{"TSV", "a UInt8, b String", "1\tx\r\n", "1|x\r|\n", 0, nil},
		{"TSV", "a Nullable(UInt8), b String", "\\N\tx", "<nil>|x|\n", 0, nil},
		{"TSV", "a UInt8", "\\N\n", "0|\n", 0, nil},
		{"TSV", "a UInt8, b UInt8", "1\n", "", 27, nil},
		{"TSV", "a UInt8", "1\t2\n", "", 27, nil},
		{"TSV", "a UInt8", "zz\n", "", 27, nil},
		{"TSV", "a UInt8, b String", "b\ta\nx\t7\n", "7|x|\n", 0, nil},
		{"TSVWithNames", "a UInt8, b String", "b\ta\nx\t7\n", "7|x|\n", 0, nil},
		{"TSVWithNames", "a UInt8", "b\ta\nx\t7\n", "", 117, []string{"input_format_skip_unknown_fields", "0"}},
		{"TSVWithNames", "a UInt8", "b\ta\nx\t7\n", "7|\n", 0, []string{"input_format_skip_unknown_fields", "1"}},
		{"TSVWithNamesAndTypes", "a UInt8", "a\nUInt16\n7\n", "", 117, nil},
		{"CSV", "a UInt8, b String", "1,\"x\"\"y\nz\"\n2,w\n", "1|x\"y\nz|\n2|w|\n", 0, nil},
		{"CSV", "a UInt8, b String", "1, w \n", "1|w|\n", 0, nil},
		{"CSV", "a UInt8, b String", "1\n", "", 27, nil},
		{"CSV", "a UInt8, b Nullable(String)", ",\\N\n", "0|<nil>|\n", 0, nil},
		{"CSV", "a UInt8, b String", "1;x\n", "1|x|\n", 0, []string{"format_csv_delimiter", ";"}},
		{"CSV", "a UInt8, b String", "\"a\",\"b\"\n1,x\n", "1|x|\n", 0, nil},
		{"CSVWithNames", "a UInt8, b String", "b,a\nx,1\n", "1|x|\n", 0, nil},
		{"JSONEachRow", "a UInt8, b String", `{"a":1,"b":"x"} {"b":"y","a":2}`, "1|x|\n2|y|\n", 0, nil},
		{"JSONEachRow", "a UInt8, b String", `[{"a":1,"b":"x"},{"a":"2","b":"y"}]`, "1|x|\n2|y|\n", 0, nil},
		{"JSONEachRow", "a UInt8, b String", `{"a":1}`, "1||\n", 0, nil},
		{"JSONEachRow", "a UInt8", `{"a":null}`, "0|\n", 0, nil},
		{"JSONEachRow", "a UInt8", `{"a":1,"zz":[1,{"x":"}"}]}`, "", 117, []string{"input_format_skip_unknown_fields", "0"}},
		{"JSONEachRow", "a UInt8", `{"a":1,"zz":[1,{"x":"}"}]}`, "1|\n", 0, []string{"input_format_skip_unknown_fields", "1"}},
		{"JSONEachRow", "a UInt8", `{"a":1,"a":2}`, "", 117, nil},
		{"JSONEachRow", "a String", `{"a":{"b": [1]}}`, "{\"b\": [1]}|\n", 0, nil},
		{"JSONCompactEachRow", "a UInt8, b String", "[1, \"x\"]\n[2,\"y\"]\n", "1|x|\n2|y|\n", 0, nil},
		{"JSONCompactEachRowWithNames", "a UInt8, b String", "[\"b\",\"a\"]\n[\"x\", 1]\n", "1|x|\n", 0, nil},
		{"CSV", "a UInt8", "1,2\n", "", 117, nil},
		{"CSV", "a UInt8, b UInt8", "\n", "", 27, nil},
		{"TSV", "a Date", "x\n", "", 38, nil},
		{"TSV", "a DateTime", "zz\n", "", 41, nil},
		{"TSV", "a Float64", "x\n", "", 72, nil},
		{"TSV", "a UUID", "zz\n", "", 376, nil},
		{"TSV", "a Enum8('a'=1)", "zz\n", "", 691, nil},
		{"TSV", "a Bool", "zz\n", "", 467, nil},
		{"TSV", "a Array(UInt8)", "zz\n", "", 130, nil},
		{"JSONEachRow", "a UInt8", `{"a":1`, "", 33, nil},
		{"JSONEachRow", "a UInt8", `{"a":1.5}`, "", 27, nil},
		{"JSONEachRow", "a UInt8", `x`, "", 27, nil},
		{"JSONEachRow", "a String", `{"a":"x`, "", 26, nil},
		{"JSONCompactEachRow", "a UInt8", `[1,2]`, "", 27, nil},
		{"RowBinary", "a UInt16", "x", "", 33, nil},
		{"RowBinary", "a String", "\x05ab", "", 33, nil},
		{"TSKV", "a UInt8", "zz", "", 33, nil},
		{"Values", "a UInt8", "(1", "", 62, nil},
		{"Values", "a UInt8", "(1,2)", "", 62, nil},
		{"Values", "a UInt8, b String", "(1,'it''s'), (2, 'y\\'z');", "1|it's|\n2|y'z|\n", 0, nil},
		{"Values", "a Nullable(UInt8), b Array(String)", "(NULL,['a','b'])", "<nil>|[a b]|\n", 0, nil},
		{"TSKV", "a UInt8, b String", "a=1\tb=x\\=y\nb=z\n", "1|x=y|\n0|z|\n", 0, nil},
	} {
		h, err := ParseStructure(x.structure)
		if err != nil {
			t.Fatal(err)
		}
		blocks, _, err := readAll(t, x.format, x.doc, h, options(t, x.settings...))
		if cherr.CodeOf(err) != x.code {
			t.Errorf("%s %q: error %v (%d), want code %d", x.format, x.doc, err, cherr.CodeOf(err), x.code)
			continue
		}
		got := ""
		for _, b := range blocks {
			got += show(b)
		}
		if x.code == 0 && got != x.want {
			t.Errorf("%s %q: %q, want %q", x.format, x.doc, got, x.want)
		}
	}
}

func TestMissingIsMarked(t *testing.T) {
	h, _ := ParseStructure("a UInt8, b UInt8")
	_, r, err := readAll(t, "JSONEachRow", "{\"a\":1}\n{\"a\":1,\"b\":2}\n{\"b\":null}\n", h, options(t))
	if err != nil {
		t.Fatal(err)
	}
	_ = r
	r, _ = OpenReader("JSONEachRow", strings.NewReader("{\"a\":1}\n{\"a\":1,\"b\":2}\n{\"b\":null}\n"), h, options(t))
	if _, err := r.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	m := r.Missing()
	if !bytes.Equal(m[0], []uint8{0, 0, 1}) || !bytes.Equal(m[1], []uint8{1, 0, 1}) {
		t.Error(m)
	}
}

func TestAllowedErrors(t *testing.T) {
	h, _ := ParseStructure("a UInt8, b UInt8")
	blocks, _, err := readAll(t, "CSV", "1,2\nx,3\n4,y\n5,6\n", h, options(t, "input_format_allow_errors_num", "2"))
	if err != nil || show(blocks[0]) != "1|2|\n5|6|\n" {
		t.Error(err, blocks)
	}
}

// Rows and quotes that lie across the ends of what is in memory.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x\ny\"", 100_000)
	h, _ := ParseStructure("a UInt32, s String")
	var rows []column.Row
	for i := range 5 {
		rows = append(rows, column.Row{uint32(i), long})
	}
	hh, b := table(t, []string{"a: UInt32", "s: String"}, rows...)
	for _, f := range []string{"TSV", "CSV", "JSONEachRow", "Values", "TSKV", "JSONCompactEachRow", "RowBinary", "Native"} {
		doc := render(t, f, sample{h: hh, data: b}, options(t))
		blocks, _, err := readAll(t, f, string(doc), h, options(t))
		if err != nil || len(blocks) != 1 || show(blocks[0]) != show(b) {
			t.Error(f, err)
		}
	}
}

func TestConvert(t *testing.T) {
	o := options(t)
	for _, x := range []struct {
		from, to string
		v        column.Value
		want     string
	}{
		{"DateTime", "DateTime('Asia/Tokyo')", uint32(5), "5"},
		{"UInt32", "DateTime", uint32(5), "5"},
		{"Int64", "UInt8", int64(5), "5"},
		{"Nullable(Int64)", "UInt8", nil, "0"},
		{"Array(Nullable(UInt32))", "Array(IPv4)", column.Row{uint32(7), nil}, "[7 0]"},
		{"String", "Date", "2020-01-01", "18262"},
		{"Tuple(UInt8, String)", "Tuple(a UInt16, b String)", column.Row{uint8(1), "x"}, "[1 x]"},
		{"LowCardinality(String)", "Nullable(UInt8)", "7", "7"},
		{"FixedString(16)", "UUID", "0123456789abcdef", ""},
	} {
		from, to := typ(t, x.from), typ(t, x.to)
		c, err := Convert(column.FromValue(from, x.v, 1).Value, from, to, &o.Text)
		if err != nil {
			t.Errorf("%s to %s: %v", x.from, x.to, err)
			continue
		}
		if got := fmt.Sprint(column.At(c, 0)); got != x.want && x.to != "UUID" {
			t.Errorf("%s to %s: %s, want %s", x.from, x.to, got, x.want)
		}
	}
}
