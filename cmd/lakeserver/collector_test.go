package main

import "testing"

// What is allowed on top of a heap never exceeds a gigabyte by more than the
// least growth asks for, and a small heap may quintuple.
func TestHeapGrowth(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 400},
		{10 << 20, 400},
		{256 << 20, 400},
		{512 << 20, 200},
		{1 << 30, 100},
		{2 << 30, 50},
		{16 << 30, 25},
	} {
		if got := heapGrowth(c.live); got != c.want {
			t.Errorf("over %d live bytes: %d percent, want %d", c.live, got, c.want)
		}
	}
}
