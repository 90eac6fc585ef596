package iceberg_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"lakeserver/column"
	"lakeserver/internal/faultstore"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// testRows makes a block of the test table: id and g.
func testRows(from, n int) *column.Block {
	ids, gs := make([]int64, n), make([]int32, n)
	for i := range n {
		ids[i], gs[i] = int64(from+i), int32(i%3)
	}
	return column.NewBlock(column.NewFixed(ids), column.NewNullable(column.NewFixed(gs), nil))
}

// insertRows is a whole INSERT: data files and the commit.
func insertRows(ctx context.Context, tab *write.Table, b *column.Block) error {
	w, err := write.NewRowWriter(tab, tab.Meta, write.RowOptions{SpecID: -1})
	if err != nil {
		return err
	}
	if err := w.Write(ctx, b); err != nil {
		w.Abort(ctx, err)
		return err
	}
	files, err := w.Close(ctx)
	if err != nil {
		return err
	}
	_, err = tab.Commit(ctx, &write.Producer{Table: tab, Added: files})
	return err
}

// Every operation of an INSERT, an overwrite and a merge of manifests goes
// wrong once, in every way: the table is at the old or the new state, what it
// refers to is there, nothing else is left, and the next try succeeds.
func TestFaults(t *testing.T) {
	for _, mode := range []faultstore.Mode{faultstore.Fail, faultstore.Lose, faultstore.Cut} {
		for _, version := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s v%d", mode, version), func(t *testing.T) {
				for k := 1; ; k++ {
					if !faultAt(t, mode, version, k) {
						if k < 8 {
							t.Fatalf("only %d operations were spoilt", k-1)
						}
						return
					}
				}
			})
		}
	}
}

func faultAt(t *testing.T, mode faultstore.Mode, version, k int) (hit bool) {
	ctx := context.Background()
	dir := t.TempDir()
	real := objstore.NewLocal(dir)
	store := faultstore.New(real)
	tab := newTableIn(t, store, dir, version, map[string]string{"commit.manifest.min-count-to-merge": "2"}, nil)
	if err := insertRows(ctx, tab, testRows(0, 30)); err != nil {
		t.Fatal(err)
	}
	store.Spoil(k, mode, true)
	err := overwriteRows(ctx, tab)
	hit = store.Hit()
	store.Spoil(0, mode, false)
	m := fresh(t, tab)
	snaps := len(m.Snapshots)
	switch {
	case snaps != 1 && snaps != 2:
		t.Fatalf("operation %d: %d snapshots", k, snaps)
	case err == nil && snaps != 2:
		t.Errorf("operation %d: acknowledged, but not there", k)
	case err != nil && snaps == 2 && !errors.Is(err, write.ErrUnknown):
		t.Errorf("operation %d: there, but refused with %v", k, err)
	}
	checkWhole(t, fmt.Sprintf("%s at operation %d", mode, k), tab, m, err)
	tab.Meta = m
	if err := overwriteRows(ctx, tab); err != nil {
		t.Errorf("operation %d: the next try: %v", k, err)
	}
	return hit
}

// overwriteRows replaces partition 1 by new rows.
func overwriteRows(ctx context.Context, tab *write.Table) error {
	w, err := write.NewRowWriter(tab, tab.Meta, write.RowOptions{SpecID: -1})
	if err != nil {
		return err
	}
	if err := w.Write(ctx, testRows(100, 30)); err != nil {
		w.Abort(ctx, err)
		return err
	}
	files, err := w.Close(ctx)
	if err != nil {
		return err
	}
	p := &write.Producer{Table: tab, Added: files, Removed: []write.Removal{{
		Is: func(_ *iceberg.PartitionSpec, f *iceberg.Live) (bool, error) { return f.Partition[0] == int32(1), nil },
	}}}
	_, err = tab.Commit(ctx, p)
	return err
}

func fresh(t *testing.T, tab *write.Table) *iceberg.TableMetadata {
	t.Helper()
	m, err := (&write.Folder{Loader: &metadata.Loader{Store: tab.Store()}, Root: "tab/"}).Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkWhole fails when a file that the table names is not there, or one that
// nothing names is, unless nobody could tell how the commit ended.
func checkWhole(t *testing.T, what string, tab *write.Table, m *iceberg.TableMetadata, err error) {
	t.Helper()
	used := map[string]bool{m.File: true, "tab/metadata/version-hint.text": true}
	for _, e := range m.MetadataLog {
		used[tab.Paths.Map(e.File)] = true
	}
	for _, s := range m.Snapshots {
		used[tab.Paths.Map(s.ManifestList)] = true
		lines, err := s.LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for i := range lines {
			used[tab.Paths.Map(lines[i].Path)] = true
			man, err := iceberg.LoadManifest(context.Background(), tab.Loader, m, &lines[i], tab.Paths.Map(lines[i].Path))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for j := range man.Entries {
				if man.Entries[j].Status != iceberg.Deleted {
					used[tab.Paths.Map(man.Entries[j].File.Path)] = true
				}
			}
		}
	}
	all, lerr := tab.Store().List(context.Background(), "tab/", true)
	if lerr != nil {
		t.Fatal(lerr)
	}
	for _, o := range all {
		if !used[o.Path] && !errors.Is(err, write.ErrUnknown) {
			t.Errorf("%s: nothing refers to %s (%v)", what, o.Path, err)
		}
		delete(used, o.Path)
	}
	delete(used, "tab/metadata/version-hint.text")
	for p := range used {
		t.Errorf("%s: %s is not there", what, p)
	}
}
