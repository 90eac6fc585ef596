package format

import (
	"bufio"
	"io"
	"strconv"

	"lakeserver/column"
	"lakeserver/column/text"
)

var (
	_ = add(eachRow("JSONEachRow", []string{"JSONLines", "JSONL", "NDJSON"}, ndjson, eachRowKind{}))
	_ = add(eachRow("JSONStringsEachRow", nil, ndjson, eachRowKind{strings: true}))
	_ = add(eachRow("JSONEachRowWithProgress", nil, jsonText, eachRowKind{progress: true}))
	_ = add(eachRow("JSONStringsEachRowWithProgress", nil, jsonText, eachRowKind{strings: true, progress: true}))
	_ = add(eachRow("JSONCompactEachRow", nil, plainText, eachRowKind{compact: true}))
	_ = add(eachRow("JSONCompactEachRowWithNames", nil, plainText, eachRowKind{compact: true, names: true}))
	_ = add(eachRow("JSONCompactEachRowWithNamesAndTypes", nil, plainText, eachRowKind{compact: true, names: true, types: true}))
	_ = add(eachRow("JSONCompactStringsEachRow", nil, plainText, eachRowKind{compact: true, strings: true}))
	_ = add(eachRow("JSONCompactStringsEachRowWithNames", nil, plainText, eachRowKind{compact: true, strings: true, names: true}))
	_ = add(eachRow("JSONCompactStringsEachRowWithNamesAndTypes", nil, plainText, eachRowKind{compact: true, strings: true, names: true, types: true}))
	_ = add(eachRow("JSONCompactEachRowWithProgress", nil, jsonText, eachRowKind{compact: true, progress: true}))
	_ = add(eachRow("JSONCompactStringsEachRowWithProgress", nil, jsonText, eachRowKind{compact: true, strings: true, progress: true}))
	_ = add(eachRow("PrettyJSONEachRow", []string{"PrettyJSONLines", "PrettyNDJSON"}, ndjson, eachRowKind{pretty: true}))
)

// eachRowKind is what tells the members of the family apart.
type eachRowKind struct{ compact, strings, progress, names, types, pretty bool }

func eachRow(name string, aliases []string, contentType string, k eachRowKind) Format {
	f := Format{
		Name: name, Aliases: aliases, ContentType: contentType, SubsetOfColumns: !k.compact || k.names,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			e := newEachRow(w, h, o, k)
			if k.progress {
				return &eachRowProgress{e}, nil
			}
			return e, nil
		},
	}
	if !k.progress {
		f.Infer = inferJSON(k)
		f.NewReader = func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newEachRowReader(r, h, o, name, k)
		}
	}
	return f
}

// eachRowWriter writes a JSON value a line.
type eachRowWriter struct {
	buffer
	h    column.Header
	o    *Options
	kind eachRowKind
	keys [][]byte // with the colon
	list bool     // one JSON array of all rows
	rows uint64
}

func newEachRow(w io.Writer, h column.Header, o *Options, k eachRowKind) *eachRowWriter {
	e := &eachRowWriter{buffer: buffer{w: w}, h: h, o: o, kind: k, list: o.ArrayOfRows && !k.progress && !k.compact}
	quote := func(dst, v []byte) []byte { return text.AppendJSON(dst, v, !o.Text.PlainSlashes) }
	for _, n := range names(h, quote) {
		e.keys = append(e.keys, append(n, ':'))
	}
	if k.names {
		e.line(names(h, quote))
	}
	if k.types {
		e.line(typeNames(h, quote))
	}
	if e.list {
		e.buffer.text("[\n")
	}
	if k.progress {
		e.meta()
	}
	return e
}

func (e *eachRowWriter) line(words [][]byte) {
	e.buffer.text("[")
	for i, w := range words {
		if i > 0 {
			e.buffer.text(", ")
		}
		e.buf = append(e.buf, w...)
	}
	e.buffer.text("]\n")
}

