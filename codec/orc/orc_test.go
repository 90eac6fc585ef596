package orc

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lakeserver/cherr"
)

func expectedRows(t *testing.T) (out []map[string]any) {
	f, err := os.Open("testdata/rows.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.UseNumber()
		var r map[string]any
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// form gives a value as JSON holds it.
func form(v any) any {
	switch x := v.(type) {
	case int64:
		return json.Number(fmt.Sprint(x))
	case []any:
		out := []any{}
		for _, e := range x {
			out = append(out, form(e))
		}
		return out
	case Record:
		out := map[string]any{}
		for k, e := range x {
			out[k] = form(e)
		}
		return out
	}
	return v
}

// Files of every compression that PyArrow writes give the rows that it wrote.
func TestFiles(t *testing.T) {
	want := expectedRows(t)
	files, _ := filepath.Glob("testdata/*.orc")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = Each(data, func(r Record) error {
			if n >= len(want) {
				return fmt.Errorf("more than %d rows", len(want))
			}
			for name, w := range want[n] {
				v := r[name]
				if name == "bytes" {
					v = hex.EncodeToString([]byte(v.(string)))
				}
				a, _ := json.Marshal(form(v))
				b, _ := json.Marshal(w)
				if string(a) != string(b) {
					return fmt.Errorf("row %d, %s: %s, want %s", n, name, a, b)
				}
			}
			n++
			return nil
		})
		if err != nil || n != len(want) {
			t.Errorf("%s: %d rows, want %d: %v", f, n, len(want), err)
		}
	}
}

// A damaged file gives rows or a coded error, never a panic.
func TestDamage(t *testing.T) {
	data, err := os.ReadFile("testdata/zstd.orc")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := 0; at < len(data); at += 97 {
		bad := slices.Clone(data)
		bad[at] ^= 0x15
		for _, d := range [][]byte{bad, data[:at]} {
			if err := Each(d, func(Record) error { return nil }); err != nil {
				failed++
				if c := cherr.CodeOf(err); c != cherr.IncorrectData && c != cherr.NotImplemented {
					t.Fatalf("at %d: code %d: %v", at, c, err)
				}
			}
		}
	}
	if failed < len(data)/97 {
		t.Errorf("%d of %d damaged files failed", failed, len(data)/97*2)
	}
}

func FuzzEach(f *testing.F) {
	for _, name := range []string{"testdata/zstd.orc", "testdata/uncompressed.orc"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = Each(data, func(Record) error { return nil }) // whatever it is: no panic
	})
}
