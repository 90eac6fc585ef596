package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"lakeserver/internal/sqltest"
)

// TestMerge: what DuckDB has after a MERGE (testdata/merge.py) is what we have.
func TestMerge(t *testing.T) {
	f, err := os.Open("testdata/merge.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := testSession(t)
	run := func(sql string) []string {
		lines, err := answer(t.Context(), s, sqltest.Case{SQL: sql})
		if err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
		return lines
	}
	run("CREATE TABLE s (id Int64, n Int64, w String) ENGINE = Memory")
	run("INSERT INTO s SELECT number * 2 + 3, number, concat('new', toString(number)) FROM numbers(9)")
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); cases++ {
		statement, rows, _ := strings.Cut(lines.Text(), "\t")
		var want [][]any
		if err := json.Unmarshal([]byte(rows), &want); err != nil {
			t.Fatal(err)
		}
		run("CREATE TABLE t (id Int64, n Int64 DEFAULT 0, s String) ENGINE = Memory")
		run("INSERT INTO t SELECT number, number % 4, concat('old', toString(number)) FROM numbers(12) SETTINGS max_block_size = 5")
		run(statement)
		got := run("SELECT [toString(id), toString(n), s] FROM t ORDER BY id, n, s")
		if len(got) != len(want) {
			t.Errorf("%s\ngave %d rows, want %d:\n%s", statement, len(got), len(want), strings.Join(got, "\n"))
		}
		for i := 0; i < min(len(got), len(want)); i++ {
			if w := rowText(want[i]); got[i] != w {
				t.Errorf("%s\nrow %d is %s, want %s", statement, i, got[i], w)
			}
		}
		run("DROP TABLE t")
	}
	if cases < 100 {
		t.Errorf("only %d statements", cases)
	}
}

func rowText(row []any) string {
	parts := make([]string, len(row))
	for i, v := range row {
		b, _ := json.Marshal(v)
		parts[i] = "'" + strings.Trim(string(b), `"`) + "'"
	}
	return "[" + strings.Join(parts, ",") + "]"
}
