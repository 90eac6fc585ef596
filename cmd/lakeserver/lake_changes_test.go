package main

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"

	"lakeserver/internal/sqltest"
	"lakeserver/server"
)

// lakeSession is a session that may write tables to a folder of the test.
func lakeSession(t *testing.T) server.Session {
	t.Helper()
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs, cfg.UserFilesDir = "", "memory", t.TempDir()
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	t.Cleanup(s.Close)
	return s
}

// ask runs a statement that must succeed.
func ask(t *testing.T, s server.Session, format string, args ...any) []string {
	t.Helper()
	sql := fmt.Sprintf(format, args...)
	lines, err := answer(t.Context(), s, sqltest.Case{SQL: sql, Settings: []string{"allow_insert_into_iceberg=1"}})
	if err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	return lines
}

// TestLakeChanges does the same changes to an Iceberg table and to one in
// memory: they stay alike. The change feed, played over the rows of a snapshot,
// gives those of a later one.
func TestLakeChanges(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, mode := range []string{"merge-on-read", "copy-on-write"} {
			for _, format := range []string{"Parquet", "Avro"} {
				t.Run(fmt.Sprintf("v%d %s %s", version, mode, format), func(t *testing.T) {
					changesAlike(t, version, mode, format)
				})
			}
		}
	}
}

func changesAlike(t *testing.T, version int, mode, format string) {
	s := lakeSession(t)
	rnd := rand.New(rand.NewPCG(uint64(version), uint64(len(mode)+len(format))))
	const columns = "(id Int64, g Int32, s Nullable(String), d Decimal(9, 2))"
	ask(t, s, "CREATE TABLE lake %s ENGINE = IcebergLocal('lake', '%s') PARTITION BY g SETTINGS iceberg_format_version = %d, "+
		"`write.delete.mode` = '%s', `write.update.mode` = '%s', `write.merge.mode` = '%s'", columns, format, version, mode, mode, mode)
	ask(t, s, "CREATE TABLE model %s ENGINE = Memory", columns)
	states := map[string][]string{}
	var snapshots []string
	for step := range 12 {
		for _, statement := range statements(rnd, step) {
			for _, name := range []string{"lake", "model"} {
				ask(t, s, "%s", strings.ReplaceAll(statement, "{t}", name))
			}
			got, want := ask(t, s, "SELECT * FROM lake ORDER BY ALL"), ask(t, s, "SELECT * FROM model ORDER BY ALL")
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%s\ngot:\n%s\nwant:\n%s", statement, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		head := ask(t, s, "SELECT snapshot_id FROM system.iceberg_history WHERE table = 'lake' AND snapshot_id NOT IN (SELECT parent_id FROM system.iceberg_history WHERE table = 'lake')")
		if len(head) == 1 && (len(snapshots) == 0 || snapshots[len(snapshots)-1] != head[0]) {
			snapshots = append(snapshots, head[0])
			states[head[0]] = ask(t, s, "SELECT [toString(id), toString(g), toString(s), toString(d)] FROM lake ORDER BY ALL")
		}
	}
	if len(snapshots) < 5 {
		t.Fatalf("only %d snapshots are known", len(snapshots))
	}
	for range 12 {
		i := rnd.IntN(len(snapshots))
		j := i + rnd.IntN(len(snapshots)-i)
		played(t, s, snapshots[i], snapshots[j], states)
	}
	played(t, s, "NULL", snapshots[len(snapshots)-1], states)
}

// statements change rows of {t} at random.
func statements(rnd *rand.Rand, step int) []string {
	insert := fmt.Sprintf("INSERT INTO {t} SELECT number + %d, number %% 4, if(number %% 5 = 0, NULL, toString(number)), number / 4 FROM numbers(%d)", step*20, 10+rnd.IntN(20))
	if step%4 == 0 {
		return []string{insert}
	}
	k := rnd.IntN(7) + 2
	all := []string{
		fmt.Sprintf("DELETE FROM {t} WHERE id %% %d = 1", k),
		fmt.Sprintf("ALTER TABLE {t} DELETE WHERE g = %d", rnd.IntN(4)),
		fmt.Sprintf("ALTER TABLE {t} UPDATE s = concat(s, '+'), d = d + 1 WHERE id %% %d = 0", k),
		fmt.Sprintf("UPDATE {t} SET g = (g + 1) %% 4, s = NULL WHERE id %% %d = 2", k),
		fmt.Sprintf("ALTER TABLE {t} UPDATE s = 'u' WHERE id %% %d = 0, DELETE WHERE s = 'u' AND g = 1, UPDATE d = -d WHERE s = 'u'", k),
		fmt.Sprintf("DELETE FROM {t} WHERE id > (SELECT max(id) - %d FROM {t})", k),
		fmt.Sprintf("MERGE INTO {t} AS a USING (SELECT toInt64(number * %d) AS id, toInt32(number %% 3) AS g FROM numbers(30)) AS b ON a.id = b.id "+
			"WHEN MATCHED AND b.g = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET g = b.g, s = 'm' WHEN NOT MATCHED AND b.id < 150 THEN INSERT (id, g) VALUES (b.id, b.g)", k),
		"ALTER TABLE {t} UPDATE s = s WHERE g = 2",
		"DELETE FROM {t} WHERE id = -5",
	}
	return []string{all[rnd.IntN(len(all))]}
}

// played compares the rows at a snapshot, changed as the feed says, with those
// at a later one.
func played(t *testing.T, s server.Session, from, to string, states map[string][]string) {
	t.Helper()
	have := map[string]int{}
	for _, r := range states[from] {
		have[r]++
	}
	feed := ask(t, s, "SELECT _change_ordinal, _change_type = 'INSERT', [toString(id), toString(g), toString(s), toString(d)] "+
		"FROM icebergChanges(lake, %s, %s) ORDER BY _change_ordinal, _change_type", from, to)
	for _, line := range feed {
		parts := strings.SplitN(line, "\t", 3)
		n, err := strconv.Atoi(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		have[parts[2]] += 2*n - 1
	}
	var got []string
	for r, n := range have {
		if n < 0 {
			t.Errorf("from %s to %s: %s went %d times more than it came", from, to, r, -n)
		}
		for range n {
			got = append(got, r)
		}
	}
	want := append([]string(nil), states[to]...)
	sort.Strings(got)
	sort.Strings(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("from %s to %s: %d rows, want %d", from, to, len(got), len(want))
	}
}
