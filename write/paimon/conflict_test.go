package paimon

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

func TestConflicts(t *testing.T) {
	checked := func(x *ContextBuilder) { x.AppendCommitCheckConflict(true) }
	fails := func(b *bench, c *Committer, m *Message, parts ...string) {
		b.t.Helper()
		n := len(b.ids())
		wantError(b.t, c.Commit(b.t.Context(), msgs(m), nil), parts...)
		same(b.t, "snapshots", len(b.ids()), n)
		same(b.t, "orphans", b.orphans(), nil)
	}
	over(t, "PC199 an unknown file", "", nil, func(t *testing.T, b *bench) {
		m := b.add(1, 0)
		m.Data.DeletedFiles = []paimon.DataFile{b.file(1, 0, "never", 1)}
		fails(b, b.committer("me"), m, "File deletion conflicts detected", "not previously added")
	})
	over(t, "PC200 compacted away by others", "", nil, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1)
		b.commit(c, nil, b.add(1, 0, a))
		b.commit(b.committer("other"), nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1)}))
		c.sleep = nil // a retry would panic
		fails(b, c, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "y", 1)}), "File deletion conflicts detected")
	})
	over(t, "PC201 the number of buckets", "fixed", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", checked)
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		m := b.add(1, 2, b.file(1, 2, "b", 1))
		m.TotalBuckets = ptr(3)
		fails(b, c, m, "Total buckets of partition", "changed from 2 to 3", "without overwrite")
	})
	over(t, "PC202 an overlap", "key", nil, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1, keys(20, 30, 0))
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "low", 1, keys(1, 10, 1)), a))
		fails(b, c, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1, keys(10, 30, 1))}), "LSM conflicts detected")
	})
	over(t, "PC203 neighbours", "key", nil, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1, keys(11, 30, 0))
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "low", 1, keys(1, 10, 1)), a))
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1, keys(11, 30, 1))}))
	})
	over(t, "PC204 level 0", "key", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", checked)
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1, keys(1, 10, 0))))
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 1, keys(5, 15, 0))))
	})
	over(t, "PC205 vectors only", "key", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1, keys(1, 10, 1)), b.file(1, 0, "b", 1, keys(5, 15, 1)))) // overlap, unseen
		m := b.add(1, 0)
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "dv", "a")}
		b.commit(c, nil, m)
	})
	vectors := []string{"deletion-vectors.enabled", "true"}
	vector := func(b *bench, index, file string) *Message {
		m := b.add(1, 0)
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, index, file)}
		return m
	}
	over(t, "PC206 a file without its vector", "", vectors, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 3)
		b.commit(c, nil, b.add(1, 0, a))
		b.commit(c, nil, vector(b, "dv", "a"))
		m := b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 2)})
		fails(b, c, m, "File deletion conflicts detected", "dv")
		m.Compact.DeletedIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "dv", "a")}
		same(t, "with its vector", b.index(b.commit(c, nil, m)), []string{})
	})
	over(t, "PC207 vectors of no file, and twice", "", vectors, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		fails(b, c, vector(b, "dv1", "gone"), "gone", "not live")
		b.commit(c, nil, vector(b, "dv2", "a"))
		fails(b, c, vector(b, "dv3", "a"), "second deletion vector")
	})
	global := func(b *bench, name string, from, to int64) *Message {
		m, x := b.add(1, 0), b.indexFile("bitmap", name)
		x.Global = &paimon.GlobalIndex{RowRangeStart: from, RowRangeEnd: to, FieldID: 2}
		m.Data.NewIndexFiles = []paimon.IndexEntry{x}
		return m
	}
	tracked := []string{"row-tracking.enabled", "true"}
	over(t, "PC208 a global index", "", tracked, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 10)))
		b.commit(c, nil, global(b, "g1", 0, 4))
		fails(b, c, global(b, "g2", 5, 10), "Global index row ID existence conflict")
	})
	over(t, "PC209 overlapping global indexes", "", tracked, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 10)))
		b.commit(c, nil, global(b, "g1", 0, 4))
		fails(b, c, global(b, "g2", 4, 9), "overlap")
	})
	over(t, "PC210 long messages", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		var files []paimon.DataFile
		for i := range 60 {
			files = append(files, b.file(1, 0, fmt.Sprintf("live%02d", i), 1))
		}
		b.commit(c, nil, b.add(1, 0, files...))
		m := b.add(1, 0)
		m.Data.DeletedFiles = []paimon.DataFile{b.file(1, 0, "never", 1)}
		err := c.Commit(t.Context(), msgs(m), nil)
		wantError(t, err, "and 10 more")
		same(t, "entries named", strings.Count(err.Error(), " live"), 50)
	})
	over(t, "PC211 keys by value", "key", nil, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1, keys(300, 400, 0))
		// By their little-endian bytes 256 comes before 3.
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "low", 1, keys(3, 256, 1)), a))
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1, keys(257, 400, 1))}))
		n := b.file(1, 0, "n", 1, keys(-5, -2, 0))
		b.commit(c, nil, b.add(1, 0, n))
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{n}, []paimon.DataFile{b.file(1, 0, "y", 1, keys(-5, -2, 1))}))
	})
}

