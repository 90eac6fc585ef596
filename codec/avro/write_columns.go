package avro

import (
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/types"
)

// DataField gives field ids to a column and what is inside: Children are a
// Tuple's elements, an Array's element, a Map's key and value.
type DataField struct {
	ID       int
	Children []DataField
	Binary   bool // a String that is no text
	Time     bool // an Int64 that counts a day's microseconds
}

// Dialect says which forms types take.
type Dialect uint8

// The dialects.
const (
	IcebergForms Dialect = iota // fields carry ids (spec, appendix A)
	PaimonForms                 // paimon.md §1.9
)

// DataWriter writes blocks as records. It is used by one goroutine.
type DataWriter struct {
	out    *Writer
	header column.Header
	fields []DataField
	rows   int64
	forms  Dialect
}

// NewDataWriter begins a file with the columns of header.
func NewDataWriter(w io.Writer, header column.Header, fields []DataField, codec string, forms Dialect) (*DataWriter, error) {
	s := &schemaText{named: map[string]bool{}, forms: forms, path: paimonRecord}
	var parts []string
	for i, f := range header {
		text, err := s.field(f.Name, f.Type, fields[i])
		if err != nil {
			return nil, err
		}
		parts = append(parts, text)
	}
	name := "table"
	if forms == PaimonForms {
		name = paimonRecord
	}
	out, err := NewFileWriter(w, `{"type":"record","name":"`+name+`","fields":[`+strings.Join(parts, ",")+`]}`, codec)
	return &DataWriter{out: out, header: header, fields: fields, forms: forms}, err
}

// Write adds a block's rows.
func (w *DataWriter) Write(b *column.Block) error {
	puts := make([]putter, len(w.header))
	for i, f := range w.header {
		puts[i] = w.forms.newPutter(f.Type, column.Full(b.Columns[i]), w.fields[i])
	}
	for row := range b.Rows {
		for _, put := range puts {
			put(&w.out.row, row)
		}
		if err := w.out.EndRow(); err != nil {
			return err
		}
	}
	w.rows += int64(b.Rows)
	return nil
}

// Bytes gives about how long the file is so far.
func (w *DataWriter) Bytes() int64 { return w.out.Len() }

// Close writes what is left. It does not close the writer below.
func (w *DataWriter) Close() error { return w.out.Close() }

// paimonRecord names the records of Paimon's files.
const paimonRecord = "org.apache.paimon.avro.generated.record"

type schemaText struct {
	named map[string]bool
	forms Dialect
	path  string // of the record at hand
}

func childAt(f DataField, i int) DataField {
	if i < len(f.Children) {
		return f.Children[i]
	}
	return DataField{ID: -1}
}

func (s *schemaText) field(name string, t *types.Type, f DataField) (string, error) {
	text, optional, err := s.optional(name, t, f)
	if err != nil {
		return "", err
	}
	if s.forms == PaimonForms {
		out := `{"name":` + strconv.Quote(name) + `,"type":` + text
		if optional {
			out += `,"default":null`
		}
		return out + `}`, nil
	}
	plain := SafeName(name)
	out := `{"name":"` + plain + `","type":` + text
	if plain != name {
		out += `,"iceberg-field-name":` + strconv.Quote(name)
	}
	if optional {
		out += `,"default":null`
	}
	return out + `,"field-id":` + strconv.Itoa(f.ID) + `}`, nil
}

func (s *schemaText) optional(name string, t *types.Type, f DataField) (text string, optional bool, err error) {
	t = types.WithoutLowCardinality(t)
	if t.Kind() == types.KindNullable {
		text, err = s.plain(name, t.Elem(), f)
		return `["null",` + text + `]`, true, err
	}
	text, err = s.plain(name, t, f)
	return text, false, err
}

func (s *schemaText) fixed(name string, size int, more string) string {
	if s.named[name] {
		return `"` + name + `"`
	}
	s.named[name] = true
	return `{"type":"fixed","name":"` + name + `","size":` + strconv.Itoa(size) + more + `}`
}

