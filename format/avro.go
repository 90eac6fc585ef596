package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/types"
)

var _ = add(Format{
	Name: "Avro", ContentType: bytesType, Closed: true, SubsetOfColumns: true,
	NewWriter: newAvroWriter,
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return &avroReader{r: r, h: h, o: o}, nil
	},
	Infer: func(_ context.Context, r *bufio.Reader, _ *Options) (column.Header, error) {
		f, err := openAvro(r)
		if err != nil || f == nil {
			return nil, err
		}
		defer f.Close()
		return headerOfAvro(f.Schema)
	},
})

// avroWriter writes an object container file.
type avroWriter struct {
	h       column.Header
	out     *avro.Writer
	schemas *avroSchemas
}

func newAvroWriter(w io.Writer, h column.Header, o *Options) (Writer, error) {
	s := &avroSchemas{}
	if p := o.Settings.Get("output_format_avro_string_column_pattern"); p != "" {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, cherr.New(cherr.BadArguments, "output_format_avro_string_column_pattern: %s", err)
		}
		s.text = re
	}
	var fields []string
	for _, f := range h {
		text, err := s.of(f.Name, f.Type)
		if err != nil {
			return nil, err
		}
		fields = append(fields, `{"name":`+strconv.Quote(f.Name)+`,"type":`+text+`}`)
	}
	codec := o.Settings.Get("output_format_avro_codec")
	if codec == "" {
		codec = "snappy"
	}
	out, err := avro.NewFileWriter(w, `{"type":"record","name":"row","fields":[`+strings.Join(fields, ",")+`]}`, codec)
	if err != nil {
		return nil, err
	}
	return &avroWriter{h, out, s}, nil
}

