package paimon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"lakeserver/metadata/paimon"
)

func TestCommit(t *testing.T) {
	over(t, "PC036 the first commit", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		same(t, "snapshot", []any{s.ID, s.CommitKind, s.CommitUser, c.Metrics().LastCommitAttempts}, []any{1, "APPEND", "me", 1})
		hint, _ := os.ReadFile(b.root + "snapshot/LATEST")
		same(t, "LATEST", string(hint), "1")
		same(t, "files", b.live(s), []string{"a"})
	})
	over(t, "PC037 the next id", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		before, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 3)))
		after, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		same(t, "id", s.ID, 2)
		same(t, "the file of the first", string(after), string(before))
	})
	over(t, "PC038 no identifier", "", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		same(t, "identifier", s.CommitIdentifier, int64(9223372036854775807))
	})
	over(t, "PC039 kinds of entries", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old))
		m := b.add(1, 0, b.file(1, 0, "new", 3))
		m.Data.DeletedFiles = []paimon.DataFile{old}
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 4)}
		s := b.commit(c, nil, m)
		same(t, "delta", b.entries(s.DeltaManifestList), []string{"+new", "-old"})
		same(t, "changelog", b.entries(s.ChangelogManifestList), []string{"+log"})
	})
	over(t, "PC040 the table's number of buckets", "fixed", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		same(t, "total buckets", b.raw(s.DeltaManifestList)[0].TotalBuckets, 2)
	})
	over(t, "PC041 data and compaction", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old))
		m := b.add(1, 0, b.file(1, 0, "new", 3))
		m.Compact = CompactIncrement{Before: []paimon.DataFile{old}, After: []paimon.DataFile{b.file(1, 0, "packed", 2, compacted)}}
		b.commit(c, id(7), m)
		one, two := b.snapshot(2), b.snapshot(3)
		same(t, "kinds", []any{one.CommitKind, two.CommitKind, one.CommitIdentifier, two.CommitIdentifier}, []any{"APPEND", "COMPACT", 7, 7})
		same(t, "files", b.live(two), []string{"new", "packed"})
	})
	over(t, "PC042 PC068 a compaction only", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old))
		s := b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{old}, []paimon.DataFile{b.file(1, 0, "packed", 2, compacted)}))
		same(t, "snapshot", []any{s.ID, s.CommitKind}, []any{2, "COMPACT"})
	})
	over(t, "PC043 an append that deletes", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old))
		m := b.add(1, 0, b.file(1, 0, "new", 3))
		m.Data.DeletedFiles = []paimon.DataFile{old}
		same(t, "kind", b.commit(c, nil, m).CommitKind, "OVERWRITE")
	})
	over(t, "PC044 an append of deletion vectors", "", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		m := b.add(1, 0)
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "dv", "a")}
		same(t, "kind", b.commit(c, nil, m).CommitKind, "OVERWRITE")
	})
	over(t, "PC045 the newest schema", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		f := b.file(1, 0, "a", 2)
		b.newSchema(1)
		s := b.commit(c, nil, b.add(1, 0, f))
		same(t, "schemas", []any{s.SchemaID, b.raw(s.DeltaManifestList)[0].File.SchemaID}, []any{1, 0})
	})
	over(t, "PC046 a schema change between attempts", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.race(1, func(i int) *Message { b.newSchema(1); return b.otherFile(i) })
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		same(t, "snapshot", []any{s.ID, s.SchemaID}, []any{2, 1})
	})
	over(t, "PC047 PC048 empty lists are files", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", func(x *ContextBuilder) { x.IgnoreEmptyCommit(false) })
		s := b.commit(c, nil)
		for _, list := range []string{s.BaseManifestList, s.DeltaManifestList} {
			if !b.exists("manifest/"+list) || len(b.entries(list)) != 0 {
				t.Errorf("list %s is not an empty file", list)
			}
		}
	})
	over(t, "PC049 the changelog is of one commit", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		m := b.add(1, 0, b.file(1, 0, "a", 2))
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 4)}
		one := b.commit(c, nil, m)
		two := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2)))
		if one.ChangelogManifestList == "" || *one.ChangelogRecordCount != 4 || two.ChangelogManifestList != "" || two.ChangelogRecordCount != nil {
			t.Errorf("%+v %+v", one, two)
		}
		text, _ := os.ReadFile(b.root + "snapshot/snapshot-2")
		if strings.Contains(string(text), "changelog") {
			t.Errorf("%s", text)
		}
	})
	over(t, "PC050 record counts", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old, b.file(1, 0, "rest", 8)))
		m := b.add(1, 0, b.file(1, 0, "five", 5), b.file(1, 0, "three", 3))
		m.Data.DeletedFiles = []paimon.DataFile{old}
		s := b.commit(c, nil, m)
		same(t, "counts", []int64{*s.DeltaRecordCount, *s.TotalRecordCount}, []int64{6, 16})
	})
	over(t, "PC051 sizes of lists", "", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		for name, size := range map[string]int64{s.BaseManifestList: *s.BaseManifestListSize, s.DeltaManifestList: *s.DeltaManifestListSize} {
			st, err := os.Stat(b.root + "manifest/" + name)
			if err != nil || st.Size() != size {
				t.Errorf("%s: %v, %d", name, st, size)
			}
		}
	})
	over(t, "PC052 uuids", "", nil, func(t *testing.T, b *bench) {
		c, seen := b.committer("me"), map[string]bool{}
		for i := range 3 {
			s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, fmt.Sprint(i), 1)))
			if u, err := uuid.Parse(s.UUID); err != nil || u.Version() != 4 || seen[s.UUID] {
				t.Errorf("uuid %q", s.UUID)
			}
			seen[s.UUID] = true
		}
	})
	over(t, "PC053 the time", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		c.now = time.Now
		before := time.Now().UnixMilli()
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		if s.TimeMillis < before || s.TimeMillis > time.Now().UnixMilli() {
			t.Errorf("%d, not between %d and now", s.TimeMillis, before)
		}
	})
	over(t, "PC054 the index manifest is carried on", "", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		m := b.add(1, 0, b.file(1, 0, "a", 2))
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "dv", "a")}
		one := b.commit(c, nil, m)
		two := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2)))
		if one.IndexManifest == "" || one.IndexManifest != two.IndexManifest {
			t.Errorf("%q, then %q", one.IndexManifest, two.IndexManifest)
		}
	})
	over(t, "PC055 PC056 statistics", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		b.write("statistics/stat-1", "{}")
		if err := c.Analyze(t.Context(), "stat-1", nil); err != nil {
			t.Fatal(err)
		}
		same(t, "kind", b.latest().CommitKind, "ANALYZE")
		same(t, "same schema", b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2))).Statistics, "stat-1")
		b.newSchema(1)
		same(t, "new schema", b.commit(c, nil, b.add(1, 0, b.file(1, 0, "c", 2))).Statistics, "")
	})
	over(t, "PC057 properties", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		s := b.commit(c, &CommitOptions{Properties: map[string]string{"x": "y"}}, b.add(1, 0, b.file(1, 0, "a", 2)))
		same(t, "properties", s.Properties, map[string]string{"x": "y"})
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2)))
		if text, _ := os.ReadFile(b.root + "snapshot/snapshot-2"); strings.Contains(string(text), "properties") {
			t.Errorf("%s", text)
		}
	})
	sequence := func(n int64) func(*paimon.DataFile) {
		return func(f *paimon.DataFile) { f.MinSequence, f.MaxSequence = n-1, n }
	}
	over(t, "PC058 the greatest sequence number", "key", []string{"write.sequence-number-init-mode", "snapshot"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2, keys(1, 2, 0), sequence(7))))
		same(t, "first", s.Properties[sequenceProperty], "7")
		s = b.commit(c, nil, b.add(1, 1, b.file(1, 1, "b", 2, keys(1, 2, 0), sequence(3))))
		same(t, "second", s.Properties[sequenceProperty], "7")
		s = b.commit(c, nil, b.add(1, 1, b.file(1, 1, "c", 2, keys(1, 2, 0), sequence(9))))
		same(t, "third", s.Properties[sequenceProperty], "9")
	})
	over(t, "PC059 the greatest sequence number by a scan", "key", nil, func(t *testing.T, b *bench) {
		b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 2, keys(1, 2, 0), sequence(7))))
		c := b.committer("me", option("write.sequence-number-init-mode", "snapshot"))
		s := b.commit(c, nil, b.add(1, 1, b.file(1, 1, "b", 2, keys(1, 2, 0), sequence(3))))
		same(t, "property", s.Properties[sequenceProperty], "7")
	})
	over(t, "PC060 row ids without row tracking", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		same(t, "first", *b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2))).NextRowID, 0)
		same(t, "second", *b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2))).NextRowID, 0)
	})
	over(t, "PC061 the same messages twice", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		m := b.add(1, 0, b.file(1, 0, "a", 2))
		b.commit(c, nil, m)
		b.commit(c, nil, m)
		merging := b.committer("me", option("manifest.merge-min-count", "2"))
		err := merging.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "b", 2))), nil)
		wantError(t, err, "Trying to add file")
		same(t, "attempts", merging.Metrics().LastCommitAttempts, 0)
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC062 the same messages twice, checked", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", func(x *ContextBuilder) { x.AppendCommitCheckConflict(true) })
		m := b.add(1, 0, b.file(1, 0, "a", 2))
		b.commit(c, nil, m)
		wantError(t, c.Commit(t.Context(), msgs(m), nil), "Trying to add file")
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC063 the same messages twice, discarded", "", []string{"commit.discard-duplicate-files", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		m := b.add(1, 0, b.file(1, 0, "a", 2))
		b.commit(c, nil, m)
		s := b.commit(c, nil, m)
		same(t, "files", b.live(s), []string{"a"})
		same(t, "rows", *s.TotalRecordCount, 2)
	})
	over(t, "PC064 a new number of buckets", "fixed", []string{"write-only", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		m := b.add(1, 2, b.file(1, 2, "b", 2))
		m.TotalBuckets = ptr(3)
		wantError(t, c.Commit(t.Context(), msgs(m), nil), "with a new bucket num 3", "without overwrite")
	})
	over(t, "PC065 unknown fields", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 2)))
		text, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		b.write("snapshot/snapshot-1", strings.Replace(string(text), "{", `{"future": {"x": [1]},`, 1))
		same(t, "id", b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 2))).ID, 2)
		tag, err := b.snapshot(1).MarshalJSON()
		var copied map[string]any
		if err != nil || json.Unmarshal(tag, &copied) != nil || copied["future"] == nil {
			t.Errorf("%s %v", tag, err)
		}
	})
}