func (s *schemaText) plain(name string, t *types.Type, f DataField) (string, error) { // long: one case a type
	if s.forms == PaimonForms {
		if out, ok, err := s.paimon(name, t, f); ok {
			return out, err
		}
	}
	switch t.Kind() {
	case types.KindBool:
		return `"boolean"`, nil
	case types.KindInt8, types.KindInt16, types.KindInt32, types.KindUInt8, types.KindUInt16:
		return `"int"`, nil
	case types.KindInt64:
		if f.Time {
			return `{"type":"long","logicalType":"time-micros"}`, nil
		}
		return `"long"`, nil
	case types.KindFloat32:
		return `"float"`, nil
	case types.KindFloat64:
		return `"double"`, nil
	case types.KindDate, types.KindDate32:
		return `{"type":"int","logicalType":"date"}`, nil
	case types.KindDateTime64:
		unit := map[int]string{6: "micros", 9: "nanos"}[t.Scale()]
		if unit == "" {
			break
		}
		return `{"type":"long","logicalType":"timestamp-` + unit + `","adjust-to-utc":` + strconv.FormatBool(t.Zone() != "") + `}`, nil
	case types.KindString:
		if f.Binary {
			return `"bytes"`, nil
		}
		return `"string"`, nil
	case types.KindFixedString:
		return s.fixed("fixed_"+strconv.Itoa(t.Length()), t.Length(), ""), nil
	case types.KindUUID:
		return s.fixed("uuid_fixed", 16, `,"logicalType":"uuid"`), nil
	case types.KindArray:
		e, _, err := s.optional("element", t.Elem(), childAt(f, 0))
		return `{"type":"array","items":` + e + `,"element-id":` + strconv.Itoa(childAt(f, 0).ID) + `}`, err
	case types.KindMap:
		return s.mapOf(t, f)
	case types.KindTuple:
		var parts []string
		for i, e := range t.Elems() {
			text, err := s.field(t.Names()[i], e, childAt(f, i))
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return `{"type":"record","name":"r` + strconv.Itoa(f.ID) + `","fields":[` + strings.Join(parts, ",") + `]}`, nil
	}
	if t.IsDecimal() {
		p, sc := strconv.Itoa(t.Precision()), strconv.Itoa(t.Scale())
		return s.fixed("decimal_"+p+"_"+sc, decimalWidth(t.Precision()), `,"logicalType":"decimal","precision":`+p+`,"scale":`+sc), nil
	}
	return "", cherr.New(cherr.UnknownType, "Type %s of column `%s` cannot be written to Avro", t, name)
}

// mapOf: keys that are text make an Avro map, others an array of records.
func (s *schemaText) mapOf(t *types.Type, f DataField) (string, error) {
	k, v := childAt(f, 0), childAt(f, 1)
	value, optional, err := s.optional("value", t.Elems()[1], v)
	if err != nil {
		return "", err
	}
	kid, vid := strconv.Itoa(k.ID), strconv.Itoa(v.ID)
	if isText(t.Elems()[0]) && !k.Binary {
		return `{"type":"map","values":` + value + `,"key-id":` + kid + `,"value-id":` + vid + `}`, nil
	}
	key, _, err := s.optional("key", t.Elems()[0], k)
	def := ""
	if optional {
		def = `,"default":null`
	}
	return `{"type":"array","logicalType":"map","items":{"type":"record","name":"k` + kid + `_v` + vid + `","fields":[{"name":"key","type":` + key +
		`,"field-id":` + kid + `},{"name":"value","type":` + value + def + `,"field-id":` + vid + `}]}}`, err
}

func isText(t *types.Type) bool { return types.Unwrap(t).Kind() == types.KindString }

// decimalWidth gives the fewest bytes that hold a precision.
func decimalWidth(precision int) int {
	limit := types.ToI256(1).Big()
	for range precision {
		limit.Mul(limit, types.ToI256(10).Big())
	}
	return limit.BitLen()/8 + 1
}

// SafeName makes a name that Avro accepts, as the reference implementation
// does: a leading digit gets an underscore, other marks their code.
func SafeName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', i > 0 && r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteString("_" + string(r))
		default:
			b.WriteString("_x" + strings.ToUpper(strconv.FormatInt(int64(r), 16)))
		}
	}
	return b.String()
}

// putter appends one row of a column.
type putter func(e *Encoder, row int)

