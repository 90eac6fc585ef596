package httpapi

import (
	"io"
	"strings"
	"testing"
)

func TestAssemble(t *testing.T) {
	for _, x := range []struct{ param, body, text, data string }{
		{"SELECT 1", "", "SELECT 1\n", ""},
		{"", "SELECT 1", "SELECT 1", ""},
		{"SELECT", " 1", "SELECT\n 1", ""},
		{"INSERT INTO t FORMAT CSV", "1,2\n", "INSERT INTO t FORMAT CSV", "1,2\n"},
		{"INSERT INTO t(a,b) FORMAT CSV\n", "1,2\n", "INSERT INTO t(a,b) FORMAT CSV\n", "1,2\n"},
		{"", "INSERT INTO t FORMAT TSV\n\nx", "INSERT INTO t FORMAT TSV\n", "\nx"},
		{"", "insert into `values` (`format`, b) values (1,'x'), (2,'y')", "insert into `values` (`format`, b) values", " (1,'x'), (2,'y')"},
		{"INSERT INTO db.values VALUES", "(1)", "INSERT INTO db.values VALUES", "(1)"},
		{"", "INSERT INTO t SELECT 1 FORMAT CSV", "INSERT INTO t SELECT 1 FORMAT CSV", ""},
		{"", "INSERT INTO t (a) WITH x AS (SELECT 1) SELECT * FROM x", "INSERT INTO t (a) WITH x AS (SELECT 1) SELECT * FROM x", ""},
		{"", "/* INSERT */ -- x\nINSERT INTO FUNCTION file('values', 'CSV') VALUES (1)", "/* INSERT */ -- x\nINSERT INTO FUNCTION file('values', 'CSV') VALUES", " (1)"},
		{"", "INSERT INTO t SETTINGS async_insert=1 FORMAT JSONEachRow {\"a\":1}", "INSERT INTO t SETTINGS async_insert=1 FORMAT JSONEachRow ", "{\"a\":1}"},
	} {
		got, err := assemble(x.param, strings.NewReader(x.body), 1<<18)
		if err != nil {
			t.Fatal(err)
		}
		data := ""
		if got.data != nil {
			b, _ := io.ReadAll(got.data)
			data = string(b)
		}
		if got.text != x.text || data != x.data || (got.data == nil) != (x.data == "") {
			t.Errorf("%q + %q: %q, %q", x.param, x.body, got.text, data)
		}
	}
	if _, err := assemble("", strings.NewReader("SELECT "+strings.Repeat("1,", 1<<20)), 1<<18); err == nil {
		t.Error("no error for a text over max_query_size")
	}
}
