package format

import (
	"bufio"
	"io"

	"lakeserver/column"
)

var (
	_ = add(custom("CustomSeparated", false, false))
	_ = add(custom("CustomSeparatedWithNames", true, false))
	_ = add(custom("CustomSeparatedWithNamesAndTypes", true, true))
	_ = add(customIgnoreSpaces("CustomSeparatedIgnoreSpaces", false, false))
	_ = add(customIgnoreSpaces("CustomSeparatedIgnoreSpacesWithNames", true, false))
	_ = add(customIgnoreSpaces("CustomSeparatedIgnoreSpacesWithNamesAndTypes", true, true))
)

func custom(name string, withNames, withTypes bool) Format {
	return Format{
		Name: name, ContentType: plainText, Infer: inferCustom(withNames, withTypes, false), SubsetOfColumns: withNames,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newCustomReader(r, h, o, customReaderKind{name, withNames, withTypes, false})
		},
		NewWriter: func(w io.Writer, h column.Header, o *Options) (Writer, error) {
			k, err := newCustomKind(o)
			if err != nil {
				return nil, err
			}
			c := &customWriter{buffer: buffer{w: w}, h: h, o: o, k: k}
			c.buffer.text(k.resultBefore)
			if withNames {
				c.line(names(h, k.write))
			}
			if withTypes {
				c.line(typeNames(h, k.write))
			}
			return c, nil
		},
	}
}

func customIgnoreSpaces(name string, withNames, withTypes bool) Format {
	return Format{
		Name: name, ContentType: plainText, Infer: inferCustom(withNames, withTypes, true), SubsetOfColumns: withNames,
		NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
			return newCustomReader(r, h, o, customReaderKind{name, withNames, withTypes, true})
		},
	}
}

// customKind is what the format_custom_* settings say.
type customKind struct {
	rule
	rowBefore, rowAfter, rowBetween  string
	field, resultBefore, resultAfter string
	escaping                         string
}

func newCustomKind(o *Options) (*customKind, error) {
	s := o.Settings
	k := &customKind{
		escaping:     s.Get("format_custom_escaping_rule"),
		field:        s.Get("format_custom_field_delimiter"),
		rowBefore:    s.Get("format_custom_row_before_delimiter"),
		rowAfter:     s.Get("format_custom_row_after_delimiter"),
		rowBetween:   s.Get("format_custom_row_between_delimiter"),
		resultBefore: s.Get("format_custom_result_before_delimiter"),
		resultAfter:  s.Get("format_custom_result_after_delimiter"),
	}
	var err error
	k.rule, err = newRule(k.escaping, o)
	return k, err
}

type customWriter struct {
	buffer
	h    column.Header
	o    *Options
	k    *customKind
	rows uint64
}

func (c *customWriter) open() {
	if c.rows > 0 {
		c.buffer.text(c.k.rowBetween)
	}
	c.rows++
	c.buffer.text(c.k.rowBefore)
}

func (c *customWriter) line(words [][]byte) {
	c.open()
	for i, w := range words {
		if i > 0 {
			c.buffer.text(c.k.field)
		}
		c.buf = append(c.buf, w...)
	}
	c.buffer.text(c.k.rowAfter)
}

func (c *customWriter) Write(b *column.Block) error {
	cs := cells(c.h, c.k.form, c.o.withNull(`\N`), b)
	for row := range b.Rows {
		c.open()
		for i, cell := range cs {
			if i > 0 {
				c.buffer.text(c.k.field)
			}
			c.buf = cell(c.buf, row)
		}
		c.buffer.text(c.k.rowAfter)
		if err := c.sendFull(); err != nil {
			return err
		}
	}
	return c.send()
}

func (c *customWriter) Totals(*column.Block) error   { return nil }
func (c *customWriter) Extremes(*column.Block) error { return nil }

func (c *customWriter) Finish(Statistics) error {
	c.buffer.text(c.k.resultAfter)
	return c.send()
}
