package paimon

import (
	"os"
	"strings"
	"testing"

	"lakeserver/metadata/paimon"
)

func (b *bench) committable(n int64, m ...*Message) Committable {
	return Committable{Identifier: n, Messages: msgs(m...)}
}

func TestFilterAndCommit(t *testing.T) {
	over(t, "PC090 known and new", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		one := b.add(1, 0, b.file(1, 0, "1", 1))
		b.commit(c, id(1), one)
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(1, one), b.committable(2, b.add(1, 0, b.file(1, 0, "2", 1))), b.committable(3, b.add(1, 0, b.file(1, 0, "3", 1)))})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "committed", []any{n, b.snapshot(2).CommitIdentifier, b.snapshot(3).CommitIdentifier, len(b.ids())}, []any{2, 2, 3, 3})
	})
	over(t, "PC091 all known", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		one := b.add(1, 0, b.file(1, 0, "1", 1))
		b.commit(c, id(5), one)
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(4, one), b.committable(5, one)})
		same(t, "committed", []any{n, err, len(b.ids())}, []any{0, nil, 1})
	})
	over(t, "PC092 none", "", nil, func(t *testing.T, b *bench) {
		n, err := b.committer("me").FilterAndCommit(t.Context(), nil)
		same(t, "committed", []any{n, err, len(b.ids())}, []any{0, nil, 0})
	})
	over(t, "PC093 unsorted", "", nil, func(t *testing.T, b *bench) {
		for _, order := range [][]int64{{2, 1}, {1, 1}} {
			_, err := b.committer("me").FilterAndCommit(t.Context(), []Committable{b.committable(order[0]), b.committable(order[1])})
			wantInvalid(t, err, "Committables must be sorted")
		}
	})
	over(t, "PC094 another user between", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "1", 1))
		b.commit(c, id(5), m)
		b.commit(b.committer("other"), id(99), b.add(1, 0, b.file(1, 0, "x", 1)))
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(5, m), b.committable(6, b.add(1, 0, b.file(1, 0, "2", 1)))})
		same(t, "committed", []any{n, err, b.latest().CommitIdentifier}, []any{1, nil, 6})
	})
	over(t, "PC095 after a batch", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		b.commit(c, nil, b.add(1, 0, b.file(1, 0, "1", 1)))
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(1, b.add(1, 0, b.file(1, 0, "2", 1)))})
		same(t, "committed", []any{n, err}, []any{0, nil})
	})
	lose := func(b *bench, rel string) {
		if err := os.Remove(b.root + rel); err != nil {
			b.t.Fatal(err)
		}
	}
	over(t, "PC096 a lost file", "", nil, func(t *testing.T, b *bench) {
		m := b.add(1, 0, b.file(1, 0, "a", 1))
		lose(b, "bucket-0/a")
		_, err := b.committer("me").FilterAndCommit(t.Context(), []Committable{b.committable(1, m)})
		wantInvalid(t, err, "Cannot recover from this checkpoint because some files", "bucket-0/a")
		same(t, "snapshots", len(b.ids()), 0)
	})
	t.Run("PC097 other lost files", func(t *testing.T) {
		for what, x := range map[string]struct {
			make func(b *bench) *Message
			path string
		}{
			"extra": {func(b *bench) *Message { return b.add(1, 0, b.file(1, 0, "a", 1, extra("a.index"))) }, "bucket-0/a.index"},
			"changelog": {func(b *bench) *Message {
				m := b.add(1, 0)
				m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 1)}
				return m
			}, "bucket-0/log"},
			"compacted": {func(b *bench) *Message { return b.compact(1, 0, nil, []paimon.DataFile{b.file(1, 0, "z", 1)}) }, "bucket-0/z"},
			"index": {func(b *bench) *Message {
				m := b.add(1, 0)
				m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h")}
				return m
			}, "index/h"},
		} {
			b := newTable(t, "")
			m := x.make(b)
			lose(b, x.path)
			_, err := b.committer("me").FilterAndCommit(t.Context(), []Committable{b.committable(1, m)})
			if err == nil || !strings.Contains(err.Error(), x.path) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	over(t, "PC098 what may be gone", "", nil, func(t *testing.T, b *bench) {
		c := b.committer("me")
		old, dv := b.file(1, 0, "old", 1), b.indexFile(paimon.IndexHash, "h")
		first := b.add(1, 0, old)
		first.Data.NewIndexFiles = []paimon.IndexEntry{dv}
		b.commit(c, id(1), first)
		m := b.compact(1, 0, []paimon.DataFile{old}, []paimon.DataFile{b.file(1, 0, "z", 1)})
		m.Compact.DeletedIndexFiles = []paimon.IndexEntry{dv}
		lose(b, "bucket-0/old")
		lose(b, "index/h")
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(2, m)})
		same(t, "committed", []any{n, err}, []any{1, nil})
	})
	over(t, "PC099 a compacted changelog", "", nil, func(t *testing.T, b *bench) {
		b.file(1, 0, "compacted-changelog-f0c4$0-39253.cc-parquet", 1)
		m := b.add(1, 1)
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 1, "compacted-changelog-f0c4$0-39253-39253-35699.cc-parquet", 1)}
		lose(b, "bucket-1/compacted-changelog-f0c4$0-39253-39253-35699.cc-parquet")
		c := b.committer("me")
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(1, m)})
		same(t, "committed", []any{n, err}, []any{1, nil})
		lose(b, "bucket-0/compacted-changelog-f0c4$0-39253.cc-parquet")
		_, err = c.FilterAndCommit(t.Context(), []Committable{b.committable(2, m)})
		wantInvalid(t, err, "bucket-0/compacted-changelog-f0c4$0-39253.cc-parquet")
	})
	over(t, "PC100 all checks come first", "", nil, func(t *testing.T, b *bench) {
		one, two := b.add(1, 0, b.file(1, 0, "a", 1)), b.add(1, 0, b.file(1, 0, "b", 1))
		lose(b, "bucket-0/b")
		_, err := b.committer("me").FilterAndCommit(t.Context(), []Committable{b.committable(1, one), b.committable(2, two)})
		wantInvalid(t, err, "bucket-0/b")
		same(t, "snapshots", len(b.ids()), 0)
	})
	over(t, "PC101 the check is on", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		b.commit(c, id(1), m)
		_, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(2, m)})
		wantError(t, err, "Trying to add file")
	})
	over(t, "PC102 watermarks", "", nil, func(t *testing.T, b *bench) {
		list := []Committable{b.committable(1, b.add(1, 0, b.file(1, 0, "a", 1))), b.committable(2, b.add(1, 0, b.file(1, 0, "b", 1))), b.committable(3, b.add(1, 0, b.file(1, 0, "c", 1)))}
		list[0].Watermark, list[1].Watermark = ptr(int64(5)), ptr(int64(10))
		if _, err := b.committer("me").FilterAndCommit(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		same(t, "watermarks", []int64{*b.snapshot(1).Watermark, *b.snapshot(2).Watermark, *b.snapshot(3).Watermark}, []int64{5, 10, 10})
	})
	over(t, "PC103 a crash between the two snapshots", "", nil, func(t *testing.T, b *bench) {
		c, old := b.committer("me"), b.file(1, 0, "old", 1)
		b.commit(c, id(1), b.add(1, 0, old))
		m := b.add(1, 0, b.file(1, 0, "new", 1))
		m.Compact = CompactIncrement{Before: []paimon.DataFile{old}, After: []paimon.DataFile{b.file(1, 0, "z", 1)}}
		half := *m
		half.Compact = CompactIncrement{}
		b.commit(c, id(2), &half)
		n, err := c.FilterAndCommit(t.Context(), []Committable{b.committable(2, m)})
		same(t, "committed", []any{n, err, b.live(b.latest())}, []any{0, nil, []string{"new", "old"}})
	})
}

