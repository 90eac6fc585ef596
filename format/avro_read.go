package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/types"
)

// openAvro reads a container whole; nil where there are no bytes at all.
func openAvro(r *bufio.Reader) (*avro.File, error) {
	data, err := io.ReadAll(r)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	f, err := avro.OpenBytes("(input)", data)
	if err != nil {
		return nil, err
	}
	if f.Schema.Kind != avro.Record {
		f.Close()
		return nil, cherr.New(cherr.IncorrectData, "The root schema of an Avro document must be a record")
	}
	return f, nil
}

// headerOfAvro gives the columns of a record.
func headerOfAvro(s *avro.Schema) (column.Header, error) {
	var h column.Header
	for _, f := range s.Fields {
		t, err := typeOfAvro(f.Type, 0)
		if err != nil {
			return nil, cherr.Wrap(err, "column %s", f.Name)
		}
		h = append(h, column.Field{Name: f.Name, Type: t})
	}
	return h, nil
}

func typeOfAvro(s *avro.Schema, depth int) (*types.Type, error) { // long: one case a form
	if depth > maxValueDepth {
		return nil, cherr.New(cherr.TooDeepRecursion, "The schema is nested too deep")
	}
	switch s.Kind {
	case avro.Boolean:
		return types.Bool, nil
	case avro.Int:
		if s.Logical == "date" {
			return types.Date32, nil
		}
		return types.Int32, nil
	case avro.Long:
		switch s.Logical {
		case "timestamp-millis":
			return types.DateTime64(3, "", nil), nil
		case "timestamp-micros":
			return types.DateTime64(6, "", nil), nil
		case "timestamp-nanos":
			return types.DateTime64(9, "", nil), nil
		}
		return types.Int64, nil
	case avro.Float:
		return types.Float32, nil
	case avro.Double:
		return types.Float64, nil
	case avro.Bytes:
		if s.Logical == "decimal" {
			return types.Decimal(s.Precision, s.Scale), nil
		}
		return types.String, nil
	case avro.String:
		if s.Logical == "uuid" {
			return types.UUID, nil
		}
		return types.String, nil
	case avro.Fixed:
		return types.FixedString(s.Size), nil
	case avro.Enum:
		return enumOfAvro(s)
	case avro.Array:
		e, err := typeOfAvro(s.Elem, depth+1)
		return types.Array(e), err
	case avro.Map:
		e, err := typeOfAvro(s.Elem, depth+1)
		return types.Map(types.String, e), err
	case avro.Record:
		elems, names := make([]*types.Type, len(s.Fields)), make([]string, len(s.Fields))
		for i, f := range s.Fields {
			var err error
			if elems[i], err = typeOfAvro(f.Type, depth+1); err != nil {
				return nil, err
			}
			names[i] = f.Name
		}
		return types.Tuple(elems, names), nil
	case avro.Union:
		if p := s.Plain(); p != nil {
			t, err := typeOfAvro(p, depth+1)
			if err == nil && len(s.Branches) > 1 && t.CanBeNullable() {
				t = types.Nullable(t)
			}
			return t, err
		}
	}
	return nil, cherr.New(cherr.BadArguments, "Avro types of kind %d are not supported for inserting", s.Kind)
}

func enumOfAvro(s *avro.Schema) (*types.Type, error) {
	text := "Enum8("
	if len(s.Symbols) > 127 {
		text = "Enum16("
	}
	for i, name := range s.Symbols {
		if i > 0 {
			text += ", "
		}
		text += "'" + strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), `'`, `\'`) + "' = " + strconv.Itoa(i)
	}
	return types.Parse(text + ")")
}

// avroReader takes fields by name.
type avroReader struct {
	r       *bufio.Reader
	h       column.Header
	o       *Options
	f       *avro.File
	p       *pivotReader
	column  []int // of each field, -1: passed over
	lacks   []int // columns without a field
	left    int64 // rows of the block at hand
	data    avroBytes
	missing [][]uint8
}

func (a *avroReader) Missing() [][]uint8 { return a.missing }

func (a *avroReader) Close() error {
	if a.f != nil {
		a.f.Close()
	}
	return nil
}

