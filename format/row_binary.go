package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"

	"lakeserver/cherr"
	"lakeserver/codec/native"
	"lakeserver/column"
	"lakeserver/types"
)

var (
	_ = add(rowBinary("RowBinary", false, false, false))
	_ = add(rowBinary("RowBinaryWithNames", true, false, false))
	_ = add(rowBinary("RowBinaryWithNamesAndTypes", true, true, false))
	_ = add(rowBinary("RowBinaryWithDefaults", false, false, true))
	_ = add(rowBinary("RowBinaryWithNamesAndTypesAndDefaults", true, true, true))
)

func rowBinary(name string, withNames, withTypes, withDefaults bool) Format {
	f := Format{
		Name: name, ContentType: bytesType, SubsetOfColumns: withNames,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newRowBinaryWriter(w, h, withNames, withTypes), nil
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return &rowBinaryReader{r: r, h: h, o: o, fit: newFitter(h, o), names: withNames, types: withTypes, defaults: withDefaults}, nil
		},
	}
	if withTypes {
		f.Infer = inferRowBinary
	}
	if withDefaults {
		f.NewWriter = nil
	}
	return f
}

// inferRowBinary reads the names and types that a document begins with.
func inferRowBinary(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	b := &rowBinaryReader{r: r, o: o, names: true, types: true}
	err := b.open()
	return b.file, err
}

type rowBinaryWriter struct {
	buffer
	h column.Header
}

func newRowBinaryWriter(w io.Writer, h column.Header, withNames, withTypes bool) *rowBinaryWriter {
	out := &rowBinaryWriter{buffer{w: w}, h}
	if withNames {
		out.buf = binary.AppendUvarint(out.buf, uint64(len(h)))
		for _, f := range h {
			out.buf = binary.AppendUvarint(out.buf, uint64(len(f.Name)))
			out.buffer.text(f.Name)
		}
	}
	if withTypes {
		for _, f := range h {
			out.buf = binary.AppendUvarint(out.buf, uint64(len(f.Type.String())))
			out.buffer.text(f.Type.String())
		}
	}
	return out
}

func (w *rowBinaryWriter) Write(b *column.Block) error {
	fs := make([]func([]byte, int) []byte, len(w.h))
	for i := range w.h {
		var err error
		if fs[i], err = native.RowAppender(w.h[i].Type, b.Columns[i]); err != nil {
			return err
		}
	}
	for row := range b.Rows {
		for _, f := range fs {
			w.buf = f(w.buf, row)
		}
		if err := w.sendFull(); err != nil {
			return err
		}
	}
	return w.send()
}

func (w *rowBinaryWriter) Totals(*column.Block) error   { return nil }
func (w *rowBinaryWriter) Extremes(*column.Block) error { return nil }
func (w *rowBinaryWriter) Finish(Statistics) error      { return w.send() }

type rowBinaryReader struct {
	r                      *bufio.Reader
	h                      column.Header // what is asked for
	file                   column.Header // what the document holds
	o                      *Options
	fit                    *fitter
	names, types, defaults bool
	cells                  []native.RowReader
	missing                [][]uint8
}

// open reads the document's own header.
func (b *rowBinaryReader) open() error {
	b.file = b.h
	if b.names {
		n, err := binary.ReadUvarint(b.r)
		if err != nil || n > 1<<20 {
			return cherr.New(cherr.CannotReadAllData, "Cannot read the header of RowBinaryWithNames")
		}
		b.file = make(column.Header, n)
		for i := range b.file {
			if b.file[i].Name, err = binaryString(b.r); err != nil {
				return err
			}
			b.file[i].Type = types.String
			if at := b.h.Index(b.file[i].Name); at >= 0 {
				b.file[i].Type = b.h[at].Type
			} else if !b.types {
				return cherr.New(cherr.IncorrectData, "Unknown field found in RowBinaryWithNames header: '%s'", b.file[i].Name)
			}
		}
	}
	if b.types {
		for i := range b.file {
			text, err := binaryString(b.r)
			if err != nil {
				return err
			}
			if b.file[i].Type, err = types.Parse(text); err != nil {
				return err
			}
		}
	}
	for _, f := range b.file {
		cell, err := native.NewRowReader(f.Type)
		if err != nil {
			return err
		}
		b.cells = append(b.cells, cell)
	}
	return nil
}

func binaryString(r *bufio.Reader) (string, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > 1<<20 {
		return "", cherr.New(cherr.CannotReadAllData, "Cannot read all data: a string is cut")
	}
	buf := make([]byte, n)
	if _, err := io.ReadFull(r, buf); err != nil {
		return "", cherr.New(cherr.CannotReadAllData, "Cannot read all data: a string is cut")
	}
	return string(buf), nil
}

func (b *rowBinaryReader) Next(ctx context.Context) (*column.Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.cells == nil {
		if _, err := b.r.Peek(1); err == io.EOF {
			return nil, nil
		}
		if err := b.open(); err != nil {
			return nil, err
		}
	}
	out := &column.Block{Columns: make([]column.Column, len(b.cells))}
	b.missing = nil
	for out.Rows < b.o.MaxBlockRows {
		if _, err := b.r.Peek(1); err != nil {
			if err == io.EOF {
				break
			}
			return nil, err
		}
		for i := range b.cells {
			if err := b.read(i, out.Rows); err != nil {
				return nil, cherr.Wrap(err, "reading row %d, column %s", out.Rows+1, b.file[i].Name)
			}
		}
		out.Rows++
	}
	if out.Rows == 0 {
		return nil, nil
	}
	for i, cell := range b.cells {
		out.Columns[i] = cell.Finish()
	}
	for i := range b.missing {
		if m := b.missing[i]; m != nil {
			b.missing[i] = append(m, make([]uint8, out.Rows-len(m))...)
		}
	}
	if b.names {
		return b.fit.block(b.file, out)
	}
	return out, nil
}

func (b *rowBinaryReader) read(i, row int) error {
	if !b.defaults {
		return b.cells[i].Read(b.r)
	}
	flag, err := b.r.ReadByte()
	if err != nil {
		return cherr.New(cherr.CannotReadAllData, "Cannot read all data: a row is cut")
	}
	if flag == 0 {
		return b.cells[i].Read(b.r)
	}
	b.cells[i].Default()
	if b.missing == nil {
		b.missing = make([][]uint8, len(b.h))
	}
	b.missing[i] = append(append(b.missing[i], make([]uint8, row-len(b.missing[i]))...), 1)
	return nil
}

func (b *rowBinaryReader) Missing() [][]uint8 {
	if b.names {
		return b.fit.missing
	}
	return b.missing
}

func (b *rowBinaryReader) Close() error { return nil }
