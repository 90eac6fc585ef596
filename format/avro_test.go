package format

import (
	"bytes"
	"os"
	"testing"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
)

// Containers under testdata/avro were written by ClickHouse for the samples:
// their rows are read, and what is written has the same schema.
func TestAvroOfClickHouse(t *testing.T) {
	all, o := samples(t), options(t)
	for _, kind := range []string{"row", "nest", "scalar", "lines"} {
		doc, err := os.ReadFile("testdata/avro/" + kind + ".avro")
		if err != nil {
			t.Fatal(err)
		}
		s := all[kind]
		blocks, _, err := readAll(t, "Avro", string(doc), s.h, o)
		if err != nil || len(blocks) != 1 {
			t.Fatalf("%s: %d blocks, %v", kind, len(blocks), err)
		}
		if got, want := show(blocks[0]), show(s.data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", kind, got, want)
		}
		theirs, err := avro.OpenBytes(kind, doc)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := avro.OpenBytes(kind, render(t, "Avro", s, o))
		if err != nil {
			t.Fatal(err)
		}
		if g, w := ours.Meta["avro.schema"], theirs.Meta["avro.schema"]; !bytes.Equal(g, w) {
			t.Errorf("%s: schema\n%s\nwant\n%s", kind, g, w)
		}
		ours.Close()
		theirs.Close()
	}
}

// Every truncation and every flipped byte of a binary document gives rows or a
// coded error.
func TestBinaryDamaged(t *testing.T) {
	all, o := samples(t), options(t)
	for _, name := range []string{"MsgPack", "BSONEachRow", "Avro"} {
		for _, kind := range []string{"row", "nest", "scalar"} {
			s := all[kind]
			doc := render(t, name, s, o)
			try := func(damaged []byte) {
				if _, _, err := readAll(t, name, string(damaged), s.h, o); err != nil && (cherr.CodeOf(err) == 0 || cherr.Is(err, cherr.LogicalError)) {
					t.Errorf("%s of %s: %v", name, kind, err)
				}
			}
			for i := range doc {
				try(doc[:i])
				flipped := bytes.Clone(doc)
				flipped[i] ^= 0xff
				try(flipped)
				flipped[i] = doc[i] ^ 1
				try(flipped)
			}
		}
	}
}
