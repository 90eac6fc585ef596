package format

import (
	"bufio"
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
)

var (
	_ = add(tsv("TabSeparated", []string{"TSV"}, tsvKind{}))
	_ = add(tsv("TabSeparatedWithNames", []string{"TSVWithNames"}, tsvKind{names: true}))
	_ = add(tsv("TabSeparatedWithNamesAndTypes", []string{"TSVWithNamesAndTypes"}, tsvKind{names: true, types: true}))
	_ = add(tsv("TabSeparatedRaw", []string{"TSVRaw", "Raw"}, tsvKind{raw: true}))
	_ = add(tsv("TabSeparatedRawWithNames", []string{"TSVRawWithNames", "RawWithNames"}, tsvKind{raw: true, names: true}))
	_ = add(tsv("TabSeparatedRawWithNamesAndTypes", []string{"TSVRawWithNamesAndTypes", "RawWithNamesAndTypes"}, tsvKind{raw: true, names: true, types: true}))
)

// tsvKind is what tells the members of the family apart.
type tsvKind struct{ raw, names, types bool }

func tsv(name string, aliases []string, k tsvKind) Format {
	return Format{
		Name: name, Aliases: aliases, ContentType: tsvText,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newTSVWriter(w, h, o, k), nil
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) { return newTSVReader(r, h, o, k) },
		Infer:     inferTSV(k), SubsetOfColumns: k.names,
	}
}

type tsvWriter struct {
	buffer
	h       column.Header
	o       *Options
	form    text.Form
	text    *text.Options
	endLine string
}

func newTSVWriter(w io.Writer, h column.Header, o *Options, k tsvKind) *tsvWriter {
	t := &tsvWriter{buffer: buffer{w: w}, h: h, o: o, form: text.Escaped, endLine: "\n"}
	write := text.AppendEscaped
	if k.raw {
		t.form = text.Plain
		write = func(dst, v []byte) []byte { return append(dst, v...) }
	}
	null := o.Settings.Get("format_tsv_null_representation")
	if null == "" {
		null = `\N`
	}
	t.text = o.withNull(null)
	if o.TSVCRLF {
		t.endLine = "\r\n"
	}
	if k.names {
		t.line(names(h, write))
	}
	if k.types {
		t.line(typeNames(h, write))
	}
	return t
}

func (t *tsvWriter) line(words [][]byte) {
	for i, word := range words {
		if i > 0 {
			t.buf = append(t.buf, '\t')
		}
		t.buf = append(t.buf, word...)
	}
	t.buffer.text(t.endLine)
}

func (t *tsvWriter) rows(b *column.Block) error {
	cs := cells(t.h, t.form, t.text, b)
	for row := range b.Rows {
		for i, cell := range cs {
			if i > 0 {
				t.buf = append(t.buf, '\t')
			}
			t.buf = cell(t.buf, row)
		}
		t.buf = append(t.buf, t.endLine...)
		if err := t.sendFull(); err != nil {
			return err
		}
	}
	return t.send()
}

func (t *tsvWriter) Write(b *column.Block) error { return t.rows(b) }

func (t *tsvWriter) Totals(b *column.Block) error {
	t.buffer.text(t.endLine)
	return t.rows(b)
}

func (t *tsvWriter) Extremes(b *column.Block) error { return t.Totals(b) }

func (t *tsvWriter) Finish(Statistics) error { return t.send() }
