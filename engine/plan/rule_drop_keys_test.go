package plan_test

import (
	"strings"
	"testing"
)

func TestDropKeys(t *testing.T) {
	for sql, want := range map[string]int{
		"SELECT a, a + 1, 'x', count() FROM t GROUP BY a, a + 1, 'x'":   1,
		"SELECT a + 1, b, count() FROM t GROUP BY a + 1, b":             2,
		"SELECT a, everNew(), count() FROM t GROUP BY a, everNew()":     2,
		"SELECT a / 2 AS f, f + 1, count() FROM t GROUP BY f, f + 1":    2,
		"SELECT a, a + b, b, count() FROM t GROUP BY a, a + b, b":       2,
		"SELECT a, a + 1, count() FROM t GROUP BY ROLLUP(a, a + 1)":     2,
		"SELECT a, a + 1, count() FROM t GROUP BY a, a + 1 WITH TOTALS": 2,
	} {
		_, text := planned(t, sql)
		if got := strings.Count(text, "Key: "); got != want {
			t.Errorf("%s: %d keys, want %d\n%s", sql, got, want, text)
		}
	}
}

func TestFactorOr(t *testing.T) {
	_, text := planned(t, "SELECT count() FROM t, u WHERE (t.a = u.a AND b = 1) OR (t.a = u.a AND c = 2)")
	if !strings.Contains(text, "INNER") {
		t.Errorf("the common equality is no key of the join:\n%s", text)
	}
	_, text = planned(t, "SELECT count() FROM t, u WHERE (t.a = u.a AND b = 1) OR c = 2")
	if strings.Contains(text, "INNER") {
		t.Errorf("an equality of one branch became a key:\n%s", text)
	}
}