func TestAbort(t *testing.T) {
	full := func(b *bench) *Message {
		m := b.add(1, 0, b.file(1, 0, "new", 1, extra("new.index")))
		m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 1)}
		m.Data.DeletedFiles = []paimon.DataFile{b.file(1, 0, "deleted", 1)}
		m.Data.NewIndexFiles = []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h1")}
		m.Compact = CompactIncrement{
			Before: []paimon.DataFile{b.file(1, 0, "before", 1)}, After: []paimon.DataFile{b.file(1, 0, "after", 1, extra("after.index"))},
			ChangelogFiles: []paimon.DataFile{b.file(1, 0, "log2", 1)}, NewIndexFiles: []paimon.IndexEntry{b.indexFile(paimon.IndexHash, "h2")},
		}
		return m
	}
	left := func(b *bench) (out []string) {
		for _, f := range []string{"bucket-0", "index"} {
			list, _ := os.ReadDir(b.root + f)
			for _, x := range list {
				out = append(out, x.Name())
			}
		}
		return out
	}
	over(t, "PC251 PC252 what goes and what stays", "", nil, func(t *testing.T, b *bench) {
		if err := b.committer("me").Abort(t.Context(), msgs(full(b))); err != nil {
			t.Fatal(err)
		}
		same(t, "left", left(b), []string{"before", "deleted"})
	})
	over(t, "PC253 missing files", "", nil, func(t *testing.T, b *bench) {
		m := full(b)
		_ = os.Remove(b.root + "bucket-0/new")
		if err := b.committer("me").Abort(t.Context(), msgs(m)); err != nil {
			t.Fatal(err)
		}
		same(t, "left", left(b), []string{"before", "deleted"})
	})
	over(t, "PC254 a delete fails", "", nil, func(t *testing.T, b *bench) {
		b.store.onDelete = func(path string) error {
			if strings.HasSuffix(path, "/new") {
				return errDisk
			}
			return nil
		}
		if err := b.committer("me").Abort(t.Context(), msgs(full(b))); err != nil {
			t.Fatal(err)
		}
		same(t, "left", left(b), []string{"before", "deleted", "new"})
	})
	over(t, "PC255 a foreign message", "", nil, func(t *testing.T, b *bench) {
		wantInvalid(t, b.committer("me").Abort(t.Context(), []any{"message"}), "fail to cast commit message")
		wantInvalid(t, b.committer("me").Commit(t.Context(), []any{(*Message)(nil)}, nil), "fail to cast commit message")
	})
	over(t, "PC256 what was committed", "", nil, func(t *testing.T, b *bench) {
		c, m := b.committer("me"), b.add(1, 0, b.file(1, 0, "a", 1))
		b.commit(c, nil, m)
		if err := c.Abort(t.Context(), msgs(m)); err != nil {
			t.Fatal(err)
		}
		same(t, "left", left(b), nil)
		same(t, "the snapshot", b.live(b.latest()), []string{"a"})
	})
}
