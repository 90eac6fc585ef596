package main

import (
	"context"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/internal/sqltest"
)

// TestIncrementalRefresh: each row of the source comes once, whatever happens
// to the source and however many refresh at once.
func TestIncrementalRefresh(t *testing.T) {
	s := lakeSession(t)
	count := func(want string) {
		t.Helper()
		if got := ask(t, s, "SELECT count(), uniqExact(id), sum(twice = id * 2) FROM target"); got[0] != want {
			t.Errorf("%s, want %s", got[0], want)
		}
	}
	ask(t, s, "CREATE TABLE source (id Int64) ENGINE = IcebergLocal('source')")
	ask(t, s, "CREATE TABLE target (id Int64, twice Int64) ENGINE = IcebergLocal('target')")
	ask(t, s, "CREATE MATERIALIZED VIEW v REFRESH EVERY 1 HOUR SETTINGS refresh_incremental = 1 APPEND TO target AS SELECT id, id * 2 AS twice FROM source")
	ask(t, s, "INSERT INTO source SELECT number FROM numbers(5)")
	count("0\t0\t0") // no INSERT feeds it
	ask(t, s, "SYSTEM REFRESH VIEW v")
	count("5\t5\t5")
	ask(t, s, "INSERT INTO source SELECT number + 5 FROM numbers(3)")
	ask(t, s, "INSERT INTO source SELECT number + 8 FROM numbers(2)")
	ask(t, s, "INSERT INTO target VALUES (77, 154)") // by somebody else
	g, ctx := cherr.NewGroup(t.Context())
	for range 4 {
		g.Go(func() error {
			_, err := answer(ctx, s, sqltest.Case{SQL: "SYSTEM REFRESH VIEW v", Settings: []string{"allow_insert_into_iceberg=1"}})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	count("11\t11\t11")
	ask(t, s, "DELETE FROM source WHERE id = 3")
	ask(t, s, "SYSTEM REFRESH VIEW v")
	count("11\t11\t11")
	ask(t, s, "INSERT INTO source VALUES (100)")
	ask(t, s, "SYSTEM REFRESH VIEW v")
	count("12\t12\t12")
}

// TestScheduledRefresh: the server itself refreshes views, also those that are
// replaced as a whole.
func TestScheduledRefresh(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs = "", "memory"
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(e)
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	g, _ := cherr.NewGroup(ctx)
	g.Go(func() error {
		done <- e.RefreshViews(ctx)
		return nil
	})
	ask(t, s, "CREATE TABLE source (id Int64) ENGINE = Memory")
	ask(t, s, "INSERT INTO source VALUES (1), (2)")
	ask(t, s, "CREATE MATERIALIZED VIEW v REFRESH EVERY 1 SECOND ENGINE = Memory AS SELECT count() AS n FROM source")
	wait := func(want string) {
		t.Helper()
		got := ""
		for range 100 {
			if rows := ask(t, s, "SELECT n FROM v"); len(rows) == 1 {
				if got = rows[0]; got == want {
					return
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s, want %s", got, want)
	}
	wait("2")
	ask(t, s, "INSERT INTO source VALUES (3)")
	wait("3")
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
