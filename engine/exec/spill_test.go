package exec

import (
	"context"
	"os"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// What was written comes back, also when there is nothing, and no file stays.
func TestSpillFile(t *testing.T) {
	dir := t.TempDir()
	h := column.Header{{Name: "n", Type: types.Int64}, {Name: "s", Type: types.Nullable(types.String)}, {Name: "l", Type: types.LowCardinality(types.String)}}
	f, err := newSpillFile(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("the file has a name: %v, %v", entries, err)
	}
	n := 2*column.MaxBlockRows + 17
	ints, codes := make([]int64, n), make([]uint32, n)
	text := &column.Str{}
	null := make([]uint8, n)
	for i := range ints {
		ints[i], codes[i] = int64(i)*7, uint32(i%3)
		text.AppendString("row")
		null[i] = uint8(i % 5 / 4)
	}
	b := column.NewBlock(column.NewFixed(ints), &column.Nullable{Values: text, Null: null}, &column.Dict{Codes: codes, Values: column.NewStr("a", "b", "c")})
	if err := f.write(b); err != nil {
		t.Fatal(err)
	}
	at := 0
	for {
		got, err := f.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			break
		}
		for i := range got.Rows {
			for c := range h {
				if x, y := column.At(got.Columns[c], i), column.At(b.Columns[c], at+i); x != y {
					t.Fatalf("row %d of column %d: %v, want %v", at+i, c, x, y)
				}
			}
		}
		at += got.Rows
	}
	if at != n {
		t.Errorf("%d rows came back of %d", at, n)
	}
	if err := f.Close(); err != nil || f.Close() != nil {
		t.Error("closing twice", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, err := newSpillFile(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.write(b); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Next(ctx); err == nil {
		t.Error("a cancelled query reads on")
	}
	if _, err := newSpillFile("/dev/null/no", h); cherr.CodeOf(err) != cherr.CannotOpenFile {
		t.Errorf("in no folder: %v", err)
	}
}
