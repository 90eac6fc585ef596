package iceberg_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// newTable makes a table partitioned by g in a folder of the test.
func newTable(t *testing.T, version int, properties map[string]string, lines *write.Lines) *write.Table {
	t.Helper()
	dir := t.TempDir()
	return newTableIn(t, objstore.NewLocal(dir), dir, version, properties, lines)
}

func newTableIn(t *testing.T, store objstore.Store, dir string, version int, properties map[string]string, lines *write.Lines) *write.Table {
	t.Helper()
	m, err := iceberg.NewTableMetadata(iceberg.NewTable{
		FormatVersion: version, Location: dir + "/tab",
		Fields:     []iceberg.Field{{Name: "id", Required: true, Type: iceberg.ParseType("long")}, {Name: "g", Type: iceberg.ParseType("int")}},
		Partition:  []iceberg.NewPartitionField{{Source: "g", Transform: iceberg.ParseTransform("identity")}},
		Properties: properties,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &write.Folder{Loader: &metadata.Loader{Store: store}, Root: "tab/"}
	if m, err = f.Create(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	return openTable(store, m, lines)
}

func openTable(store objstore.Store, m *iceberg.TableMetadata, lines *write.Lines) *write.Table {
	var line *write.Line
	if lines != nil {
		line = lines.Of("tab/")
	}
	l := &metadata.Loader{Store: store}
	return &write.Table{
		Meta: m, Loader: l, Paths: iceberg.NewPathMapper("tab/", m.Location), Line: line,
		Swapper: &write.Folder{Loader: l, Root: "tab/", Line: line},
	}
}

// file names a data file that is not there: commits do not look into files.
func file(m *iceberg.TableMetadata, name string, g int32, rows int64) write.NewFile {
	return write.NewFile{
		DataFile: iceberg.DataFile{
			Path: m.Location + "/data/" + name, Format: "PARQUET", Records: rows, Size: 100 * rows, Partition: []column.Value{g},
			Stats:        []iceberg.ColumnStat{{ID: 1, Values: rows, Nulls: 0, NaNs: -1, Bytes: 50, Lower: iceberg.EncodeBound(iceberg.ParseType("long"), int64(1)), Upper: iceberg.EncodeBound(iceberg.ParseType("long"), rows)}},
			SplitOffsets: []int64{4}, SortOrderID: 0, FirstRowID: -1, ContentOffset: -1, ContentSize: -1,
		},
		SpecID: m.DefaultSpecID, Sequence: -1,
	}
}

// live gives the live files of a branch by name, with their numbers.
func live(t *testing.T, tab *write.Table, m *iceberg.TableMetadata, branch string) map[string]iceberg.Live {
	t.Helper()
	out := map[string]iceberg.Live{}
	ref, ok := m.Refs[branch]
	if !ok {
		return out
	}
	lines, err := m.Snapshot(ref.SnapshotID).LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		man, err := iceberg.LoadManifest(context.Background(), tab.Loader, m, &lines[i], tab.Paths.Map(lines[i].Path))
		if err != nil {
			t.Fatal(err)
		}
		err = man.Walk(&lines[i], func(l iceberg.Live) error {
			name := l.Path[strings.LastIndexByte(l.Path, '/')+1:]
			if _, twice := out[name]; twice {
				t.Errorf("%s is live twice", name)
			}
			out[name] = l
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Many writers, in one process and as if in several: every file exactly once,
// sequence numbers and row ids without gaps or overlaps, totals right.
func TestCommitRaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		version int
		lines   *write.Lines
	}{{"v1", 1, nil}, {"v2", 2, nil}, {"v3", 3, nil}, {"v3 in line", 3, write.NewLines()}} {
		t.Run(c.name, func(t *testing.T) {
			tab := newTable(t, c.version, map[string]string{"commit.manifest.min-count-to-merge": "4"}, c.lines)
			const writers, each = 6, 6
			g, ctx := cherr.NewGroup(context.Background())
			for w := range writers {
				own := openTable(tab.Store(), tab.Meta, c.lines)
				g.Go(func() error {
					for i := range each {
						p := &write.Producer{Table: own, Added: []write.NewFile{file(own.Meta, fmt.Sprintf("%d-%d", w, i), int32(w%2), int64(w+1))}}
						if _, err := own.Commit(ctx, p); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err := g.Wait(); err != nil {
				t.Fatal(err)
			}
			m, err := tab.Swapper.Load(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			checkRaced(t, tab, m, writers*each)
		})
	}
}

func checkRaced(t *testing.T, tab *write.Table, m *iceberg.TableMetadata, files int) {
	got := live(t, tab, m, "main")
	if len(got) != files || len(m.Snapshots) != files {
		t.Fatalf("%d files, %d snapshots, want %d", len(got), len(m.Snapshots), files)
	}
	rows, ids := int64(0), map[int64]bool{}
	for name, l := range got {
		rows += l.Records
		if m.FormatVersion > 1 && (l.SequenceNumber < 1 || l.SequenceNumber > m.LastSequenceNumber || ids[l.SequenceNumber]) {
			t.Errorf("%s has sequence number %d", name, l.SequenceNumber)
		}
		ids[l.SequenceNumber] = true
	}
	s := m.Snapshot(m.CurrentSnapshotID)
	if s.Summary["total-records"] != strconv.FormatInt(rows, 10) || s.Summary["total-data-files"] != strconv.Itoa(files) {
		t.Errorf("summary %v, want %d rows", s.Summary, rows)
	}
	if m.FormatVersion > 2 {
		taken := map[int64]string{}
		for name, l := range got {
			for r := range l.Records {
				if o, ok := taken[l.FirstRowID+r]; ok {
					t.Errorf("%s and %s share row id %d", name, o, l.FirstRowID+r)
				}
				taken[l.FirstRowID+r] = name
			}
			if l.FirstRowID < 0 || l.FirstRowID+l.Records > m.NextRowID {
				t.Errorf("%s begins with row id %d, next is %d", name, l.FirstRowID, m.NextRowID)
			}
		}
	}
	orphans(t, tab, m)
}

// orphans fails for files that nothing refers to.
func orphans(t *testing.T, tab *write.Table, m *iceberg.TableMetadata) {
	t.Helper()
	used := map[string]bool{"tab/metadata/version-hint.text": true}
	for _, e := range m.MetadataLog {
		used[tab.Paths.Map(e.File)] = true
	}
	used[m.File] = true
	for _, s := range m.Snapshots {
		used[tab.Paths.Map(s.ManifestList)] = true
		lines, err := s.LoadManifests(context.Background(), tab.Loader, tab.Paths.Map)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			used[tab.Paths.Map(lines[i].Path)] = true
		}
	}
	all, err := tab.Store().List(context.Background(), "tab/", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if !used[o.Path] {
			t.Errorf("nothing refers to %s", o.Path)
		}
		delete(used, o.Path)
	}
	delete(used, "tab/metadata/version-hint.text")
	for p := range used {
		t.Errorf("%s is not there", p)
	}
}

// Taking files out: entries that stay keep their numbers, those that go are
// marked, a file that is gone already is a conflict.
func TestRemove(t *testing.T) {
	for _, version := range []int{1, 2, 3} {
		tab := newTable(t, version, nil, nil)
		ctx := context.Background()
		add := func(files ...write.NewFile) *iceberg.TableMetadata {
			m, err := tab.Commit(ctx, &write.Producer{Table: tab, Added: files})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		add(file(tab.Meta, "a", 1, 10), file(tab.Meta, "b", 2, 20))
		m := add(file(tab.Meta, "c", 1, 30))
		before := live(t, tab, m, "main")
		take := func(name string) *write.Producer {
			return &write.Producer{Table: tab, Removed: []write.Removal{{
				Paths: map[string]bool{tab.Meta.Location + "/data/" + name: true},
				Might: func(l *iceberg.ManifestFile) bool { return !l.Deletes },
			}}}
		}
		m, err := tab.Commit(ctx, take("a"))
		if err != nil {
			t.Fatal(err)
		}
		after := live(t, tab, m, "main")
		if len(after) != 2 || after["b"].SequenceNumber != before["b"].SequenceNumber || after["b"].FirstRowID != before["b"].FirstRowID {
			t.Errorf("v%d: after: %v", version, after)
		}
		s := m.Snapshot(m.CurrentSnapshotID).Summary
		if s["operation"] != "delete" || s["deleted-records"] != "10" || s["total-records"] != "50" || s["deleted-data-files"] != "1" {
			t.Errorf("v%d: summary %v", version, s)
		}
		_, err = tab.Commit(ctx, take("a"))
		if !write.IsStale(err) {
			t.Errorf("v%d: a second time: %v", version, err)
		}
		again, err := tab.Commit(ctx, &write.Producer{Table: tab})
		if err != nil || len(again.Snapshots) != len(m.Snapshots) {
			t.Errorf("v%d: nothing to do: %v", version, err)
		}
		orphans(t, tab, m)
	}
}

// A validation that fails leaves the table and the folder as they were.
func TestValidate(t *testing.T) {
	tab := newTable(t, 2, nil, nil)
	ctx := context.Background()
	m, err := tab.Commit(ctx, &write.Producer{Table: tab, Added: []write.NewFile{file(tab.Meta, "a", 1, 10)}})
	if err != nil {
		t.Fatal(err)
	}
	from := m.CurrentSnapshotID
	if _, err = tab.Commit(ctx, &write.Producer{Table: tab, Added: []write.NewFile{file(tab.Meta, "b", 1, 10)}}); err != nil {
		t.Fatal(err)
	}
	all := func(*iceberg.PartitionSpec, *iceberg.DataFile) bool { return true }
	_, err = tab.Commit(ctx, &write.Producer{
		Table: tab, Added: []write.NewFile{file(tab.Meta, "c", 1, 10)},
		Validate: func(ctx context.Context, v *write.Validation) error { return v.NoNewData(ctx, from, all) },
	})
	if !write.IsStale(err) {
		t.Fatalf("new data was not seen: %v", err)
	}
	_, err = tab.Commit(ctx, &write.Producer{
		Table: tab, Added: []write.NewFile{file(tab.Meta, "d", 1, 10)},
		Validate: func(ctx context.Context, v *write.Validation) error {
			return errors.Join(v.NoNewDeletes(ctx, from, all), v.NoRemovedData(ctx, from, all))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err = tab.Swapper.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	orphans(t, tab, m)
}