func TestRowTracking(t *testing.T) {
	tracked := []string{"row-tracking.enabled", "true"}
	evolving := []string{"row-tracking.enabled", "true", "data-evolution.enabled", "true"}
	first := func(b *bench, s *paimon.Snapshot) map[string]int64 {
		out := map[string]int64{}
		for _, e := range b.raw(s.DeltaManifestList) {
			if e.File.FirstRowID != nil {
				out[e.File.Name] = *e.File.FirstRowID
			}
		}
		return out
	}
	over(t, "PC212 PC213 sequence numbers", "", tracked, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "x", 1)))
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1), b.file(1, 0, "b", 1, func(f *paimon.DataFile) { f.MinSequence = 1 })))
		raw := b.raw(s.DeltaManifestList)
		same(t, "sequences", []int64{raw[0].File.MinSequence, raw[0].File.MaxSequence, raw[1].File.MinSequence, raw[1].File.MaxSequence}, []int64{2, 2, 1, 2})
	})
	over(t, "PC214 consecutive ids", "", tracked, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "x", 5)))
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3), b.file(1, 0, "b", 4)))
		same(t, "ids", []any{first(b, s), *s.NextRowID}, []any{map[string]int{"a": 5, "b": 8}, 12})
	})
	over(t, "PC215 by partition", "parts", append([]string{"row-tracking.partition-group-on-commit", "true"}, tracked...), func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 1)), b.add(2, 0, b.file(2, 0, "b", 1)), b.add(1, 0, b.file(1, 0, "c", 1)), b.add(2, 0, b.file(2, 0, "d", 1)))
		got := first(b, s)
		if d := got["a"] - got["c"]; d != 1 && d != -1 {
			t.Errorf("ids %v", got)
		}
	})
	over(t, "PC216 compacted rows keep their ids", "", tracked, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 3)
		b.commit(c, nil, b.add(1, 0, a))
		s := b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 3, compacted, rowsFrom(0))}))
		same(t, "ids", []any{first(b, s), *s.NextRowID}, []any{map[string]int{"z": 0}, 3})
		s = b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{b.file(1, 0, "z", 3, compacted, rowsFrom(0))}, []paimon.DataFile{b.file(1, 0, "y", 3, compacted)}))
		same(t, "without", []any{*s.NextRowID, b.raw(s.DeltaManifestList)[1].File.FirstRowID}, []any{3, nil})
	})
	over(t, "PC217 blobs", "", tracked, func(t *testing.T, b *bench) {
		c := b.committer("me")
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 5), b.file(1, 0, "1.blob", 2, writes("v")), b.file(1, 0, "2.blob", 3, writes("v")), b.file(1, 0, "k.vector.lance", 5, writes("k")), b.file(1, 0, "b", 1)))
		same(t, "ids", []any{first(b, s), *s.NextRowID}, []any{map[string]int{"a": 0, "1.blob": 0, "2.blob": 2, "k.vector.lance": 0, "b": 5}, 6})
		err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "c", 2), b.file(1, 0, "3.blob", 3, writes("v")))), nil)
		wantError(t, err, "3.blob", "beyond")
	})
	base := func(t *testing.T, b *bench) *Committer {
		c := b.committer("me", func(x *ContextBuilder) { x.AppendCommitCheckConflict(true) })
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 10)))
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "b", 10)))
		return c
	}
	over(t, "PC218 no such rows", "", evolving, func(t *testing.T, b *bench) {
		c := base(t, b)
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "c", 5, rowsFrom(0), writes("v")))), nil), "Row ID existence conflict")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "d", 10, rowsFrom(10), writes("v"))))
	})
	since := func(n int64) *CommitOptions { return &CommitOptions{RowIDCheckConflict: ptr(n)} }
	race := func(name string, other, ours func(b *bench) paimon.DataFile, parts ...string) {
		over(t, name, "", evolving, func(t *testing.T, b *bench) {
			c := base(t, b)
			b.newSchema(1) // v is now called value
			b.commit(b.committer("other"), nil, b.add(1, 0, other(b)))
			err := c.Commit(t.Context(), msgs(b.add(1, 0, ours(b))), since(2))
			if len(parts) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err, parts...)
		})
	}
	file := func(name string, change ...func(*paimon.DataFile)) func(b *bench) paimon.DataFile {
		return func(b *bench) paimon.DataFile { return b.file(1, 0, name, 10, change...) }
	}
	const several = "multiple 'MERGE INTO' operations have encountered conflicts"
	race("PC219 the same column", file("x", rowsFrom(0), writes("v")), file("y", rowsFrom(0), writes("v")), several)
	race("PC220 another column", file("x", rowsFrom(0), writes("k")), file("y", rowsFrom(0), writes("v")))
	race("PC221 a renamed column", file("x", rowsFrom(0), writes("value"), schemaID(1)), file("y", rowsFrom(0), writes("v")), several)
	race("PC222 all columns", file("x", rowsFrom(0)), file("y", rowsFrom(0), writes("v")), several)
	race("PC224 other rows", file("x", rowsFrom(10), writes("v")), file("y", rowsFrom(0), writes("v")))
	race("PC226 an unknown column", file("x", rowsFrom(0), writes("nope")), file("y", rowsFrom(0), writes("v")), "nope")
	over(t, "PC223 compactions since", "", evolving, func(t *testing.T, b *bench) {
		c := base(t, b)
		b.commit(b.committer("other"), nil, b.compact(1, 0, []paimon.DataFile{b.file(1, 0, "b", 10, rowsFrom(10))}, []paimon.DataFile{b.file(1, 0, "z", 10, compacted, rowsFrom(10))}))
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "y", 10, rowsFrom(10), writes("v")))), since(2)); err != nil {
			t.Error(err)
		}
	})
	over(t, "PC225 no next row id", "", evolving, func(t *testing.T, b *bench) {
		c := base(t, b)
		s := b.snapshot(2)
		s.NextRowID = nil
		text, _ := s.MarshalJSON()
		b.write("snapshot/snapshot-2", string(text))
		err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "y", 10, rowsFrom(0), writes("v")))), since(2))
		wantError(t, err, "Next row id cannot be null for snapshot 2")
	})
	over(t, "PC227 ranges that meet in part", "", evolving, func(t *testing.T, b *bench) {
		c := base(t, b)
		err := c.Commit(t.Context(), msgs(b.compact(1, 0, nil, []paimon.DataFile{b.file(1, 0, "y", 10, compacted, rowsFrom(5))})), nil)
		wantError(t, err, "multiple 'MERGE INTO' and 'COMPACT' operations have encountered conflicts")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "z", 10, rowsFrom(0), writes("v"))), b.add(1, 0, b.file(1, 0, "new", 3)))
	})
	over(t, "PC228 a blob over two files", "", evolving, func(t *testing.T, b *bench) {
		c := base(t, b)
		err := c.Commit(t.Context(), msgs(b.compact(1, 0, nil, []paimon.DataFile{b.file(1, 0, "y.blob", 10, compacted, rowsFrom(5), writes("v"))})), nil)
		wantError(t, err, "spans multiple data file ranges")
		err = c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "z.blob", 10, rowsFrom(30), writes("v")))), nil)
		wantError(t, err, "is not covered by one data file range")
	})
}

