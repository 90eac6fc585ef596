package parquet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"
)

func group(name string, rep Repetition, converted int32, children int32) schemaElement {
	return schemaElement{name: name, physical: physicalNone, repetition: rep, converted: converted, children: children, fieldID: -1}
}

func leafElement(name string, rep Repetition) schemaElement {
	return schemaElement{name: name, physical: PhysicalInt32, repetition: rep, converted: -1, fieldID: -1}
}

// TestShapes holds the rules for lists and maps against the examples of the
// format's specification.
func TestShapes(t *testing.T) {
	const isList, isMap, isKeyValue = 3, 1, 2
	for _, c := range []struct {
		want  string
		elems []schemaElement
	}{
		{"Array(Nullable(Int32))", []schemaElement{group("c", Optional, isList, 1), group("list", Repeated, -1, 1), leafElement("element", Optional)}},
		{"Array(Int32)", []schemaElement{group("c", Optional, isList, 1), leafElement("element", Repeated)}},
		{"Array(Int32)", []schemaElement{leafElement("c", Repeated)}},
		{"Array(Tuple(a Int32, b Nullable(Int32)))", []schemaElement{
			group("c", Optional, isList, 1), group("element", Repeated, -1, 2), leafElement("a", Required), leafElement("b", Optional),
		}},
		{"Array(Tuple(str Int32))", []schemaElement{group("c", Optional, isList, 1), group("array", Repeated, -1, 1), leafElement("str", Required)}},
		{"Array(Tuple(str Int32))", []schemaElement{group("c", Optional, isList, 1), group("c_tuple", Repeated, -1, 1), leafElement("str", Required)}},
		{"Map(Int32, Nullable(Int32))", []schemaElement{
			group("c", Optional, isMap, 1), group("key_value", Repeated, -1, 2), leafElement("key", Required), leafElement("value", Optional),
		}},
		{"Map(Int32, Int32)", []schemaElement{
			group("c", Optional, isKeyValue, 1), group("map", Repeated, -1, 2), leafElement("key", Required), leafElement("value", Required),
		}},
		{"Tuple(a Int32)", []schemaElement{group("c", Optional, -1, 1), leafElement("a", Required)}},
	} {
		root, _, err := buildSchema(append([]schemaElement{group("root", Required, -1, 1)}, c.elems...))
		if err != nil {
			t.Fatal(err)
		}
		if got := TypeOf(root.Children[0]).String(); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// TestHadoopLZ4 unpacks runs of several blocks, and raw blocks.
func TestHadoopLZ4(t *testing.T) {
	raw := bytes.Repeat([]byte("some text that repeats, "), 50)
	pack := func(b []byte) []byte {
		out := make([]byte, lz4.CompressBlockBound(len(b)))
		n, err := lz4.CompressBlock(b, out, nil)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		return out[:n]
	}
	var framed []byte
	for _, run := range [][][]byte{{raw[:500], raw[500:700]}, {raw[700:]}} {
		size := 0
		for _, b := range run {
			size += len(b)
		}
		framed = binary.BigEndian.AppendUint32(framed, uint32(size))
		for _, b := range run {
			p := pack(b)
			framed = append(binary.BigEndian.AppendUint32(framed, uint32(len(p))), p...)
		}
	}
	for _, src := range [][]byte{framed, pack(raw)} {
		dst := make([]byte, len(raw))
		if err := (&workspace{}).decompress(CodecLZ4, dst, src); err != nil || !bytes.Equal(dst, raw) {
			t.Error(err)
		}
	}
}
