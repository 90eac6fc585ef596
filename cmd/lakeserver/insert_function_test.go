package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/fakes3"
	"lakeserver/internal/sqltest"
)

// TestInsertIntoFiles runs INSERT INTO FUNCTION file in a folder of its own.
// The answers are ClickHouse's.
func TestInsertIntoFiles(t *testing.T) {
	file, err := filepath.Abs("testdata/insert_function.test")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := sqltest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		t.Chdir(t.TempDir()) // where ClickHouse writes
		rewriteAnswers(t, file, cases)
		return
	}
	s := lakeSession(t)
	for _, c := range cases {
		runCase(t, s, file, c)
	}
}

// Objects of a store are made, replaced and numbered as the settings say, and
// never appended to.
func TestInsertIntoS3(t *testing.T) {
	srv := fakes3.New(t)
	s := lakeSession(t)
	at := "s3('" + srv.URL + "/bucket/dir/a.csv', NOSIGN)"
	ask(t, s, "INSERT INTO FUNCTION %s SELECT number AS a FROM numbers(2)", at)
	_, err := answer(t.Context(), s, sqltest.Case{SQL: "INSERT INTO FUNCTION " + at + " SELECT 5 AS a"})
	if cherr.CodeOf(err) != cherr.BadArguments {
		t.Errorf("an object that is there: %v", err)
	}
	ask(t, s, "INSERT INTO FUNCTION %s SELECT 6 AS a SETTINGS s3_create_new_file_on_insert = 1", at)
	ask(t, s, "INSERT INTO FUNCTION %s PARTITION BY a SELECT number AS a FROM numbers(2)", strings.Replace(at, "a.csv", "p_{_partition_id}.parquet", 1))
	if got := ask(t, s, "SELECT _file, c1 FROM %s ORDER BY ALL", strings.Replace(at, "a.csv", "a*.csv", 1)); strings.Join(got, " ") != "a.1.csv\t6 a.csv\t0 a.csv\t1" {
		t.Errorf("rows: %q", got)
	}
	if got := ask(t, s, "SELECT _file, a FROM %s ORDER BY ALL", strings.Replace(at, "a.csv", "p*.parquet", 1)); strings.Join(got, " ") != "p_0.parquet\t0 p_1.parquet\t1" {
		t.Errorf("partitions: %q", got)
	}
	ask(t, s, "INSERT INTO FUNCTION %s SELECT 7 AS a SETTINGS s3_truncate_on_insert = 1", at)
	if got := ask(t, s, "SELECT * FROM %s", at); strings.Join(got, " ") != "7" {
		t.Errorf("after truncation: %q", got)
	}
}
