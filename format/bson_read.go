package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// doubleBits widens a Float32's bytes.
func doubleBits(b []byte) uint64 {
	if len(b) == 4 {
		return math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return binary.LittleEndian.Uint64(b)
}

// bsonReader takes fields by name.
type bsonReader struct {
	r       *bufio.Reader
	h       column.Header
	o       *Options
	p       *pivotReader
	missing [][]uint8
}

func (b *bsonReader) Missing() [][]uint8 { return b.missing }
func (b *bsonReader) Close() error       { return nil }

// readDocument gives a document with its size; nil at the end.
func readDocument(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(4)
	if err == io.EOF && len(head) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, cutValue()
	}
	n := binary.LittleEndian.Uint32(head)
	if n < 5 || n > math.MaxInt32 {
		return nil, cherr.New(cherr.IncorrectData, "Size of a BSON document is %d", n)
	}
	return readBytes(r, int(n))
}

func (b *bsonReader) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	if b.p == nil {
		if b.p, err = newPivotReader(b.h); err != nil {
			return nil, err
		}
	}
	rows := 0
	b.missing = nil
	for ; rows < b.o.MaxBlockRows; rows++ {
		doc, err := readDocument(b.r)
		if err != nil {
			return nil, err
		}
		if doc == nil {
			break
		}
		if err := b.row(doc, rows); err != nil {
			return nil, cherr.Wrap(err, "reading row %d", rows+1)
		}
	}
	if rows == 0 {
		return nil, nil
	}
	for i := range b.missing {
		if m := b.missing[i]; m != nil {
			b.missing[i] = append(m, make([]uint8, rows-len(m))...)
		}
	}
	return b.p.block(rows), nil
}

func (b *bsonReader) row(doc []byte, row int) error {
	seen := make([]bool, len(b.h))
	err := eachElement(doc, func(kind byte, name string, value []byte) error {
		i := b.h.Index(name)
		if i < 0 {
			if b.o.SkipUnknownFields {
				return nil
			}
			return cherr.New(cherr.IncorrectData, "Unknown field found while parsing BSONEachRow format: %s", name)
		}
		if seen[i] {
			return cherr.New(cherr.IncorrectData, "Duplicate field found while parsing BSONEachRow format: %s", name)
		}
		seen[i] = true
		cell, err := bsonValue(nil, b.h[i].Type, kind, value, 0)
		if err == nil {
			err = b.p.put(i, cell)
		}
		return cherr.Wrap(err, "column %s", name)
	})
	if err != nil {
		return err
	}
	for i := range seen {
		if seen[i] {
			continue
		}
		b.p.cells[i].Default()
		if b.missing == nil {
			b.missing = make([][]uint8, len(b.h))
		}
		b.missing[i] = append(append(b.missing[i], make([]uint8, row-len(b.missing[i]))...), 1)
	}
	return nil
}

