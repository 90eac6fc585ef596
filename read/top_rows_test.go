package read

import (
	"testing"

	"lakeserver/column"
)

// What is behind the threshold goes, what equals it stays; NULLs go where the
// order puts them.
func TestWithinTopN(t *testing.T) {
	null := []uint8{0, 1, 0, 0}
	ints := column.NewFixed([]int64{-3, 0, 5, 9})
	text := column.NewStr("a", "", "c", "cc")
	for _, c := range []struct {
		n         TopN
		c         column.Column
		threshold column.Value
		want      string
	}{
		{TopN{}, ints, int64(5), "1110"},
		{TopN{Desc: true}, ints, int64(5), "0011"},
		{TopN{}, &column.Nullable{Values: ints, Null: null}, int64(5), "1010"},
		{TopN{NullsFirst: true}, &column.Nullable{Values: ints, Null: null}, int64(5), "1110"},
		{TopN{Desc: true, NullsFirst: true}, &column.Nullable{Values: ints, Null: null}, int64(9), "0101"},
		{TopN{}, text, "c", "1110"},
		{TopN{Desc: true}, text, "c", "0011"},
		{TopN{}, &column.Dict{Codes: []uint32{3, 2, 1, 0, 3}, Values: text}, "b", "00110"},
		{TopN{}, &column.Dict{Codes: []uint32{3, 0}, Values: &column.Nullable{Values: ints, Null: null}}, int64(0), "01"},
		{TopN{}, column.NewFixed([]float64{1}), 2.0, ""},
		{TopN{}, ints, uint64(5), ""},
	} {
		flags, ok := c.n.within(c.c, c.threshold)
		got := ""
		for _, f := range flags {
			got += string('0' + rune(f))
		}
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%+v over %T against %v: %q, %v, want %q", c.n, c.c, c.threshold, got, ok, c.want)
		}
	}
}
