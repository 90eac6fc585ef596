package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"lakeserver/cherr"
	"lakeserver/engine"
	"lakeserver/internal/sqltest"
	"lakeserver/server"
	"lakeserver/server/mysql"
)

// startMySQL serves an engine of its own over the MySQL protocol.
func startMySQL(t *testing.T) (addr string, e *engine.Engine) {
	t.Helper()
	cfg := defaultConfig()
	cfg.DataDir, cfg.MergeTreeAs, cfg.UserFilesDir = "", "memory", fixturesDir
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { //nolint:gocritic // ends with ctx
		done <- mysql.Serve(ctx, ctx, l, mysql.Config{Engine: server.Over(e), Users: server.UsersOf(e.Access()), Version: engine.Version})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), e
}

func openMySQL(t *testing.T, addr, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", "default@tcp("+addr+")/default?"+options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestQueriesOverMySQL: the files of tests/queries give the same rows through
// a MySQL client, as text and from prepared statements.
func TestQueriesOverMySQL(t *testing.T) {
	for _, f := range testFiles(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(f), queriesDir+"/"), ".test")
		t.Run(name, func(t *testing.T) {
			cases, err := sqltest.Read(f)
			if err != nil {
				t.Fatal(err)
			}
			addr, _ := startMySQL(t)
			c, err := openMySQL(t, addr, "").Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range cases {
				runOverMySQL(t, c, f, x)
			}
		})
	}
}