func TestIndexManifest(t *testing.T) {
	indexed := func(b *bench, kind, name string, vectors ...string) *Message {
		m := b.add(1, 0)
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(kind, name, vectors...)}
		return m
	}
	over(t, "PC229 the first", "key", nil, func(t *testing.T, b *bench) {
		s := b.commit(b.committer("me"), nil, indexed(b, paimon.IndexHash, "h"))
		same(t, "index files", b.index(s), []string{"h"})
	})
	over(t, "PC230 in the place of the old", "key", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, indexed(b, paimon.IndexHash, "h1"))
		b.commit(c, nil, indexed(b, paimon.IndexDeletionVectors, "d1", "a"))
		b.commit(c, nil, indexed(b, paimon.IndexHash, "h2"))
		same(t, "index files", b.index(b.commit(c, nil, indexed(b, paimon.IndexDeletionVectors, "d2", "a"))), []string{"d2", "h2"})
	})
	over(t, "PC231 by file name", "", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3), b.file(1, 0, "b", 3)))
		b.commit(c, nil, indexed(b, paimon.IndexDeletionVectors, "d1", "a"))
		same(t, "both", b.index(b.commit(c, nil, indexed(b, paimon.IndexDeletionVectors, "d2", "b"))), []string{"d1", "d2"})
		m := indexed(b, paimon.IndexDeletionVectors, "d3", "a")
		m.Data.DeletedIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "d1", "a")}
		same(t, "replaced", b.index(b.commit(c, nil, m)), []string{"d2", "d3"})
	})
	over(t, "PC232 an unknown file", "", nil, func(t *testing.T, b *bench) {
		m := b.add(1, 0)
		m.Data.DeletedIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h")}
		wantError(t, b.committer("me").Commit(t.Context(), msgs(m), nil), "index file h", "not previously added")
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC233 a compaction", "key", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1, keys(1, 1, 0)))
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h1")}
		m.Compact.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h2")}
		b.commit(c, nil, m)
		same(t, "index files", []any{b.index(b.snapshot(1)), b.index(b.snapshot(2))}, []any{[]string{"h1"}, []string{"h2"}})
	})
}

