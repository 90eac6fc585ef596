package paimon

import (
	"fmt"
	"testing"

	"lakeserver/column"
)

// TestFileIndexWriter asks the indexes that were written for values that are
// there and values that are not.
func TestFileIndexWriter(t *testing.T) {
	s := &Schema{Fields: []Field{{ID: 0, Name: "n", Type: &Type{Kind: Int}}, {ID: 1, Name: "s", Type: &Type{Kind: VarChar, Length: MaxLength}}}}
	w := NewFileIndexWriter(s, map[string]string{
		"file-index.bloom-filter.columns": "n, s", "file-index.bitmap.columns": "s,missing", "file-index.bloom-filter.n.items": "100", "file-index.bloom-filter.items": "1000",
	})
	numbers, texts := make([]int32, 50), make([]string, 50)
	for i := range numbers {
		numbers[i], texts[i] = int32(3*i), fmt.Sprintf("v%d", i%7)
	}
	texts[49] = "alone"
	null := make([]uint8, 50)
	null[4] = 1
	for from := 0; from < 50; from += 20 {
		to := min(from+20, 50)
		w.Add([]column.Column{
			column.NewFixed(numbers[from:to]),
			&column.Nullable{Values: column.NewStr(texts[from:to]...), Null: null[from:to]},
		}, to-from)
	}
	data, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	x, err := ParseFileIndex(data, s.Fields)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range 50 {
		if !x.MightHave("n", numbers[i]) || i != 4 && !x.MightHave("s", texts[i]) {
			t.Errorf("row %d is not found", i)
		}
		if x.MightHave("n", int32(3*i+1)) {
			wrong++
		}
	}
	if wrong > 15 {
		t.Errorf("%d of 50 numbers that are not there might be", wrong)
	}
	set, ok := x.Rows("s", Equal, "v3")
	if want := "{3,10,17,24,31,38,45}"; !ok || set.set.String() != want {
		t.Errorf("rows of v3: %v, where %s is due", set, want)
	}
	set, ok = x.Rows("s", Equal, "alone")
	if !ok || set.set.String() != "{49}" {
		t.Errorf("rows of alone: %v", set)
	}
	if NewFileIndexWriter(s, nil) != nil {
		t.Error("an index that nobody asked for")
	}
}
