package exprtest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/settings"
)

// Run checks every case of a file with the functions of the sets.
func Run(t *testing.T, file string, sets ...functions.Set) {
	t.Helper()
	reg, err := functions.NewRegistry(sets...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	env := &functions.Env{Settings: settings.Default(), Zone: time.UTC, Now: time.Unix(1700000000, 0), Registry: reg, Random: func() uint64 { return 4 }}
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, "\t", 3)
		if len(parts) != 3 {
			t.Fatalf("%s:%d: want expression, type and value", file, n+1)
		}
		for _, full := range []bool{false, true} {
			typ, value := answer(&binder{env: env, full: full}, parts[0])
			if typ != parts[1] || value != parts[2] {
				t.Errorf("%s:%d (full columns: %v): %s\n got %s\t%s\nwant %s\t%s", file, n+1, full, parts[0], typ, value, parts[1], parts[2])
				break
			}
		}
	}
}

const rows = 3

// answer evaluates one expression: its type and value, or "error" and what it was.
func answer(b *binder, text string) (typ, value string) {
	defer func() {
		if e := recover(); e != nil {
			typ, value = "panic", cherr.Recovered(e).Error()
		}
	}()
	e, err := b.bind(parse(text), nil)
	if err != nil {
		return failed(err)
	}
	out, err := e.Eval(context.Background(), &column.Block{Rows: rows})
	if err != nil {
		return failed(err)
	}
	if out.Len() != rows {
		return "length", e.Type().String()
	}
	first := Print(e.Type(), out, 0)
	for i := 1; i < rows; i++ {
		if other := Print(e.Type(), out, i); other != first {
			return "rows", first + " and " + other
		}
	}
	return e.Type().String(), first
}

func failed(err error) (string, string) {
	if code := cherr.CodeOf(err); code != cherr.UnknownException {
		return "error", code.String()
	}
	return "failed", err.Error()
}