func (e *eachRowWriter) meta() {
	e.buffer.text(`{"meta":[`)
	for i, f := range e.h {
		if i > 0 {
			e.buffer.text(",")
		}
		e.buffer.text(`{"name":` + string(e.keys[i][:len(e.keys[i])-1]) + `,"type":`)
		e.buf = text.AppendJSON(e.buf, []byte(f.Type.String()), !e.o.Text.PlainSlashes)
		e.buffer.text("}")
	}
	e.buffer.text("]}\n")
}

func (e *eachRowWriter) cells(b *column.Block) []text.Cell {
	if !e.kind.pretty {
		return jsonCells(e.h, e.o, e.kind.strings, b)
	}
	out := make([]text.Cell, len(e.h))
	for i := range e.h {
		out[i] = prettyJSON(e.h[i].Type, e.o, b.Columns[i], "    ", 1)
	}
	return out
}

func (e *eachRowWriter) object(cs []text.Cell, row int) {
	switch {
	case e.kind.compact:
		e.buf = append(e.buf, '[')
		for i, cell := range cs {
			if i > 0 {
				e.buf = append(e.buf, ", "...)
			}
			e.buf = cell(e.buf, row)
		}
		e.buf = append(e.buf, ']')
	case e.kind.pretty:
		e.buf = jsonLines(e.buf, '{', '}', "    ", 0, len(cs), func(dst []byte, i int) []byte {
			return cs[i](append(append(dst, e.keys[i]...), ' '), row)
		})
	default:
		e.buf = append(e.buf, '{')
		for i, cell := range cs {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			e.buf = cell(append(e.buf, e.keys[i]...), row)
		}
		e.buf = append(e.buf, '}')
	}
}

func (e *eachRowWriter) Write(b *column.Block) error {
	cs := e.cells(b)
	for row := range b.Rows {
		if e.list && e.rows > 0 {
			e.buf = append(e.buf, ",\n"...)
		}
		e.rows++
		if e.kind.progress {
			e.buf = append(e.buf, `{"row":`...)
		}
		e.object(cs, row)
		switch {
		case e.kind.progress:
			e.buf = append(e.buf, "}\n"...)
		case !e.list:
			e.buf = append(e.buf, '\n')
		}
		if err := e.sendFull(); err != nil {
			return err
		}
	}
	return e.send()
}

func (e *eachRowWriter) named(name string, b *column.Block, row int) {
	if !e.kind.progress {
		return
	}
	e.buffer.text(`{"` + name + `":`)
	e.object(e.cells(b), row)
	e.buffer.text("}\n")
}

func (e *eachRowWriter) Totals(b *column.Block) error { e.named("totals", b, 0); return nil }

func (e *eachRowWriter) Extremes(b *column.Block) error {
	e.named("min", b, 0)
	e.named("max", b, 1)
	return nil
}

func (e *eachRowWriter) Finish(s Statistics) error {
	if e.list {
		e.buffer.text("\n]\n")
	}
	if e.kind.progress && s.HasRowsBeforeLimit {
		e.buffer.text(`{"rows_before_limit_at_least":` + strconv.FormatUint(s.RowsBeforeLimit, 10) + "}\n")
	}
	return e.send()
}

// eachRowProgress also writes how far the query is.
type eachRowProgress struct{ *eachRowWriter }

// Progress writes one progress line.
func (e *eachRowProgress) Progress(p Progress) error {
	u := func(v uint64) string { return `"` + strconv.FormatUint(v, 10) + `"` }
	e.buffer.text(`{"progress":{"read_rows":` + u(p.ReadRows) + `,"read_bytes":` + u(p.ReadBytes))
	if p.TotalRows > 0 {
		e.buffer.text(`,"total_rows_to_read":` + u(p.TotalRows))
	}
	e.buffer.text(`,"elapsed_ns":` + u(uint64(p.Elapsed)) + "}}\n")
	return e.send()
}
