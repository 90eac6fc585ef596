package paimon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/functions"
	"lakeserver/functions/storage"
	"lakeserver/metadata"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
	"lakeserver/read"
	"lakeserver/settings"
	"lakeserver/table"
	"lakeserver/types"
)

// fixtureRoot finds the tables that Paimon's own engine wrote; tests skip without.
func fixtureRoot(t testing.TB) string {
	t.Helper()
	dir, _ := os.Getwd()
	for range 6 {
		for _, shared := range []string{"shared", "../shared"} {
			root := filepath.Join(dir, shared, "fixtures")
			if _, err := os.Stat(filepath.Join(root, "paimon")); err == nil {
				return root
			}
		}
		dir = filepath.Dir(dir)
	}
	t.Skip("no fixture tables in ../shared/fixtures")
	return ""
}

type fixtureColumn struct{ Name string }

type fixtureState struct {
	Columns []fixtureColumn
	Rows    []any
}

type fixture struct {
	Name, Path string
	fixtureState
	Options   map[string]string
	Snapshots []struct {
		ID    int64
		Time  int64 `json:"time_millis"`
		State *fixtureState
	}
	Tags, Branches map[string]struct{ State *fixtureState }
	Incremental    []struct {
		Mode string
		From any   `json:"from_exclusive"`
		To   any   `json:"to_inclusive"`
		Rows []any `json:"kind_and_row"`
	}
}

func loadFixture(t testing.TB, path string) *fixture {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	f := &fixture{}
	if err := d.Decode(f); err != nil {
		t.Fatal(err)
	}
	f.Path = "paimon/" + strings.TrimPrefix(f.Path, "tables/")
	return f
}

// unread are tables that must say that they cannot be read: files in the
// formats ORC, CSV and row, and tables of files without metadata.
var unread = regexp.MustCompile(`orc_|_orc$|csv|row_format|format_parquet`)

func hasORC(root string, f *fixture) (found bool) {
	_ = filepath.WalkDir(filepath.Join(root, f.Path), func(p string, _ fs.DirEntry, _ error) error {
		found = found || strings.HasSuffix(p, ".orc")
		return nil
	})
	return found
}

func opened(ctx context.Context, o *opener, path string, set ...string) (*Table, error) {
	s := settings.Default()
	for i := 0; i+1 < len(set); i += 2 {
		var err error
		if s, err = s.With(set[i], set[i+1]); err != nil {
			return nil, err
		}
	}
	t, err := o.open(ctx, &functions.Env{Settings: s, Zone: time.UTC}, &functions.OpenRequest{
		Name: "paimonLocal", Args: []functions.TableArg{{Type: types.String, Value: path, Const: true}},
	})
	if err != nil {
		return nil, err
	}
	return t.(*Table), nil
}

var textType = &paimon.Type{Kind: paimon.VarChar, Length: paimon.MaxLength}