// newSchema changes the table's schema as another writer would.
func (b *bench) newSchema(id int) {
	b.writeSchema(id, tableKind{partitioned: b.parts, options: b.options}, `{"id":0,"name":"p","type":"INT"},{"id":1,"name":"k","type":"INT NOT NULL"},{"id":2,"name":"value","type":"STRING"},{"id":3,"name":"more","type":"INT"}`)
}

func TestEmptyCommit(t *testing.T) {
	over(t, "PC066 nothing", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		if err := c.Commit(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		m := c.Metrics()
		same(t, "snapshots", []any{len(b.ids()), m.LastCommitAttempts, m.LastGeneratedSnapshots}, []any{0, 0, 0})
	})
	over(t, "PC067 an empty snapshot", "", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me", func(x *ContextBuilder) { x.IgnoreEmptyCommit(false) }), nil)
		same(t, "snapshot", []any{s.ID, *s.DeltaRecordCount, len(b.entries(s.DeltaManifestList))}, []any{1, 0, 0})
	})
}

func TestWatermark(t *testing.T) {
	over(t, "PC069 none", "", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		text, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		if s.Watermark != nil || strings.Contains(string(text), "watermark") {
			t.Errorf("%s", text)
		}
	})
	for name, c := range map[string]struct{ next, want int64 }{"PC070 none after 10": {-1, 10}, "PC071 9 after 10": {9, 10}, "PC072 20 after 10": {20, 20}} {
		over(t, name, "", nil, func(t *testing.T, b *bench) {
			w := b.committer("me")
			b.commit(w, watermark(10), b.add(1, 0, b.file(1, 0, "a", 1)))
			o := watermark(c.next)
			if c.next < 0 {
				o = nil
			}
			same(t, "watermark", *b.commit(w, o, b.add(1, 0, b.file(1, 0, "b", 1))).Watermark, c.want)
		})
	}
	over(t, "PC073 what takes away", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, watermark(10), b.add(1, 0, b.file(1, 0, "a", 1)))
		for _, f := range []func() error{
			func() error { return c.Overwrite(t.Context(), nil, msgs(b.add(1, 0, b.file(1, 0, "b", 1))), nil) },
			func() error { return c.DropPartition(t.Context(), []Spec{{"p": "1"}}, nil) },
			func() error { return c.TruncateTable(t.Context(), nil) },
		} {
			if err := f(); err != nil {
				t.Fatal(err)
			}
			same(t, "watermark", *b.latest().Watermark, 10)
		}
		same(t, "snapshots", len(b.ids()), 4)
	})
}