func (d Dialect) newPutter(t *types.Type, c column.Column, f DataField) putter {
	t = types.WithoutLowCardinality(t)
	if t.Kind() == types.KindNullable {
		values, null := column.SplitNulls(c)
		put := d.plainPutter(t.Elem(), values, f)
		return func(e *Encoder, row int) {
			if null != nil && null[row] != 0 {
				e.Present(false)
				return
			}
			e.Present(true)
			put(e, row)
		}
	}
	return d.plainPutter(t, c, f)
}

func (d Dialect) plainPutter(t *types.Type, c column.Column, f DataField) putter { // long: one case a form
	switch c := c.(type) {
	case *column.Fixed[uint8]:
		if t.Kind() == types.KindBool {
			return func(e *Encoder, row int) { e.Bool(c.Values[row] != 0) }
		}
		return longs(c.Values)
	case *column.Fixed[int8]:
		return longs(c.Values)
	case *column.Fixed[int16]:
		return longs(c.Values)
	case *column.Fixed[uint16]:
		return longs(c.Values)
	case *column.Fixed[int32]:
		if !t.IsDecimal() {
			return longs(c.Values)
		}
	case *column.Fixed[int64]:
		if n := d.ticks(t); n > 1 {
			return func(e *Encoder, row int) { e.Long(c.Values[row] * n) }
		}
		if !t.IsDecimal() {
			return longs(c.Values)
		}
	case *column.Fixed[float32]:
		return func(e *Encoder, row int) { e.Float(c.Values[row]) }
	case *column.Fixed[float64]:
		return func(e *Encoder, row int) { e.Double(c.Values[row]) }
	case *column.Fixed[types.U128]: // UUID
		return func(e *Encoder, row int) {
			var b [16]byte
			binary.BigEndian.PutUint64(b[:], c.Values[row].Hi)
			binary.BigEndian.PutUint64(b[8:], c.Values[row].Lo)
			e.Fixed(b[:])
		}
	case *column.Str:
		if t.Kind() == types.KindFixedString && d == IcebergForms {
			return func(e *Encoder, row int) { e.Fixed(c.At(row)) }
		}
		return func(e *Encoder, row int) { e.Bytes(c.At(row)) }
	case *column.Array:
		elem := d.newPutter(t.Elem(), c.Elems, childAt(f, 0))
		return ranges(c.Offsets, elem)
	case *column.Map:
		key, value := d.newPutter(t.Elems()[0], c.Keys, childAt(f, 0)), d.newPutter(t.Elems()[1], c.Values, childAt(f, 1))
		return ranges(c.Offsets, func(e *Encoder, row int) { key(e, row); value(e, row) })
	case *column.Tuple:
		parts := make([]putter, len(c.Elems))
		for i := range c.Elems {
			parts[i] = d.newPutter(t.Elems()[i], c.Elems[i], childAt(f, i))
		}
		return func(e *Encoder, row int) {
			for _, put := range parts {
				put(e, row)
			}
		}
	}
	if t.IsDecimal() {
		return decimals(t, c, d == PaimonForms)
	}
	cherr.Bug("no Avro form of a %T", c)
	return nil
}

func longs[T int8 | int16 | int32 | int64 | uint8 | uint16](v []T) putter {
	return func(e *Encoder, row int) { e.Long(int64(v[row])) }
}

func ranges(offsets []uint64, elem putter) putter {
	return func(e *Encoder, row int) {
		from, to := offsets[row], offsets[row+1]
		if to > from {
			e.Long(int64(to - from))
		}
		for i := from; i < to; i++ {
			elem(e, int(i))
		}
		e.Long(0)
	}
}

func decimals(t *types.Type, c column.Column, sized bool) putter {
	width := decimalWidth(t.Precision())
	return func(e *Encoder, row int) {
		var v types.I256
		switch c := c.(type) {
		case *column.Fixed[int32]:
			v = types.ToI256(int64(c.Values[row]))
		case *column.Fixed[int64]:
			v = types.ToI256(c.Values[row])
		case *column.Fixed[types.I128]:
			x := c.Values[row]
			sign := uint64(x.Hi >> 63)
			v = types.I256{x.Lo, uint64(x.Hi), sign, sign}
		case *column.Fixed[types.I256]:
			v = c.Values[row]
		}
		var b [32]byte
		for i := range v {
			binary.BigEndian.PutUint64(b[24-8*i:], v[i])
		}
		if sized {
			e.Bytes(b[32-width:])
			return
		}
		e.Fixed(b[32-width:])
	}
}
