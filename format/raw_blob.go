package format

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var (
	_ = add(Format{
		Name: "RawBLOB", ContentType: plainText,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return &blobWriter{buffer{w: w}, h}, nil
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newRows(r, h, o, text.Plain, &o.Text, &wholeDocument{}), nil
		},
		Infer: oneString("raw_blob"),
	})
	_ = add(lineAsStringWith("LineAsStringWithNames", true, false))
	_ = add(lineAsStringWith("LineAsStringWithNamesAndTypes", true, true))
	_ = add(Format{
		Name: "LineAsString", ContentType: tsvText,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newRows(r, h, o, text.Plain, &o.Text, wholeLines{splitRaw}), nil
		},
		Infer: oneString("line"),
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newTSVWriter(w, h, o, tsvKind{raw: true}), nil
		},
	})
)

func lineAsStringWith(name string, withNames, withTypes bool) Format {
	return Format{
		Name: name, ContentType: tsvText,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newTSVWriter(w, h, o, tsvKind{raw: true, names: withNames, types: withTypes}), nil
		},
	}
}

// blobWriter writes the values' own bytes and nothing between them.
type blobWriter struct {
	buffer
	h column.Header
}

func (w *blobWriter) Write(b *column.Block) error {
	cs := make([]func([]byte, int) []byte, len(w.h))
	for i, f := range w.h {
		var err error
		if cs[i], err = blobCell(f.Type, b.Columns[i]); err != nil {
			return err
		}
	}
	for row := range b.Rows {
		for _, cell := range cs {
			w.buf = cell(w.buf, row)
		}
		if err := w.sendFull(); err != nil {
			return err
		}
	}
	return w.send()
}

func blobCell(t *types.Type, c column.Column) (func([]byte, int) []byte, error) {
	c, t = column.Full(c), types.WithoutLowCardinality(t)
	if t.Kind() == types.KindMap || t.Kind() == types.KindTuple {
		return nil, cherr.New(cherr.NotImplemented, "Values of type %s cannot be written as RawBLOB", t)
	}
	switch c := c.(type) {
	case *column.Str:
		return func(dst []byte, row int) []byte { return append(dst, c.At(row)...) }, nil
	case *column.Array:
		elem, err := blobCell(t.Elem(), c.Elems)
		return func(dst []byte, row int) []byte {
			for e, to := c.Bounds(row); e < to; e++ {
				dst = elem(dst, e)
			}
			return dst
		}, err
	case *column.Nullable:
		value, err := blobCell(types.WithoutNullable(t), c.Values)
		return func(dst []byte, row int) []byte {
			if c.IsNull(row) {
				return dst
			}
			return value(dst, row)
		}, err
	}
	return native.RowAppender(types.WithoutNullable(t), c)
}

func (w *blobWriter) Totals(*column.Block) error   { return nil }
func (w *blobWriter) Extremes(*column.Block) error { return nil }
func (w *blobWriter) Finish(Statistics) error      { return w.send() }

var _ = add(Format{
	Name: "JSONAsString", ContentType: jsonText, Infer: oneString("json"),
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return newRows(r, h, o, text.Plain, &o.Text, wholeLines{splitJSON}), nil
	},
})

// oneString is the structure of formats whose rows are one text each.
func oneString(name string) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
		return column.Header{{Name: name, Type: types.String}}, nil
	}
}

// wholeLines takes each piece of the document as the one column's text.
type wholeLines struct{ split splitter }

func (w wholeLines) open(r *rows) error {
	return oneText(r.h)
}

func oneText(h column.Header) error {
	if len(h) == 1 && types.Unwrap(h[0].Type).Kind() == types.KindString {
		return nil
	}
	which := ""
	if len(h) == 1 {
		which = " but the column type is " + h[0].Type.String()
	}
	return cherr.New(cherr.BadArguments, "This input format is only suitable for tables with a single column of type String%s", which)
}

// wholeDocument takes the document as one value.
type wholeDocument struct{ done bool }

func (w *wholeDocument) open(r *rows) error { return oneText(r.h) }

func (w *wholeDocument) next(r *rows) ([]byte, error) {
	if w.done {
		return nil, nil
	}
	w.done = true
	doc, err := r.in.whole()
	if doc == nil {
		doc = []byte{}
	}
	return doc, err
}

func (w *wholeDocument) row(r *rows, src []byte) error {
	_, err := r.cells[0].Read(src)
	return err
}

func (w wholeLines) next(r *rows) ([]byte, error) {
	for {
		line, err := r.in.next(w.split)
		if err != nil || line == nil {
			return nil, err
		}
		if line = bytes.TrimLeft(trimLine(line), ","); len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

func (w wholeLines) row(r *rows, src []byte) error {
	_, err := r.cells[0].Read(src)
	return err
}
