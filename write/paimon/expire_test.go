package paimon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
)

// grow makes n snapshots of one file each, a minute apart.
func (b *bench) grow(c *Committer, n int) {
	for i := range n {
		b.clock = b.clock.Add(time.Minute)
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, fmt.Sprintf("f%d", i+1), 1)))
	}
}

func (b *bench) expire(c *Committer) int {
	b.t.Helper()
	n, err := c.Expire(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *bench) hint(name string) string {
	text, _ := os.ReadFile(b.root + "snapshot/" + name)
	return string(text)
}

func (b *bench) tag(name string, s *paimon.Snapshot) {
	b.t.Helper()
	text, err := s.MarshalJSON()
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("tag/tag-"+name, string(text))
}

// replaced makes snapshots 1 to 3 with one live file each: a, then b, then c.
func (b *bench) replaced(c *Committer, change ...func(*paimon.DataFile)) {
	for _, n := range []string{"a", "b", "c"} {
		if err := c.Overwrite(b.t.Context(), nil, msgs(b.add(1, 0, b.file(1, 0, n, 1, change...))), nil); err != nil {
			b.t.Fatal(err)
		}
	}
}

// last keeps the newest snapshot only.
var last = []string{"snapshot.num-retained.min", "1", "snapshot.num-retained.max", "1"}

func TestExpire(t *testing.T) {
	over(t, "PC146 no snapshot", "", nil, func(t *testing.T, b *bench) { same(t, "expired", b.expire(b.committer("me")), 0) })
	for name, x := range map[string]struct{ options, parts []string }{
		"PC147 min 0":         {[]string{"snapshot.num-retained.min", "0"}, []string{"snapshot.num-retained.min"}},
		"PC148 max below min": {[]string{"snapshot.num-retained.min", "5", "snapshot.num-retained.max", "4"}, []string{"snapshot.num-retained.min", "snapshot.num-retained.max"}},
		"PC149 limit below 0": {[]string{"snapshot.expire.limit", "-1"}, []string{"snapshot.expire.limit"}},
	} {
		over(t, name, "", x.options, func(t *testing.T, b *bench) {
			_, err := b.committer("me").Expire(t.Context())
			wantInvalid(t, err, x.parts...)
		})
	}
	over(t, "PC150 older than the retention", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 20)
		b.clock = b.clock.Add(2 * time.Hour)
		same(t, "expired", []any{b.expire(c), b.hint("EARLIEST"), b.ids()[0], len(b.live(b.latest()))}, []any{10, "11", 11, 20})
	})
	over(t, "PC151 young", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 20)
		same(t, "expired", []any{b.expire(c), len(b.ids())}, []any{0, 20})
	})
	over(t, "PC152 above the maximum", "", []string{"snapshot.num-retained.min", "5", "snapshot.num-retained.max", "5"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 20)
		same(t, "expired", []any{b.expire(c), b.ids()}, []any{15, []int{16, 17, 18, 19, 20}})
	})
	over(t, "PC153 the limit", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 70)
		b.clock = b.clock.Add(2 * time.Hour)
		same(t, "expired", []int{b.expire(c), b.expire(c)}, []int{50, 10})
	})
	over(t, "PC154 a young successor", "", []string{"snapshot.num-retained.min", "1", "snapshot.time-retained", "10 min"}, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 20)
		// 20 is now, 10 is ten minutes old: 10 is the state of ten minutes ago.
		same(t, "expired", []any{b.expire(c), b.ids()[0]}, []any{9, 10})
	})
	over(t, "PC155 no hint", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 2)
		same(t, "expired", []any{b.expire(c), b.hint("EARLIEST")}, []any{0, "1"})
	})
	over(t, "PC156 a consumer", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 10)
		b.write("consumer/consumer-x", `{"nextSnapshot": 7}`)
		same(t, "expired", []any{b.expire(c), b.ids()}, []any{6, []int{7, 8, 9, 10}})
	})
	over(t, "PC157 a consumer of changelogs", "", append([]string{"consumer.changelog-only", "true"}, last...), func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 10)
		b.write("consumer/consumer-x", `{"nextSnapshot": 7}`)
		same(t, "expired", b.expire(c), 9)
	})
	over(t, "PC158 a tag", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c)
		tagged := b.snapshot(1)
		b.tag("one", tagged)
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.exists("bucket-0/b"), b.live(tagged)}, []any{2, true, false, []string{"a"}})
	})
	over(t, "PC159 an unreadable tag", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c)
		s := b.snapshot(1)
		b.tag("one", s)
		if err := os.Remove(b.root + "manifest/" + s.DeltaManifestList); err != nil {
			t.Fatal(err)
		}
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.exists("bucket-0/b")}, []any{2, true, true})
	})
	over(t, "PC160 deleted and added again", "", last, func(t *testing.T, b *bench) {
		c, a := b.committer("me"), b.file(1, 0, "a", 1)
		b.commit(c, nil, b.add(1, 0, a))
		b.commit(c, nil, b.compact(1, 0, []paimon.DataFile{a}, []paimon.DataFile{a}))
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.live(b.latest())}, []any{1, true, []string{"a"}})
	})
	over(t, "PC161 PC131 deleted files go", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c, extra("x.index"))
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.exists("bucket-0/b"), b.exists("bucket-0/c"), b.exists("bucket-0/x.index")}, []any{2, false, false, true, true})
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC162 needed again after a rollback", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c, extra("x.index"))
		if ok, err := c.RollbackToAsLatest(t.Context(), 1); !ok || err != nil {
			t.Fatal(err)
		}
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.exists("bucket-0/x.index"), b.exists("bucket-0/b"), b.live(b.latest())}, []any{3, true, true, false, []string{"a"}})
	})
	logged := func(b *bench, c *Committer) {
		for i := range 3 {
			m := b.add(1, 0, b.file(1, 0, fmt.Sprintf("f%d", i+1), 1))
			m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, fmt.Sprintf("log%d", i+1), 1)}
			b.commit(c, nil, m)
		}
	}
	over(t, "PC163 changelog files", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		logged(b, c)
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/log1"), b.exists("bucket-0/log2"), b.exists("bucket-0/log3"), b.exists("bucket-0/f1")}, []any{2, false, false, true, true})
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC164 changelogs that live longer", "", append([]string{"changelog.time-retained", "1 d", "changelog.num-retained.max", "2147483647"}, last...), func(t *testing.T, b *bench) {
		c := b.committer("me")
		logged(b, c)
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/log1"), b.exists("changelog/changelog-1")}, []any{2, true, true})
		s, err := b.dir.Changelog(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "its changelog", b.entries(s.ChangelogManifestList), []string{"+log1"})
	})
	over(t, "PC165 index files", "key", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		for _, n := range []string{"1", "2"} {
			m := b.add(1, 0, b.file(1, 0, "f"+n, 1, keys(1, 1, 0)))
			m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h"+n)}
			b.commit(c, nil, m)
		}
		same(t, "expired", []any{b.expire(c), b.exists("index/h1"), b.exists("index/h2"), b.index(b.latest())}, []any{1, false, true, []string{"h2"}})
		same(t, "orphans", b.orphans(), nil)
	})
	over(t, "PC166 offsets files", "", append([]string{"realtime.enabled", "true"}, last...), func(t *testing.T, b *bench) {
		c := b.committer("me")
		for i := range 2 {
			b.progress(c, int64(i+1), b.at(0, int64(10*i), int64(10*i+10)))
		}
		same(t, "expired", []any{b.expire(c), b.orphans()}, []any{1, []string(nil)})
	})
	over(t, "PC167 statistics", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.grow(c, 1)
		for _, n := range []string{"1", "2"} {
			b.write("statistics/s"+n, "{}")
			if err := c.Analyze(t.Context(), "s"+n, nil); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "expired", []any{b.expire(c), b.exists("statistics/s1"), b.exists("statistics/s2")}, []any{2, false, true})
	})
	over(t, "PC168 empty folders", "parts", append([]string{"snapshot.clean-empty-directories", "true"}, last...), func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "a", 1)), b.add(2, 0, b.file(2, 0, "b", 1)))
		if err := c.DropPartition(t.Context(), []Spec{{"p": "1"}}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "expired", []any{b.expire(c), b.exists("p=1"), b.exists("p=2/bucket-0/b")}, []any{1, false, true})
	})
	t.Run("PC169 branches", func(t *testing.T) {
		b := newTable(t, "", last...)
		c := b.committer("me")
		b.replaced(c)
		text, _ := os.ReadFile(b.root + "snapshot/snapshot-1")
		schema, _ := os.ReadFile(b.root + "schema/schema-0")
		b.write("branch/branch-dev/snapshot/snapshot-1", string(text))
		b.write("branch/branch-dev/schema/schema-0", string(schema))
		same(t, "expired", []any{b.expire(c), b.exists("bucket-0/a"), b.exists("bucket-0/b")}, []any{2, true, false})
		s, err := b.dir.On("dev").Snapshot(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the branch", b.live(s), []string{"a"})
		if _, err := b.committer("me", option("branch", "dev")).Expire(t.Context()); !cherr.Is(err, cherr.NotImplemented) {
			t.Error(err)
		}
	})
	over(t, "PC170 a catalog elsewhere", "", last, func(t *testing.T, b *bench) {
		b.grow(b.committer("me"), 3)
		c := b.committer("me", catalogs(&catalogOf{manages: true, newest: paimon.NewSnapshot(9)}, "t"))
		n, err := c.Expire(t.Context())
		if n != 0 || !cherr.Is(err, cherr.NotImplemented) || len(b.ids()) != 3 {
			t.Errorf("%d %v", n, err)
		}
	})
	over(t, "PC171 deletes that fail", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c)
		for k := 1; ; k++ {
			left := k
			b.store.onDelete = func(string) error {
				if left--; left == 0 {
					return errDisk
				}
				return nil
			}
			_, err := c.Expire(t.Context())
			same(t, "the retained snapshot", b.live(b.latest()), []string{"c"})
			if err == nil {
				break
			}
		}
		same(t, "end", []any{b.ids(), b.exists("bucket-0/a"), b.exists("bucket-0/b"), b.orphans()}, []any{[]int{3}, false, false, []string(nil)})
	})
	over(t, "PC172 a reader", "", last, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.replaced(c)
		s := b.latest()
		b.store.onDelete = func(string) error {
			same(t, "rows while it expires", b.live(s), []string{"c"})
			return nil
		}
		b.expire(c)
		if _, err := filepath.Glob(b.root + "bucket-0/c"); err != nil || !b.exists("bucket-0/c") {
			t.Error("the reader's file is gone")
		}
	})
}

