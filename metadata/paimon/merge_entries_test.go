package paimon

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// MergeEntries and a Merger leave the same entries in the same order, and fail
// where the last list adds what is there.
func TestMergeEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	failed, same := 0, 0
	for range 3000 {
		live := map[int]bool{}
		var lists [][]Entry
		for range 1 + r.IntN(4) {
			var list []Entry
			for range r.IntN(6) {
				n := r.IntN(8)
				e := Entry{File: DataFile{Name: fmt.Sprint(n), Level: r.IntN(2)}}
				if live[n] && r.IntN(3) > 0 {
					e.Kind = Delete
				}
				live[n] = e.Kind == Add
				list = append(list, e)
			}
			lists = append(lists, list)
		}
		m := NewMerger(0)
		var want error
		for _, list := range lists {
			for i := range list {
				if err := m.Add(&list[i]); err != nil && want == nil {
					want = err
				}
			}
		}
		got, err := MergeEntries(nil, lists...)
		if want != nil || err != nil {
			failed++
			if want == nil {
				t.Fatalf("%v: %v, where a Merger has no fault", lists, err)
			}
			continue
		}
		same++
		if a, b := fmt.Sprint(got), fmt.Sprint(m.Entries()); a != b {
			t.Fatalf("%v:\n%s\nwhere a Merger gives\n%s", lists, a, b)
		}
	}
	if failed == 0 || same < 100 {
		t.Errorf("%d lists with a fault, %d without", failed, same)
	}
	// What the last list adds is looked for among all that went before.
	a := []Entry{{File: DataFile{Name: "a"}}}
	if _, err := MergeEntries(nil, a, a); err == nil {
		t.Error("a file was added twice")
	}
}