// rowsOf reads columns by name as text, by three streams; bags are columns of
// arrays in any order.
func rowsOf(ctx context.Context, t *Table, names []string, bags map[string]bool) (rows []string, ts []*paimon.Type, err error) {
	req := &table.ScanRequest{Streams: 3}
	for _, n := range names {
		i := slices.IndexFunc(t.all, func(c read.Column) bool { return c.Name == n })
		if i < 0 {
			return nil, nil, cherr.New(cherr.UnknownIdentifier, "no column %s", n)
		}
		ft := textType
		if f := t.all[i].Paimon; f != nil {
			ft = f.Type
		}
		req.Columns, ts = append(req.Columns, i), append(ts, ft)
	}
	streams, err := t.Scan(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	parts := make([][]string, len(streams))
	g, gctx := cherr.NewGroup(ctx)
	for i, s := range streams {
		g.Go(func() error {
			blocks, err := column.ReadAll(gctx, s)
			for _, b := range blocks {
				for r := range b.Rows {
					parts[i] = append(parts[i], rowText(names, ts, bags, func(i int) string { return canon(ts[i], column.At(b.Columns[i], r)) }))
				}
			}
			return err
		})
	}
	err = g.Wait()
	rows = slices.Concat(parts...)
	slices.Sort(rows)
	return rows, ts, err
}

func rowText(names []string, ts []*paimon.Type, bags map[string]bool, at func(int) string) string {
	parts := make([]string, len(names))
	for i := range names {
		parts[i] = at(i)
		if bags[names[i]] {
			parts[i] = unordered(ts[i], parts[i])
		}
	}
	return strings.Join(parts, " | ")
}

// compare reads the table and gives the first difference from the rows wanted.
func compare(ctx context.Context, t *Table, names []string, bags map[string]bool, want []any) error {
	got, ts, err := rowsOf(ctx, t, names, bags)
	if err != nil {
		return err
	}
	var exp []string
	for _, r := range want {
		exp = append(exp, rowText(names, ts, bags, func(i int) string { return expected(ts[i], r.([]any)[i]) }))
	}
	slices.Sort(exp)
	for i := 0; i < len(got) || i < len(exp); i++ {
		g, e := "-", "-"
		if i < len(got) {
			g = got[i]
		}
		if i < len(exp) {
			e = exp[i]
		}
		if g != e {
			return fmt.Errorf("%d rows, want %d; first difference: %.300s, want %.300s", len(got), len(exp), g, e)
		}
	}
	return nil
}

// TestFixtures reads tables that Paimon's own engine wrote: their heads, each
// snapshot, tag and branch, and what came between two snapshots.
func TestFixtures(t *testing.T) {
	root := fixtureRoot(t)
	files, _ := filepath.Glob(filepath.Join(root, "expected-paimon", "*.json"))
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(root)}, form: storage.Local, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
	for _, file := range files {
		f := loadFixture(t, file)
		if f.Columns == nil || f.Rows == nil || strings.HasSuffix(f.Name, ".external") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) { checkFixture(t.Context(), t, o, f, hasORC(root, f) || unread.MatchString(f.Name)) })
	}
}

func checkFixture(ctx context.Context, t *testing.T, o *opener, f *fixture, refused bool) {
	bags := map[string]bool{}
	for name, v := range f.Options {
		if c, ok := strings.CutSuffix(strings.TrimPrefix(name, "fields."), ".aggregate-function"); ok && strings.HasPrefix(v, "nested_") {
			bags[c] = true
		}
	}
	var head []string
	for _, c := range f.Columns {
		head = append(head, c.Name)
	}
	check := func(what string, names []string, rows []any, set ...string) {
		tab, err := opened(ctx, o, f.Path, set...)
		if err == nil {
			err = compare(ctx, tab, names, bags, rows)
		}
		switch {
		case refused && err != nil:
			if c := cherr.CodeOf(err); c != cherr.NotImplemented && c != cherr.FileDoesntExist {
				t.Errorf("%s: %d %v", what, c, err)
			}
		case err != nil:
			t.Errorf("%s: %v", what, err)
		}
	}
	state := func(what string, s *fixtureState, set ...string) {
		if s == nil || s.Rows == nil {
			return
		}
		names := head
		if s.Columns != nil {
			names = nil
			for _, c := range s.Columns {
				names = append(names, c.Name)
			}
		}
		check(what, names, s.Rows, set...)
	}
	state("head", &f.fixtureState)
	for _, s := range f.Snapshots {
		state(fmt.Sprint("snapshot ", s.ID), s.State, "paimon_snapshot_id", fmt.Sprint(s.ID))
	}
	for name, v := range f.Tags {
		state("tag "+name, v.State, "paimon_tag", name)
	}
	for name, v := range f.Branches {
		state("branch "+name, v.State, "paimon_branch", name)
	}
	for _, x := range f.Incremental {
		if x.Rows != nil {
			check(fmt.Sprint(x.Mode, " ", x.From, "-", x.To), append([]string{"_row_kind"}, head...), x.Rows,
				"paimon_incremental_between", fmt.Sprint(x.From, ",", x.To), "paimon_incremental_between_scan_mode", x.Mode)
		}
	}
}
