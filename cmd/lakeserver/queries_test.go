package main

import (
	"context"
	"flag"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/format"
	"lakeserver/internal/reference"
	"lakeserver/internal/sqltest"
	"lakeserver/server"
)

var rewrite = flag.Bool("rewrite", false, "write the answers of tests/queries again, from ClickHouse")

// queriesDir is tests/queries; lake tables are named relative to the sample folder.
const queriesDir, fixturesDir = "../../tests/queries", "sample"

// TestQueries runs every file of tests/queries against an engine of its own.
// The answers are ClickHouse's.
func TestQueries(t *testing.T) {
	files := testFiles(t)
	if len(files) == 0 {
		t.Fatal("no test files found")
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(f), queriesDir+"/"), ".test")
		t.Run(name, func(t *testing.T) {
			cases, err := sqltest.Read(f)
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite {
				rewriteAnswers(t, f, cases)
				return
			}
			s := testSession(t)
			for _, c := range cases {
				runCase(t, s, f, c)
			}
		})
	}
}

func testFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(queriesDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".test") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	return files
}

func testSession(t *testing.T) server.Session {
	t.Helper()
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs, cfg.UserFilesDir = "", "memory", fixturesDir
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	t.Cleanup(s.Close)
	return s
}

func runCase(t *testing.T, s server.Session, file string, c sqltest.Case) {
	t.Helper()
	got, err := answer(t.Context(), s, c)
	switch c.Kind {
	case "error":
		if name := cherr.CodeOf(err).String(); name != c.Code {
			t.Errorf("%s:%d: %s\ngave %s (%v), want %s", file, c.Line, c.SQL, name, err, c.Code)
		}
	case "statement":
		if err != nil {
			t.Errorf("%s:%d: %s\n%v", file, c.Line, c.SQL, err)
		}
	default:
		if err != nil {
			t.Errorf("%s:%d: %s\n%v", file, c.Line, c.SQL, err)
			return
		}
		if g, w := strings.Join(got, "\n"), strings.Join(c.Answer, "\n"); g != w {
			t.Errorf("%s:%d: %s\ngot:\n%s\nwant:\n%s", file, c.Line, c.SQL, g, w)
		}
	}
}

// answer runs one case and gives the lines of its result.
func answer(ctx context.Context, s server.Session, c sqltest.Case) ([]string, error) {
	q := &server.Query{Text: c.SQL}
	for _, set := range c.Settings {
		name, value, _ := strings.Cut(set, "=")
		q.Settings = append(q.Settings, server.Setting{Name: name, Value: value})
	}
	name := "TabSeparated"
	if c.Types {
		name = "TabSeparatedWithNamesAndTypes"
	}
	var out strings.Builder
	if err := runLocal(ctx, s, q, name, &out); err != nil {
		return nil, err
	}
	lines := splitLines(out.String())
	var types []string
	if c.Types {
		if len(lines) < 2 {
			return nil, cherr.New(cherr.LogicalError, "no names and types in the answer")
		}
		types, lines = lines[1:2], lines[2:]
	}
	if c.Rowsort {
		sort.Strings(lines)
	}
	lines = append(types, lines...)
	return lines, nil
}

func splitLines(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// rewriteAnswers asks ClickHouse for each answer that is not ours alone.
func rewriteAnswers(t *testing.T, file string, cases []sqltest.Case) {
	t.Helper()
	ref, err := reference.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ref.Close()
	s := testSession(t)
	for i := range cases {
		c := &cases[i]
		if c.Own {
			if c.Answer, err = answer(t.Context(), s, *c); err != nil && c.Kind != "error" {
				t.Errorf("%s:%d: %v", file, c.Line, err)
			}
			continue
		}
		if err := askReference(ref, c); err != nil {
			t.Fatalf("%s:%d: %v", file, c.Line, err)
		}
		if c.Kind == "statement" { // what later answers of our own rest upon
			if _, err := answer(t.Context(), s, *c); err != nil {
				t.Errorf("%s:%d: %v", file, c.Line, err)
			}
		}
	}
	if err := sqltest.Write(file, cases); err != nil {
		t.Fatal(err)
	}
}

func askReference(ref *reference.Reference, c *sqltest.Case) error {
	sql := c.SQL
	if len(c.Settings) > 0 {
		sql += " SETTINGS " + strings.Join(c.Settings, ", ")
	}
	a, err := ref.Ask(sql, "TabSeparatedWithNamesAndTypes")
	if err != nil {
		return err
	}
	if a.Code != 0 {
		c.Kind, c.Code, c.Answer = "error", cherr.Code(a.Code).String(), nil
		return nil
	}
	if c.Kind == "error" {
		c.Kind, c.Code = "query", ""
	}
	lines := splitLines(a.Text)
	if len(lines) < 2 {
		c.Answer = nil
		return nil
	}
	types, rows := lines[1], lines[2:]
	if c.Rowsort {
		sort.Strings(rows)
	}
	c.Answer = rows
	if c.Types {
		c.Answer = append([]string{types}, rows...)
	}
	return nil
}

// TestAnswerFormat: the format that the files are in is one that is there.
func TestAnswerFormat(t *testing.T) {
	if _, err := format.Lookup("TabSeparated"); err != nil {
		t.Fatal(err)
	}
}
