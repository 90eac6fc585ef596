package format

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{Name: "Vertical", ContentType: plainText, NewWriter: newVertical})

// verticalWriter writes each value on a line of its own.
type verticalWriter struct {
	buffer
	h    column.Header
	o    *Options
	text *text.Options
	keys []string // names and colons, padded to one width
	rows uint64
}

func newVertical(w io.Writer, h column.Header, o *Options) (Writer, error) {
	v := &verticalWriter{buffer: buffer{w: w}, h: h, o: o, text: o.withNull(prettyNull)}
	width := 0
	for _, f := range h {
		width = max(width, textWidth(f.Name))
	}
	for _, f := range h {
		name := f.Name + ":"
		if o.PrettyColor {
			name = bold + name + plain
		}
		v.keys = append(v.keys, name+strings.Repeat(" ", width-textWidth(f.Name)+1))
	}
	return v, nil
}

func (v *verticalWriter) title(s string, width int) {
	v.buffer.text(s + ":\n" + strings.Repeat("─", width) + "\n")
}

func (v *verticalWriter) row(cs []text.Cell, row int, tips []tip) {
	for i, cell := range cs {
		v.buf = cell(append(v.buf, v.keys[i]...), row)
		if tips != nil && tips[i] != nil {
			v.buffer.text(tips[i](row))
		}
		v.buf = append(v.buf, '\n')
	}
}

func (v *verticalWriter) Write(b *column.Block) error {
	cs := cells(v.h, text.Plain, v.text, b)
	tips := make([]tip, len(v.h))
	for i := range v.h {
		tips[i] = numberTip(v.h[i].Type, b.Columns[i], v.o.PrettyTip)
	}
	for row := range b.Rows {
		if v.rows >= v.o.PrettyMaxRows {
			v.rows++
			continue
		}
		if v.rows > 0 {
			v.buf = append(v.buf, '\n')
		}
		v.rows++
		// ClickHouse counts the next row's digits for the line below the title.
		v.title("Row "+strconv.FormatUint(v.rows, 10), 5+len(strconv.FormatUint(v.rows+1, 10)))
		v.row(cs, row, tips)
		if err := v.sendFull(); err != nil {
			return err
		}
	}
	return v.send()
}

func (v *verticalWriter) special(name string, b *column.Block, row int) {
	v.buffer.text("\n")
	v.title(name, utf8.RuneCountInString(name)+1)
	v.row(cells(v.h, text.Plain, v.text, b), row, nil)
}

func (v *verticalWriter) Totals(b *column.Block) error {
	v.buffer.text("\n")
	v.special("Totals", b, 0)
	return v.send()
}

func (v *verticalWriter) Extremes(b *column.Block) error {
	v.special("Min", b, 0)
	v.special("Max", b, 1)
	return v.send()
}

func (v *verticalWriter) Finish(Statistics) error {
	if v.rows > v.o.PrettyMaxRows {
		v.buffer.text("\nShowed first " + strconv.FormatUint(v.o.PrettyMaxRows, 10) + ".\n")
	}
	return v.send()
}
