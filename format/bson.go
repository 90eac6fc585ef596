package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"strconv"

	"lakeserver/column"
	"lakeserver/types"
)

var _ = add(Format{
	Name: "BSONEachRow", ContentType: bytesType, SubsetOfColumns: true,
	NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
		return &bsonWriter{buffer{w: w}, h, o.Settings.Bool("output_format_bson_string_as_string")}, nil
	},
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return &bsonReader{r: r, h: h, o: o}, nil
	},
	Infer: func(_ context.Context, r *bufio.Reader, _ *Options) (column.Header, error) { return inferBSON(r) },
})

// The kinds of BSON elements.
const (
	bsonDouble   = 0x01
	bsonString   = 0x02
	bsonDocument = 0x03
	bsonArray    = 0x04
	bsonBinary   = 0x05
	bsonObjectID = 0x07
	bsonBool     = 0x08
	bsonTime     = 0x09
	bsonNull     = 0x0a
	bsonSymbol   = 0x0e
	bsonCode     = 0x0d
	bsonInt32    = 0x10
	bsonInt64    = 0x12
)

// bsonWriter writes a document a row.
type bsonWriter struct {
	buffer
	h       column.Header
	strings bool // texts are strings, not bytes
}

func (w *bsonWriter) Write(b *column.Block) error {
	p, err := newPivotWriter(w.h, b)
	if err != nil {
		return err
	}
	for row := range b.Rows {
		at := w.open()
		for i, f := range w.h {
			if err := w.element(f.Name, f.Type, p.cell(i, row)); err != nil {
				return err
			}
		}
		w.close(at)
		if err := w.sendFull(); err != nil {
			return err
		}
	}
	return w.send()
}

func (w *bsonWriter) Totals(*column.Block) error   { return nil }
func (w *bsonWriter) Extremes(*column.Block) error { return nil }
func (w *bsonWriter) Finish(Statistics) error      { return w.send() }

// open leaves room for a document's size.
func (w *bsonWriter) open() int {
	w.buf = append(w.buf, 0, 0, 0, 0)
	return len(w.buf) - 4
}

func (w *bsonWriter) close(at int) {
	w.buf = append(w.buf, 0)
	binary.LittleEndian.PutUint32(w.buf[at:], uint32(len(w.buf)-at))
}

func (w *bsonWriter) head(kind byte, name string) {
	w.buf = append(append(append(w.buf, kind), name...), 0)
}

func (w *bsonWriter) element(name string, t *types.Type, v *rowBytes) error { // long: one case a type
	t = types.WithoutLowCardinality(t)
	switch t.Kind() {
	case types.KindNullable:
		if v.take(1)[0] != 0 {
			w.head(bsonNull, name)
			return nil
		}
		return w.element(name, t.Elem(), v)
	case types.KindBool:
		w.head(bsonBool, name)
		w.buf = append(w.buf, v.take(1)...)
		return nil
	case types.KindString:
		w.bytes(name, v.take(v.count()))
		return nil
	case types.KindFixedString:
		w.bytes(name, v.take(t.Length()))
		return nil
	case types.KindFloat32, types.KindFloat64:
		w.head(bsonDouble, name)
		w.buf = binary.LittleEndian.AppendUint64(w.buf, doubleBits(v.take(widthOf(t))))
		return nil
	case types.KindDateTime64:
		w.head(bsonTime, name)
		w.buf = append(w.buf, v.take(8)...)
		return nil
	case types.KindUUID:
		w.head(bsonBinary, name)
		w.buf = append(append(w.buf, 16, 0, 0, 0, 4), v.take(16)...)
		return nil
	case types.KindArray, types.KindMap, types.KindTuple:
		return w.nested(name, t, v)
	}
	switch width := widthOf(t); {
	case width == 0:
		return noForm(t, "BSON")
	case width > 8:
		w.head(bsonBinary, name)
		w.buf = append(binary.LittleEndian.AppendUint32(w.buf, uint32(width)), 0)
		w.buf = append(w.buf, v.take(width)...)
	case width == 8 || t.Kind() == types.KindUInt32 || t.Kind() == types.KindDateTime:
		w.head(bsonInt64, name)
		w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(integer(v.take(width), isSignedForm(t))))
	default:
		w.head(bsonInt32, name)
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(integer(v.take(width), isSignedForm(t))))
	}
	return nil
}

func (w *bsonWriter) bytes(name string, b []byte) {
	if w.strings {
		w.head(bsonString, name)
		w.buf = append(append(binary.LittleEndian.AppendUint32(w.buf, uint32(len(b)+1)), b...), 0)
		return
	}
	w.head(bsonBinary, name)
	w.buf = append(append(binary.LittleEndian.AppendUint32(w.buf, uint32(len(b))), 0), b...)
}

// nested writes arrays as documents of elements numbered from 0, tuples without
// names from 1; maps need keys that are text.
func (w *bsonWriter) nested(name string, t *types.Type, v *rowBytes) error {
	kind, named := byte(bsonArray), false
	if t.Kind() == types.KindMap || t.Kind() == types.KindTuple && t.Names() != nil {
		kind, named = bsonDocument, true
	}
	if t.Kind() == types.KindMap && !types.WithoutLowCardinality(t.Elems()[0]).IsString() {
		return noForm(t, "BSON")
	}
	w.head(kind, name)
	at := w.open()
	n := len(t.Elems())
	if t.Kind() != types.KindTuple {
		n = v.count()
	}
	for i := range n {
		key, elem := strconv.Itoa(i), t.Elems()[0]
		switch {
		case t.Kind() == types.KindMap:
			size := types.WithoutLowCardinality(t.Elems()[0]).Length()
			if types.WithoutLowCardinality(t.Elems()[0]).Kind() == types.KindString {
				size = v.count()
			}
			key, elem = string(v.take(size)), t.Elems()[1]
		case t.Kind() == types.KindTuple:
			key, elem = strconv.Itoa(i+1), t.Elems()[i]
			if named {
				key = t.Names()[i]
			}
		}
		if err := w.element(key, elem, v); err != nil {
			return err
		}
	}
	w.close(at)
	return nil
}
