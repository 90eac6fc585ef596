package tablefunc

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lakeserver/functions/storage"

	"lakeserver/cherr"
	"lakeserver/codec/parquet"
	"lakeserver/column"
	"lakeserver/format"
	"lakeserver/functions"
	"lakeserver/objstore"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/types"
)

// userFiles makes a folder of small files, and one outside of it.
func userFiles(t *testing.T) *files {
	t.Helper()
	dir := t.TempDir()
	base := filepath.Join(dir, "files")
	var packed, lake bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("a,b\n9,packed\n"))
	z.Close()
	h := column.Header{{Name: "n", Type: types.Int32}, {Name: "s", Type: types.Nullable(types.String)}}
	w, err := parquet.NewWriter(&lake, h, parquet.WriterOptions{GroupRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // three row groups
		s := column.NewNullable(column.NewStr("x", ""), []uint8{0, 1})
		b := column.NewBlock(column.NewFixed([]int32{int32(2 * i), int32(2*i + 1)}), s)
		if err := w.Write(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"files/a.csv": "a,b\n1,x\n2,y\n", "files/b.csv": "a,b\n3,z\n", "files/d/c.csv": "a,b\n4,w\n", "files/d/e/f.tsv": "1\thello\n2\tworld\n",
		"files/j.jsonl": "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}\n", "files/noext": "{\"a\":1,\"b\":\"x\"}\n", "files/empty.csv": "",
		"files/k.json": "[{\"a\":1}]", "files/doc.json": `{"meta": [{"name": "a", "type": "UInt8"}], "data": [{"a": 1}], "rows": 1}`,
		"files/p.csv.gz": packed.String(), "files/l.parquet": lake.String(), "secret.csv": "1\n",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &files{sources: &storage.Sources{Local: objstore.NewLocal(base)}, form: storage.Local, scratch: parquet.NewScratch()}
}

// selected gives the rows of columns (by name; none: all) as TSV with types.
func selected(t *testing.T, f *files, columns string, args ...string) (string, error) {
	t.Helper()
	ctx := context.Background()
	env := &functions.Env{Settings: settings.Default(), Zone: time.UTC}
	req := &functions.OpenRequest{Name: "file"}
	for _, a := range args {
		req.Args = append(req.Args, functions.TableArg{Const: true, Type: types.String, Value: a})
	}
	tab, err := f.open(ctx, env, req)
	if err != nil {
		return "", err
	}
	all := append(tab.Columns(), tab.(table.Virtual).VirtualColumns()...)
	scan := &table.ScanRequest{Streams: 4, PreserveOrder: true, Settings: env.Settings}
	var h column.Header
	for i, c := range all {
		if (columns == "" && i < len(tab.Columns())) || (columns != "" && strings.Contains(columns+",", c.Name+",")) {
			scan.Columns = append(scan.Columns, i)
			h = append(h, column.Field{Name: c.Name, Type: c.Type})
		}
	}
	streams, err := tab.Scan(ctx, scan)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	o, err := format.NewOptions(env.Settings, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	w, err := format.OpenWriter("TSVWithNamesAndTypes", &out, h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		blocks, err := column.ReadAll(ctx, s)
		if err != nil {
			return "", err
		}
		for _, b := range blocks {
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	err = w.Finish(format.Statistics{})
	return out.String(), err
}

// The answers are ClickHouse's.
func TestFileRows(t *testing.T) {
	f := userFiles(t)
	const ab = "a\tb\nNullable(Int64)\tNullable(String)\n"
	for _, c := range []struct {
		columns string
		args    []string
		want    string
	}{
		{"", []string{"a.csv"}, ab + "1\tx\n2\ty\n"},
		{"", []string{"{a,b}.csv"}, ab + "1\tx\n2\ty\n3\tz\n"},
		{"", []string{"**/*.csv"}, ab + "1\tx\n2\ty\n3\tz\n4\tw\n"},
		{"", []string{"**.csv"}, ab + "1\tx\n2\ty\n3\tz\n"},
		{"", []string{"*/*.csv"}, ab + "4\tw\n"},
		{"", []string{"?.csv"}, ab + "1\tx\n2\ty\n3\tz\n"},
		{"", []string{"d"}, ab + "4\tw\n"},
		{"", []string{"j.jsonl"}, ab + "1\tx\n2\t\\N\n"},
		{"", []string{"noext"}, ab + "1\tx\n"},
		{"", []string{"p.csv.gz"}, ab + "9\tpacked\n"},
		{"", []string{"k.json"}, "a\nNullable(Int64)\n1\n"},
		{"", []string{"doc.json"}, "a\nUInt8\n1\n"},
		{"", []string{"a.csv", "TSV"}, "c1\nNullable(String)\na,b\n1,x\n2,y\n"},
		{"", []string{"a.csv", "CSV", "x String, y String"}, "x\ty\nString\tString\na\tb\n1\tx\n2\ty\n"},
		{"", []string{"a.csv", "CSVWithNames", "b String"}, "b\nString\nx\ny\n"},
		{"", []string{"d/e/f.tsv"}, "c1\tc2\nNullable(Int64)\tNullable(String)\n1\thello\n2\tworld\n"},
		{"", []string{"missing*.csv", "CSV", "a Int32"}, "a\nInt32\n"},
		{"_file,_size", []string{"a.csv"}, "_file\t_size\nLowCardinality(String)\tNullable(UInt64)\na.csv\t12\na.csv\t12\n"},
		{"", []string{"l.parquet"}, "n\ts\nInt32\tNullable(String)\n0\tx\n1\t\\N\n2\tx\n3\t\\N\n4\tx\n5\t\\N\n"},
		{"n,_file", []string{"l.parquet", "auto", "n Int64"}, "n\t_file\nInt64\tLowCardinality(String)\n0\tl.parquet\n1\tl.parquet\n2\tl.parquet\n3\tl.parquet\n4\tl.parquet\n5\tl.parquet\n"},
	} {
		got, err := selected(t, f, c.columns, c.args...)
		if err != nil {
			t.Errorf("file(%q): %v", c.args, err)
		} else if got != c.want {
			t.Errorf("file(%q):\n%s\nwant:\n%s", c.args, got, c.want)
		}
	}
}

func TestFileErrors(t *testing.T) {
	f := userFiles(t)
	for _, c := range []struct {
		args []string
		want cherr.Code
	}{
		{nil, cherr.NumberOfArgumentsDoesntMatch},
		{[]string{"missing.csv"}, cherr.CannotStat},
		{[]string{"missing.csv", "CSV", "a Int32"}, cherr.FileDoesntExist},
		{[]string{"missing*.csv"}, cherr.CannotExtractTableStructure},
		{[]string{"empty.csv"}, cherr.CannotExtractTableStructure},
		{[]string{"a.csv", "Nope"}, cherr.UnknownFormat},
		{[]string{"a.csv", "CSV", "auto", "nope"}, cherr.NotImplemented},
		{[]string{"a.csv", "CSV", "auto", "gzip"}, cherr.ZlibInflateFailed},
		{[]string{"../secret.csv"}, cherr.PathAccessDenied},
		{[]string{"../*.csv"}, cherr.PathAccessDenied},
		{[]string{"/etc/passwd", "LineAsString", "l String"}, cherr.PathAccessDenied},
	} {
		if _, err := selected(t, f, "", c.args...); cherr.CodeOf(err) != c.want {
			t.Errorf("file(%q): %v, want code %v", c.args, err, c.want)
		}
	}
}

func TestAlternatives(t *testing.T) {
	for text, want := range map[string]string{"a,b": "a b", "1..3": "1 2 3", "08..10": "08 09 10", "3..1": "1 2 3", "x": "{x}"} {
		got, err := alternatives(text)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("{%s}: %v, %v, want %s", text, got, err, want)
		}
	}
	if _, err := alternatives("0..4000000000"); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("a huge range: %v", err)
	}
}
