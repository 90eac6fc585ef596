package main

import (
	"fmt"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/sqltest"
)

// TestLakeWrites runs whole statements on an Iceberg table and what they mean,
// as plain deletes and inserts, on a table in memory: they stay alike.
func TestLakeWrites(t *testing.T) {
	steps := []struct{ lake, model string }{
		{"INSERT INTO {t} SELECT number, number % 4, if(number % 5 = 0, NULL, toString(number)), [number, 1] FROM numbers(40)", ""},
		{"INSERT INTO {t} (g, id) VALUES (7, 100), (8, 101)", ""},
		{
			"INSERT OVERWRITE {t} SETTINGS iceberg_overwrite_mode = 'dynamic' SELECT 200 + number, 1, 'n', [] FROM numbers(3)",
			"DELETE FROM {t} WHERE g = 1; INSERT INTO {t} SELECT 200 + number, 1, 'n', [] FROM numbers(3)",
		},
		{"INSERT OVERWRITE {t} PARTITION (g = 2) SELECT 300, 'p', [3]", "DELETE FROM {t} WHERE g = 2; INSERT INTO {t} VALUES (300, 2, 'p', [3])"},
		{"INSERT INTO {t} REPLACE WHERE g = 3 SELECT 400, 3, 'w', [4]", "DELETE FROM {t} WHERE g = 3; INSERT INTO {t} VALUES (400, 3, 'w', [4])"},
		{"INSERT INTO {t} REPLACE WHERE id % 2 = 0 AND s = '8' SELECT 600, 2, '8', [6]", "DELETE FROM {t} WHERE id % 2 = 0 AND s = '8'; INSERT INTO {t} VALUES (600, 2, '8', [6])"},
		{"INSERT OVERWRITE {t} WHERE id BETWEEN 10 AND 13 SELECT 11, 1, 'in', []", "DELETE FROM {t} WHERE id BETWEEN 10 AND 13; INSERT INTO {t} VALUES (11, 1, 'in', [])"},
		{"ALTER TABLE {t} DROP PARTITION 7", "DELETE FROM {t} WHERE g = 7"},
		{"INSERT INTO {t} SELECT * FROM {t} WHERE g = 0", ""},
		{"OPTIMIZE TABLE {t} SETTINGS allow_experimental_iceberg_compaction = 1", "SELECT 1"},
		{"ALTER TABLE {t} EXECUTE rewrite_data_files(strategy = 'sort', sort_order = 'zorder(id, g)', rewrite_all = 1)", "SELECT 1"},
		{"ALTER TABLE {t} EXECUTE rewrite_manifests()", "SELECT 1"},
		{"INSERT OVERWRITE {t} SETTINGS iceberg_overwrite_mode = 'static' VALUES (1, 1, 'only', [])", "TRUNCATE TABLE {t}; INSERT INTO {t} VALUES (1, 1, 'only', [])"},
		{"TRUNCATE TABLE {t}", ""},
		{"INSERT INTO {t} VALUES (5, 5, NULL, [5])", ""},
	}
	for _, version := range []int{1, 2, 3} {
		for _, format := range []string{"Parquet", "Avro"} {
			t.Run(fmt.Sprintf("v%d %s", version, format), func(t *testing.T) {
				s := lakeSession(t)
				const columns = "(id Int64, g Int32, s Nullable(String), a Array(Int64))"
				ask(t, s, "CREATE TABLE lake %s ENGINE = IcebergLocal('lake', '%s') PARTITION BY g ORDER BY (s DESC, id) SETTINGS iceberg_format_version = %d", columns, format, version)
				ask(t, s, "CREATE TABLE model %s ENGINE = Memory", columns)
				for _, step := range steps {
					ask(t, s, "%s", strings.ReplaceAll(step.lake, "{t}", "lake"))
					model := step.model
					if model == "" {
						model = step.lake
					}
					for _, sql := range strings.Split(model, "; ") {
						ask(t, s, "%s", strings.ReplaceAll(sql, "{t}", "model"))
					}
					got, want := ask(t, s, "SELECT * FROM lake ORDER BY ALL"), ask(t, s, "SELECT * FROM model ORDER BY ALL")
					if strings.Join(got, "\n") != strings.Join(want, "\n") {
						t.Fatalf("%s\ngot  %v\nwant %v", step.lake, got, want)
					}
				}
			})
		}
	}
}

