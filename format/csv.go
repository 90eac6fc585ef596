package format

import (
	"bufio"
	"io"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

var (
	_ = add(csv("CSV", "absent", false, false))
	_ = add(csv("CSVWithNames", "present", true, false))
	_ = add(csv("CSVWithNamesAndTypes", "present", true, true))
)

func csv(name, header string, withNames, withTypes bool) Format {
	return Format{
		Name: name, ContentType: csvText + header,
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			return newCSVWriter(w, h, o, withNames, withTypes), nil
		},
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newCSVReader(r, h, o, withNames, withTypes)
		},
		Infer: inferCSV(withNames, withTypes), SubsetOfColumns: withNames,
	}
}

type csvWriter struct {
	buffer
	h       column.Header
	text    *text.Options
	comma   string
	endLine string
}

func newCSVWriter(w io.Writer, h column.Header, o *Options, withNames, withTypes bool) *csvWriter {
	c := &csvWriter{buffer: buffer{w: w}, h: h, comma: o.CSVDelimiter, endLine: "\n"}
	null := o.Settings.Get("format_csv_null_representation")
	if null == "" {
		null = `\N`
	}
	c.text = o.withNull(null)
	if c.comma == "" {
		c.comma = ","
	}
	if o.CSVCRLF {
		c.endLine = "\r\n"
	}
	var ns, ts []string
	for _, f := range h {
		ns, ts = csvColumns(f.Name, f.Type, !o.Text.CSVTuplesWhole, ns, ts)
	}
	if withNames {
		c.line(ns)
	}
	if withTypes {
		c.line(ts)
	}
	return c
}

// csvColumns names the columns that a value takes: a tuple's elements stand
// beside each other.
func csvColumns(name string, t *types.Type, split bool, names, typs []string) ([]string, []string) {
	if t.Kind() != types.KindTuple || !split {
		return append(names, name), append(typs, t.String())
	}
	for i, e := range t.Elems() {
		names, typs = csvColumns(name+"."+tupleElement(t, i), e, split, names, typs)
	}
	return names, typs
}

func (c *csvWriter) line(words []string) {
	for i, word := range words {
		if i > 0 {
			c.buffer.text(c.comma)
		}
		c.buf = text.AppendCSV(c.buf, []byte(word))
	}
	c.buffer.text(c.endLine)
}

func (c *csvWriter) Write(b *column.Block) error {
	cs := cells(c.h, text.CSV, c.text, b)
	for row := range b.Rows {
		for i, cell := range cs {
			if i > 0 {
				c.buf = append(c.buf, c.comma...)
			}
			c.buf = cell(c.buf, row)
		}
		c.buf = append(c.buf, c.endLine...)
		if err := c.sendFull(); err != nil {
			return err
		}
	}
	return c.send()
}

func (c *csvWriter) Totals(b *column.Block) error {
	c.buffer.text(c.endLine)
	return c.Write(b)
}

func (c *csvWriter) Extremes(b *column.Block) error { return c.Totals(b) }

func (c *csvWriter) Finish(Statistics) error { return c.send() }
