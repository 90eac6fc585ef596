package main

import (
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/sqltest"
)

// TestMergeTreeAsIceberg: DDL of MergeTree makes Iceberg tables; what they
// cannot hold is refused by name, or left out where that is asked for.
func TestMergeTreeAsIceberg(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs = t.TempDir(), "iceberg"
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	defer s.Close()
	ask := func(sql string, settings ...string) (string, error) {
		rows, err := answer(t.Context(), s, sqltest.Case{SQL: sql, Settings: settings})
		return strings.Join(rows, "\n"), err
	}
	must := func(sql string, settings ...string) string {
		t.Helper()
		out, err := ask(sql, settings...)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return out
	}
	must("CREATE TABLE visits (id UInt32, at DateTime64(6) CODEC(ZSTD(1)), page String) ENGINE = MergeTree() PARTITION BY toYYYYMM(at) PRIMARY KEY id ORDER BY (id, page) SETTINGS index_granularity = 8192")
	must("INSERT INTO visits VALUES (2, '2024-01-05 10:00:00', 'b'), (1, '2024-01-06 10:00:00', 'a'), (3, '2024-02-01 00:00:00', 'c')")
	if got := must("SELECT id, page FROM visits ORDER BY id"); got != "1\ta\n2\tb\n3\tc" {
		t.Errorf("rows: %q", got)
	}
	if got := must("SELECT countDistinct(partition) FROM system.iceberg_partitions WHERE table = 'visits'"); got != "2" {
		t.Errorf("two months are %s partitions", got)
	}
	if got := must("SHOW CREATE TABLE visits"); !strings.Contains(got, "ENGINE = Iceberg(") || !strings.Contains(got, "ORDER BY") {
		t.Errorf("definition: %s", got)
	}
	lossy := "CREATE TABLE %n (id UInt32, d Date TTL d + INTERVAL 1 DAY, INDEX i id TYPE minmax, PROJECTION p (SELECT id ORDER BY d)) " +
		"ENGINE = ReplacingMergeTree ORDER BY (id, lower(toString(d))) TTL d + INTERVAL 1 MONTH SAMPLE BY id"
	_, err = ask(strings.Replace(lossy, "%n", "lossy", 1))
	if !cherr.Is(err, cherr.SupportIsDisabled) {
		t.Fatalf("not refused: %v", err)
	}
	for _, name := range []string{"ReplacingMergeTree", "TTL", "SAMPLE BY", "skip indices", "projections", "order by lower(toString(d))", "mergetree_ignore_unsupported"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the refusal does not name %s: %v", name, err)
		}
	}
	must(strings.Replace(lossy, "%n", "lossy", 1), "mergetree_ignore_unsupported=1")
	must("INSERT INTO lossy VALUES (1, '2024-01-01'), (1, '2024-01-01')")
	if got := must("SELECT count() FROM lossy"); got != "2" {
		t.Errorf("%s rows", got)
	}
}

// TestMergeTreeRefused: by default such a table is refused with both ways out.
func TestMergeTreeRefused(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir = t.TempDir()
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	defer s.Close()
	_, err = answer(t.Context(), s, sqltest.Case{SQL: "CREATE TABLE t (x UInt8) ENGINE = MergeTree ORDER BY x"})
	if !cherr.Is(err, cherr.UnknownStorage) || !strings.Contains(err.Error(), "mergetree_as: iceberg") || !strings.Contains(err.Error(), "mergetree_as: memory") {
		t.Errorf("%v", err)
	}
}