// at is progress of a bucket of a table without partitions, with a file.
func (b *bench) at(bucket int, begin, end int64) Progress {
	return Progress{Message: b.add(0, bucket, b.file(0, bucket, fmt.Sprintf("d%d-%d-%d", bucket, begin, end), end-begin)), Partition: map[string]string{}, Bucket: bucket, Begin: begin, End: end}
}

func (b *bench) progress(c *Committer, n int64, list ...Progress) int64 {
	b.t.Helper()
	id, err := c.CommitWithProgress(b.t.Context(), list, id(n))
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// ends gives "partition bucket" → committed end of the latest snapshot.
func (b *bench) ends() map[string]int64 {
	b.t.Helper()
	known, err := b.reader().readOffsets(b.t.Context(), b.latest())
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]int64{}
	for _, o := range known {
		out[fmt.Sprint(o.Partition["p"], " ", o.Bucket)] = o.Offset
	}
	return out
}

var realtime = []string{"realtime.enabled", "true"}

func TestCommitWithProgress(t *testing.T) {
	over(t, "PC173 not enabled", "fixed", nil, func(t *testing.T, b *bench) {
		_, err := b.committer("me").CommitWithProgress(t.Context(), []Progress{b.at(0, 0, 10)}, nil)
		wantInvalid(t, err, "requires realtime.enabled")
	})
	refuse := func(name string, list func(b *bench) []Progress, parts ...string) {
		over(t, name, "fixed", realtime, func(t *testing.T, b *bench) {
			_, err := b.committer("me").CommitWithProgress(t.Context(), list(b), id(1))
			wantInvalid(t, err, parts...)
			same(t, "snapshots", len(b.ids()), 0)
		})
	}
	refuse("PC174 an empty list", func(*bench) []Progress { return nil }, "empty")
	refuse("PC174 no message", func(*bench) []Progress { return []Progress{{End: 1}} }, "no commit message")
	refuse("PC175 another bucket", func(b *bench) []Progress { p := b.at(0, 0, 1); p.Bucket = 1; return []Progress{p} }, "bucket 1", "bucket 0")
	refuse("PC175 another partition", func(b *bench) []Progress {
		p := b.at(0, 0, 1)
		p.Partition = map[string]string{"p": "1"}
		return []Progress{p}
	}, "partition")
	over(t, "PC176 two ranges", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		same(t, "snapshot", []any{b.progress(c, 1, b.at(0, 10, 20), b.at(0, 0, 10)), b.ends()}, []any{1, map[string]int{" 0": 20}})
	})
	refuse("PC177 overlapping ranges", func(b *bench) []Progress { return []Progress{b.at(0, 0, 10), b.at(0, 5, 20)} }, "overlap")
	over(t, "PC178 a gap", "fixed", realtime, func(t *testing.T, b *bench) {
		b.progress(b.committer("me"), 1, b.at(0, 0, 10), b.at(0, 15, 20))
		same(t, "ends", b.ends(), map[string]int64{" 0": 20})
	})
	refuse("PC179 negative begin", func(b *bench) []Progress { p := b.at(0, 0, 1); p.Begin = -1; return []Progress{p} }, "not a range")
	refuse("PC179 empty range", func(b *bench) []Progress { p := b.at(0, 0, 1); p.Begin = 1; return []Progress{p} }, "not a range")
	refuse("PC179 negative bucket", func(b *bench) []Progress { p := b.at(0, 0, 1); p.Bucket = -1; return []Progress{p} }, "not a range")
	over(t, "PC180 further", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.progress(c, 1, b.at(0, 0, 10), b.at(1, 0, 5))
		b.progress(c, 2, b.at(0, 10, 20))
		same(t, "ends", b.ends(), map[string]int64{" 0": 20, " 1": 5})
	})
	later := func(name, user string, n int64, list func(b *bench) []Progress, parts ...string) {
		over(t, name, "fixed", realtime, func(t *testing.T, b *bench) {
			b.progress(b.committer("me"), 1, b.at(0, 0, 10))
			_, err := b.committer(user).CommitWithProgress(t.Context(), list(b), id(n))
			wantInvalid(t, err, parts...)
			same(t, "snapshots", len(b.ids()), 1)
		})
	}
	later("PC181 partial overlap", "me", 2, func(b *bench) []Progress { return []Progress{b.at(0, 5, 20)} }, "partially overlaps")
	later("PC182 covered and pending", "me", 2, func(b *bench) []Progress { return []Progress{b.at(0, 0, 10), b.at(1, 0, 10)} }, "only partially covered")
	later("PC184 a known identifier", "me", 1, func(b *bench) []Progress { return []Progress{b.at(0, 10, 20)} }, "identifier 1 was committed without the requested offset ranges")
	later("PC185 covered by others", "you", 2, func(b *bench) []Progress { return []Progress{b.at(0, 0, 10)} }, "committed by another commit user or identifier")
	over(t, "PC183 again", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		list := []Progress{b.at(0, 0, 10)}
		b.progress(c, 1, list...)
		b.store.puts = nil
		same(t, "again", []any{b.progress(c, 1, list...), len(b.ids()), len(b.store.puts)}, []any{1, 1, 0})
	})
	over(t, "PC186 no files", "fixed", realtime, func(t *testing.T, b *bench) {
		p := Progress{Message: b.add(0, 0), Partition: map[string]string{}, Begin: 0, End: 10}
		same(t, "snapshot", []any{b.progress(b.committer("me"), 1, p), b.ends()}, []any{1, map[string]int{" 0": 10}})
	})
	over(t, "PC187 with a compaction", "fixed", realtime, func(t *testing.T, b *bench) {
		p := b.at(0, 0, 10)
		p.Message.Compact.After = []paimon.DataFile{b.file(0, 0, "z", 1, compacted)}
		same(t, "snapshot", []any{b.progress(b.committer("me"), 1, p), b.latest().CommitKind}, []any{2, "COMPACT"})
	})
	over(t, "PC188 the file", "parts fixed", realtime, func(t *testing.T, b *bench) {
		at := func(p, bucket int) Progress {
			return Progress{Message: b.add(p, bucket, b.file(p, bucket, fmt.Sprint(p, bucket), 1)), Partition: map[string]string{"p": fmt.Sprint(p)}, Bucket: bucket, End: 10}
		}
		b.progress(b.committer("me"), 1, at(2, 0), at(1, 1), at(1, 0))
		name := b.latest().Properties[offsetsProperty]
		text, _ := os.ReadFile(b.root + name)
		want := `{
    "version": 1,
    "offsets": [
        {
            "partition": {
                "p": "1"
            },
            "bucket": 0,
            "offset": 10
        },
        {
            "partition": {
                "p": "1"
            },
            "bucket": 1,
            "offset": 10
        },
        {
            "partition": {
                "p": "2"
            },
            "bucket": 0,
            "offset": 10
        }
    ]
}`
		if string(text) != want || !strings.HasPrefix(name, "metadata/") || !strings.HasSuffix(name, ".offsets") {
			t.Errorf("%s: %s", name, text)
		}
	})
	over(t, "PC189 not published", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.progress(c, 1, b.at(0, 0, 10))
		b.store.beforePut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-2") {
				same(t, "what readers see", b.ends(), map[string]int64{" 0": 10})
				return errDisk
			}
			return nil
		}
		_, err := c.CommitWithProgress(t.Context(), []Progress{b.at(0, 10, 20)}, id(2))
		wantError(t, err)
		same(t, "what readers see", b.ends(), map[string]int64{" 0": 10})
	})
	over(t, "PC190 a lost race", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.race(1, b.otherFile)
		b.progress(c, 1, b.at(0, 0, 10))
		same(t, "end", []any{b.latest().ID, b.orphans(), b.ends()}, []any{2, []string(nil), map[string]int{" 0": 10}})
	})
	over(t, "PC191 a race for the same bucket", "fixed", realtime, func(t *testing.T, b *bench) {
		c, plain := b.committer("me"), *b
		plain.store = &hooked{Store: b.store.Store}
		other, list, done := plain.committer("you"), []Progress{b.at(0, 0, 10)}, false
		b.store.beforePut = func(path string) error {
			if strings.HasSuffix(path, "snapshot-1") && !done {
				done = true
				plain.progress(other, 1, list...)
			}
			return nil
		}
		_, err := c.CommitWithProgress(t.Context(), list, id(1))
		wantInvalid(t, err, "committed by another commit user or identifier")
		same(t, "end", []any{len(b.ids()), b.orphans(), b.ends()}, []any{1, []string(nil), map[string]int{" 0": 10}})
	})
	over(t, "PC192 a lost file", "fixed", realtime, func(t *testing.T, b *bench) {
		p := b.at(0, 0, 10)
		if err := os.Remove(b.root + "bucket-0/d0-0-10"); err != nil {
			t.Fatal(err)
		}
		_, err := b.committer("me").CommitWithProgress(t.Context(), []Progress{p}, id(1))
		wantInvalid(t, err, "Cannot recover from this checkpoint because some files")
		same(t, "snapshots", len(b.ids()), 0)
	})
	over(t, "PC193 PC194 carried on, and removed", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.progress(c, 1, b.at(0, 0, 10))
		name := b.latest().Properties[offsetsProperty]
		same(t, "carried", b.commit(c, nil, b.add(0, 0, b.file(0, 0, "x", 1))).Properties[offsetsProperty], name)
		if err := c.Overwrite(t.Context(), nil, msgs(b.add(0, 0, b.file(0, 0, "y", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "removed", b.latest().Properties, nil)
		if ok, err := c.RollbackToAsLatest(t.Context(), 1); !ok || err != nil {
			t.Fatal(err)
		}
		same(t, "PC196", b.latest().Properties[offsetsProperty], name)
	})
	over(t, "PC195 by partition", "parts fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		at := func(p int) Progress {
			return Progress{Message: b.add(p, 0, b.file(p, 0, fmt.Sprint("d", p), 1)), Partition: map[string]string{"p": fmt.Sprint(p)}, End: 10}
		}
		b.progress(c, 1, at(1), at(2), at(3))
		if err := c.Overwrite(t.Context(), nil, msgs(b.add(1, 0, b.file(1, 0, "y", 1))), nil); err != nil {
			t.Fatal(err)
		}
		same(t, "overwritten", b.ends(), map[string]int64{"2 0": 10, "3 0": 10})
		if err := c.DropPartition(t.Context(), []Spec{{"p": "2"}}, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "dropped", b.ends(), map[string]int64{"3 0": 10})
	})
	over(t, "PC196 rolled back", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.progress(c, 1, b.at(0, 0, 10))
		b.progress(c, 2, b.at(0, 10, 20))
		if ok, err := c.RollbackToAsLatest(t.Context(), 1); !ok || err != nil {
			t.Fatal(err)
		}
		same(t, "ends", b.ends(), map[string]int64{" 0": 10})
	})
	t.Run("PC197 a bad file", func(t *testing.T) {
		for _, text := range []string{
			`{"version":2,"offsets":[]}`, `{"version":1}`, `{"version":1,"offsets":[{"bucket":0,"offset":1}]}`,
			`{"version":1,"offsets":[{"partition":{},"bucket":-1,"offset":1}]}`, `{"version":1,"offsets":[{"partition":{},"bucket":0,"offset":-1}]}`,
			`{"version":1,"offsets":[{"partition":{},"bucket":0,"offset":1},{"partition":{},"bucket":0,"offset":2}]}`, `{"version":1,"offsets":[{"partition":{"p":1},"bucket":0,"offset":1}]}`, `no`,
		} {
			b := newTable(t, "fixed", realtime...)
			c := b.committer("me")
			b.progress(c, 1, b.at(0, 0, 10))
			b.write(b.latest().Properties[offsetsProperty], text)
			_, err := c.CommitWithProgress(t.Context(), []Progress{b.at(0, 10, 20)}, id(2))
			wantInvalid(t, err)
			same(t, "snapshots", len(b.ids()), 1)
		}
	})
	over(t, "PC198 replay", "fixed", realtime, func(t *testing.T, b *bench) {
		c := b.committer("me")
		for k := 1; k < 40; k++ {
			// A writer that fails at every k-th step reads the offsets and sends the rest again.
			begin := b.endOf(" 0")
			left := k%7 + 1
			b.store.beforePut = func(string) error {
				if left--; left == 0 {
					return errDisk
				}
				return nil
			}
			_, _ = c.CommitWithProgress(context.WithoutCancel(t.Context()), []Progress{b.at(0, begin, begin+10)}, id(int64(k)))
			b.store.beforePut = nil
		}
		rows := int64(0)
		for _, e := range b.liveEntries() {
			rows += e.File.Rows
		}
		same(t, "rows", rows, b.endOf(" 0"))
		if rows == 0 {
			t.Error("nothing was committed at all")
		}
	})
}

func (b *bench) endOf(place string) int64 {
	if len(b.ids()) == 0 {
		return 0
	}
	return b.ends()[place]
}

func (b *bench) liveEntries() []paimon.Entry {
	b.t.Helper()
	out, err := b.reader().liveOf(b.t.Context(), b.latest())
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}
