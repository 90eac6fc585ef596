package parse_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
)

func lines(tb testing.TB, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// TestStatements prints each kind of statement and reads it back.
func TestStatements(t *testing.T) {
	for _, sql := range lines(t, "testdata/statements.sql") {
		st, err := parse.Parse(sql)
		if err != nil {
			t.Errorf("%s\n\t%v", sql, err)
			continue
		}
		text := ast.Format(st)
		again, err := parse.Parse(text)
		if err != nil {
			t.Errorf("%s\n\t%s\n\t%v", sql, text, err)
			continue
		}
		if !ast.Equal(st, again) {
			t.Errorf("%s\n\t%s\n\t%s", sql, text, ast.Format(again))
		}
		pretty, err := parse.Parse(ast.FormatPretty(st))
		if err != nil || !ast.Equal(st, pretty) {
			t.Errorf("%s\n%s\n%v", sql, ast.FormatPretty(st), err)
		}
	}
}

// TestPretty shows the layout.
func TestPretty(t *testing.T) {
	st, err := parse.Parse("WITH y AS (SELECT 2) SELECT a, b + 1 AS c FROM (SELECT 1 AS x) AS s ALL INNER JOIN u USING (x) WHERE x IN (SELECT 2) GROUP BY a, b ORDER BY a, b DESC LIMIT 10 SETTINGS max_threads = 1")
	if err != nil {
		t.Fatal(err)
	}
	want := `WITH y AS (
    SELECT 2
)
SELECT
    a,
    b + 1 AS c
FROM (
    SELECT 1 AS x
) AS s
ALL INNER JOIN u USING (x)
WHERE x IN (
    SELECT 2
)
GROUP BY
    a,
    b
ORDER BY
    a ASC,
    b DESC
LIMIT 10
SETTINGS max_threads = 1`
	if got := ast.FormatPretty(st); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestColumnNames compares with the names that ClickHouse gives.
func TestColumnNames(t *testing.T) {
	for _, line := range lines(t, "testdata/column_names.tsv") {
		sql, want, _ := strings.Cut(line, "\t")
		st, err := parse.Parse("SELECT " + sql + "\nFROM numbers(1)")
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		sel := selectOf(t, st)
		var namer ast.Namer
		var got []string
		for _, c := range sel.Columns {
			got = append(got, namer.ColumnName(c))
		}
		if g := strings.Join(got, " ;; "); g != want {
			t.Errorf("%s\n\twant %s\n\tgot  %s", sql, want, g)
		}
	}
}

func selectOf(tb testing.TB, st ast.Statement) *ast.Select {
	q, ok := st.(*ast.QueryStatement)
	if !ok {
		tb.Fatalf("%T is no query", st)
	}
	s, ok := q.Query.(*ast.Select)
	if !ok {
		tb.Fatalf("%T is no SELECT", q.Query)
	}
	return s
}

// TestTrees compares with ClickHouse's EXPLAIN AST, which wrote the file.
func TestTrees(t *testing.T) {
	b, err := os.ReadFile("testdata/trees.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(b), "## ")[1:] {
		sql, want, _ := strings.Cut(block, "\n")
		want = strings.TrimSpace(want)
		st, err := parse.Parse(sql)
		if strings.HasPrefix(want, "ERR") {
			continue // what ClickHouse refuses we may take
		}
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got := strings.TrimSpace(ast.Dump(st)); got != want {
			t.Errorf("%s\nwant\n%s\ngot\n%s", sql, want, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		sql          string
		line, column int
		expected     string
	}{
		{"SELECT 1 +", 1, 11, "expression"},
		{"SELECT a\nFROM t\nWHERE", 3, 6, "expression"},
		{"SELECT (1, 2", 1, 13, "ClosingRoundBracket"},
		{"SELECT 1 FROM t GROUP a", 1, 17, ""},
		{"SELEC 1", 1, 1, "query"},
		{"SELECT 'abc", 1, 8, "expression"},
		{"SELECT 1 /* open", 1, 10, "end of query"},
		{"SELECT 1; SELECT 2", 1, 11, "end of query"},
		{"", 1, 1, "query"},
		{"CREATE TABLE t (a)", 1, 18, "data type"},
		{"INSERT INTO t this is bad syntax values ('f')", 1, 15, "VALUES"},
		{"SELECT * FROM a JOIN b", 1, 23, "ON"},
		{"select this is too many words for an alias", 1, 16, ""},
		{"SELECT f(1)(2)(3)", 1, 15, "end of query"},
		{"SELECT (1)::Tuple(a Int,,)", 1, 25, "data type argument"},
		{"SELECT sum(a b)", 1, 14, "ClosingRoundBracket"},
	} {
		_, err := parse.Parse(c.sql)
		var e *cherr.Error
		if !errors.As(err, &e) || e.Code() != cherr.SyntaxError {
			t.Errorf("%q: want a syntax error, got %v", c.sql, err)
			continue
		}
		if e.Line != c.line || e.Column != c.column || !strings.Contains(e.Error(), c.expected) {
			t.Errorf("%q: want %d:%d %q, got %d:%d %v", c.sql, c.line, c.column, c.expected, e.Line, e.Column, err)
		}
	}
}

// TestDepth: deep nesting of every kind ends in an error, not in a dead stack,
// and quickly.
func TestDepth(t *testing.T) {
	const n = 200_000
	for _, sql := range []string{
		"SELECT " + strings.Repeat("(", n),
		"SELECT " + strings.Repeat("[", n),
		"SELECT " + strings.Repeat("-", 1) + strings.Repeat("- ", n) + "1",
		"SELECT " + strings.Repeat("NOT ", n) + "1",
		"SELECT " + strings.Repeat("f(", n),
		"SELECT " + strings.Repeat("CASE WHEN ", n),
		"SELECT " + strings.Repeat("INTERVAL ", n),
		"SELECT " + strings.Repeat("x -> ", n) + "1",
		strings.Repeat("(SELECT ", n),
		"SELECT * FROM " + strings.Repeat("(", n) + "a",
		"SELECT a::" + strings.Repeat("Array(", n) + "Int8" + strings.Repeat(")", n),
		strings.Repeat("EXPLAIN ", n) + "SELECT 1",
		"SELECT 1 ? " + strings.Repeat("1 ? ", n),
		"SET a = " + strings.Repeat("[", n),
		strings.Repeat("EXECUTE AS u ", n) + "SELECT 1",
	} {
		start := time.Now()
		if _, err := parse.Parse(sql); err == nil {
			t.Errorf("%.40s… parses", sql)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("%.40s… takes %v", sql, d)
		}
	}
	if _, err := parse.Parse("SELECT " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000)); !cherr.Is(err, cherr.TooDeepRecursion) {
		t.Errorf("want TOO_DEEP_RECURSION, got %v", err)
	}
	if _, err := parse.Parse("SELECT " + strings.Repeat("1 + ", 20_000) + "1"); err != nil {
		t.Errorf("a long chain is not deep: %.100v", err)
	}
}

func TestInsertData(t *testing.T) {
	for _, c := range []struct{ sql, format, data string }{
		{"INSERT INTO t VALUES (1), (2)", "Values", " (1), (2)"},
		{"INSERT INTO t (a) FORMAT CSV\n1,2\n3,4\n", "CSV", "1,2\n3,4\n"},
		{"INSERT INTO t FORMAT JSONEachRow {\"a\": 1}", "JSONEachRow", "{\"a\": 1}"},
		{"INSERT INTO t FORMAT Native", "Native", ""},
		{"INSERT INTO t FORMAT TSV \r\n\t1", "TSV", "\t1"},
		{"INSERT INTO t VALUES", "Values", ""},
		{"INSERT INTO t FORMAT RowBinary\n\x00\xff'\"", "RowBinary", "\x00\xff'\""},
	} {
		st, err := parse.Parse(c.sql)
		if err != nil {
			t.Errorf("%q: %v", c.sql, err)
			continue
		}
		n, ok := st.(*ast.Insert)
		if !ok || n.Data == nil {
			t.Errorf("%q: no data in %T", c.sql, st)
			continue
		}
		if got := c.sql[n.Data.Start:n.Data.End]; n.DataFormat != c.format || got != c.data {
			t.Errorf("%q: format %q data %q", c.sql, n.DataFormat, got)
		}
	}
}

func TestParseMany(t *testing.T) {
	sql := "SELECT 1; INSERT INTO t VALUES (1, 'a;b'), (2, 'c') ; ;SELECT ';'; INSERT INTO t FORMAT CSV\n1;2\n"
	sts, err := parse.ParseMany(sql)
	if err != nil {
		t.Fatal(err)
	}
	if len(sts) != 4 {
		t.Fatalf("%d statements", len(sts))
	}
	a, _ := sts[1].(*ast.Insert)
	b, _ := sts[3].(*ast.Insert)
	if got := sql[a.Data.Start:a.Data.End]; got != " (1, 'a;b'), (2, 'c') " {
		t.Errorf("%q", got)
	}
	if got := sql[b.Data.Start:b.Data.End]; got != "1;2\n" {
		t.Errorf("%q", got)
	}
}

// TestWalkRewrite changes a tree and leaves a clone alone.
func TestWalkRewrite(t *testing.T) {
	e, err := parse.ParseExpr("a + f(b, (SELECT c FROM t WHERE d IN (1, 2)))")
	if err != nil {
		t.Fatal(err)
	}
	keep := ast.Clone(e)
	r := ast.Rewrite(e, func(n ast.Node) ast.Node {
		if id, ok := n.(*ast.Identifier); ok {
			return ast.NewIdentifier("x", id.Parts[0])
		}
		return n
	})
	if got, want := ast.Format(r), "x.a + f(x.b, (SELECT x.c FROM t WHERE x.d IN (1, 2)))"; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := ast.Format(keep), "a + f(b, (SELECT c FROM t WHERE d IN (1, 2)))"; got != want {
		t.Errorf("clone is %s", got)
	}
	n := 0
	ast.Walk(keep, func(ast.Node) bool { n++; return true })
	if n < 12 {
		t.Errorf("only %d nodes visited", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, l := range lines(f, "testdata/statements.sql") {
		f.Add(l)
	}
	for _, l := range lines(f, "testdata/column_names.tsv") {
		e, _, _ := strings.Cut(l, "\t")
		f.Add("SELECT " + e)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		st, err := parse.Parse(sql)
		if err != nil {
			if c := cherr.CodeOf(err); c == cherr.LogicalError || c == cherr.UnknownException {
				t.Fatalf("%q: %v", sql, err)
			}
			return
		}
		_ = ast.Dump(st)
		text := ast.Format(st)
		again, err := parse.Parse(text)
		if err != nil {
			t.Fatalf("%q\n%q\n%v", sql, text, err)
		}
		if !ast.Equal(st, again) {
			t.Fatalf("%q\n%q\n%q", sql, text, ast.Format(again))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const sql = "SELECT city, count() AS c, sum(price * 2) FROM events WHERE day >= '2026-01-01' AND a IN (1, 2) GROUP BY city"
	b.ReportAllocs()
	b.SetBytes(int64(len(sql)))
	for b.Loop() {
		if _, err := parse.Parse(sql); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	st, err := parse.Parse("SELECT city, count() AS c, sum(price * 2) FROM events WHERE day >= '2026-01-01' GROUP BY city")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = ast.Format(st)
	}
}

// TestMapLiteral: more than ClickHouse has, and a parameter is still one.
func TestMapLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT {'p': tuple(7), 'q': x + 1}": "SELECT map('p', tuple(7), 'q', x + 1)",
		"SELECT {1: {2: 3}}":                 "SELECT map(1, map(2, 3))",
		"SELECT {p:Int8}":                    "SELECT {p:Int8}",
	} {
		s, err := parse.Parse(text)
		if err != nil || ast.Format(s) != want {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"SELECT {'p'}", "SELECT {'p': 1", "SELECT {'p': 1,}"} {
		if _, err := parse.Parse(text); !cherr.Is(err, cherr.SyntaxError) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
