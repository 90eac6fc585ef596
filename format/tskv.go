package format

import (
	"bufio"
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{
	Name: "TSKV", ContentType: tsvText, SubsetOfColumns: true, Infer: inferTSKV,
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return newRows(r, h, o, text.Escaped, o.withNull(`\N`), &tskvParser{}), nil
	},
	NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
		t := &tskvWriter{tsvWriter: *newTSVWriter(w, h, o, tsvKind{})}
		for _, n := range names(h, text.AppendEscaped) {
			t.keys = append(t.keys, append(escapeEquals(n), '='))
		}
		return t, nil
	},
})

// tskvWriter writes name=value pairs between tabs, without totals.
type tskvWriter struct {
	tsvWriter
	keys [][]byte
}

func escapeEquals(name []byte) []byte {
	var out []byte
	for _, c := range name {
		if c == '=' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return out
}

func (t *tskvWriter) Write(b *column.Block) error {
	cs := cells(t.h, text.Escaped, t.text, b)
	for row := range b.Rows {
		for i, cell := range cs {
			if i > 0 {
				t.buf = append(t.buf, '\t')
			}
			t.buf = cell(append(t.buf, t.keys[i]...), row)
		}
		t.buf = append(t.buf, '\n')
		if err := t.sendFull(); err != nil {
			return err
		}
	}
	return t.send()
}

func (t *tskvWriter) Totals(*column.Block) error   { return nil }
func (t *tskvWriter) Extremes(*column.Block) error { return nil }
