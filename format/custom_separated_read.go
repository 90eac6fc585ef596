package format

import (
	"bufio"
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

// customReaderKind tells the members of the family apart.
type customReaderKind struct {
	name          string
	names, types  bool
	ignoresSpaces bool
}

func newCustomReader(r *bufio.Reader, h column.Header, o *Options, k customReaderKind) (Reader, error) {
	c, err := newCustomKind(o)
	if err != nil {
		return nil, err
	}
	if err := c.checkDelimiters(h); err != nil {
		return nil, err
	}
	t := o.withNull(`\N`)
	if c.form == text.CSV {
		t.Delimiter = 0xff // values are cut beforehand
	}
	return newRows(r, h, o, c.form, t, newCustomParser(k, c, o)), nil
}

// checkDelimiters: in the rules Escaped and Raw only a tab or a line's end
// stops a text.
func (k *customKind) checkDelimiters(h column.Header) error {
	if k.name != "Escaped" && k.name != "Raw" {
		return nil
	}
	marks := []string{k.rowAfter}
	if len(h) > 1 {
		marks = append(marks, k.field)
	}
	for _, m := range marks {
		if m != "" && m[0] != '\t' && m[0] != '\n' {
			return cherr.New(cherr.BadArguments, `'%s' serialization requires delimiter after String field to start with '\t' or '\n'`, k.name)
		}
	}
	return nil
}

// customParser reads values between marks that settings name. The document is
// held whole: where a row ends is known only when its values are read.
type customParser struct {
	kind     customReaderKind
	k        *customKind
	doc      []byte
	at       int
	columns  []int
	absent   []int
	variable bool
	begun    bool // a row was read, so that the mark between rows is due
}

func newCustomParser(k customReaderKind, c *customKind, o *Options) *customParser {
	return &customParser{kind: k, k: c, variable: o.Settings.Bool("input_format_custom_allow_variable_number_of_columns")}
}

func (p *customParser) spaces() {
	if p.kind.ignoresSpaces {
		p.at = skipSpaces(p.doc, p.at)
	}
}

// mark takes a mark, which may be empty.
func (p *customParser) mark(m string) error {
	p.spaces()
	if !bytes.HasPrefix(p.doc[p.at:], []byte(m)) {
		return expected(m, p.doc[p.at:])
	}
	p.at += len(m)
	p.spaces()
	return nil
}

func (p *customParser) has(m string) bool { return bytes.HasPrefix(p.doc[p.at:], []byte(m)) }

// load reads the document and what stands before the rows.
func (p *customParser) load(r *rows) (err error) {
	if p.doc, err = r.in.whole(); err != nil {
		return err
	}
	return p.mark(p.k.resultBefore)
}

func (p *customParser) open(r *rows) error {
	if err := p.load(r); err != nil {
		return err
	}
	p.columns = r.inOrder()
	names, withTypes := p.kind.names, p.kind.types
	if !names && r.o.Settings.Bool("input_format_custom_detect_header") && len(r.h) > 0 {
		names, withTypes = p.detect(r.h)
	}
	if names && !p.ended() {
		words, err := p.words()
		if err != nil {
			return err
		}
		if r.o.WithNamesUseHeader {
			if p.columns, err = r.fileColumns(p.plain(words), p.kind.name); err != nil {
				return err
			}
			p.absent = r.absent(p.columns)
		}
	}
	if withTypes && !p.ended() {
		words, err := p.words()
		if err != nil {
			return err
		}
		if r.o.WithTypesUseHeader {
			return r.checkTypes(p.columns, p.plain(words))
		}
	}
	return nil
}

// detect tells whether the first row holds the columns' names, and the second
// their types, and leaves them unread.
func (p *customParser) detect(h column.Header) (names, withTypes bool) {
	at, begun := p.at, p.begun
	defer func() { p.at, p.begun = at, begun }()
	if p.ended() {
		return false, false
	}
	first, err := p.words()
	if err != nil || !allNames(h, p.plain(first)) {
		return false, false
	}
	if p.ended() {
		return true, false
	}
	second, err := p.words()
	return true, err == nil && allTypes(p.plain(second), len(first))
}

// plain gives the own texts of values.
func (p *customParser) plain(words [][]byte) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = p.k.word(w)
	}
	return out
}