// eachElement calls f with the elements of a document.
func eachElement(doc []byte, f func(kind byte, name string, value []byte) error) error {
	if len(doc) < 5 || int(binary.LittleEndian.Uint32(doc)) != len(doc) || doc[len(doc)-1] != 0 {
		return cherr.New(cherr.IncorrectData, "A BSON document's size is wrong")
	}
	for rest := doc[4 : len(doc)-1]; len(rest) > 0; {
		end := bytes.IndexByte(rest[1:], 0)
		if end < 0 {
			return cutValue()
		}
		kind, name := rest[0], string(rest[1:1+end])
		rest = rest[2+end:]
		n, err := sizeOfElement(kind, rest)
		if err != nil {
			return err
		}
		if err := f(kind, name, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func sizeOfElement(kind byte, b []byte) (int, error) {
	n, head := 0, 0
	switch kind {
	case bsonNull:
	case bsonBool:
		n = 1
	case bsonInt32:
		n = 4
	case bsonInt64, bsonDouble, bsonTime, 0x11:
		n = 8
	case bsonObjectID:
		n = 12
	case bsonString, bsonSymbol, bsonCode:
		head = 4
	case bsonBinary:
		head = 5
	case bsonDocument, bsonArray:
		n = -1
	default:
		return 0, cherr.New(cherr.IncorrectData, "Unsupported BSON type: 0x%x", kind)
	}
	if head > 0 || n < 0 {
		if len(b) < max(head, 4) {
			return 0, cutValue()
		}
		n = head + int(binary.LittleEndian.Uint32(b))
	}
	if n < 0 || n > len(b) {
		return 0, cutValue()
	}
	return n, nil
}

// bsonValue translates one element's value.
func bsonValue(dst []byte, t *types.Type, kind byte, v []byte, depth int) ([]byte, error) { // long: one case a form
	if depth > maxValueDepth {
		return nil, cherr.New(cherr.TooDeepRecursion, "Values are nested too deep")
	}
	if kind == bsonNull {
		return putNull(dst, t)
	}
	dst, t = startValue(dst, t)
	switch kind {
	case bsonBool:
		return putInteger(dst, t, int64(v[0]), true)
	case bsonInt32:
		return putInteger(dst, t, int64(int32(binary.LittleEndian.Uint32(v))), false)
	case bsonInt64, bsonTime:
		return putInteger(dst, t, int64(binary.LittleEndian.Uint64(v)), t.Kind() == types.KindUInt64)
	case bsonDouble:
		return putFloat(dst, t, math.Float64frombits(binary.LittleEndian.Uint64(v)))
	case bsonString, bsonSymbol, bsonCode:
		if len(v) < 5 {
			return nil, cutValue()
		}
		return putBytes(dst, t, v[4:len(v)-1])
	case bsonObjectID:
		return putBytes(dst, t, v)
	case bsonBinary:
		return putBytes(dst, t, v[5:])
	}
	return bsonNested(dst, t, v, depth)
}

func bsonNested(dst []byte, t *types.Type, doc []byte, depth int) ([]byte, error) {
	var body []byte
	n := 0
	err := eachElement(doc, func(kind byte, name string, v []byte) (err error) {
		n++
		switch {
		case t.Kind() == types.KindArray:
			body, err = bsonValue(body, t.Elem(), kind, v, depth+1)
		case t.Kind() == types.KindMap:
			if body, err = putBytes(body, types.WithoutLowCardinality(t.Elems()[0]), []byte(name)); err == nil {
				body, err = bsonValue(body, t.Elems()[1], kind, v, depth+1)
			}
		case t.Kind() == types.KindTuple && n <= len(t.Elems()):
			if t.Names() != nil && t.Names()[n-1] != name {
				return cherr.New(cherr.IncorrectData, "Field %s stands where %s of %s is due", name, t.Names()[n-1], t)
			}
			body, err = bsonValue(body, t.Elems()[n-1], kind, v, depth+1)
		default:
			return wrongValue("a document or an array", t)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kind() == types.KindArray || t.Kind() == types.KindMap:
		dst = binary.AppendUvarint(dst, uint64(n))
	case t.Kind() != types.KindTuple || n != len(t.Elems()):
		return nil, wrongValue("a document or an array", t)
	}
	return append(dst, body...), nil
}

// inferBSON names the fields of the first document.
func inferBSON(r *bufio.Reader) (column.Header, error) {
	doc, err := readDocument(r)
	if err != nil || doc == nil {
		return nil, err
	}
	var h column.Header
	err = eachElement(doc, func(kind byte, name string, v []byte) error {
		t, err := typeOfBSON(kind, v)
		h = append(h, column.Field{Name: name, Type: t})
		return err
	})
	return h, err
}

func typeOfBSON(kind byte, v []byte) (*types.Type, error) {
	switch kind {
	case bsonBool:
		return types.Nullable(types.Bool), nil
	case bsonInt32:
		return types.Nullable(types.Int32), nil
	case bsonInt64:
		return types.Nullable(types.Int64), nil
	case bsonDouble:
		return types.Nullable(types.Float64), nil
	case bsonTime:
		return types.Nullable(types.DateTime64(6, "UTC", nil)), nil
	case bsonArray, bsonDocument:
		var elems []*types.Type
		var names []string
		err := eachElement(v, func(kind byte, name string, v []byte) error {
			t, err := typeOfBSON(kind, v)
			elems, names = append(elems, t), append(names, name)
			return err
		})
		if err != nil || len(elems) == 0 {
			return types.Nullable(types.String), err
		}
		common, err := types.Super(elems...)
		switch {
		case err == nil && kind == bsonArray:
			return types.Array(common), nil
		case err == nil:
			return types.Map(types.String, common), nil
		case kind == bsonArray:
			return types.Tuple(elems, nil), nil
		}
		return types.Tuple(elems, names), nil
	}
	return types.Nullable(types.String), nil
}
