package paimon

import (
	"os"
	"strings"
	"testing"

	"lakeserver/metadata/paimon"
)

func TestOverwrite(t *testing.T) {
	two := func(b *bench, c *Committer) {
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "one", 1)), b.add(2, 0, b.file(2, 0, "two", 1)))
	}
	overwrite := func(b *bench, c *Committer, spec Spec, m ...*Message) *paimon.Snapshot {
		b.t.Helper()
		if err := c.Overwrite(b.t.Context(), spec, msgs(m...), nil); err != nil {
			b.t.Fatal(err)
		}
		return b.latest()
	}
	over(t, "PC104 dynamic", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		s := overwrite(b, c, nil, b.add(1, 0, b.file(1, 0, "new", 1)))
		same(t, "snapshot", []any{s.ID, s.CommitKind, b.live(s)}, []any{2, "OVERWRITE", []string{"new", "two"}})
	})
	over(t, "PC105 dynamic without files", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		s := overwrite(b, c, Spec{"p": "1"})
		same(t, "snapshot", []any{s.ID, b.live(s)}, []any{1, []string{"one", "two"}})
	})
	static := []string{"dynamic-partition-overwrite", "false"}
	over(t, "PC106 static", "parts", static, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		same(t, "files", b.live(overwrite(b, c, Spec{"p": "1"}, b.add(1, 0, b.file(1, 0, "new", 1)))), []string{"new", "two"})
		same(t, "files", b.live(overwrite(b, c, Spec{"p": "1"})), []string{"two"})
	})
	over(t, "PC107 outside of the spec", "parts", static, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		wantInvalid(t, c.Overwrite(t.Context(), Spec{"p": "1"}, msgs(b.add(2, 0, b.file(2, 0, "new", 1))), nil), "does not belong to this partition")
		same(t, "snapshots", len(b.ids()), 1)
	})
	over(t, "PC108 static, the whole table", "parts", static, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		same(t, "files", b.live(overwrite(b, c, nil, b.add(3, 0, b.file(3, 0, "new", 1)))), []string{"new"})
	})
	t.Run("PC109 PC128 a partial spec", func(t *testing.T) {
		b := newTable(t, "", static...)
		b.write("schema/schema-0", `{"version":3,"id":0,"fields":[{"id":0,"name":"p","type":"INT"},{"id":1,"name":"q","type":"INT"},{"id":2,"name":"v","type":"STRING"}],`+
			`"highestFieldId":9,"partitionKeys":["p","q"],"primaryKeys":[],"options":{"bucket":"-1","dynamic-partition-overwrite":"false"},"timeMillis":1}`)
		add := func(p, q int32, name string) *Message {
			b.write(strings.Join([]string{"p=", string('0' + p), "/q=", string('0' + q), "/bucket-0/", name}, ""), "data")
			m := b.add(0, 0, b.file(0, 0, name, 1))
			m.Partition = paimon.EncodeRow([]any{p, q}, []*paimon.Type{{Kind: paimon.Int}, {Kind: paimon.Int}})
			return m
		}
		c := b.committer("me")
		b.commit(c, nil, add(1, 1, "a"), add(1, 2, "b"), add(2, 1, "c"))
		same(t, "overwritten", b.live(overwrite(b, c, Spec{"p": "1"}, add(1, 3, "d"))), []string{"c", "d"})
		if err := c.DropPartition(t.Context(), []Spec{{"q": "1"}}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "dropped", b.live(b.latest()), []string{"d"})
		wantInvalid(t, c.DropPartition(t.Context(), []Spec{{"v": "1"}}, nil), "not a partition column")
	})
	over(t, "PC110 without partitions", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		same(t, "files", b.live(overwrite(b, c, nil, b.add(1, 0, b.file(1, 0, "b", 1)))), []string{"b"})
	})
	over(t, "PC111 changelog files", "", nil, func(t *testing.T, b *bench) {
		var warned []string
		c := b.committer("me").WithWarnings(func(text string) { warned = append(warned, text) })
		m := b.add(1, 0, b.file(1, 0, "b", 1))
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 1)}
		s := overwrite(b, c, nil, m)
		if s.ChangelogManifestList != "" || len(warned) != 1 || !strings.Contains(warned[0], "changelog files are ignored") {
			t.Errorf("%+v, %q", s, warned)
		}
	})
	over(t, "PC112 a race", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, c)
		b.race(1, b.otherFile)
		same(t, "files", b.live(overwrite(b, c, nil, b.add(1, 0, b.file(1, 0, "new", 1)))), []string{"new", "two"})
	})
	over(t, "PC113 index files", "parts key", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		indexed := func(p int, file, index string) *Message {
			m := b.add(p, 0, b.file(p, 0, file, 1, keys(1, 1, 0)))
			m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, index)}
			return m
		}
		b.commit(c, nil, indexed(1, "one", "h1"), indexed(2, "two", "h2"))
		same(t, "index files", b.index(overwrite(b, c, nil, indexed(1, "new", "h3"))), []string{"h2", "h3"})
	})
	over(t, "PC114 a live file", "parts", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		b.commit(c, nil, m)
		wantError(t, c.Overwrite(t.Context(), nil, msgs(m), nil), "Trying to add file")
	})
	over(t, "PC115 base and delta", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		s := overwrite(b, c, nil, b.add(1, 0, b.file(1, 0, "b", 1)))
		same(t, "base", b.entries(s.BaseManifestList), []string{"+a"})
		same(t, "delta", b.entries(s.DeltaManifestList), []string{"-a", "+b"})
	})
	levels := func(b *bench, s *paimon.Snapshot) map[string]int {
		out := map[string]int{}
		for _, e := range b.raw(s.DeltaManifestList) {
			if e.Kind == paimon.Add {
				out[e.File.Name] = e.File.Level
			}
		}
		return out
	}
	over(t, "PC116 upgraded files", "key", nil, func(t *testing.T, b *bench) {
		s := overwrite(b, b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 1, keys(1, 5, 0)), b.file(1, 0, "b", 1, keys(6, 9, 0))))
		same(t, "levels", levels(b, s), map[string]int{"a": 5, "b": 5})
	})
	t.Run("PC117 not upgraded files", func(t *testing.T) {
		for what, x := range map[string]struct {
			kind    string
			options []string
			bucket  int
			change  func(*paimon.DataFile)
			second  func(*paimon.DataFile)
			want    int
		}{
			"overlap":  {"key", nil, 0, keys(1, 5, 0), keys(5, 9, 0), 0},
			"level":    {"key", nil, 0, keys(1, 5, 1), keys(6, 9, 1), 1},
			"postpone": {"key", []string{"bucket", "-2"}, -2, keys(1, 5, 0), keys(6, 9, 0), 0},
			"option":   {"key", []string{"overwrite-upgrade", "false"}, 0, keys(1, 5, 0), keys(6, 9, 0), 0},
			"append":   {"", nil, 0, func(*paimon.DataFile) {}, func(*paimon.DataFile) {}, 0},
		} {
			b := newTable(t, x.kind, x.options...)
			s := overwrite(b, b.committer("me"), nil, b.add(1, x.bucket, b.file(1, x.bucket, "a", 1, x.change), b.file(1, x.bucket, "b", 1, x.second)))
			same(t, what, levels(b, s), map[string]int{"a": x.want, "b": x.want})
		}
	})
	over(t, "PC118 by bucket", "key", nil, func(t *testing.T, b *bench) {
		s := overwrite(b, b.committer("me"), nil, b.add(1, 0, b.file(1, 0, "a", 1, keys(1, 5, 0)), b.file(1, 0, "b", 1, keys(5, 9, 0))), b.add(1, 1, b.file(1, 1, "c", 1, keys(1, 9, 0))))
		same(t, "levels", levels(b, s), map[string]int{"a": 0, "b": 0, "c": 5})
	})
	over(t, "PC119 with a compaction", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		m.Compact.After = []paimon.DataFile{b.file(1, 0, "z", 1)}
		overwrite(b, c, nil, m)
		same(t, "kinds", []any{b.snapshot(1).CommitKind, b.snapshot(2).CommitKind}, []any{"OVERWRITE", "COMPACT"})
	})
	over(t, "PC120 a compaction only, dynamic", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		overwrite(b, c, nil, b.compact(1, 0, nil, []paimon.DataFile{b.file(1, 0, "z", 1)}))
		same(t, "snapshot", []any{len(b.ids()), b.snapshot(1).CommitKind}, []any{1, "COMPACT"})
	})
	over(t, "PC121 rescaling", "fixed", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)))
		m := b.add(1, 2, b.file(1, 2, "b", 1))
		m.TotalBuckets = ptr(3)
		same(t, "files", b.live(overwrite(b, c, nil, m)), []string{"b"})
	})
	over(t, "PC122 properties", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		if err := c.Overwrite(t.Context(), nil, msgs(b.add(1, 0, b.file(1, 0, "a", 1))), &CommitOptions{Properties: map[string]string{"x": "y"}}); err != nil {
			t.Fatal(err)
		}
		same(t, "properties", b.latest().Properties, map[string]string{"x": "y"})
	})
	over(t, "PC123 PC124 PC125 filtered", "parts", []string{"dynamic-partition-overwrite", "false"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		two(b, b.committer("other"))
		x := b.committable(3, b.add(1, 0, b.file(1, 0, "new", 1)))
		for i, want := range []int{1, 0} {
			n, err := c.FilterAndOverwrite(t.Context(), Spec{"p": "1"}, x)
			if err != nil || n != want {
				t.Fatalf("call %d: %d %v", i, n, err)
			}
			m := c.Metrics()
			same(t, "attempts and snapshots", []int{m.LastCommitAttempts, m.LastGeneratedSnapshots, len(b.ids())}, []int{1, want, 2})
		}
		same(t, "files", b.live(b.latest()), []string{"new", "two"})
	})
}

