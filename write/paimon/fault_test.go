package paimon

import (
	"fmt"
	"testing"

	"lakeserver/internal/faultstore"
	"lakeserver/metadata/paimon"
)

// TestFaults lets every single operation of a commit go wrong, in every way,
// and then commits again as a writer does that was told nothing.
func TestFaults(t *testing.T) {
	for _, mode := range []faultstore.Mode{faultstore.Fail, faultstore.Lose, faultstore.Cut} {
		t.Run(fmt.Sprintf("PC084 %s", mode), func(t *testing.T) {
			for k, hit := 1, true; hit; k++ {
				hit = oneFault(t, mode, k)
			}
		})
	}
}

func oneFault(t *testing.T, mode faultstore.Mode, k int) bool {
	b := newTable(t, "parts", "manifest.merge-min-count", "2")
	first := b.committer("me")
	old := b.file(1, 0, "old", 1)
	b.commit(first, id(1), b.add(1, 0, old))
	b.commit(first, id(2), b.add(2, 0, b.file(2, 0, "two", 1)))

	plain := b.store.Store
	f := faultstore.New(plain)
	b.store.Store = f
	c := b.committer("me")
	m := b.add(1, 0, b.file(1, 0, "new", 2))
	m.Data.ChangelogFiles = []paimon.DataFile{b.file(1, 0, "log", 2)}
	m.Compact = CompactIncrement{Before: []paimon.DataFile{old}, After: []paimon.DataFile{b.file(1, 0, "packed", 1, compacted)}}
	f.Spoil(k, mode, true)
	err := c.Commit(t.Context(), msgs(m), id(3))
	hit := f.Hit()
	b.store.Store = plain
	n, again := c.FilterAndCommit(t.Context(), []Committable{{Identifier: 3, Messages: msgs(m)}})
	if again != nil {
		t.Fatalf("operation %d: %v, then %v", k, err, again)
	}
	if err == nil && n != 0 {
		t.Errorf("operation %d: committed twice", k)
	}
	live := fmt.Sprint(b.live(b.latest()))
	// A compaction whose append was published alone is lost (PC103).
	if live != "[new packed two]" && live != "[new old two]" {
		t.Errorf("operation %d (%v): files %s", k, err, live)
	}
	return hit
}
