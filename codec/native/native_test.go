package native

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

func mustType(t *testing.T, s string) *types.Type {
	t.Helper()
	typ, err := types.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func values(c column.Column) string {
	s := ""
	for i := range c.Len() {
		s += fmt.Sprint(column.At(c, i)) + ";"
	}
	return s
}

func roundTrip(t *testing.T, typ *types.Type, c column.Column) column.Column {
	t.Helper()
	b, err := AppendBlock(nil, 54479, column.Header{{Name: "v", Type: typ}}, column.NewBlock(c))
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := ReadBlock(bufio.NewReaderSize(bytes.NewReader(b), 16), 54479)
	if err != nil {
		t.Fatal(err)
	}
	return got.Columns[0]
}

func TestOffsetColumns(t *testing.T) {
	lc := mustType(t, "LowCardinality(Nullable(String))")
	dict := &column.Nullable{Values: column.NewStr("", "x", "y", "x"), Null: []uint8{1, 0, 0, 0}}
	arr := column.NewArray([]uint64{2, 2, 5}, column.NewStr("a", "b", "c", "", "a"))
	for _, x := range []struct {
		typ string
		c   column.Column
	}{
		{"Array(LowCardinality(String))", arr.Slice(1, 3)},
		{"Map(String, UInt8)", (&column.Map{Offsets: []uint64{0, 1, 2}, Keys: column.NewStr("k", "l"), Values: column.NewFixed([]uint8{1, 2})}).Slice(1, 2)},
		{lc.String(), &column.Dict{Codes: []uint32{0, 1, 3, 2, 0}, Values: dict}},
		{lc.String(), &column.Dict{Codes: []uint32{3}, Values: dict}},
		{"LowCardinality(UInt16)", column.NewConst(column.NewFixed([]uint16{7}), 300)},
		{"String", column.NewConst(column.NewStr("0123456789012345678901234567890123456789"), 3)},
		{"UUID", column.NewFixed([]types.U128{{Lo: 1, Hi: 2}})},
	} {
		if got := roundTrip(t, mustType(t, x.typ), x.c); values(got) != values(x.c) {
			t.Errorf("%s: %s, want %s", x.typ, values(got), values(x.c))
		}
	}
}

func TestOldRevisions(t *testing.T) {
	h := column.Header{{Name: "v", Type: mustType(t, "LowCardinality(String)")}}
	b, err := AppendBlock(nil, 54400, h, column.NewBlock(column.NewStr("a")))
	want := []byte("\x01\x00\x02\xff\xff\xff\xff\x00\x01\x01\x01v\x06String\x01a")
	if err != nil || !bytes.Equal(b, want) {
		t.Errorf("%q %v", b, err)
	}
	h[0].Type = mustType(t, "DateTime('UTC')")
	if b, _ = AppendBlock(nil, 0, h, column.NewBlock(column.NewFixed([]uint32{1}))); !bytes.Equal(b, []byte("\x01\x01\x01v\x08DateTime\x01\x00\x00\x00")) {
		t.Errorf("%q", b)
	}
}

func TestSparse(t *testing.T) {
	// gaps 1, 0, then 2 defaults at the end; values 5 and 6
	in := []byte("\x01\x06\x01v\x05UInt8\x01\x01" + "\x01\x01\x81\x80\x80\x80\x80\x80\x80\x80\x40" + "\x05\x06")
	in = append([]byte{1, 0, 2, 255, 255, 255, 255, 0}, in...)
	_, b, err := ReadBlock(bufio.NewReader(bytes.NewReader(in)), 54465)
	if err != nil || values(b.Columns[0]) != "0;5;0;6;0;0;" {
		t.Fatal(err, b)
	}
}

// Every cut of a block is an error with a code, never a panic or a short block.
func TestCutBlocks(t *testing.T) {
	h := column.Header{{Name: "a", Type: mustType(t, "Array(LowCardinality(Nullable(String)))")}, {Name: "b", Type: mustType(t, "Map(String, Tuple(UInt8, Nullable(Int256)))")}}
	b, err := AppendBlock(nil, 0, h, column.NewBlock(
		column.NewArray([]uint64{1, 3}, column.NewNullable(column.NewStr("a", "", "b"), []uint8{0, 1, 0})),
		&column.Map{Offsets: []uint64{0, 1, 1}, Keys: column.NewStr("k"), Values: column.NewTuple(column.NewFixed([]uint8{1}), column.NewNullable(column.NewFixed([]types.I256{{1}}), []uint8{0}))}))
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, _, err := ReadBlock(bufio.NewReader(bytes.NewReader(b[:n])), 0); err == nil || (n > 0 && cherr.CodeOf(err) == cherr.UnknownException) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	for n := range b {
		bad := bytes.Clone(b)
		bad[n] ^= 0xff
		_, _, _ = ReadBlock(bufio.NewReader(bytes.NewReader(bad)), 0) // must not panic
	}
}

func TestFrames(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	for _, m := range []Method{None, LZ4, LZ4HC, ZSTD} {
		wire, err := NewCompressor(m, 1).Append(nil, data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(NewFrameReader(bufio.NewReader(bytes.NewReader(wire))))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%v: %v", m, err)
		}
		for _, n := range []int{1, 16, 20, len(wire) - 1} {
			if _, err := io.ReadAll(NewFrameReader(bufio.NewReader(bytes.NewReader(wire[:n])))); !cherr.Is(err, cherr.CannotReadAllData) {
				t.Errorf("%v cut at %d: %v", m, n, err)
			}
		}
		wire[len(wire)-1] ^= 1
		if _, err := io.ReadAll(NewFrameReader(bufio.NewReader(bytes.NewReader(wire)))); !cherr.Is(err, cherr.ChecksumDoesntMatch) {
			t.Errorf("%v damaged: %v", m, err)
		}
	}
}