func TestManifestMerging(t *testing.T) {
	manifests := func(b *bench, list string) int {
		files, err := b.reader().readList(b.t.Context(), list)
		if err != nil {
			b.t.Fatal(err)
		}
		return len(files)
	}
	over(t, "PC234 few", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 29)
		same(t, "manifests", manifests(b, b.latest().BaseManifestList), 28)
	})
	over(t, "PC235 enough", "", []string{"manifest.merge-min-count", "5"}, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1)
		b.commit(c, nil, b.add(1, 0, a))
		b.grow(c, 3)
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1)}))
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "last", 1)))
		same(t, "manifests", manifests(b, s.BaseManifestList), 1)
		same(t, "entries", b.entries(s.BaseManifestList), []string{"+f1", "+f2", "+f3", "+z"})
	})
	over(t, "PC236 a full rewrite", "parts", []string{"manifest.full-compaction-threshold-size", "1", "manifest.target-file-size", "1 b"}, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1)
		b.commit(c, nil, b.add(1, 0, a))
		b.commit(c, nil, b.add(2, 0, b.file(2, 0, "other", 1)))
		untouched, err := c.readList(t.Context(), b.latest().DeltaManifestList)
		if err != nil {
			t.Fatal(err)
		}
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{b.file(1, 0, "z", 1)}))
		s := b.commit(c, nil, b.add(1, 0, b.file(1, 0, "last", 1)))
		for _, e := range b.entries(s.BaseManifestList) {
			if strings.HasPrefix(e, "-") {
				t.Errorf("entry %s is left", e)
			}
		}
		files, _ := c.readList(t.Context(), s.BaseManifestList)
		found := false
		for _, f := range files {
			found = found || f.Name == untouched[0].Name
		}
		same(t, "the untouched manifest stays", []any{found, b.live(s)}, []any{true, []string{"last", "other", "z"}})
	})
	over(t, "PC237 a merge that fails", "", []string{"manifest.merge-min-count", "2"}, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		b.commit(c, nil, m)
		b.commit(c, nil, m)
		wantError(t, c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "b", 1))), nil), "Trying to add file")
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC238 100,000 files", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0)
		for i := range 100_000 {
			m.Data.NewFiles = append(m.Data.NewFiles, paimon.DataFile{
				Name: fmt.Sprintf("data-%032d-0.parquet", i), Size: 1, Rows: 1, MinKey: b.part(-1), MaxKey: b.part(-1), KeyStats: paimon.EmptyStats(), ValueStats: paimon.EmptyStats(),
			})
		}
		b.commit(c, nil, m)
		best := time.Hour
		for i := range 5 {
			started := time.Now()
			b.commit(c, nil, b.add(1, 0, b.file(1, 0, fmt.Sprint("f", i), 1)))
			best = min(best, time.Since(started))
		}
		if best > 150*time.Millisecond {
			t.Errorf("the best of 5 commits took %s", best)
		}
	})
}