// TestLakeRefusals holds the codes of what is refused, and that nothing of it
// stays.
func TestLakeRefusals(t *testing.T) {
	s := lakeSession(t)
	ask(t, s, "CREATE TABLE lake (id UInt64, g Int32) ENGINE = IcebergLocal('lake') PARTITION BY g")
	ask(t, s, "INSERT INTO lake VALUES (1, 1)")
	for _, c := range []struct {
		sql  string
		code cherr.Code
	}{
		{"CREATE TABLE again (id Int64) ENGINE = IcebergLocal('lake')", cherr.TableAlreadyExists},
		{"CREATE TABLE x (a Int128) ENGINE = IcebergLocal('x')", cherr.BadArguments},
		{"CREATE TABLE x (a Int64) ENGINE = IcebergLocal('x') PARTITION BY a % 2", cherr.BadArguments},
		{"CREATE TABLE x (a Int64) ENGINE = IcebergLocal('x') SETTINGS iceberg_format_version = 4", cherr.BadArguments},
		{"INSERT INTO lake VALUES (9223372036854775808, 1)", cherr.CannotConvertType},
		{"INSERT INTO lake SELECT number, number FROM numbers(200)", cherr.BadArguments},
		{"INSERT INTO lake REPLACE WHERE g = 1 SELECT 5, 2", cherr.BadArguments},
		{"INSERT INTO lake SELECT number, throwIf(number = 90) FROM numbers(100) SETTINGS max_block_size = 10", cherr.FunctionThrowIfValueIsNonZero},
		{"ALTER TABLE lake DROP PARTITION (1, 2)", cherr.InvalidPartitionValue},
		{"ALTER TABLE lake EXECUTE rewrite_data_files(strategy = 'magic')", cherr.BadArguments},
	} {
		_, err := answer(t.Context(), s, sqltest.Case{SQL: c.sql, Settings: []string{"allow_insert_into_iceberg=1"}})
		if cherr.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want code %d", c.sql, err, c.code)
		}
	}
	_, err := answer(t.Context(), s, sqltest.Case{SQL: "INSERT INTO lake VALUES (2, 2)"})
	if cherr.CodeOf(err) != cherr.SupportIsDisabled {
		t.Errorf("without the gate: %v", err)
	}
	if got := ask(t, s, "SELECT count() FROM lake"); got[0] != "1" {
		t.Errorf("rows: %v", got)
	}
	if got := ask(t, s, "SELECT count() FROM file('lake/data/*.parquet', 'One')"); got[0] != "1" {
		t.Errorf("files: %v", got)
	}
}

// A table without an engine is kept in the warehouse, needs no gate, survives a
// restart under its new name, and goes with DROP.
func TestWarehouse(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir = t.TempDir(), t.TempDir()
	run := func(statements ...string) (last []string) {
		e, err := newEngine(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		s := localSession(e)
		defer s.Close()
		for _, sql := range statements {
			if last, err = answer(t.Context(), s, sqltest.Case{SQL: sql}); err != nil {
				t.Fatalf("%s\n%v", sql, err)
			}
		}
		return last
	}
	run("CREATE TABLE t (id UInt64, s String DEFAULT concat('x', toString(id)))", "INSERT INTO t (id) VALUES (1), (2)", "RENAME TABLE t TO u",
		"CREATE TABLE t (id Int64)", "INSERT INTO t VALUES (7)")
	if got := run("SELECT id, s FROM u ORDER BY id"); strings.Join(got, " ") != "1\tx1 2\tx2" {
		t.Errorf("after a restart: %v", got)
	}
	if got := run("DROP TABLE u", "SELECT * FROM t"); len(got) != 1 || got[0] != "7" {
		t.Errorf("after DROP: %v", got)
	}
}

// Dates that became timestamps are written anew, since Spark and PyIceberg
// cannot read the old files as the new type; rows keep their ids, and the past
// its dates.
func TestDatesBecomeTimestamps(t *testing.T) {
	s := lakeSession(t)
	ask(t, s, "CREATE TABLE lake (id Int64, d Date32) ENGINE = IcebergLocal('lake') SETTINGS iceberg_format_version = 3")
	ask(t, s, "INSERT INTO lake VALUES (1, '1969-12-31'), (2, '2024-02-29')")
	before := ask(t, s, "SELECT id, _row_id FROM lake ORDER BY id")
	snapshot := ask(t, s, "SELECT toString(snapshot_id) FROM system.iceberg_history WHERE table = 'lake'")
	ask(t, s, "ALTER TABLE lake MODIFY COLUMN d DateTime64(6)")
	if got := ask(t, s, "SELECT id, d FROM lake ORDER BY id"); strings.Join(got, "|") != "1\t1969-12-31 00:00:00.000000|2\t2024-02-29 00:00:00.000000" {
		t.Errorf("rows: %q", got)
	}
	if got := ask(t, s, "SELECT id, _row_id FROM lake ORDER BY id"); strings.Join(got, "|") != strings.Join(before, "|") {
		t.Errorf("row ids: %q, before %q", got, before)
	}
	for _, file := range ask(t, s, "SELECT DISTINCT _file FROM lake") {
		if got := ask(t, s, "SELECT DISTINCT toTypeName(d) FROM file('lake/data/%s')", file); strings.Join(got, "|") != `DateTime64(6, \'UTC\')` {
			t.Errorf("%s holds %q", file, got)
		}
	}
	if got := ask(t, s, "SELECT d FROM lake ORDER BY id SETTINGS iceberg_snapshot_id = %s", snapshot[0]); strings.Join(got, "|") != "1969-12-31|2024-02-29" {
		t.Errorf("the past: %q", got)
	}
}
