package exec

import (
	"fmt"
	"math"
	"testing"

	"lakeserver/column"
)

// A key set keeps every row whose value is a key, in every form of a column,
// no NULL, and of other values only few.
func TestKeySet(t *testing.T) {
	ints := func(n int, f func(i int) int64) column.Column {
		out := make([]int64, n)
		for i := range out {
			out[i] = f(i)
		}
		return column.NewFixed(out)
	}
	text := func(n, step int) column.Column {
		s := &column.Str{}
		for i := range n {
			s.AppendString(fmt.Sprint("key ", i*step))
		}
		return s
	}
	for name, c := range map[string]struct {
		keys, probe column.Column
		hits        int // rows of probe that are keys
	}{
		"dense":   {ints(1000, func(i int) int64 { return int64(i*2 - 700) }), ints(4000, func(i int) int64 { return int64(i - 2000) }), 1000},
		"wide":    {ints(1000, func(i int) int64 { return int64(i) << 50 * 3 }), ints(9000, func(i int) int64 { return int64(i) << 49 * 3 }), 0},
		"extreme": {ints(2, func(i int) int64 { return []int64{math.MinInt64, math.MaxInt64}[i] }), ints(3, func(i int) int64 { return []int64{math.MinInt64, 0, math.MaxInt64}[i] }), 2},
		"strings": {text(1000, 2), text(2000, 1), 1000},
	} {
		t.Run(name, func(t *testing.T) {
			set := newKeySet([]column.Column{c.keys}, c.keys.Len())
			real := map[any]bool{}
			for i := range c.keys.Len() {
				real[column.At(c.keys, i)] = true
			}
			n := c.probe.Len()
			null := make([]uint8, n)
			for i := 0; i < n; i += 7 {
				null[i] = 1
			}
			codes := make([]uint32, 3*n)
			for i := range codes {
				codes[i] = uint32(i*31) % uint32(n)
			}
			forms := []column.Column{c.probe, &column.Nullable{Values: c.probe, Null: null}, &column.Dict{Codes: codes, Values: c.probe}, column.NewConst(c.keys, 5)}
			for _, form := range forms {
				rows, all, ok := set.Keep(form)
				if !ok || all != (len(rows) == form.Len()) {
					t.Fatalf("%T: all %v, ok %v of %d rows", form, all, ok, len(rows))
				}
				kept := map[uint32]bool{}
				for _, r := range rows {
					kept[r] = true
				}
				wrong, others := 0, 0
				for i := range form.Len() {
					v := column.At(form, i)
					switch {
					case v == nil && kept[uint32(i)]:
						t.Fatalf("%T: NULL is kept", form)
					case v != nil && real[v] && !kept[uint32(i)]:
						t.Fatalf("%T: row %d, %v, is left out", form, i, v)
					case v != nil && !real[v]:
						others++
						if kept[uint32(i)] {
							wrong++
						}
					}
				}
				if wrong*5 > others {
					t.Errorf("%T: %d of %d other values are kept", form, wrong, others)
				}
			}
		})
	}
	if rows, all, ok := newKeySet(nil, 0).Keep(column.NewFixed([]int32{1})); len(rows) > 0 || all || !ok {
		t.Error("no keys keep a row")
	}
}
