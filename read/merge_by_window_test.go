package read

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lakeserver/column"
	"lakeserver/memory"
	"lakeserver/types"
)

// Whatever the runs and their blocks, each key is shown once, by its newest
// record, unless that deletes it; and nothing stays reserved.
func TestMergeByWindow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		spread := []int64{1, 3, 1 << 40}[n%3]
		m := &merging{
			s: &Scan{req: &Request{Memory: memory.New(nil, "test", 0)}}, keys: []int{0}, kind: 1,
			columns: []Column{{Name: "k", Type: types.Int64}, {Name: "kind", Type: types.Int8}, {Name: "v", Type: types.Int64}},
		}
		want := map[int64]string{}
		var streams []column.Stream
		for run := range 1 + rnd.IntN(6) {
			var keys []int64
			for range rnd.IntN(200) {
				keys = append(keys, (rnd.Int64N(300)-100)*spread)
			}
			slices.Sort(keys)
			if n%5 != 0 { // else a key may come twice in a run
				keys = slices.Compact(keys)
			}
			kinds, values := make([]int8, len(keys)), make([]int64, len(keys))
			for i, k := range keys {
				values[i], kinds[i] = int64(run*1000+i), int8(rnd.IntN(8)/7*3)
				want[k] = fmt.Sprint(k, " ", values[i])
				if kinds[i] != 0 {
					delete(want, k)
				}
			}
			var blocks []*column.Block
			for from := 0; from < len(keys); {
				to := min(len(keys), from+1+rnd.IntN(20))
				blocks = append(blocks, &column.Block{Rows: to - from, Columns: []column.Column{
					column.NewFixed(keys[from:to]), column.NewFixed(kinds[from:to]), column.NewFixed(values[from:to]),
				}})
				from = to
			}
			streams = append(streams, column.Blocks(blocks...))
		}
		w := newWindowMerger(m, streams, []int{0, 1, 2})
		var got, exp []string
		for {
			c, err := w.next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if c == nil {
				break
			}
			for i := range c.whole.Rows {
				if c.shown == nil || slices.Contains(c.shown, uint32(i)) {
					got = append(got, fmt.Sprint(column.At(c.whole.Columns[0], i), " ", column.At(c.whole.Columns[2], i)))
				}
			}
		}
		w.close()
		for _, v := range want {
			exp = append(exp, v)
		}
		slices.Sort(got)
		slices.Sort(exp)
		if !slices.Equal(got, exp) {
			t.Fatalf("case %d: %d rows, want %d\n%v\n%v", n, len(got), len(exp), got, exp)
		}
		if held := m.s.req.Memory.Used(); held != 0 {
			t.Fatalf("case %d: %d bytes stay reserved", n, held)
		}
	}
}
