package format

import (
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
)

// buffer is where writers put bytes; send passes them on.
type buffer struct {
	w   io.Writer
	buf []byte
}

func (b *buffer) send() error {
	if len(b.buf) == 0 {
		return nil
	}
	_, err := b.w.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}

// sendFull passes bytes on when there are enough to be worth a call; it is
// asked once a row, so that a block does not stand in memory twice.
func (b *buffer) sendFull() error {
	if len(b.buf) < 1<<18 {
		return nil
	}
	return b.send()
}

func (b *buffer) text(s string) { b.buf = append(b.buf, s...) }

// cells binds every column of a block to its text.
func cells(h column.Header, f text.Form, o *text.Options, b *column.Block) []text.Cell {
	out := make([]text.Cell, len(h))
	for i := range h {
		out[i] = text.Print(h[i].Type, f, o, b.Columns[i])
	}
	return out
}

// names gives the header's names in a form, each ready to be written.
func names(h column.Header, write func(dst, v []byte) []byte) [][]byte {
	out := make([][]byte, len(h))
	for i := range h {
		out[i] = write(nil, []byte(h[i].Name))
	}
	return out
}

func typeNames(h column.Header, write func(dst, v []byte) []byte) [][]byte {
	out := make([][]byte, len(h))
	for i := range h {
		out[i] = write(nil, []byte(h[i].Type.String()))
	}
	return out
}
