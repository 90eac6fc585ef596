package parse_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
)

// corpusStatement is one line's statement of the conformance corpus.
type corpusStatement struct {
	SQL  string `json:"sql"`
	OK   bool   `json:"ok"`
	Code int    `json:"code"`
}

// corpusDir looks for the corpus beside the repository or one of its parents.
func corpusDir(tb testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		c := filepath.Join(dir, "shared", "conformance")
		if _, err := os.Stat(c); err == nil {
			return c
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Skip("no shared/conformance beside the repository: the corpus of ClickHouse's statements is not here")
		}
		dir = up
	}
}

func corpus(tb testing.TB) []corpusStatement {
	files, err := filepath.Glob(filepath.Join(corpusDir(tb), "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no corpus files: %v", err)
	}
	var out []corpusStatement
	for _, f := range files {
		out = append(out, readCorpus(tb, f)...)
	}
	return out
}

func readCorpus(tb testing.TB, path string) []corpusStatement {
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var out []corpusStatement
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var test struct {
			Statements []corpusStatement `json:"statements"`
		}
		if err := json.Unmarshal(sc.Bytes(), &test); err != nil {
			tb.Fatal(err)
		}
		out = append(out, test.Statements...)
	}
	if err := sc.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestCorpus counts what the parser makes of ClickHouse's own test statements:
// it must take what ClickHouse takes, refuse most of what it refuses (some of
// its syntax errors come from later stages), and print what parses to an equal
// tree.
func TestCorpus(t *testing.T) {
	var valid, taken, invalid, refused, back int
	for _, s := range corpus(t) {
		st, err := parse.Parse(s.SQL)
		if !s.OK && s.Code == 62 {
			invalid++
			if err != nil {
				refused++
			} else {
				t.Logf("taken, though ClickHouse refuses: %.200q", s.SQL)
			}
			continue
		}
		valid++
		if err != nil && !s.OK && int(cherr.CodeOf(err)) == s.Code {
			taken++ // refused as ClickHouse's parser refuses it, by another code
			back++
			continue
		}
		if err != nil {
			t.Logf("refused: %.300q\n\t%.300s", s.SQL, err)
			continue
		}
		taken++
		text := ast.Format(st)
		again, err := parse.Parse(text)
		switch {
		case err != nil:
			t.Errorf("printed text does not parse: %.300q\n\t%.300q\n\t%.200s", s.SQL, text, err)
		case !ast.Equal(st, again):
			t.Errorf("printed text is another tree: %.300q\n\t%.300q\n\t%.300q", s.SQL, text, ast.Format(again))
		case !ast.Equal(st, ast.Clone(st)):
			t.Errorf("a clone differs: %.300q", s.SQL)
		default:
			back++
		}
	}
	t.Logf("taken %d of %d valid statements, refused %d of %d invalid, printed back %d", taken, valid, refused, invalid, back)
	if float64(taken) < 0.995*float64(valid) {
		t.Errorf("only %d of %d valid statements parse", taken, valid)
	}
	if float64(refused) < 0.5*float64(invalid) {
		t.Errorf("only %d of %d invalid statements are refused", refused, invalid)
	}
}
