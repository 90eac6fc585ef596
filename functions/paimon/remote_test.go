package paimon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"lakeserver/cherr"
	"lakeserver/functions/storage"
	"lakeserver/internal/fakes3"
	"lakeserver/metadata"
	"lakeserver/objstore"
	"lakeserver/read"
)

// inStore are the tables that are also read from a store: one of each way of
// reading.
var inStore = regexp.MustCompile(`^(app\.dv|app\.partition|app\.fixed|app\.file_index|app\.data_evolution_parquet|app\.branch|pk\.(dedup|dv|first_row|partial_update|aggregation)|types\.all_parquet|types\.blob)`)

// Tables have the same rows in a store as on disk.
func TestFixturesInS3(t *testing.T) {
	root := fixtureRoot(t)
	srv := fakes3.New(t)
	srv.SetFolder(t, "lake/paimon", filepath.Join(root, "paimon"))
	r := objstore.NewRegistry(nil)
	objstore.RegisterS3(r)
	o := &opener{sources: &storage.Sources{Registry: r}, form: storage.S3, cache: metadata.NewCache(64 << 20), shared: read.NewShared(64 << 20)}
	files, _ := filepath.Glob(filepath.Join(root, "expected-paimon", "*.json"))
	n := 0
	for _, file := range files {
		f := loadFixture(t, file)
		if f.Columns == nil || f.Rows == nil || hasORC(root, f) || !inStore.MatchString(f.Name) {
			continue
		}
		n++
		f.Path = srv.URL + "/lake/" + f.Path
		t.Run(f.Name, func(t *testing.T) { checkFixture(t.Context(), t, o, f, unread.MatchString(f.Name)) })
	}
	if n < 12 {
		t.Errorf("%d tables were read", n)
	}
}

// A consumer gets each row once: it moves on when a scan was read to its end,
// not when one was left, and only one of two readers moves it.
func TestConsumerMovesOnce(t *testing.T) {
	root := fixtureRoot(t)
	local := copied(t, filepath.Join(root, "paimon", "app.db", "dv"))
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(local)}, form: storage.Local}
	consumer := []string{"paimon_consumer_id", "c"}
	open := func() *Table {
		t.Helper()
		tab, err := opened(t.Context(), o, "t", consumer...)
		if err != nil {
			t.Fatal(err)
		}
		return tab
	}
	names := []string{open().columns[0].Name}
	count := func(tab *Table) int {
		t.Helper()
		rows, _, err := rowsOf(t.Context(), tab, names, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	first, second := open(), open()
	want := count(first)
	if want == 0 {
		t.Fatal("the table is empty")
	}
	if _, _, err := rowsOf(t.Context(), second, names, nil); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("another reader of the same rows: %v", err)
	}
	if n := count(open()); n != 0 {
		t.Errorf("%d rows came again", n)
	}
	if _, err := opened(t.Context(), o, "t", "paimon_consumer_id", "../x"); cherr.CodeOf(err) != cherr.BadArguments {
		t.Errorf("a consumer outside of its folder: %v", err)
	}
}

// The query's end moves a consumer, not the scan's, where there is a query.
func TestConsumerWaitsForTheQuery(t *testing.T) {
	root := fixtureRoot(t)
	local := copied(t, filepath.Join(root, "paimon", "app.db", "dv"))
	o := &opener{sources: &storage.Sources{Local: objstore.NewLocal(local)}, form: storage.Local}
	tab, err := opened(t.Context(), o, "t", "paimon_consumer_id", "c")
	if err != nil {
		t.Fatal(err)
	}
	var after []func() error
	tab.after = func(do func(context.Context) error) { after = append(after, func() error { return do(t.Context()) }) }
	if _, _, err := rowsOf(t.Context(), tab, []string{tab.columns[0].Name}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.src.Dir.Consumer(t.Context(), "c"); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Fatalf("the consumer moved before the query's end: %v", err)
	}
	if len(after) != 1 || errors.Join(after[0]()) != nil {
		t.Fatalf("%d things to do", len(after))
	}
	if c, err := tab.src.Dir.Consumer(t.Context(), "c"); err != nil || c.NextSnapshot != tab.src.Snapshot.ID+1 {
		t.Errorf("consumer %v, %v", c, err)
	}
}

// copied gives a folder with a copy of a table as t.
func copied(t *testing.T, src string) string {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "t"), os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	return dir
}