func runOverMySQL(t *testing.T, c *sql.Conn, file string, x sqltest.Case) {
	t.Helper()
	for _, s := range x.Settings {
		name, value, _ := strings.Cut(s, "=")
		if _, err := c.ExecContext(t.Context(), "SET "+name+" = '"+value+"'"); err != nil {
			t.Fatalf("%s:%d: %v", file, x.Line, err)
		}
		defer func() { _, _ = c.ExecContext(t.Context(), "SET "+name+" = DEFAULT") }() // an error shows in the next case
	}
	if x.Kind == "error" && strings.Contains(x.SQL, "UNION") {
		return // ORDER BY and LIMIT behind a UNION are the whole UNION's in MySQL
	}
	for _, prepared := range []bool{false, true} {
		if prepared && (x.Kind != "query" || !strings.HasPrefix(strings.TrimSpace(x.SQL), "SELECT")) {
			return
		}
		got, err := rowsOf(t.Context(), c, x.SQL, prepared)
		switch x.Kind {
		case "error":
			if want := "(" + x.Code + ")"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s:%d: %s\ngave %v, want %s", file, x.Line, x.SQL, err, x.Code)
			}
			continue
		case "statement":
			if err != nil {
				t.Errorf("%s:%d: %s\n%v", file, x.Line, x.SQL, err)
			}
			continue
		}
		want := x.Answer
		if x.Types {
			want = want[min(1, len(want)):]
		}
		if x.Rowsort {
			sort.Strings(got)
		}
		if err != nil || !sameRows(got, want) {
			t.Errorf("%s:%d: %s (prepared: %v, %v)\ngot:\n%s\nwant:\n%s", file, x.Line, x.SQL, prepared, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// rowsOf runs a statement and gives its rows as TabSeparated lines.
func rowsOf(ctx context.Context, c *sql.Conn, query string, prepared bool) ([]string, error) {
	var rows *sql.Rows
	var err error
	if prepared {
		var st *sql.Stmt
		if st, err = c.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		defer st.Close()
		rows, err = st.QueryContext(ctx)
	} else {
		rows, err = c.QueryContext(ctx, query)
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		cells, ptr := make([]sql.RawBytes, len(cols)), make([]any, len(cols))
		for i := range cells {
			ptr[i] = &cells[i]
		}
		if err := rows.Scan(ptr...); err != nil {
			return nil, err
		}
		line := make([]string, len(cols))
		for i, v := range cells {
			line[i] = `\N`
			if v != nil {
				line[i] = strings.NewReplacer("\\", `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "\x00", `\0`).Replace(string(v))
			}
		}
		out = append(out, strings.Join(line, "\t"))
	}
	return out, rows.Err()
}

// sameRows compares what MySQL's protocol shows otherwise by its nature: Bool
// is 1 or 0, times have six digits of fraction, binary floats are the
// driver's to print.
func sameRows(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		g, w := strings.Split(got[i], "\t"), strings.Split(want[i], "\t")
		if len(g) != len(w) {
			return false
		}
		for k := range g {
			if !sameCell(g[k], w[k]) {
				return false
			}
		}
	}
	return true
}

func sameCell(g, w string) bool {
	switch {
	case g == w, strings.ReplaceAll(g, `\'`, "'") == w, w == "true" && g == "1", w == "false" && g == "0":
		return true
	case len(g) == 26 && strings.TrimRight(g, "0.") == strings.TrimRight(w, "0."):
		return true
	}
	var a, b float64
	_, err := fmt.Sscan(g, &a)
	_, err2 := fmt.Sscan(w, &b)
	return err == nil && err2 == nil && (a == b || a != a && b != b || float32(a) == float32(b))
}

// TestMySQLWire: the packets of a result are those of ClickHouse, byte for
// byte. The client does without CLIENT_DEPRECATE_EOF, as FORMAT MySQLWire does.
func TestMySQLWire(t *testing.T) {
	f, err := os.Open("../../server/mysql/testdata/wire.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	addr, _ := startMySQL(t)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	in := bufio.NewReader(nc)
	readPacket(t, in)
	const caps = 1<<9 | 1<<15 | 1<<19 // 4.1, secure, plugins
	login := append([]byte{byte(caps & 0xff), byte(caps >> 8 & 0xff), byte(caps >> 16), 0, 0, 0, 0, 1, 45}, make([]byte, 23)...)
	login = append(login, "default\x00\x00mysql_native_password\x00"...)
	writePacket(t, nc, 1, login)
	if ok := readPacket(t, in); len(ok) < 5 || ok[4] != 0 {
		t.Fatalf("the login gave %q", ok)
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		query, text, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		want, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		writePacket(t, nc, 0, append([]byte{3}, query...))
		var got []byte
		for ends := 0; ends < 2; {
			p := readPacket(t, in)
			if p[3]++; p[4] == 0xff {
				t.Fatalf("%s: %s", query, p)
			}
			p[3] -= 2 // the format counts from 0, an answer from 1
			if len(p) == 9 && p[4] == 0xfe {
				ends++
				p[7], p[8] = 0, 0 // the status: the format has none
			}
			got = append(got, p...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s\ngot  %x\nwant %x", query, got, want)
		}
	}
}

func readPacket(t *testing.T, in io.Reader) []byte {
	t.Helper()
	b := make([]byte, 4)
	if _, err := io.ReadFull(in, b); err != nil {
		t.Fatal(err)
	}
	b = append(b, make([]byte, int(b[0])|int(b[1])<<8|int(b[2])<<16)...)
	if _, err := io.ReadFull(in, b[4:]); err != nil {
		t.Fatal(err)
	}
	return b
}

func writePacket(t *testing.T, out io.Writer, seq byte, payload []byte) {
	t.Helper()
	n := len(payload)
	if _, err := out.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, payload...)); err != nil {
		t.Fatal(err)
	}
}

// TestMySQLParameters: values of every kind go in through prepared statements
// and come out again.
func TestMySQLParameters(t *testing.T) {
	addr, _ := startMySQL(t)
	db := openMySQL(t, addr, "parseTime=true")
	at := time.Date(2024, 2, 29, 1, 2, 3, 456789000, time.UTC)
	var i, n int64
	var u uint64
	var f float64
	var s, long string
	var null sql.NullString
	var moment time.Time
	big := strings.Repeat("it's \\ \x00 \"long\" ü ", 1<<16)
	err := db.QueryRow("SELECT ?, -?, ?, ?, ?, ?, toDateTime64(?, 6, 'UTC'), ?", int64(-5), int64(-7), uint64(1<<63), 1.5, "it's ? \\", nil, at, big).
		Scan(&i, &n, &u, &f, &s, &null, &moment, &long)
	if err != nil {
		t.Fatal(err)
	}
	if i != -5 || n != 7 || u != 1<<63 || f != 1.5 || s != "it's ? \\" || null.Valid || !moment.Equal(at) || long != big {
		t.Errorf("got %d %d %d %v %q %v %v, %d bytes", i, n, u, f, s, null, moment, len(long))
	}
	st, err := db.Prepare("SELECT ? + 1")
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		if err := st.QueryRow(k).Scan(&i); err != nil || i != int64(k+1) {
			t.Errorf("%d, %v", i, err)
		}
	}
}

// TestMySQLStatements: several statements in one text, the count of rows
// written, the reset of a session, its ends.
func TestMySQLStatements(t *testing.T) {
	addr, e := startMySQL(t)
	db := openMySQL(t, addr, "multiStatements=true")
	r, err := db.Exec("CREATE TABLE t (a Int32, s String) ENGINE = Memory; INSERT INTO t VALUES (1, 'a;b'), (2, \"c\"), (3, 'd')")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.RowsAffected(); err != nil || n != 3 {
		t.Errorf("%d rows were written: %v", n, err)
	}
	rows, err := db.Query("SELECT sum(a) FROM t; SELECT s FROM t ORDER BY a LIMIT 1, 1")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
			var v string
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
	}
	if rows.Err() != nil || strings.Join(got, ",") != "6,c" {
		t.Errorf("%v, %v", got, rows.Err())
	}
	// A client that leaves ends its query.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := db.ExecContext(ctx, "SELECT sum(cityHash64(number)) FROM numbers(100000000000)"); err == nil {
		t.Fatal("the query ended by itself")
	}
	for begin := time.Now(); len(e.Processes().List()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Second {
			t.Fatal("the query still runs a second after its client left")
		}
	}
}

// TestMySQLKill: one connection ends the query of another, which stays usable.
func TestMySQLKill(t *testing.T) {
	addr, e := startMySQL(t)
	db := openMySQL(t, addr, "")
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var id int
	if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { //nolint:gocritic // ends with the query
		_, err := c.ExecContext(context.Background(), "SELECT sum(cityHash64(number)) FROM numbers(100000000000)")
		ended <- err
	}()
	for running := false; !running; time.Sleep(time.Millisecond) {
		for _, p := range e.Processes().List() {
			running = running || strings.Contains(p.Text, "cityHash64")
		}
	}
	if _, err := db.Exec(fmt.Sprintf("KILL QUERY %d", id)); err != nil {
		t.Fatal(err)
	}
	var m *driver.MySQLError
	if err := <-ended; !errors.As(err, &m) || m.Number != 1317 || !strings.Contains(m.Message, fmt.Sprint(int(cherr.QueryWasCancelled))) {
		t.Errorf("the killed query gave %v", err)
	}
	if err := c.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Error(err)
	}
}