func (a *avroReader) open() (err error) {
	if a.f, err = openAvro(a.r); err != nil || a.f == nil {
		return err
	}
	seen := make([]bool, len(a.h))
	for _, f := range a.f.Schema.Fields {
		i := a.h.Index(f.Name)
		a.column = append(a.column, i)
		if i >= 0 {
			seen[i] = true
		}
	}
	for i := range seen {
		if seen[i] {
			continue
		}
		if !a.o.Settings.Bool("input_format_avro_allow_missing_fields") {
			return cherr.New(cherr.ThereIsNoColumn, "Field %s not found in Avro schema", a.h[i].Name)
		}
		a.lacks = append(a.lacks, i)
	}
	a.p, err = newPivotReader(a.h)
	return err
}

func (a *avroReader) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if a.f == nil {
		if err := a.open(); err != nil || a.f == nil {
			return nil, err
		}
	}
	rows := 0
	var cell []byte
	for ; rows < a.o.MaxBlockRows; rows++ {
		for a.left == 0 {
			n, data, err := a.f.Next()
			if err != nil {
				return nil, err
			}
			if n == 0 {
				break
			}
			a.left, a.data = n, avroBytes{b: data}
		}
		if a.left == 0 {
			break
		}
		for k, f := range a.f.Schema.Fields {
			i := a.column[k]
			var err error
			if i < 0 {
				_, err = a.data.value(cell[:0], nil, f.Type, 0)
			} else if cell, err = a.data.value(cell[:0], a.h[i].Type, f.Type, 0); err == nil {
				err = a.p.put(i, cell)
			}
			if err != nil {
				return nil, cherr.Wrap(err, "reading row %d, column %s", rows+1, f.Name)
			}
		}
		a.left--
	}
	if rows == 0 {
		return nil, nil
	}
	a.missing = nil
	for _, i := range a.lacks {
		if a.missing == nil {
			a.missing = make([][]uint8, len(a.h))
		}
		a.missing[i] = ones(rows)
		for range rows {
			a.p.cells[i].Default()
		}
	}
	return a.p.block(rows), nil
}

// avroBytes are the values of a block, taken from the front.
type avroBytes struct{ b []byte }

func (a *avroBytes) take(n int64) ([]byte, error) {
	if n < 0 || n > int64(len(a.b)) {
		return nil, cutValue()
	}
	out := a.b[:n]
	a.b = a.b[n:]
	return out, nil
}

func (a *avroBytes) long() (int64, error) {
	v, n := binary.Varint(a.b)
	if n <= 0 {
		return 0, cutValue()
	}
	a.b = a.b[n:]
	return v, nil
}

// value translates the value at hand; without a type it is stepped over.
func (a *avroBytes) value(dst []byte, t *types.Type, s *avro.Schema, depth int) ([]byte, error) { // long: one case a form
	if depth > maxValueDepth {
		return nil, cherr.New(cherr.TooDeepRecursion, "Values are nested too deep")
	}
	if s.Kind == avro.Union {
		i, err := a.long()
		if err != nil || i < 0 || i >= int64(len(s.Branches)) {
			return nil, cherr.New(cherr.IncorrectData, "An Avro union has no branch %d", i)
		}
		return a.value(dst, t, s.Branches[i], depth+1)
	}
	if t == nil {
		t = types.Nothing
	} else if s.Kind == avro.Null {
		return putNull(dst, t)
	} else {
		dst, t = startValue(dst, t)
	}
	skip := t.Kind() == types.KindNothing
	switch s.Kind {
	case avro.Null:
		return dst, nil
	case avro.Boolean:
		b, err := a.take(1)
		if err != nil || skip {
			return dst, err
		}
		return putInteger(dst, t, int64(b[0]), true)
	case avro.Int, avro.Long:
		v, err := a.long()
		if err != nil || skip {
			return dst, err
		}
		if t.Kind() == types.KindFloat32 || t.Kind() == types.KindFloat64 {
			return putFloat(dst, t, float64(v))
		}
		return putInteger(dst, t, rescaled(v, s, t), false)
	case avro.Float, avro.Double:
		b, err := a.take(map[avro.Kind]int64{avro.Float: 4, avro.Double: 8}[s.Kind])
		if err != nil || skip {
			return dst, err
		}
		return putFloat(dst, t, math.Float64frombits(doubleBits(b)))
	case avro.Bytes, avro.String, avro.Fixed:
		n := int64(s.Size)
		if s.Kind != avro.Fixed {
			var err error
			if n, err = a.long(); err != nil {
				return nil, err
			}
		}
		b, err := a.take(n)
		if err != nil || skip {
			return dst, err
		}
		return putAvroBytes(dst, t, s, b)
	case avro.Enum:
		i, err := a.long()
		if err != nil || i < 0 || i >= int64(len(s.Symbols)) {
			return nil, cherr.New(cherr.IncorrectData, "An Avro enum has no symbol %d", i)
		}
		if skip {
			return dst, nil
		}
		return putBytes(dst, t, []byte(s.Symbols[i]))
	}
	return a.nested(dst, t, s, depth)
}

