package paimon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/objstore"
)

// TestRemoveOrphanFiles takes what nothing names, and nothing that snapshots,
// tags or branches need; a dry run takes nothing.
func TestRemoveOrphanFiles(t *testing.T) {
	b := newTable(t, "parts")
	c := b.committer("me")
	b.commit(c, id(1), b.add(1, 0, b.file(1, 0, "one", 1, extra("one.index"))))
	if err := c.CreateTag(t.Context(), "kept", 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateBranch(t.Context(), "side", "kept"); err != nil {
		t.Fatal(err)
	}
	if err := c.TruncateTable(t.Context(), id(2)); err != nil {
		t.Fatal(err)
	}
	var all []string
	list := func() []string {
		objs, err := objstore.NewUnrestricted("/").List(t.Context(), b.root, true)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, o := range objs {
			out = append(out, strings.TrimPrefix(o.Path, b.root))
		}
		slices.Sort(out)
		return out
	}
	all = list()
	junk := []string{"p=1/bucket-0/data-x", "manifest/manifest-x", "manifest/manifest-list-x-0", "index/index-x", "statistics/stat-x", "snapshot/.put-1", "p=1/bucket-0/.put-2"}
	for _, name := range junk {
		b.write(name, "junk")
	}
	b.write("p=1/_SUCCESS", "{}")
	all = append(all, "p=1/_SUCCESS")
	slices.Sort(all)
	later := time.Now().Add(time.Hour)
	if got, err := c.RemoveOrphanFiles(t.Context(), time.Now().Add(-time.Hour), false); err != nil || len(got) != 0 {
		t.Errorf("young files: %v, %v", got, err)
	}
	if got, err := c.RemoveOrphanFiles(t.Context(), later, true); err != nil || len(got) != len(junk) {
		t.Errorf("a dry run: %v, %v", got, err)
	}
	if n := len(list()); n != len(all)+len(junk) {
		t.Errorf("a dry run left %d files of %d", n, len(all)+len(junk))
	}
	if _, err := c.RemoveOrphanFiles(t.Context(), later, false); err != nil {
		t.Fatal(err)
	}
	if got := list(); !slices.Equal(got, all) {
		t.Errorf("left:\n%v\nwhere these are due:\n%v", got, all)
	}
}

// TestGoLayout turns patterns of times into layouts.
func TestGoLayout(t *testing.T) {
	for pattern, want := range map[string]string{"yyyy-MM-dd": "2006-01-02", "yyyyMMdd": "20060102", "yyyy-MM-dd HH:mm:ss": "2006-01-02 15:04:05", "yyyy-MM-dd'T'HH": "2006-01-02T15"} {
		if got := goLayout(pattern); got != want {
			t.Errorf("%s: %s where %s is due", pattern, got, want)
		}
	}
}

// TestParseSpecs reads partitions as procedures name them.
func TestParseSpecs(t *testing.T) {
	got, err := ParseSpecs("dt=2024-01-01, h='3'; dt=2024-01-02")
	if err != nil || len(got) != 2 || got[0]["dt"] != "2024-01-01" || got[0]["h"] != "3" || got[1]["dt"] != "2024-01-02" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "dt", "a=1;;b=2"} {
		if got, err := ParseSpecs(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
