package iceberg_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	write "lakeserver/write/iceberg"
)

func refusedOp(t *testing.T, tab *write.Table, part string, op write.Operation) {
	t.Helper()
	if _, err := tab.Commit(t.Context(), op); !cherr.Is(err, cherr.BadArguments) || !strings.Contains(err.Error(), part) {
		t.Errorf("want an error with %q, got %v", part, err)
	}
}

func names(t *testing.T, tab *write.Table, m *iceberg.TableMetadata, branch string) string {
	t.Helper()
	var out []string
	for name := range live(t, tab, m, branch) {
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestRefs(t *testing.T) {
	tab := newTable(t, 2, nil, nil)
	refusedOp(t, tab, "no snapshot", write.SetRef(write.RefOptions{Name: "x"}))
	first := put(t, tab, "", nil, "a").CurrentSnapshotID
	put(t, tab, "", nil, "b")
	five, ms := 5, int64(86_400_000)
	commit(t, tab, write.SetRef(write.RefOptions{Name: "t", Tag: true, SnapshotID: &first, MaxRefAgeMs: &ms}))
	m := commit(t, tab, write.SetRef(write.RefOptions{Name: "b", SnapshotID: &first, MinSnapshotsToKeep: &five, MaxSnapshotAgeMs: &ms}))
	if r := m.Refs["b"]; r.SnapshotID != first || *r.MinSnapshotsToKeep != 5 || *r.MaxSnapshotAgeMs != ms || r.MaxRefAgeMs != nil {
		t.Errorf("%+v", r)
	}
	no := int64(5)
	refusedOp(t, tab, "already", write.SetRef(write.RefOptions{Name: "t", Tag: true}))
	refusedOp(t, tab, "no snapshot 5", write.SetRef(write.RefOptions{Name: "y", SnapshotID: &no}))
	refusedOp(t, tab, "no branch", write.SetRef(write.RefOptions{Name: "y", Replace: true}))
	refusedOp(t, tab, "not a branch", write.SetRef(write.RefOptions{Name: "t", Replace: true}))
	refusedOp(t, tab, "not a branch", write.DropRef("t", false, false))
	refusedOp(t, tab, "no tag", write.DropRef("y", true, false))
	refusedOp(t, tab, "cannot be dropped", write.DropRef("main", false, false))
	same := commit(t, tab, write.DropRef("y", true, true))
	if commit(t, tab, write.SetRef(write.RefOptions{Name: "t", Tag: true, IfNotExists: true})).File != same.File {
		t.Error("a version was made for nothing")
	}
	m = commit(t, tab, write.SetRef(write.RefOptions{Name: "b", Replace: true}))
	if r := m.Refs["b"]; r.SnapshotID != m.CurrentSnapshotID || *r.MinSnapshotsToKeep != 5 {
		t.Errorf("%+v", r)
	}
	commit(t, tab, write.DropRef("b", false, false))
	if m = commit(t, tab, write.DropRef("t", true, false)); len(m.Refs) != 1 {
		t.Errorf("%v", m.Refs)
	}
}

func TestRollbackAndFastForward(t *testing.T) {
	tab := newTable(t, 2, nil, nil)
	first := put(t, tab, "", nil, "a")
	second := put(t, tab, "", nil, "b")
	m := commit(t, tab, write.RollbackToSnapshot(first.CurrentSnapshotID))
	if m.CurrentSnapshotID != first.CurrentSnapshotID || names(t, tab, m, "main") != "a" || len(m.SnapshotLog) != 3 {
		t.Errorf("%+v", m.SnapshotLog)
	}
	refusedOp(t, tab, "not an ancestor", write.RollbackToSnapshot(second.CurrentSnapshotID))
	refusedOp(t, tab, "no snapshot 12345", write.RollbackToSnapshot(12345))
	refusedOp(t, tab, "no snapshot 7", write.SetCurrentSnapshot(7, ""))
	m = commit(t, tab, write.SetCurrentSnapshot(second.CurrentSnapshotID, ""))
	if names(t, tab, m, "main") != "a b" {
		t.Error("not at the second")
	}
	m = commit(t, tab, write.RollbackToTimestamp(first.CurrentSnapshot().TimestampMs))
	if m.CurrentSnapshotID != first.CurrentSnapshotID && first.CurrentSnapshot().TimestampMs != second.CurrentSnapshot().TimestampMs {
		t.Error("not at the first")
	}
	refusedOp(t, tab, "as old as", write.RollbackToTimestamp(1000))
	commit(t, tab, write.SetRef(write.RefOptions{Name: "dev"}))
	put(t, tab, "dev", nil, "d")
	m = commit(t, tab, write.FastForward("main", "dev"))
	if m.CurrentSnapshotID != m.Refs["dev"].SnapshotID {
		t.Error("main did not follow")
	}
	put(t, tab, "dev", nil, "e")
	put(t, tab, "", nil, "f")
	refusedOp(t, tab, "not an ancestor", write.FastForward("main", "dev"))
	refusedOp(t, tab, "no branch or tag", write.FastForward("main", "nosuch"))
	if m = commit(t, tab, write.FastForward("new", "dev")); m.Refs["new"].SnapshotID != m.Refs["dev"].SnapshotID {
		t.Error("the new branch is elsewhere")
	}
}

func TestCherryPick(t *testing.T) {
	for version := 1; version <= 3; version++ {
		t.Run(fmt.Sprint("v", version), func(t *testing.T) {
			tab := newTable(t, version, nil, nil)
			put(t, tab, "", nil, "a", "b")
			commit(t, tab, write.SetRef(write.RefOptions{Name: "dev"}))
			dev := put(t, tab, "dev", nil, "c").Refs["dev"].SnapshotID
			ahead := put(t, tab, "dev", []string{"a"}, "d").Refs["dev"].SnapshotID
			refusedOp(t, tab, "not append", write.CherryPickSnapshot(tab, ahead))
			put(t, tab, "", nil, "m")
			m := commit(t, tab, write.CherryPickSnapshot(tab, dev))
			s := m.CurrentSnapshot()
			if names(t, tab, m, "main") != "a b c m" || s.Operation() != "append" || s.Summary["source-snapshot-id"] != fmt.Sprint(dev) || s.Summary["added-records"] != "10" {
				t.Errorf("%s, %+v", names(t, tab, m, "main"), s)
			}
			if version == 3 && (*s.FirstRowID == 0 || m.NextRowID != *s.FirstRowID+*s.AddedRows) {
				t.Errorf("row ids %d, %d, %d", *s.FirstRowID, *s.AddedRows, m.NextRowID)
			}
			refusedOp(t, tab, "already picked", write.CherryPickSnapshot(tab, dev))
			refusedOp(t, tab, "already an ancestor", write.CherryPickSnapshot(tab, s.ID))
			refusedOp(t, tab, "no snapshot 1", write.CherryPickSnapshot(tab, 1))

			// What follows main's head is taken as it is; what was staged is published once.
			for i, id := range []string{"job-1", "job-2"} {
				p := &write.Producer{Table: tab, Stage: true, Summary: map[string]string{write.WAPID: id}}
				p.Added = []write.NewFile{file(m, id, 0, 5)}
				if m = commit(t, tab, p); strings.Contains(names(t, tab, m, "main"), id) {
					t.Error("a staged snapshot is seen")
				}
				if i == 1 {
					put(t, tab, "", nil, "between")
				}
				m = commit(t, tab, write.PublishChanges(tab, id))
				if !strings.Contains(names(t, tab, m, "main"), id) || (m.CurrentSnapshotID == p.SnapshotID()) != (i == 0) {
					t.Errorf("%s: %s", id, names(t, tab, m, "main"))
				}
				refusedOp(t, tab, "published already", write.PublishChanges(tab, id))
			}
			refusedOp(t, tab, "nosuch", write.PublishChanges(tab, "nosuch"))
		})
	}
}

func TestOrphans(t *testing.T) {
	tab := newTable(t, 2, nil, nil)
	put(t, tab, "", nil, "a")
	commit(t, tab, write.SetRef(write.RefOptions{Name: "dev"}))
	m := put(t, tab, "dev", []string{"a"}, "b")
	m = commit(t, tab, write.Plan(updates(iceberg.SetStatistics{Statistics: iceberg.StatisticsFile{SnapshotID: m.CurrentSnapshotID, Path: m.Location + "/metadata/1.stats", Size: 1, FooterSize: 1}})))
	plant := func(name string) {
		if _, err := tab.Store().Put(t.Context(), "tab/"+name, strings.NewReader("x"), putAny); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"metadata/1.stats", "metadata/version-hint.text", "data/deep/orphan.parquet", "data/x-deletes.parquet", "metadata/0-m0.avro", "metadata/snap-1-1-x.avro", "metadata/v0.metadata.json", "metadata/2.stats", "data/_hidden/f", "data/.f", "data/_g=1/f.parquet"} {
		plant(f)
	}
	future := time.Now().Add(time.Minute)
	want := write.FileCounts{write.DataFiles: 2, write.PositionDeleteFiles: 1, write.ManifestFiles: 1, write.ManifestListFiles: 1, write.MetadataFiles: 1, write.StatisticsFiles: 1}
	for _, dry := range []bool{true, false} {
		got, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: future, DryRun: dry})
		if err != nil || got.Files != want || got.Failed != 0 {
			t.Errorf("dry %t: %+v, %v", dry, got, err)
		}
	}
	again, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: future})
	if err != nil || again.Files != (write.FileCounts{}) {
		t.Errorf("%+v, %v", again, err)
	}
	have, need := stored(t, tab), reached(t, tab, m)
	for f := range need {
		if !have[f] {
			t.Errorf("%s was deleted", f)
		}
	}
	for _, f := range []string{"tab/metadata/1.stats", "tab/data/_hidden/f", "tab/data/.f"} {
		if !have[f] {
			t.Errorf("%s was deleted", f)
		}
	}
	plant("data/young.parquet")
	if got, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: time.Now().Add(-time.Hour)}); err != nil || got.Files != (write.FileCounts{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: future, Location: "nosuch/"}); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("%v", err)
	}
	// Another table below, and a manifest that is gone: nothing is deleted.
	plant("data/other/metadata/v1.metadata.json")
	if _, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: future}); !cherr.Is(err, cherr.BadArguments) || !strings.Contains(err.Error(), "another table") {
		t.Errorf("%v", err)
	}
	_ = tab.Store().Delete(t.Context(), "tab/data/other/metadata/v1.metadata.json")
	lines, err := m.CurrentSnapshot().LoadManifests(t.Context(), tab.Loader, tab.Paths.Map)
	if err != nil {
		t.Fatal(err)
	}
	_ = tab.Store().Delete(t.Context(), tab.Paths.Map(lines[0].Path))
	if _, err := tab.RemoveOrphans(t.Context(), "tab/", write.OrphanOptions{OlderThan: future}); !cherr.Is(err, cherr.FileDoesntExist) {
		t.Errorf("%v", err)
	}
	if have := stored(t, tab); !have["tab/data/young.parquet"] {
		t.Error("a file was deleted though the metadata is broken")
	}
}

func updates(ups ...iceberg.Update) write.Plan {
	return func(context.Context, *iceberg.TableMetadata) (*write.Change, error) {
		return &write.Change{Updates: ups}, nil
	}
}