// ended tells whether no row follows.
func (p *customParser) ended() bool {
	p.spaces()
	rest := p.doc[p.at:]
	if len(rest) == 0 {
		return true
	}
	end := p.k.resultAfter
	return end != "" && len(bytes.TrimSpace(bytes.TrimPrefix(rest, []byte(end)))) == 0
}

func (p *customParser) begin() error {
	if p.begun {
		if err := p.mark(p.k.rowBetween); err != nil {
			return err
		}
	}
	p.begun = true
	return p.mark(p.k.rowBefore)
}

// after is the mark behind the last value of a row.
func (p *customParser) after() string {
	switch {
	case p.k.rowAfter != "":
		return p.k.rowAfter
	case p.k.rowBetween != "":
		return p.k.rowBetween
	}
	return p.k.resultAfter
}

// words takes one row's values as they stand.
func (p *customParser) words() ([][]byte, error) {
	if err := p.begin(); err != nil {
		return nil, err
	}
	var out [][]byte
	for {
		n, ok := p.k.end(p.doc[p.at:], p.k.field)
		if !ok {
			return nil, cherr.New(cherr.CannotReadAllData, "Cannot read a value: it is cut")
		}
		if after := p.after(); after != "" {
			if i := bytes.Index(p.doc[p.at:p.at+n], []byte(after)); i >= 0 && p.k.name != "JSON" {
				n = i
			}
		}
		out = append(out, p.doc[p.at:p.at+n])
		p.at += n
		p.spaces()
		if p.k.field == "" || !p.has(p.k.field) {
			return out, p.mark(p.k.rowAfter)
		}
		p.at += len(p.k.field)
		p.spaces()
	}
}

func (p *customParser) next(*rows) ([]byte, error) {
	if p.ended() {
		return nil, nil
	}
	return p.doc[p.at:min(p.at+1, len(p.doc))], nil
}

func (p *customParser) row(r *rows, _ []byte) error {
	r.col = -1
	if err := p.begin(); err != nil {
		return err
	}
	for i, c := range p.columns {
		r.col = c
		if i > 0 {
			if p.variable && p.has(p.k.rowAfter) && !p.has(p.k.field) {
				if c >= 0 {
					r.omit(c)
				}
				continue
			}
			if err := p.mark(p.k.field); err != nil {
				return err
			}
		}
		until := p.k.field
		if i == len(p.columns)-1 {
			until = p.after()
		}
		n, err := p.k.read(r, c, p.doc[p.at:], until)
		if err != nil {
			return err
		}
		p.at += n
	}
	r.col = -1
	for p.variable && p.k.field != "" && !p.has(p.k.rowAfter) && p.has(p.k.field) {
		p.at += len(p.k.field)
		n, _ := p.k.end(p.doc[p.at:], p.k.field)
		p.at += n
	}
	if err := p.mark(p.k.rowAfter); err != nil {
		return err
	}
	for _, c := range p.absent {
		r.omit(c)
	}
	return nil
}

func inferCustom(withNames, withTypes, ignoresSpaces bool) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		c, err := newCustomKind(o)
		if err != nil {
			return nil, err
		}
		p := newCustomParser(customReaderKind{ignoresSpaces: ignoresSpaces}, c, o)
		if err := p.load(&rows{in: &window{r: r}}); err != nil {
			return nil, err
		}
		var lines [][]string
		for len(lines) < rowsRead(o) && !p.ended() {
			words, err := p.words()
			if err != nil {
				return nil, err
			}
			line := make([]string, len(words))
			for i, w := range words {
				line[i] = string(w)
			}
			lines = append(lines, line)
		}
		f := newInference(o)
		if c.name == "JSON" {
			f = f.ofJSON()
		}
		k := lineInference{names: withNames, types: withTypes, detect: "input_format_custom_detect_header"}
		k.field = func(w string) *guess { return c.guess(f, []byte(w)) }
		k.name = func(w string) string { return c.word([]byte(w)) }
		return k.header(lines, f)
	}
}
