package main

import (
	"os"
	"path/filepath"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/sqltest"
	"lakeserver/server"
)

func sessionIn(t *testing.T, dir string) server.Session {
	t.Helper()
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs, cfg.UserFilesDir = dir, "memory", fixturesDir
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	t.Cleanup(s.Close)
	return s
}

// TestSpill runs the cases of select/spill.test where there is a folder to
// spill to; TestQueries runs them where there is none.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "tmp", "spill-left")
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte("of a server that died"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sessionIn(t, dir)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a file left over is still there: %v", err)
	}
	file := filepath.Join(queriesDir, "select", "spill.test")
	cases, err := sqltest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		runCase(t, s, file, c)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(files) != 0 {
		t.Errorf("%d temporary files are left", len(files))
	}
}

// What fits into the limit only with temporary files is answered with them and
// refused without.
func TestSpillKeepsLimits(t *testing.T) {
	with, without := sessionIn(t, t.TempDir()), sessionIn(t, "")
	for name, sql := range map[string]string{
		"aggregation": "SELECT count() FROM (SELECT toString(number) AS k, count() FROM numbers(1000000) GROUP BY k) SETTINGS max_memory_usage = 40000000, max_bytes_before_external_group_by = 8000000, max_threads = 2",
		"sort":        "SELECT max(n) FROM (SELECT rowNumberInAllBlocks() AS n FROM (SELECT toString(number) AS s FROM numbers(2000000) ORDER BY reverse(s))) SETTINGS max_memory_usage = 40000000, max_bytes_before_external_sort = 8000000, max_threads = 2",
		"join":        "SELECT count() FROM (SELECT number AS k, toString(number) AS s FROM numbers(1000000)) AS a JOIN (SELECT number AS k, toString(number) AS r FROM numbers(1000000)) AS b USING k WHERE s = r SETTINGS max_memory_usage = 40000000, max_bytes_before_external_join = 6000000, max_threads = 2",
	} {
		c := sqltest.Case{SQL: sql}
		if got, err := answer(t.Context(), with, c); err != nil || len(got) != 1 {
			t.Errorf("%s with temporary files: %v, %v", name, got, err)
		}
		if _, err := answer(t.Context(), without, c); cherr.CodeOf(err) != cherr.MemoryLimitExceeded {
			t.Errorf("%s without temporary files: %v", name, err)
		}
	}
}
