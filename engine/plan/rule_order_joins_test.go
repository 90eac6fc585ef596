package plan_test

import (
	"strings"
	"testing"
)

func TestOrderJoins(t *testing.T) {
	sql := "SELECT x.number, y.number, z.number FROM numbers(20000) AS x, numbers(30000) AS y, numbers(100000) AS z " +
		"WHERE x.number = z.number AND y.number = z.number AND x.number < y.number + 1"
	_, text := planned(t, sql)
	if strings.Contains(text, "CROSS") {
		t.Errorf("a product is left:\n%s", text)
	}
	_, text = planned(t, sql, "OrderJoins")
	if !strings.Contains(text, "CROSS") {
		t.Errorf("the rule did not make the difference:\n%s", text)
	}
	// Small inputs and outer joins stay in their order.
	for _, sql := range []string{
		"SELECT * FROM t AS x, u AS y, t AS z WHERE x.a = z.a AND y.a = z.a",
		"SELECT count() FROM numbers(20000) AS x LEFT JOIN numbers(30000) AS y ON x.number = y.number LEFT JOIN numbers(10) AS z ON z.number = x.number",
	} {
		_, with := planned(t, sql)
		if _, without := planned(t, sql, "OrderJoins"); with != without {
			t.Errorf("%s was ordered:\n%s", sql, with)
		}
	}
}