func TestRESTCommit(t *testing.T) {
	requests := func(x *ContextBuilder) { x.UseRESTCatalogCommit(true) }
	decode := func(t *testing.T, data []byte) (r map[string]any) {
		t.Helper()
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	last := func(t *testing.T, c *Committer) map[string]any {
		t.Helper()
		data, err := c.LastCommitTableRequest()
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, data)
	}
	over(t, "PC239 nothing is published", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", requests)
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "published", []any{len(b.ids()), b.exists("snapshot/LATEST")}, []any{0, false})
		snap := last(t, c)["snapshot"].(map[string]any)
		same(t, "snapshot", []any{snap["id"], b.exists("manifest/" + snap["deltaManifestList"].(string))}, []any{1, true})
	})
	over(t, "PC240 before any commit", "", nil, func(t *testing.T, b *bench) {
		_, err := b.committer("me", requests).LastCommitTableRequest()
		wantInvalid(t, err, "Should call Commit first")
	})
	over(t, "PC241 through files", "", nil, func(t *testing.T, b *bench) {
		_, err := b.committer("me").LastCommitTableRequest()
		wantError(t, err, "do not support get last commit table request")
	})
	over(t, "PC242 PC243 ids", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", requests)
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		r := last(t, c)
		same(t, "keys", sortedKeys(r), []string{"baseSnapshotUuid", "snapshot", "statistics", "tableId"})
		same(t, "unset", []any{r["tableId"], r["baseSnapshotUuid"]}, []any{nil, nil})
		base := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "b", 1)))
		c = b.committer("me", requests, func(x *ContextBuilder) { x.WithTableID("T") })
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "c", 1))), nil); err != nil {
			t.Fatal(err)
		}
		r = last(t, c)
		same(t, "set", []any{r["tableId"], r["baseSnapshotUuid"]}, []any{"T", base.UUID})
	})
	over(t, "PC244 statistics", "parts fixed", nil, func(t *testing.T, b *bench) {
		old := b.file(2, 0, "old", 4)
		b.commit(b.committer("me"), nil, b.add(2, 0, old))
		c := b.committer("me", requests)
		gone := b.add(2, 0)
		gone.Data.DeletedFiles = []paimon.DataFile{old}
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1), b.file(1, 0, "b", 2)), gone), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "statistics", last(t, c)["statistics"], []map[string]any{
			{"spec": map[string]string{"p": "1"}, "recordCount": 3, "fileSizeInBytes": 30, "fileCount": 2, "lastFileCreationTime": 1002, "totalBuckets": 2},
			{"spec": map[string]string{"p": "2"}, "recordCount": -4, "fileSizeInBytes": -40, "fileCount": -1, "lastFileCreationTime": 1004, "totalBuckets": 2},
		})
	})
	over(t, "PC245 only the last", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me", requests)
		for _, n := range []string{"a", "b"} {
			if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, n, 1))), id(int64(n[0]))); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "identifier", last(t, c)["snapshot"].(map[string]any)["commitIdentifier"], int('b'))
	})
	over(t, "PC246 the catalog publishes", "", nil, func(t *testing.T, b *bench) {
		k := &catalogOf{manages: true}
		if err := b.committer("me", catalogs(k, "t")).Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "published", []any{len(k.sent), len(b.ids()), b.exists("snapshot/LATEST")}, []any{1, 0, false})
	})
	over(t, "PC247 the catalog says no once", "", nil, func(t *testing.T, b *bench) {
		k := &catalogOf{manages: true}
		k.answer = func([]byte) (bool, error) { return len(k.sent) == 2, nil }
		c := b.committer("me", catalogs(k, "t"))
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "attempts", []int{c.Metrics().LastCommitAttempts, len(k.sent)}, []int{2, 2})
		if string(k.sent[0]) == string(k.sent[1]) {
			t.Error("the request was sent again as it was")
		}
	})
	over(t, "PC248 the catalog fails", "", nil, func(t *testing.T, b *bench) {
		k := &catalogOf{manages: true, answer: func([]byte) (bool, error) { return false, cherr.New(cherr.NetworkError, "HTTP 500") }}
		c := b.committer("me", catalogs(k, "t"))
		err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil)
		wantError(t, err, "HTTP 500", "FilterAndCommit")
		same(t, "sent", len(k.sent), 1)
		same(t, "the request stays", last(t, c), decode(t, k.sent[0]))
	})
	over(t, "PC249 the catalog is ahead", "", nil, func(t *testing.T, b *bench) {
		base := b.commit(b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		newer := *base
		newer.ID = 7
		k := &catalogOf{manages: true, newest: &newer}
		c := b.committer("me", catalogs(k, "t"))
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "b", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "id", last(t, c)["snapshot"].(map[string]any)["id"], 8)
	})
	over(t, "PC250 a branch", "", nil, func(t *testing.T, b *bench) {
		b.write("branch/branch-dev/schema/schema-3", strings.Replace(b.text("schema/schema-0"), `"id":0`, `"id":3`, 1))
		k := &catalogOf{manages: true}
		c := b.committer("me", catalogs(k, "t$branch_dev"))
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "sent", []any{k.asked[len(k.asked)-1].Table, last(t, c)["snapshot"].(map[string]any)["schemaId"]}, []any{"t$branch_dev", 3})
	})
}