func TestDropPartition(t *testing.T) {
	over(t, "PC126 no specs", "parts", nil, func(t *testing.T, b *bench) {
		wantInvalid(t, b.committer("me").DropPartition(t.Context(), nil, nil), "partitions list cannot be empty")
	})
	three := func(b *bench, c *Committer) {
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1), b.file(1, 0, "b", 1)), b.add(2, 0, b.file(2, 0, "c", 1)), b.add(3, 0, b.file(3, 0, "d", 1)))
	}
	over(t, "PC127 PC130 two partitions", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		three(b, c)
		o := watermark(77)
		o.Identifier = ptr(int64(5))
		if err := c.DropPartition(t.Context(), []Spec{{"p": "1"}, {"p": "2"}}, o); err != nil {
			t.Fatal(err)
		}
		s := b.latest()
		same(t, "snapshot", []any{s.ID, s.CommitKind, s.CommitIdentifier, *s.Watermark, b.entries(s.DeltaManifestList)}, []any{2, "OVERWRITE", 5, 77, []string{"-a", "-b", "-c"}})
	})
	over(t, "PC129 nothing matches", "parts", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		three(b, c)
		if err := c.DropPartition(t.Context(), []Spec{{"p": "9"}}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "files", b.live(b.latest()), []string{"a", "b", "c", "d"})
	})
	over(t, "PC131 and then expiry", "parts", []string{"snapshot.num-retained.min", "1", "snapshot.num-retained.max", "1"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		three(b, c)
		if err := c.DropPartition(t.Context(), []Spec{{"p": "1"}}, nil); err != nil {
			t.Fatal(err)
		}
		n, err := c.Expire(t.Context())
		hint, _ := os.ReadFile(b.root + "snapshot/EARLIEST")
		same(t, "expired", []any{n, err, string(hint), b.exists("p=1/bucket-0/a"), b.exists("p=2/bucket-0/c")}, []any{1, nil, "2", false, true})
		same(t, "orphans", b.orphans(), nil)
	})
}

