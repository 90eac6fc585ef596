package main

import (
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/sqltest"
)

// TestPaimonStatements runs what changes Paimon tables, each table read back.
// Other engines read the same in the suites beside the checkout.
func TestPaimonStatements(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir = "", t.TempDir()
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	t.Cleanup(s.Close)
	run := func(sql string) (string, error) {
		lines, err := answer(t.Context(), s, sqltest.Case{SQL: sql, Settings: []string{"allow_insert_into_paimon=1", "allow_experimental_paimon_storage_engine=1"}})
		return strings.Join(lines, " | "), err
	}
	for _, c := range []struct{ sql, want string }{
		{"CREATE TABLE a (id Nullable(Int32), s Nullable(String), p Nullable(String)) ENGINE = PaimonLocal('a') PARTITION BY (p)", ""},
		{"INSERT INTO a VALUES (1, 'x', 'u'), (2, 'y', 'v'), (3, NULL, NULL)", ""},
		{"DELETE FROM a WHERE id = 2", ""},
		{"UPDATE a SET s = 'new' WHERE id = 3", ""},
		{"SELECT * FROM a ORDER BY id", `1	x	u | 3	new	\N`},
		{"INSERT OVERWRITE a PARTITION (p = 'u') VALUES (7, 'o')", ""},
		{"SELECT * FROM a ORDER BY id", `3	new	\N | 7	o	u`},
		{"SELECT * FROM a ORDER BY id SETTINGS paimon_snapshot_id = 1", `1	x	u | 2	y	v | 3	\N	\N`},
		{"ALTER TABLE a DROP PARTITION 'u'", ""},
		{"SELECT count() FROM a", "1"},
		{"ALTER TABLE a EXECUTE create_tag('t1')", "create_tag	1"},
		{"TRUNCATE TABLE a", ""},
		{"SELECT count() FROM a", "0"},
		{"SELECT count() FROM a SETTINGS paimon_tag = 't1'", "1"},
		{"ALTER TABLE a EXECUTE rollback_to(tag = 't1')", "rollback_to	1"},
		{"SELECT id FROM a", "3"},

		{"CREATE TABLE k (id Int32, s Nullable(String), n Nullable(Int32)) ENGINE = PaimonLocal('k') PRIMARY KEY (id) SETTINGS bucket = '2'", ""},
		{"INSERT INTO k VALUES (1, 'x', 1), (2, 'y', 2), (1, 'z', 3)", ""},
		{"INSERT INTO k VALUES (5, 'x', 5), (2, 'yy', 6)", ""},
		{"SELECT * FROM k ORDER BY id", "1	z	3 | 2	yy	6 | 5	x	5"},
		{"DELETE FROM k WHERE n = 5", ""},
		{"ALTER TABLE k UPDATE s = 'u' WHERE id = 1", ""},
		{"MERGE INTO k AS a USING (SELECT toInt32(number) AS id FROM numbers(3)) AS b ON a.id = b.id WHEN MATCHED AND a.id = 2 THEN DELETE WHEN NOT MATCHED THEN INSERT (id, s, n) VALUES (b.id, 'm', 0)", ""},
		{"SELECT * FROM k ORDER BY id", "0	m	0 | 1	u	3"},
		{"ALTER TABLE k ADD COLUMN e Nullable(Int64) AFTER id", ""},
		{"ALTER TABLE k RENAME COLUMN n TO m", ""},
		{"SELECT * FROM k ORDER BY id", `0	\N	m	0 | 1	\N	u	3`},
		{"ALTER TABLE k EXECUTE rollback_to_as_latest(2)", "rollback_to_as_latest	1"},
		{"SELECT id, s FROM k ORDER BY id", "1	z | 2	yy | 5	x"},

		{"CREATE TABLE g (id Int32, v Nullable(Int64)) ENGINE = PaimonLocal('g') PRIMARY KEY (id) SETTINGS bucket = '1', `merge-engine` = 'aggregation', `fields.v.aggregate-function` = 'sum'", ""},
		{"INSERT INTO g VALUES (1, 1), (1, 10), (2, 5)", ""},
		{"INSERT INTO g VALUES (1, 100)", ""},
		{"SELECT * FROM g ORDER BY id", "1	111 | 2	5"},

		{"CREATE TABLE d (id Int32, v Nullable(Int64)) ENGINE = PaimonLocal('d') PRIMARY KEY (id) SETTINGS `dynamic-bucket.target-row-num` = '2'", ""},
		{"INSERT INTO d VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)", ""},
		{"INSERT INTO d SELECT toInt32(number + 1), 2 FROM numbers(4)", ""},
		{"SELECT id, v FROM d ORDER BY id", "1	2 | 2	2 | 3	2 | 4	2 | 5	1"},
		{"SELECT count(DISTINCT _bucket) FROM d", "3"},

		{"OPTIMIZE TABLE g FINAL", ""},
		{"SELECT *, _level FROM g ORDER BY id", "1	111	5 | 2	5	5"},
		{"INSERT INTO g VALUES (2, 1)", ""},
		{"SELECT * FROM g ORDER BY id", "1	111 | 2	6"},

		{"CREATE TABLE f (id Int32, s Nullable(String)) ENGINE = PaimonLocal('f') PRIMARY KEY (id) SETTINGS bucket = '1', `merge-engine` = 'first-row'", ""},
		{"INSERT INTO f VALUES (1, 'first'), (1, 'second')", ""},
		{"INSERT INTO f VALUES (1, 'third'), (2, 'b')", ""},
		{"SELECT * FROM f ORDER BY id", "1	first | 2	b"},

		{"CREATE TABLE w (id Int32, s Nullable(String)) ENGINE = PaimonLocal('w') PRIMARY KEY (id) SETTINGS bucket = '1', `deletion-vectors.enabled` = 'true'", ""},
		{"INSERT INTO w VALUES (1, 'a'), (2, 'b')", ""},
		{"INSERT INTO w VALUES (1, 'A')", ""},
		{"DELETE FROM w WHERE id = 2", ""},
		{"SELECT * FROM w ORDER BY id", "1	A"},

		{"CREATE TABLE v (id Nullable(Int32), s Nullable(String)) ENGINE = PaimonLocal('v') SETTINGS `deletion-vectors.enabled` = 'true'", ""},
		{"INSERT INTO v SELECT number, toString(number) FROM numbers(10)", ""},
		{"DELETE FROM v WHERE id < 3", ""},
		{"DELETE FROM v WHERE id = 5", ""},
		{"UPDATE v SET s = 'n' WHERE id = 9", ""},
		{"INSERT INTO v VALUES (20, 'late')", ""},
		{"SELECT groupArray(id), groupArray(s) FROM (SELECT * FROM v ORDER BY id)", "[3,4,6,7,8,9,20]	['3','4','6','7','8','n','late']"},
		{"OPTIMIZE TABLE v FINAL", ""},
		{"SELECT groupArray(id), uniqExact(_file) FROM (SELECT *, _file FROM v ORDER BY id)", "[3,4,6,7,8,9,20]	1"},
		{"SELECT count() FROM v SETTINGS paimon_snapshot_id = 1", "10"},
	} {
		if got, err := run(c.sql); err != nil || got != c.want {
			t.Errorf("%s\ngave %q (%v), want %q", c.sql, got, err, c.want)
		}
	}
	for _, c := range []struct {
		sql  string
		code cherr.Code
	}{
		{"CREATE TABLE bad (id Nullable(Int32)) ENGINE = PaimonLocal('bad') PRIMARY KEY (id)", cherr.BadArguments},
		{"CREATE TABLE bad (id Int32) ENGINE = PaimonLocal('bad') PRIMARY KEY (id) SETTINGS `merge-engine` = 'nope'", cherr.BadArguments},
		{"CREATE TABLE bad (id UInt64) ENGINE = PaimonLocal('bad')", cherr.BadArguments},
		{"CREATE TABLE bad (rowkind Int32) ENGINE = PaimonLocal('bad')", cherr.BadArguments},
		{"UPDATE k SET id = 9 WHERE id = 1", cherr.BadArguments},
		{"ALTER TABLE k DROP COLUMN id", cherr.BadArguments},
		{"ALTER TABLE k EXECUTE nope()", cherr.BadArguments},
		{"ALTER TABLE k EXECUTE create_tag(1)", cherr.BadArguments},
		{"DELETE FROM g WHERE id = 1", cherr.NotImplemented},
		{"INSERT INTO k (id) SETTINGS allow_insert_into_paimon = 0 VALUES (1)", cherr.SupportIsDisabled},
	} {
		if _, err := run(c.sql); !cherr.Is(err, c.code) {
			t.Errorf("%s\ngave %v, want %s", c.sql, err, c.code)
		}
	}
}
