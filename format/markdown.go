package format

import (
	"io"
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var _ = add(Format{Name: "Markdown", Aliases: []string{"MD"}, ContentType: plainText, NewWriter: newMarkdown})

type markdownWriter struct {
	tsvWriter
}

func newMarkdown(w io.Writer, h column.Header, o *Options) (Writer, error) {
	m := &markdownWriter{tsvWriter: *newTSVWriter(w, h, o, tsvKind{})}
	line := "|"
	for _, f := range h {
		m.buffer.text("| " + strings.NewReplacer("|", "\\|", "\n", " ").Replace(f.Name) + " ")
		if alignsRight(f.Type) {
			line += "-:|"
		} else {
			line += ":-|"
		}
	}
	m.buffer.text("|\n" + line + "\n")
	return m, nil
}

// alignsRight tells whether people read a type's values from the right.
func alignsRight(t *types.Type) bool {
	t = types.Unwrap(t)
	return t.IsNumber() && t.Kind() != types.KindBool || t.IsDateOrTime() || t.Kind() == types.KindTime || t.Kind() == types.KindTime64 ||
		t.Kind() == types.KindInterval
}

func (m *markdownWriter) Write(b *column.Block) error {
	cs := cells(m.h, text.Escaped, m.text, b)
	for row := range b.Rows {
		for _, cell := range cs {
			m.buf = append(cell(append(m.buf, "| "...), row), ' ')
		}
		m.buf = append(m.buf, "|\n"...)
		if err := m.sendFull(); err != nil {
			return err
		}
	}
	return m.send()
}

func (m *markdownWriter) Totals(*column.Block) error   { return nil }
func (m *markdownWriter) Extremes(*column.Block) error { return nil }