func (w *avroWriter) Write(b *column.Block) error {
	p, err := newPivotWriter(w.h, b)
	if err != nil {
		return err
	}
	for row := range b.Rows {
		for i, f := range w.h {
			avroValue(w.out.Encoder(), f.Type, p.cell(i, row))
		}
		if err := w.out.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

func (w *avroWriter) Totals(*column.Block) error   { return nil }
func (w *avroWriter) Extremes(*column.Block) error { return nil }
func (w *avroWriter) Finish(Statistics) error      { return w.out.Close() }

// avroSchemas writes the schemas of types as ClickHouse does; named ones have
// the number of the type among all types at hand.
type avroSchemas struct {
	types int
	text  *regexp.Regexp // columns whose strings are texts; nil: all
}

func (s *avroSchemas) of(column string, t *types.Type) (string, error) { // long: one case a type
	s.types++
	if t.Kind() == types.KindLowCardinality {
		return s.of(column, t.Elem())
	}
	number := strconv.Itoa(s.types)
	logical := func(of, name string) string { return `{"type":"` + of + `","logicalType":"` + name + `"}` }
	fixed := func(name string, size int) string {
		return fmt.Sprintf(`{"type":"fixed","name":"%s","size":%d}`, name+number, size)
	}
	switch t.Kind() {
	case types.KindNullable:
		inner, err := s.of(column, t.Elem())
		return `["null",` + inner + `]`, err
	case types.KindBool:
		return `"boolean"`, nil
	case types.KindUInt8, types.KindInt8, types.KindUInt16, types.KindInt16, types.KindInt32, types.KindIPv4, types.KindDateTime:
		return `"int"`, nil
	case types.KindUInt32, types.KindInt64, types.KindUInt64:
		return `"long"`, nil
	case types.KindFloat32:
		return `"float"`, nil
	case types.KindFloat64:
		return `"double"`, nil
	case types.KindDate, types.KindDate32:
		return logical("int", "date"), nil
	case types.KindDateTime64:
		if unit := map[int]string{3: "millis", 6: "micros", 9: "nanos"}[t.Scale()]; unit != "" {
			return logical("long", "timestamp-"+unit), nil
		}
		return `"long"`, nil
	case types.KindString:
		if s.text == nil || s.text.MatchString(column) {
			return `"string"`, nil
		}
		return `"bytes"`, nil
	case types.KindFixedString:
		return fixed("fixed_", t.Length()), nil
	case types.KindUUID:
		return logical("string", "uuid"), nil
	case types.KindIPv6:
		return fixed("ipv6_", 16), nil
	case types.KindEnum8, types.KindEnum16:
		name := map[types.Kind]string{types.KindEnum8: "enum8_", types.KindEnum16: "enum16"}[t.Kind()]
		var symbols []string
		for _, n := range t.Enum().Names() {
			symbols = append(symbols, strconv.Quote(n))
		}
		return fmt.Sprintf(`{"type":"enum","name":"%s","symbols":[%s]}`, name+number, strings.Join(symbols, ",")), nil
	case types.KindArray:
		inner, err := s.of(column, t.Elem())
		return `{"type":"array","items":` + inner + `}`, err
	case types.KindMap:
		if !types.WithoutLowCardinality(t.Elems()[0]).IsString() {
			break
		}
		inner, err := s.of(column, t.Elems()[1])
		return `{"type":"map","values":` + inner + `}`, err
	case types.KindTuple:
		var fields []string
		for i, e := range t.Elems() {
			field := strconv.Itoa(i + 1)
			if t.Names() != nil {
				field = t.Names()[i]
			}
			text, err := s.of(field, e)
			if err != nil {
				return "", err
			}
			fields = append(fields, `{"name":`+strconv.Quote(field)+`,"type":`+text+`}`)
		}
		return fmt.Sprintf(`{"type":"record","name":"%s","fields":[%s]}`, column+"_"+number, strings.Join(fields, ",")), nil
	}
	switch {
	case t.IsDecimal():
		return fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d,"scale":%d}`, t.Precision(), t.Scale()), nil
	case t.IsInteger():
		return fixed(strings.ToLower(t.String()), t.Bytes()), nil
	}
	return "", cherr.New(cherr.IllegalColumn, "Type %s is not supported for Avro output: column %s", t, column)
}

// avroValue appends a value whose type has a schema.
func avroValue(e *avro.Encoder, t *types.Type, v *rowBytes) { // long: one case a type
	t = types.WithoutLowCardinality(t)
	switch t.Kind() {
	case types.KindNullable:
		if e.Present(v.take(1)[0] == 0) {
			avroValue(e, t.Elem(), v)
		}
		return
	case types.KindBool:
		e.Bool(v.take(1)[0] != 0)
		return
	case types.KindFloat32:
		e.Fixed(v.take(4))
		return
	case types.KindFloat64:
		e.Fixed(v.take(8))
		return
	case types.KindString:
		e.Bytes(v.take(v.count()))
		return
	case types.KindFixedString:
		e.Fixed(v.take(t.Length()))
		return
	case types.KindUUID:
		raw := v.take(16)
		e.Text(uuidText(binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])))
		return
	case types.KindEnum8, types.KindEnum16:
		e.Long(int64(slices.Index(t.Enum().Values(), int16(integer(v.take(widthOf(t)), true)))))
		return
	case types.KindArray, types.KindMap:
		n := v.count()
		e.Items(n)
		for range n {
			for i, elem := range t.Elems() {
				if t.Kind() == types.KindMap && i == 0 {
					avroKey(e, types.WithoutLowCardinality(elem), v)
					continue
				}
				avroValue(e, elem, v)
			}
		}
		e.EndItems(n)
		return
	case types.KindTuple:
		for _, elem := range t.Elems() {
			avroValue(e, elem, v)
		}
		return
	}
	switch width := widthOf(t); {
	case t.IsDecimal():
		raw := slices.Clone(v.take(width))
		slices.Reverse(raw)
		e.Bytes(raw)
	case width > 8:
		e.Fixed(v.take(width))
	default:
		signed := isSignedForm(t) || t.Kind() == types.KindDateTime || t.Kind() == types.KindIPv4 // an Avro int is
		e.Long(integer(v.take(width), signed))
	}
}

// avroKey: a map's keys are texts, whatever their type.
func avroKey(e *avro.Encoder, t *types.Type, v *rowBytes) {
	n := t.Length()
	if t.Kind() == types.KindString {
		n = v.count()
	}
	e.Bytes(v.take(n))
}