func TestPublish(t *testing.T) {
	over(t, "PC074 PC075 a lost race", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		b.race(1, b.otherFile)
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 1)))
		same(t, "snapshot", []any{s.ID, c.Metrics().LastCommitAttempts, b.live(s)}, []any{3, 2, []string{"a", "b", "other-0"}})
		same(t, "orphans", b.orphans(), nil)
		if !b.exists(b.folder(1, 0) + "b") {
			t.Error("the data file is gone")
		}
	})
	over(t, "PC076 a lost race with changelog", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.race(1, b.otherFile)
		m := b.add(1, 0, b.file(1, 0, "a", 1))
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 1)}
		b.commit(c, nil, m)
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC077 every race lost", "", []string{"commit.max-retries", "10"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.race(100, b.otherFile)
		err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil)
		wantError(t, err, "there maybe exist commit conflicts between multiple jobs")
		same(t, "attempts", c.Metrics().LastCommitAttempts, 11)
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC078 the timeout", "", []string{"commit.timeout", "50 ms"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		at := b.clock
		c.now = func() time.Time { at = at.Add(10 * time.Millisecond); return at }
		b.race(100, b.otherFile)
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil), "there maybe exist commit conflicts between multiple jobs")
		if n := c.Metrics().LastCommitAttempts; n < 2 || n > 8 {
			t.Errorf("%d attempts", n)
		}
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC079 waits", "", []string{"commit.min-retry-wait", "8 ms", "commit.max-retry-wait", "32 ms", "commit.max-retries", "5"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		var waits []time.Duration
		c.sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		b.race(100, b.otherFile)
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil))
		for i, most := range []time.Duration{8, 16, 32, 32, 32} {
			if i >= len(waits) || waits[i] < most*time.Millisecond/2 || waits[i] > most*time.Millisecond+time.Millisecond {
				t.Errorf("wait %d of %v, want between half and all of %dms", i, waits, most)
			}
		}
	})
	lostAnswer := func(b *bench) {
		b.store.afterPut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-1") {
				return errDisk
			}
			return nil
		}
	}
	over(t, "PC080 the answer is lost", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		lostAnswer(b)
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		same(t, "snapshot", []any{s.ID, c.Metrics().LastCommitAttempts, b.live(s)}, []any{1, 2, []string{"a"}})
	})
	blind := func(b *bench, landed bool) {
		failing := false
		b.store.beforePut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-1") && !landed {
				failing = true
				return errDisk
			}
			return nil
		}
		b.store.afterPut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-1") {
				failing = true
				return errDisk
			}
			return nil
		}
		b.store.onRead = func(path string) error {
			if failing {
				return errDisk
			}
			return nil
		}
	}
	over(t, "PC081 nobody knows", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		blind(b, false)
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil), "You need to call FilterAndCommit to retry commit")
		same(t, "files left", len(b.orphans()), 3)
	})
	for _, x := range []struct {
		name   string
		landed bool
		want   int
	}{{"PC082 it had landed", true, 0}, {"PC083 it had not", false, 1}} {
		over(t, x.name, "", nil, func(t *testing.T, b *bench) {
			m := msgs(b.add(1, 0, b.file(1, 0, "a", 1)))
			c := b.committer("me")
			blind(b, x.landed)
			wantError(t, c.Commit(t.Context(), m, id(1)))
			b.store.beforePut, b.store.afterPut, b.store.onRead = nil, nil, nil
			n, err := c.FilterAndCommit(t.Context(), []Committable{{Identifier: 1, Messages: m}})
			if err != nil || n != x.want {
				t.Errorf("%d committed, %v", n, err)
			}
			same(t, "files", b.live(b.latest()), []string{"a"})
		})
	}
	over(t, "PC085 LATEST cannot be written", "", nil, func(t *testing.T, b *bench) {
		b.store.beforePut = func(path string) error {
			if strings.HasSuffix(path, "LATEST") {
				return errDisk
			}
			return nil
		}
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		same(t, "next", b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 1))).ID, 2)
	})
	over(t, "PC086 hints are hints", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		for i, hint := range []string{"1", "rubbish", ""} {
			b.commit(c, nil, b.add(1, 0, b.file(1, 0, fmt.Sprint(i), 1)))
			b.write("snapshot/LATEST", hint)
		}
		if err := os.Remove(b.root + "snapshot/LATEST"); err != nil {
			t.Fatal(err)
		}
		same(t, "id", b.commit(c, nil, b.add(1, 0, b.file(1, 0, "x", 1))).ID, 4)
	})
	over(t, "PC087 no snapshot is overwritten", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", option("commit.max-retries", "0"))
		text := `{"version":3,"id":1}`
		b.store.beforePut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-1") {
				b.write("snapshot/snapshot-1", text)
			}
			return nil
		}
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil), "conflicts between multiple jobs")
		have, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		same(t, "the other's", string(have), text)
	})
	over(t, "PC088 a conflict is not retried", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		c.sleep = func(context.Context, time.Duration) error { t.Error("it waits"); return nil }
		m := b.add(1, 0, b.file(1, 0, "a", 1))
		m.Data.DeletedFiles = []paimon.DataFile{b.file(1, 0, "never", 1)}
		wantError(t, c.Commit(t.Context(), msgs(m), nil), "File deletion conflicts detected")
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC089 cancelled between attempts", "", nil, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		c := b.committer("me")
		c.sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		b.race(1, b.otherFile)
		if err := c.Commit(ctx, msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != context.Canceled {
			t.Error(err)
		}
		same(t, "orphans", b.orphans(), nil)
	})
}
