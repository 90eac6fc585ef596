package format

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/types"
)

// Binary formats that hold values one by one (MsgPack, BSON, Avro) are
// translated from and to RowBinary, whose cells are made and read by the codec:
// a format knows its own bytes and types, not columns.

// pivotWriter gives the RowBinary bytes of the cells of a block.
type pivotWriter struct {
	cells []func(dst []byte, row int) []byte
	buf   []byte
}

func newPivotWriter(h column.Header, b *column.Block) (*pivotWriter, error) {
	w := &pivotWriter{cells: make([]func([]byte, int) []byte, len(h))}
	for i := range h {
		var err error
		if w.cells[i], err = native.RowAppender(h[i].Type, b.Columns[i]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// cell is valid until the next call.
func (w *pivotWriter) cell(i, row int) *rowBytes {
	w.buf = w.cells[i](w.buf[:0], row)
	return &rowBytes{w.buf}
}

// rowBytes are RowBinary bytes, taken from the front.
type rowBytes struct{ b []byte }

func (r *rowBytes) take(n int) []byte {
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *rowBytes) count() int {
	n, used := binary.Uvarint(r.b)
	r.b = r.b[used:]
	return int(n)
}

// pivotReader takes RowBinary bytes of cells and gives columns.
type pivotReader struct {
	cells []native.RowReader
	src   bytes.Reader
	in    *bufio.Reader
}

func newPivotReader(h column.Header) (*pivotReader, error) {
	p := &pivotReader{}
	p.in = bufio.NewReaderSize(&p.src, 512)
	for _, f := range h {
		c, err := native.NewRowReader(f.Type)
		if err != nil {
			return nil, err
		}
		p.cells = append(p.cells, c)
	}
	return p, nil
}

func (p *pivotReader) put(i int, cell []byte) error {
	p.src.Reset(cell)
	p.in.Reset(&p.src)
	return p.cells[i].Read(p.in)
}

func (p *pivotReader) block(rows int) *column.Block {
	b := &column.Block{Columns: make([]column.Column, len(p.cells)), Rows: rows}
	for i, c := range p.cells {
		b.Columns[i] = c.Finish()
	}
	return b
}

// widthOf is the bytes of a value in RowBinary where that is fixed, else 0.
func widthOf(t *types.Type) int {
	switch t.Kind() {
	case types.KindBool:
		return 1
	case types.KindDate:
		return 2
	case types.KindDate32, types.KindDateTime, types.KindIPv4, types.KindFloat32:
		return 4
	case types.KindDateTime64, types.KindFloat64:
		return 8
	case types.KindUUID, types.KindIPv6:
		return 16
	case types.KindEnum8:
		return 1
	case types.KindEnum16:
		return 2
	}
	if t.IsInteger() || t.IsDecimal() {
		return t.Bytes()
	}
	return 0
}

// isSignedForm tells whether a fixed value is a signed number.
func isSignedForm(t *types.Type) bool {
	switch t.Kind() {
	case types.KindDate32, types.KindDateTime64, types.KindEnum8, types.KindEnum16:
		return true
	}
	return t.IsSigned() || t.IsDecimal()
}

// integer reads a little-endian number, sign-extended where its type is signed.
func integer(b []byte, signed bool) int64 {
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	if shift := 64 - 8*len(b); signed {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// putInteger appends a number in the form of a type; unsigned says that v's
// bits are of an unsigned one.
func putInteger(dst []byte, t *types.Type, v int64, unsigned bool) ([]byte, error) {
	w := widthOf(t)
	switch t.Kind() {
	case types.KindUUID, types.KindIPv6, types.KindFloat32, types.KindFloat64:
		w = 0
	}
	if w == 0 {
		return nil, wrongValue("an integer", t)
	}
	fill := byte(0)
	if v < 0 && !unsigned {
		fill = 0xff
	}
	for i := range w {
		if i < 8 {
			dst = append(dst, byte(v>>(8*i)))
		} else {
			dst = append(dst, fill)
		}
	}
	return dst, nil
}

func putFloat(dst []byte, t *types.Type, v float64) ([]byte, error) {
	switch t.Kind() {
	case types.KindFloat32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v))), nil
	case types.KindFloat64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v)), nil
	}
	return nil, wrongValue("a floating point number", t)
}

// putBytes appends bytes as text, or as the raw value of a wide type.
func putBytes(dst []byte, t *types.Type, v []byte) ([]byte, error) {
	switch t.Kind() {
	case types.KindString:
		return append(binary.AppendUvarint(dst, uint64(len(v))), v...), nil
	case types.KindFixedString:
		if len(v) > t.Length() {
			return nil, cherr.New(cherr.TooLargeStringSize, "Too large value for %s", t)
		}
		return append(append(dst, v...), make([]byte, t.Length()-len(v))...), nil
	case types.KindEnum8, types.KindEnum16:
		if n, ok := t.Enum().Value(string(v)); ok {
			return putInteger(dst, t, int64(n), false)
		}
		return nil, cherr.New(cherr.UnknownElementOfEnum, "Unknown element '%s' for enum", v)
	}
	if w := widthOf(t); w > 8 && len(v) == w {
		return append(dst, v...), nil
	}
	return nil, wrongValue("bytes", t)
}

// putNull appends NULL; types that have none get their default.
func putNull(dst []byte, t *types.Type) ([]byte, error) {
	if t = types.WithoutLowCardinality(t); t.Kind() == types.KindNullable {
		return append(dst, 1), nil
	}
	f, err := native.RowAppender(t, column.Default(t, 1))
	if err != nil {
		return nil, err
	}
	return f(dst, 0), nil
}

// startValue appends what stands before a value that is not NULL and gives its
// plain type.
func startValue(dst []byte, t *types.Type) ([]byte, *types.Type) {
	if t = types.WithoutLowCardinality(t); t.Kind() == types.KindNullable {
		return append(dst, 0), t.Elem()
	}
	return dst, t
}

func wrongValue(what string, t *types.Type) error {
	return cherr.New(cherr.IllegalColumn, "Cannot insert %s into a column with type %s", what, t)
}

func noForm(t *types.Type, format string) error {
	return cherr.New(cherr.IllegalColumn, "Type %s is not supported for %s output format", t, format)
}
