package format

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
)

var (
	_ = add(json("JSON", jsonKind{}))
	_ = add(json("JSONStrings", jsonKind{strings: true}))
	_ = add(json("JSONCompact", jsonKind{compact: true}))
	_ = add(json("JSONCompactStrings", jsonKind{compact: true, strings: true}))
)

// jsonKind is what tells the members of the family apart.
type jsonKind struct{ compact, strings, columns bool }

func json(name string, k jsonKind) Format {
	return Format{
		Name: name, ContentType: jsonText, Closed: true, SubsetOfColumns: !k.compact, Infer: inferJSONMeta,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newJSONReader(r, h, o, name, k)
		},
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			j := newJSON(w, h, o, k)
			j.buffer.text("\t\"data\":\n\t[\n")
			return j, nil
		},
	}
}

// jsonWriter writes one object with metadata, data and statistics.
type jsonWriter struct {
	buffer
	h    column.Header
	o    *Options
	kind jsonKind
	keys [][]byte
	rows uint64
	// ended: the data's bracket is closed, parts after it follow.
	ended bool
}

func newJSON(w io.Writer, h column.Header, o *Options, k jsonKind) *jsonWriter {
	j := &jsonWriter{buffer: buffer{w: w}, h: h, o: o, kind: k, keys: jsonNames(h, o)}
	j.buffer.text("{\n\t\"meta\":\n\t[\n")
	for i, t := range typeNames(h, func(dst, v []byte) []byte { return text.AppendJSON(dst, v, !o.Text.PlainSlashes) }) {
		if i > 0 {
			j.buffer.text(",\n")
		}
		j.buffer.text("\t\t{\n\t\t\t\"name\": " + string(j.keys[i]) + ",\n\t\t\t\"type\": " + string(t) + "\n\t\t}")
	}
	j.buffer.text("\n\t],\n\n")
	return j
}

// cells binds a block's columns for objects whose values stand at a depth.
func (j *jsonWriter) cells(b *column.Block, depth int) []text.Cell {
	if j.kind.compact || j.kind.strings {
		return jsonCells(j.h, j.o, j.kind.strings, b)
	}
	out := make([]text.Cell, len(j.h))
	for i := range j.h {
		out[i] = prettyJSON(j.h[i].Type, j.o, b.Columns[i], "\t", depth)
	}
	return out
}

// row writes one row as an object or array after the tabs of a depth.
func (j *jsonWriter) row(cs []text.Cell, row, depth int) {
	tabs := strings.Repeat("\t", depth)
	if j.kind.compact {
		j.buffer.text("[")
		for i, cell := range cs {
			if i > 0 {
				j.buffer.text(", ")
			}
			j.buf = cell(j.buf, row)
		}
		j.buffer.text("]")
		return
	}
	j.buffer.text("{\n")
	for i, cell := range cs {
		if i > 0 {
			j.buffer.text(",\n")
		}
		j.buf = append(j.buf, tabs...)
		j.buf = append(j.buf, '\t')
		j.buf = append(append(j.buf, j.keys[i]...), ": "...)
		j.buf = cell(j.buf, row)
	}
	j.buffer.text("\n" + tabs + "}")
}

func (j *jsonWriter) Write(b *column.Block) error {
	cs := j.cells(b, 3)
	for row := range b.Rows {
		if j.rows > 0 {
			j.buffer.text(",\n")
		}
		j.rows++
		j.buffer.text("\t\t")
		j.row(cs, row, 2)
		if err := j.sendFull(); err != nil {
			return err
		}
	}
	return j.send()
}

func (j *jsonWriter) endData() {
	if !j.ended {
		j.ended = true
		if j.kind.columns {
			j.buffer.text("\n\t}")
		} else {
			j.buffer.text("\n\t]")
		}
	}
}

// part writes a named row below tabs.
func (j *jsonWriter) part(name string, b *column.Block, row, depth int) {
	tabs := strings.Repeat("\t", depth)
	j.buffer.text(tabs + `"` + name + `":`)
	if j.kind.compact {
		j.buffer.text(" ")
	} else {
		j.buffer.text("\n" + tabs)
	}
	j.row(j.cells(b, depth+1), row, depth)
}

func (j *jsonWriter) Totals(b *column.Block) error {
	j.endData()
	j.buffer.text(",\n\n")
	j.part("totals", b, 0, 1)
	return nil
}

func (j *jsonWriter) Extremes(b *column.Block) error {
	j.endData()
	j.buffer.text(",\n\n\t\"extremes\":\n\t{\n")
	j.part("min", b, 0, 2)
	j.buffer.text(",\n")
	j.part("max", b, 1, 2)
	j.buffer.text("\n\t}")
	return nil
}

func (j *jsonWriter) Finish(s Statistics) error {
	j.endData()
	j.buffer.text(",\n\n\t\"rows\": " + strconv.FormatUint(j.rows, 10))
	if s.HasRowsBeforeLimit {
		j.buffer.text(",\n\n\t\"rows_before_limit_at_least\": " + strconv.FormatUint(s.RowsBeforeLimit, 10))
	}
	if j.o.JSONStatistics {
		j.buffer.text(",\n\n\t\"statistics\":\n\t{\n\t\t\"elapsed\": " + strconv.FormatFloat(s.Elapsed.Seconds(), 'f', -1, 64) +
			",\n\t\t\"rows_read\": " + strconv.FormatUint(s.RowsRead, 10) +
			",\n\t\t\"bytes_read\": " + strconv.FormatUint(s.BytesRead, 10) + "\n\t}")
	}
	j.buffer.text("\n}\n")
	return j.send()
}
