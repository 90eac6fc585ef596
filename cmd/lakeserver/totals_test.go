package main

import (
	"strings"
	"testing"

	"lakeserver/internal/sqltest"
)

// TestTotals compares the row of WITH TOTALS, which stands behind an empty
// line, with ClickHouse's: a key that only group_by_use_nulls made Nullable
// shows its own default, except under GROUPING SETS.
func TestTotals(t *testing.T) {
	s := testSession(t)
	for sql, want := range map[string]string{
		"SELECT number%2 k, count() FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k SETTINGS group_by_use_nulls=1":                         "0\t3|1\t2||0\t5",
		"SELECT number%2 k, count() FROM numbers(5) GROUP BY k WITH ROLLUP WITH TOTALS ORDER BY k SETTINGS group_by_use_nulls=1":             "0\t3|1\t2|\\N\t5||0\t5",
		"SELECT number%2 k, count() FROM numbers(5) GROUP BY GROUPING SETS ((k)) WITH TOTALS ORDER BY k SETTINGS group_by_use_nulls=1":       "0\t3|1\t2||\\N\t5",
		"SELECT toNullable(number%2) k, count() FROM numbers(5) GROUP BY k WITH ROLLUP WITH TOTALS ORDER BY k SETTINGS group_by_use_nulls=0": "0\t3|1\t2|\\N\t5||\\N\t5",
	} {
		got, err := answer(t.Context(), s, sqltest.Case{SQL: sql})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if g := strings.Join(got, "|"); g != want {
			t.Errorf("%s: %q, want %q", sql, g, want)
		}
	}
}