func TestCommitMetrics(t *testing.T) {
	full := func(b *bench, c *Committer) CommitMetrics {
		old := b.file(1, 0, "old", 2)
		b.commit(c, nil, b.add(1, 0, old))
		m := b.add(1, 0, b.file(1, 0, "a", 3), b.file(1, 0, "b", 4))
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 5)}
		m.Compact = CompactIncrement{
			Before: []paimon.DataFile{old}, After: []paimon.DataFile{b.file(1, 0, "z", 1)},
			ChangelogFiles: []paimon.DataFile{b.file(1, 0, "log2", 6)},
		}
		b.commit(c, nil, m, b.add(2, 0, b.file(2, 0, "c", 1)), b.add(2, 1, b.file(2, 1, "d", 1)))
		return c.Metrics()
	}
	over(t, "PC257 PC258 PC259 PC260 PC261 PC264 all figures", "parts fixed", nil, func(t *testing.T, b *bench) {
		m := full(b, b.committer("me"))
		same(t, "snapshots and files", []any{m.LastGeneratedSnapshots, m.LastTableFilesAdded, m.LastTableFilesDeleted}, []any{2, 5, 1})
		same(t, "by kind", []any{m.LastTableFilesAppended, m.LastTableFilesCommitCompacted, m.LastChangelogFilesAppended, m.LastChangelogFileCommitCompacted}, []any{4, 2, 1, 1})
		same(t, "rows", []any{m.LastDeltaRecordsAppended, m.LastChangelogRecordsAppended, m.LastDeltaRecordsCommitCompacted, m.LastChangelogRecordsCommitCompacted}, []any{9, 5, -1, 6})
		same(t, "places", []any{m.LastPartitionsWritten, m.LastBucketsWritten}, []any{2, 3})
		same(t, "compaction", []any{m.LastCompactionInputFileSize, m.LastCompactionOutputFileSize}, []any{20, 10})
		same(t, "last", []any{m.LastCommittedSnapshotID, len(m.CommitDuration)}, []any{3, 2})
	})
	over(t, "PC262 a lost race", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		at := b.clock
		c.now = func() time.Time { at = at.Add(time.Second); return at }
		b.race(1, b.otherFile)
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		if m := c.Metrics(); m.LastCommitAttempts != 2 || m.LastCommitDuration < 3*time.Second {
			t.Errorf("%+v", m)
		}
	})
	over(t, "PC263 a failed commit", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.store.beforePut = func(string) error { return errDisk }
		if err := c.Commit(t.Context(), msgs(b.add(1, 0, b.file(1, 0, "a", 1))), nil); !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		m := c.Metrics()
		same(t, "reported", []any{len(m.CommitDuration), m.LastTableFilesAdded, m.LastGeneratedSnapshots}, []any{1, 1, 0})
	})
}

func (b *bench) text(rel string) string {
	b.t.Helper()
	data, err := b.store.Store.Read(b.t.Context(), b.root+rel)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}
