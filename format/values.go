package format

import (
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{
	Name: "Values", ContentType: plainText,
	NewReader: newValuesReader, Infer: inferValues,
	NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
		return &valuesWriter{buffer: buffer{w: w}, h: h, text: &o.Text, open: "(", comma: ",", end: ")", between: ","}, nil
	},
})

// valuesWriter writes rows as SQL literals in brackets; SQLInsert is the same
// with statements around them.
type valuesWriter struct {
	buffer
	h                         column.Header
	text                      *text.Options
	open, comma, end, between string
	rows                      uint64
}

func (v *valuesWriter) Write(b *column.Block) error {
	cs := cells(v.h, text.Quoted, v.text, b)
	for row := range b.Rows {
		if v.rows > 0 {
			v.buf = append(v.buf, v.between...)
		}
		v.rows++
		v.row(cs, row)
		if err := v.sendFull(); err != nil {
			return err
		}
	}
	return v.send()
}

func (v *valuesWriter) row(cs []text.Cell, row int) {
	v.buf = append(v.buf, v.open...)
	for i, cell := range cs {
		if i > 0 {
			v.buf = append(v.buf, v.comma...)
		}
		v.buf = cell(v.buf, row)
	}
	v.buf = append(v.buf, v.end...)
}

func (v *valuesWriter) Totals(*column.Block) error   { return nil }
func (v *valuesWriter) Extremes(*column.Block) error { return nil }
func (v *valuesWriter) Finish(Statistics) error      { return v.send() }
