package format

import (
	"io"
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var _ = add(Format{Name: "XML", ContentType: "application/xml; charset=UTF-8", Closed: true, NewWriter: newXML})

// xmlWriter writes one XML document.
type xmlWriter struct {
	buffer
	h     column.Header
	o     *Options
	tags  []string
	rows  uint64
	ended bool
}

func newXML(w io.Writer, h column.Header, o *Options) (Writer, error) {
	x := &xmlWriter{buffer: buffer{w: w}, h: h, o: o}
	x.buffer.text("<?xml version='1.0' encoding='UTF-8' ?>\n<result>\n\t<meta>\n\t\t<columns>\n")
	for _, f := range h {
		x.buffer.text("\t\t\t<column>\n\t\t\t\t<name>" + xmlText(f.Name) + "</name>\n\t\t\t\t<type>" + xmlText(f.Type.String()) + "</type>\n\t\t\t</column>\n")
		x.tags = append(x.tags, xmlTag(f.Name))
	}
	x.buffer.text("\t\t</columns>\n\t</meta>\n\t<data>\n")
	return x, nil
}

func xmlText(s string) string {
	return string(appendXML(nil, []byte(s)))
}

func appendXML(dst, v []byte) []byte {
	for _, c := range v {
		switch c {
		case '<':
			dst = append(dst, "&lt;"...)
		case '&':
			dst = append(dst, "&amp;"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// xmlTag gives the element of a column: its name where that is a name in XML.
func xmlTag(name string) string {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return "field"
		}
	}
	if name == "" || len(name) >= 3 && strings.EqualFold(name[:3], "xml") {
		return "field"
	}
	return name
}

func (x *xmlWriter) row(cs []text.Cell, row, depth int) {
	tabs := strings.Repeat("\t", depth)
	for i, cell := range cs {
		x.buffer.text(tabs + "\t<" + x.tags[i] + ">")
		x.buf = cell(x.buf, row)
		x.buffer.text("</" + x.tags[i] + ">\n")
	}
}

func (x *xmlWriter) cells(b *column.Block) []text.Cell {
	out := make([]text.Cell, len(x.h))
	for i := range x.h {
		out[i] = xmlCell(x.h[i].Type, x.o, b.Columns[i])
	}
	return out
}

func xmlCell(t *types.Type, o *Options, c column.Column) text.Cell {
	switch full := column.Full(c).(type) {
	case *column.Array:
		elem := xmlCell(t.Elem(), o, full.Elems)
		return func(dst []byte, row int) []byte {
			dst = append(dst, "<array>"...)
			for e, to := full.Bounds(row); e < to; e++ {
				dst = append(elem(append(dst, "<elem>"...), e), "</elem>"...)
			}
			return append(dst, "</array>"...)
		}
	case *column.Map:
		key, value := xmlCell(t.Elems()[0], o, full.Keys), xmlCell(t.Elems()[1], o, full.Values)
		return func(dst []byte, row int) []byte {
			dst = append(dst, "<map>"...)
			for e, to := full.Bounds(row); e < to; e++ {
				dst = append(key(append(dst, "<elem><key>"...), e), "</key><value>"...)
				dst = append(value(dst, e), "</value></elem>"...)
			}
			return append(dst, "</map>"...)
		}
	case *column.Tuple:
		elems := make([]text.Cell, len(full.Elems))
		for i, e := range full.Elems {
			elems[i] = xmlCell(t.Elems()[i], o, e)
		}
		return func(dst []byte, row int) []byte {
			dst = append(dst, "<tuple>"...)
			for _, e := range elems {
				dst = append(e(append(dst, "<elem>"...), row), "</elem>"...)
			}
			return append(dst, "</tuple>"...)
		}
	}
	plain := text.Print(t, text.Plain, o.withNull(`\N`), c)
	return func(dst []byte, row int) []byte {
		var scratch [64]byte
		return appendXML(dst, plain(scratch[:0], row))
	}
}

func (x *xmlWriter) Write(b *column.Block) error {
	cs := x.cells(b)
	for row := range b.Rows {
		x.buffer.text("\t\t<row>\n")
		x.row(cs, row, 2)
		x.buffer.text("\t\t</row>\n")
		if err := x.sendFull(); err != nil {
			return err
		}
	}
	x.rows += uint64(b.Rows)
	return x.send()
}

func (x *xmlWriter) endData() {
	if !x.ended {
		x.ended = true
		x.buffer.text("\t</data>\n")
	}
}

func (x *xmlWriter) Totals(b *column.Block) error {
	x.endData()
	x.buffer.text("\t<totals>\n")
	x.row(x.cells(b), 0, 1)
	x.buffer.text("\t</totals>\n")
	return nil
}

func (x *xmlWriter) Extremes(b *column.Block) error {
	x.endData()
	cs := x.cells(b)
	x.buffer.text("\t<extremes>\n\t\t<min>\n")
	x.row(cs, 0, 2)
	x.buffer.text("\t\t</min>\n\t\t<max>\n")
	x.row(cs, 1, 2)
	x.buffer.text("\t\t</max>\n\t</extremes>\n")
	return nil
}

func (x *xmlWriter) Finish(s Statistics) error {
	x.endData()
	x.buffer.text("\t<rows>" + strconv.FormatUint(x.rows, 10) + "</rows>\n")
	if s.HasRowsBeforeLimit {
		x.buffer.text("\t<rows_before_limit_at_least>" + strconv.FormatUint(s.RowsBeforeLimit, 10) + "</rows_before_limit_at_least>\n")
	}
	if x.o.JSONStatistics {
		x.buffer.text("\t<statistics>\n\t\t<elapsed>" + strconv.FormatFloat(s.Elapsed.Seconds(), 'f', -1, 64) + "</elapsed>\n\t\t<rows_read>" +
			strconv.FormatUint(s.RowsRead, 10) + "</rows_read>\n\t\t<bytes_read>" + strconv.FormatUint(s.BytesRead, 10) + "</bytes_read>\n\t</statistics>\n")
	}
	x.buffer.text("</result>\n")
	return x.send()
}