func TestTruncateTable(t *testing.T) {
	over(t, "PC132 rows", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 5)))
		if err := c.TruncateTable(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		s := b.latest()
		same(t, "snapshot", []any{s.CommitKind, *s.TotalRecordCount, b.live(s), b.live(b.snapshot(1))}, []any{"OVERWRITE", 0, []string{}, []string{"a"}})
	})
	over(t, "PC133 none", "", nil, func(t *testing.T, b *bench) {
		if err := b.committer("me").TruncateTable(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "snapshot", []any{b.latest().CommitKind, *b.latest().DeltaRecordCount}, []any{"OVERWRITE", 0})
	})
	over(t, "PC134 index files", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 5))
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h")}
		b.commit(c, nil, m)
		if err := c.TruncateTable(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "index files", b.index(b.latest()), []string{})
	})
}

func TestRollbackToAsLatest(t *testing.T) {
	four := func(b *bench, c *Committer) {
		for _, n := range []string{"1", "2", "3", "4"} {
			b.commit(c, nil, b.add(1, 0, b.file(1, 0, n, 1)))
		}
	}
	back := func(b *bench, c *Committer, to int64) *paimon.Snapshot {
		b.t.Helper()
		if ok, err := c.RollbackToAsLatest(b.t.Context(), to); err != nil || !ok {
			b.t.Fatal(ok, err)
		}
		return b.latest()
	}
	over(t, "PC135 PC137 PC138 PC141 back by two", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		four(b, c)
		s := back(b, c, 2)
		same(t, "snapshot", []any{s.ID, s.CommitKind, b.live(s), b.ids()}, []any{5, "OVERWRITE", []string{"1", "2"}, []int{1, 2, 3, 4, 5}})
		same(t, "counts", []int64{*s.TotalRecordCount, *s.DeltaRecordCount}, []int64{2, -2})
		same(t, "base", b.entries(s.BaseManifestList), []string{"+1", "+2", "+3", "+4"})
		same(t, "delta", b.entries(s.DeltaManifestList), []string{"-3", "-4"})
		same(t, "identifier", []any{s.CommitIdentifier, s.ChangelogManifestList}, []any{int64(paimon.BatchIdentifier), ""})
		same(t, "forth again", b.live(back(b, c, 4)), []string{"1", "2", "3", "4"})
	})
	over(t, "PC136 what the target had", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h")}
		o := watermark(5)
		o.Properties = map[string]string{"x": "y"}
		b.commit(c, o, m)
		b.newSchema(1)
		b.commit(c, watermark(9), b.add(1, 0, b.file(1, 0, "b", 1)))
		s, first := back(b, c, 1), b.snapshot(1)
		same(t, "snapshot", []any{s.SchemaID, s.IndexManifest, *s.Watermark, s.Properties}, []any{0, first.IndexManifest, 5, first.Properties})
	})
	over(t, "PC139 row ids", "", []string{"row-tracking.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		four(b, c)
		same(t, "next", *back(b, c, 1).NextRowID, 4)
	})
	over(t, "PC140 vectors only", "", []string{"deletion-vectors.enabled", "true"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 3)))
		m := b.add(1, 0)
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexDeletionVectors, "dv", "a")}
		b.commit(c, nil, m)
		s := back(b, c, 1)
		same(t, "snapshot", []any{*s.DeltaRecordCount, s.IndexManifest}, []any{0, ""})
	})
	over(t, "PC142 a race", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		four(b, c)
		b.race(1, b.otherFile)
		ok, err := c.RollbackToAsLatest(t.Context(), 1)
		same(t, "done", []any{ok, err, b.latest().CommitUser}, []any{false, nil, "other"})
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC143 no snapshot", "", nil, func(t *testing.T, b *bench) {
		_, err := b.committer("me").RollbackToAsLatest(t.Context(), 1)
		wantInvalid(t, err, "Latest snapshot is null")
	})
	over(t, "PC144 no target", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		four(b, c)
		_, err := c.RollbackToAsLatest(t.Context(), 9)
		wantInvalid(t, err, "snapshot 9", "does not exist")
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC145 as a request", "", nil, func(t *testing.T, b *bench) {
		four(b, b.committer("me"))
		c := b.committer("me", func(x *ContextBuilder) { x.UseRESTCatalogCommit(true) })
		ok, err := c.RollbackToAsLatest(t.Context(), 1)
		r, err2 := c.LastCommitTableRequest()
		if !ok || err != nil || err2 != nil || !strings.Contains(string(r), `"id": 5`) || len(b.ids()) != 4 {
			t.Errorf("%v %v %v %s", ok, err, err2, r)
		}
	})
}
