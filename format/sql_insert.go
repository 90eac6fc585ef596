package format

import (
	"io"
	"strings"

	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{Name: "SQLInsert", ContentType: plainText, NewWriter: newSQLInsert})

// sqlInsertWriter writes INSERT statements, a new one every so many rows.
type sqlInsertWriter struct {
	valuesWriter
	head  string
	batch uint64
}

func newSQLInsert(w io.Writer, h column.Header, o *Options) (Writer, error) {
	s := &sqlInsertWriter{
		valuesWriter: valuesWriter{buffer: buffer{w: w}, h: h, text: &o.Text, open: "(", comma: ", ", end: ")"},
		batch:        max(1, o.Settings.Uint("output_format_sql_insert_max_batch_size")),
	}
	verb := "INSERT INTO "
	if o.Settings.Bool("output_format_sql_insert_use_replace") {
		verb = "REPLACE INTO "
	}
	s.head = verb + o.Settings.Get("output_format_sql_insert_table_name")
	if o.Settings.Bool("output_format_sql_insert_include_column_names") {
		quote := func(n string) string { return n }
		if o.Settings.Bool("output_format_sql_insert_quote_names") {
			quote = backquote
		}
		var ns []string
		for _, f := range h {
			ns = append(ns, quote(f.Name))
		}
		s.head += " (" + strings.Join(ns, ", ") + ")"
	}
	s.head += " VALUES "
	return s, nil
}

func backquote(name string) string {
	return "`" + string(text.AppendEscaped(nil, []byte(strings.ReplaceAll(name, "`", "\\`")))) + "`"
}

func (s *sqlInsertWriter) Write(b *column.Block) error {
	cs := cells(s.h, text.Quoted, s.text, b)
	for row := range b.Rows {
		switch {
		case s.rows%s.batch != 0:
			s.buffer.text(", ")
		case s.rows > 0:
			s.buffer.text(";\n" + s.head)
		default:
			s.buffer.text(s.head)
		}
		s.rows++
		s.row(cs, row)
		if err := s.sendFull(); err != nil {
			return err
		}
	}
	return s.send()
}

func (s *sqlInsertWriter) Finish(Statistics) error {
	s.buffer.text(";\n")
	return s.send()
}
