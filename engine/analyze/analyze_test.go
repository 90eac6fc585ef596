package analyze

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/exec"
	"lakeserver/engine/parse"
	"lakeserver/engine/plan"
	"lakeserver/functions"
	"lakeserver/functions/tablefunc"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/types"
)

type noTables struct{}

func (noTables) Table(_ context.Context, db, name string, _ *functions.TimeTravel) (table.Table, *View, error) {
	if db == "system" && name == "one" {
		one := column.NewBlock(&column.Fixed[uint8]{Values: []uint8{0}})
		return &tablefunc.Rows{Cols: []table.Column{{Name: "dummy", Type: types.UInt8}}, Blocks: []*column.Block{one}}, nil, nil
	}
	return nil, nil, cherr.New(cherr.UnknownTable, "Unknown table expression identifier '%s'", name)
}

func testEnv(t *testing.T) *Env {
	t.Helper()
	reg, err := functions.NewRegistry(testSets()...)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{
		Functions: &functions.Env{
			Settings: settings.Default(), Zone: time.UTC, Now: time.Unix(1700000000, 0), Random: func() uint64 { return 4 },
			Database: "default", Registry: reg,
		},
		Registry: reg, Tables: noTables{}, Parse: parse.ParseExpr,
		Run: func(ctx context.Context, n plan.Node) ([]*column.Block, error) {
			r, err := exec.Build(ctx, n, exec.Options{Threads: 1})
			if err != nil {
				return nil, err
			}
			return column.ReadAll(ctx, r)
		},
	}
}

func analyzed(t *testing.T, env *Env, sql string) (*Result, error) {
	t.Helper()
	stmt, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	return Analyze(context.Background(), env, stmt)
}

// TestHeaders compares names and types with what ClickHouse says: the file has
// a query, then names, then types, or the number of an error.
func TestHeaders(t *testing.T) {
	data, err := os.ReadFile("testdata/headers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(t)
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		sql := parts[0]
		r, err := analyzed(t, env, sql)
		if err != nil {
			if got := cherr.CodeOf(err); len(parts) != 2 || parts[1] != "error "+itoa(int(got)) {
				t.Errorf("%s\n\tgives error %d %s, want %q", sql, got, err, parts[1:])
			}
			continue
		}
		var got []string
		for _, f := range r.Header {
			got = append(got, f.Name, f.Type.String())
		}
		if strings.Join(got, "\t") != strings.Join(parts[1:], "\t") {
			t.Errorf("%s\n\tgives %q\n\t want %q", sql, got, parts[1:])
		}
	}
}