// rescaled brings a timestamp to the digits of the column.
func rescaled(v int64, s *avro.Schema, t *types.Type) int64 {
	have := map[string]int{"timestamp-millis": 3, "timestamp-micros": 6, "timestamp-nanos": 9}[s.Logical]
	if have == 0 || t.Kind() != types.KindDateTime64 {
		return v
	}
	for ; have < t.Scale(); have++ {
		v *= 10
	}
	for ; have > t.Scale(); have-- {
		v /= 10
	}
	return v
}

func putAvroBytes(dst []byte, t *types.Type, s *avro.Schema, b []byte) ([]byte, error) {
	switch {
	case t.Kind() == types.KindUUID:
		u, err := uuid.ParseBytes(b)
		if err != nil {
			return nil, cherr.New(cherr.CannotParseUUID, "Cannot parse UUID: %q", b)
		}
		dst = binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(u[:]))
		return binary.LittleEndian.AppendUint64(dst, binary.BigEndian.Uint64(u[8:])), nil
	case t.IsDecimal() && s.Logical == "decimal":
		if s.Scale != t.Scale() || len(b) > t.Bytes() {
			return nil, wrongValue("a decimal of another scale or size", t)
		}
		le := slices.Clone(b)
		slices.Reverse(le)
		fill := byte(0)
		if len(b) > 0 && b[0] >= 0x80 {
			fill = 0xff
		}
		for len(le) < t.Bytes() {
			le = append(le, fill)
		}
		return append(dst, le...), nil
	}
	return putBytes(dst, t, b)
}

func (a *avroBytes) nested(dst []byte, t *types.Type, s *avro.Schema, depth int) (_ []byte, err error) {
	skip := t.Kind() == types.KindNothing
	if s.Kind == avro.Record {
		if !skip && (t.Kind() != types.KindTuple || len(t.Elems()) != len(s.Fields)) {
			return nil, wrongValue("an Avro record", t)
		}
		for i, f := range s.Fields {
			var elem *types.Type
			if !skip {
				elem = t.Elems()[i]
			}
			if dst, err = a.value(dst, elem, f.Type, depth+1); err != nil {
				return nil, err
			}
		}
		return dst, nil
	}
	isMap := s.Kind == avro.Map
	if !skip && (isMap && t.Kind() != types.KindMap || !isMap && t.Kind() != types.KindArray) {
		return nil, wrongValue("an Avro array or map", t)
	}
	var key, elem *types.Type
	if !skip {
		elem = t.Elems()[len(t.Elems())-1]
		key = types.WithoutLowCardinality(t.Elems()[0])
	}
	var body []byte
	count := int64(0)
	for {
		n, err := a.items()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		count += n
		for range n {
			if isMap {
				if body, err = a.mapKey(body, key); err != nil {
					return nil, err
				}
			}
			if body, err = a.value(body, elem, s.Elem, depth+1); err != nil {
				return nil, err
			}
		}
	}
	if skip {
		return dst, nil
	}
	return append(binary.AppendUvarint(dst, uint64(count)), body...), nil
}

// items gives the length of the next run of an array or map. Each item but of
// type null takes a byte at least.
func (a *avroBytes) items() (int64, error) {
	n, err := a.long()
	if err == nil && n < 0 {
		n = -n
		_, err = a.long()
	}
	if err != nil || n < 0 || n > int64(len(a.b)) {
		return 0, cutValue()
	}
	return n, nil
}

func (a *avroBytes) mapKey(dst []byte, t *types.Type) ([]byte, error) {
	n, err := a.long()
	if err != nil {
		return nil, err
	}
	b, err := a.take(n)
	if err != nil || t == nil {
		return dst, err
	}
	return putBytes(dst, t, b)
}
