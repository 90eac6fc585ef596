package format

import (
	"encoding/binary"
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var _ = add(Format{Name: "ODBCDriver2", ContentType: bytesType, NewWriter: newODBC})

// odbcWriter writes what ClickHouse's ODBC driver reads: header rows, then
// values as text behind their lengths.
type odbcWriter struct {
	buffer
	h    column.Header
	o    *Options
	cell []byte
}

func newODBC(w io.Writer, h column.Header, o *Options) (Writer, error) {
	b := &odbcWriter{buffer: buffer{w: w}, h: h, o: o}
	b.number(2)
	b.number(len(h) + 1)
	b.word("name")
	for _, f := range h {
		b.word(f.Name)
	}
	b.number(len(h) + 1)
	b.word("type")
	for _, f := range h {
		b.word(types.WithoutLowCardinality(f.Type).String())
	}
	return b, nil
}

func (b *odbcWriter) number(n int) { b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(int32(n))) }

func (b *odbcWriter) word(s string) {
	b.number(len(s))
	b.buffer.text(s)
}

func (b *odbcWriter) Write(block *column.Block) error {
	cs := cells(b.h, text.Plain, &b.o.Text, block)
	for row := range block.Rows {
		for i, cell := range cs {
			if column.IsNullAt(block.Columns[i], row) {
				b.number(-1)
				continue
			}
			b.cell = cell(b.cell[:0], row)
			b.number(len(b.cell))
			b.buf = append(b.buf, b.cell...)
		}
		if err := b.sendFull(); err != nil {
			return err
		}
	}
	return b.send()
}

func (b *odbcWriter) Totals(block *column.Block) error { return b.Write(block) }
func (b *odbcWriter) Extremes(*column.Block) error     { return nil }
func (b *odbcWriter) Finish(Statistics) error          { return b.send() }
