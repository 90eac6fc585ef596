package format

import (
	"bufio"
	"io"

	"lakeserver/column"
)

var (
	_ = add(Format{
		Name: "JSONColumns", ContentType: jsonText, Infer: inferJSONColumns(false), SubsetOfColumns: true,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newJSONColumnsReader(r, h, o, jsonColumnsKind{})
		},
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return &jsonColumnsWriter{jsonWriter: jsonWriter{buffer: buffer{w: w}, h: h, o: o, keys: jsonNames(h, o)}, tabs: "\t"}, nil
		},
	})
	_ = add(Format{
		Name: "JSONCompactColumns", ContentType: jsonText, Infer: inferJSONColumns(true),
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newJSONColumnsReader(r, h, o, jsonColumnsKind{compact: true})
		},
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return &jsonColumnsWriter{jsonWriter: jsonWriter{buffer: buffer{w: w}, h: h, o: o}, tabs: "\t"}, nil
		},
	})
	_ = add(Format{
		Name: "JSONColumnsWithMetadata", ContentType: jsonText, Closed: true, Infer: inferJSONMeta, SubsetOfColumns: true,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newJSONColumnsReader(r, h, o, jsonColumnsKind{meta: true})
		},
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			j := newJSON(w, h, o, jsonKind{columns: true})
			return &jsonColumnsWriter{jsonWriter: *j, tabs: "\t\t", meta: true}, nil
		},
	})
)

// jsonColumnsWriter writes an array a column. A column's values stand together,
// so each has bytes of its own until the end.
type jsonColumnsWriter struct {
	jsonWriter
	tabs   string
	meta   bool
	values [][]byte
}

func (j *jsonColumnsWriter) Write(b *column.Block) error {
	if j.values == nil {
		j.values = make([][]byte, len(j.h))
	}
	for i, cell := range jsonCells(j.h, j.o, false, b) {
		for row := range b.Rows {
			if len(j.values[i]) > 0 {
				j.values[i] = append(j.values[i], ", "...)
			}
			j.values[i] = cell(j.values[i], row)
		}
	}
	j.rows += uint64(b.Rows)
	return nil
}

func (j *jsonColumnsWriter) data() {
	if j.ended || j.meta && j.rows == 0 || j.keys == nil && j.rows == 0 {
		return
	}
	for i := range j.h {
		if i > 0 {
			j.buffer.text(",\n")
		}
		j.buffer.text(j.tabs)
		if j.keys != nil {
			j.buffer.text(string(j.keys[i]) + ": ")
		}
		j.buffer.text("[")
		if j.values != nil {
			j.buf = append(j.buf, j.values[i]...)
		}
		j.buffer.text("]")
	}
}

func (j *jsonColumnsWriter) begin() {
	if j.meta && !j.ended {
		j.buffer.text("\t\"data\":\n\t{\n")
		j.data()
	}
}

func (j *jsonColumnsWriter) Totals(b *column.Block) error {
	if !j.meta {
		return nil
	}
	j.begin()
	return j.jsonWriter.Totals(b)
}

func (j *jsonColumnsWriter) Extremes(b *column.Block) error {
	if !j.meta {
		return nil
	}
	j.begin()
	return j.jsonWriter.Extremes(b)
}

func (j *jsonColumnsWriter) Finish(s Statistics) error {
	if j.meta {
		j.begin()
		return j.jsonWriter.Finish(s)
	}
	open, end := "{\n", "\n}\n"
	if j.keys == nil {
		open, end = "[\n", "\n]\n"
	}
	j.buffer.text(open)
	j.data()
	j.buffer.text(end)
	return j.send()
}
