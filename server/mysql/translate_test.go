package mysql

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/server"
)

type noEngine struct{}

func (noEngine) NewSession(*server.User) server.Session { return nil }
func (noEngine) Zone() *time.Location                   { return time.UTC }
func (noEngine) HasTable(string, string) bool           { return true }

func testConn() *conn {
	return &conn{id: 7, cfg: &Config{Engine: noEngine{}, Version: "26.7"}, p: &packets{max: 1 << 20}, of: &listener{}, vars: map[string]string{}, database: "d"}
}

// TestDialect: each statement of MySQL's comes out as this one of ClickHouse's
// does (printed anew, so that brackets and spaces do not count).
func TestDialect(t *testing.T) {
	f, err := os.Open("testdata/dialect.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		in, want, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			t.Fatalf("no tab in %q", lines.Text())
		}
		out, err := testConn().dialect(in)
		if code, isError := strings.CutPrefix(want, "error "); isError {
			if got := cherr.CodeOf(err).String(); got != code {
				t.Errorf("%s\ngave %s (%v; %s), want %s", in, got, err, out, code)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s\n%v", in, err)
			continue
		}
		if got, want := printed(t, out), printed(t, want); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func printed(t *testing.T, sql string) string {
	t.Helper()
	s, err := parse.Parse(sql)
	if err != nil {
		t.Errorf("%s\n%v", sql, err)
		return sql
	}
	if i, ok := s.(*ast.Insert); ok && i.Data != nil {
		return sql
	}
	return ast.Format(s)
}

// TestSameText: what is ClickHouse's comes out of the translation as it went
// in. The rest are words that both have and MySQL means otherwise.
func TestSameText(t *testing.T) {
	const most = 0.01
	n, other := 0, 0
	for _, sql := range corpus(t) {
		want, err := parse.Parse(sql)
		if err != nil || firstWord(sql) != "SELECT" || hasDoubleQuotes(sql) || strings.Contains(sql, "@@") {
			continue
		}
		out, err := testConn().dialect(sql)
		if err != nil {
			t.Errorf("%s\n%v", sql, err)
			continue
		}
		got, err := parse.Parse(out)
		if err != nil {
			t.Errorf("%s\nbecame %s\n%v", sql, out, err)
			continue
		}
		n++
		if g, w := ast.Format(got), ast.Format(want); !strings.EqualFold(g, w) {
			other++
			if testing.Verbose() {
				t.Logf("want %s\ngot  %s", w, g)
			}
		}
	}
	if n < 1000 || float64(other) > most*float64(n) {
		t.Errorf("%d of %d statements became others", other, n)
	}
}

// corpus gives the statements of ClickHouse's own tests, where they stand
// beside the repository.
func corpus(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	path := ""
	for path == "" {
		p := filepath.Join(dir, "shared", "conformance", "select.jsonl.gz")
		up := filepath.Dir(dir)
		if _, err := os.Stat(p); err == nil {
			path = p
		} else if up == dir {
			t.Skip("no shared/conformance beside the repository: ClickHouse's own statements are not here")
		}
		dir = up
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for d := json.NewDecoder(z); d.More(); {
		var x struct {
			Statements []struct {
				SQL string `json:"sql"`
			} `json:"statements"`
		}
		if err := d.Decode(&x); err != nil {
			t.Fatal(err)
		}
		for _, s := range x.Statements {
			out = append(out, s.SQL)
		}
	}
	return out
}

// FuzzTranslate: whatever is translated reads as ClickHouse's SQL, and nothing
// panics.
func FuzzTranslate(f *testing.F) {
	text, err := os.ReadFile("testdata/dialect.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		in, _, _ := strings.Cut(line, "\t")
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		out, ok, err := translate(sql, testConn())
		if !ok || err != nil {
			return
		}
		if _, err := parse.Parse(out); err != nil && firstWord(sql) != "INSERT" {
			t.Errorf("%q became %q: %v", sql, out, err)
		}
	})
}

// FuzzPackets: no payload, from a login to a prepared statement's values,
// makes the reader panic or take memory that did not arrive.
func FuzzPackets(f *testing.F) {
	f.Add([]byte{0x8d, 0xa2, 0x0a, 0x00}, "SELECT ?, ?")
	f.Fuzz(func(_ *testing.T, b []byte, text string) {
		_, _ = parseLogin(b)
		_ = parseAttrs(b)
		s := &prepared{text: text, marks: placeholders(text)}
		if len(s.marks) > 100 {
			return
		}
		if v, err := s.values(&fields{rest: b}); err == nil && len(s.marks) > 0 {
			_ = s.fill(v)
		}
		for _, st := range split(text) {
			_, _ = testConn().route(st)
		}
	})
}
