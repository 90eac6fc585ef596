package format

import (
	"bufio"
	"bytes"
	"strings"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

func newCSVReader(r *bufio.Reader, h column.Header, o *Options, withNames, withTypes bool) (Reader, error) {
	t := o.withNull(`\N`)
	if n := o.Settings.Get("format_csv_null_representation"); n != "" {
		t = o.withNull(n)
	}
	p := &csvParser{names: withNames, types: withTypes, delimiter: t.Delimiter, quotes: `"`}
	if p.delimiter == 0 {
		p.delimiter = ','
	}
	if o.Settings.Bool("format_csv_allow_single_quotes") {
		p.quotes += "'"
	}
	p.emptyDefault = o.Settings.Bool("input_format_csv_empty_as_default")
	p.skipEmpty = o.Settings.Bool("input_format_csv_skip_trailing_empty_lines")
	p.variable = o.Settings.Bool("input_format_csv_allow_variable_number_of_columns")
	return newRows(r, h, o, text.CSV, t, p), nil
}

// csvParser reads RFC 4180's lines with ClickHouse's liberties.
type csvParser struct {
	names, types bool
	delimiter    byte
	quotes       string
	emptyDefault bool
	variable     bool
	skipEmpty    bool
	keepQuotes   bool // words keep theirs, for inference
	columns      []int
	absent       []int
}

// split takes a line; line feeds within quotes do not end it.
func (p *csvParser) split(buf []byte, final bool) (int, bool) {
	for i := 0; i < len(buf); {
		for i < len(buf) && (buf[i] == ' ' || buf[i] == '\t') && buf[i] != p.delimiter {
			i++
		}
		if i < len(buf) && strings.IndexByte(p.quotes, buf[i]) >= 0 {
			end := quotedEnd(buf[i:])
			if end < 0 {
				return len(buf), final
			}
			i += end
		}
		for i < len(buf) && buf[i] != p.delimiter && buf[i] != '\n' {
			i++
		}
		if i < len(buf) && buf[i] == '\n' {
			return i + 1, true
		}
		i++
	}
	return len(buf), final && len(buf) > 0
}

// quotedEnd gives the length of a quoted value whose quotes are doubled
// inside, -1 when it is cut.
func quotedEnd(b []byte) int {
	q := b[0]
	for i := 1; i < len(b); i++ {
		if b[i] != q {
			continue
		}
		if i+1 < len(b) && b[i+1] == q {
			i++
			continue
		}
		return i + 1
	}
	return -1
}

func (p *csvParser) open(r *rows) error {
	p.columns = r.inOrder()
	for range r.o.Settings.Uint("input_format_csv_skip_first_lines") {
		if _, err := r.in.next(p.split); err != nil {
			return err
		}
	}
	names, withTypes := p.names, p.types
	if !names && r.o.Settings.Bool("input_format_csv_detect_header") && len(r.h) > 0 {
		first, second, err := r.in.peekLines(p.split)
		if err != nil {
			return err
		}
		if first != nil && allNames(r.h, p.words(first)) {
			names, withTypes = true, second != nil && allTypes(p.words(second), len(p.words(first)))
		}
	}
	if names {
		line, err := r.in.next(p.split)
		if err != nil {
			return err
		}
		if line != nil && r.o.WithNamesUseHeader {
			if p.columns, err = r.fileColumns(p.words(line), "CSVWithNames"); err != nil {
				return err
			}
			p.absent = r.absent(p.columns)
		}
	}
	if withTypes {
		line, err := r.in.next(p.split)
		if err != nil {
			return err
		}
		if r.o.WithTypesUseHeader {
			return r.checkTypes(p.columns, p.words(line))
		}
	}
	return nil
}

func (p *csvParser) words(line []byte) []string {
	line = trimLine(line)
	var out []string
	for {
		end := p.fieldEnd(line)
		f := bytes.Trim(line[:end], " \t")
		if !p.keepQuotes && len(f) > 1 && strings.IndexByte(p.quotes, f[0]) >= 0 {
			q := string(f[0])
			f = []byte(strings.ReplaceAll(string(f[1:len(f)-1]), q+q, q))
		}
		out = append(out, string(f))
		if end >= len(line) {
			return out
		}
		line = line[end+1:]
	}
}

// fieldEnd gives where the first value of a line ends.
func (p *csvParser) fieldEnd(line []byte) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') && line[i] != p.delimiter {
		i++
	}
	if i < len(line) && strings.IndexByte(p.quotes, line[i]) >= 0 {
		if end := quotedEnd(line[i:]); end > 0 {
			i += end
		}
	}
	for i < len(line) && line[i] != p.delimiter {
		i++
	}
	return i
}

func (p *csvParser) next(r *rows) ([]byte, error) {
	line, err := r.in.next(p.split)
	if err != nil || line == nil {
		return nil, err
	}
	line = trimLine(line)
	if len(line) == 0 && p.skipEmpty && r.in.eof && len(r.in.rest()) == 0 {
		return nil, nil // an empty line at the end
	}
	if line == nil {
		line = []byte{}
	}
	return line, nil
}

func (p *csvParser) row(r *rows, src []byte) error {
	at := 0
	for i, c := range p.columns {
		r.col = c
		if i > 0 {
			if at >= len(src) && p.variable {
				if c >= 0 {
					r.omit(c)
				}
				continue
			}
			if at >= len(src) || src[at] != p.delimiter {
				return expected(string(p.delimiter), src[at:])
			}
			at++
		}
		n, err := p.value(r, c, src[at:])
		if err != nil {
			return err
		}
		at += n
	}
	r.col = -1
	if at < len(src) && !p.variable && !(at == len(src)-1 && src[at] == p.delimiter) {
		return cherr.New(cherr.IncorrectData, "Expected end of line")
	}
	for _, c := range p.absent {
		r.omit(c)
	}
	return nil
}

func (p *csvParser) value(r *rows, c int, src []byte) (int, error) {
	skip := 0
	for skip < len(src) && (src[skip] == ' ' || src[skip] == '\t') && src[skip] != p.delimiter {
		skip++
	}
	if c < 0 {
		return p.fieldEnd(src), nil
	}
	if p.emptyDefault && (skip == len(src) || src[skip] == p.delimiter) {
		r.omit(c)
		return skip, nil
	}
	if skip < len(src) && src[skip] == '\'' && len(p.quotes) > 1 {
		end := quotedEnd(src[skip:])
		if end < 0 {
			return 0, expected("'", nil)
		}
		word := strings.ReplaceAll(string(src[skip+1:skip+end-1]), "''", "'")
		if _, err := r.cells[c].Read(text.AppendCSV(nil, []byte(word))); err != nil {
			return 0, err
		}
		skip += end
	} else {
		n, err := r.value(c, src[skip:])
		if err != nil {
			return 0, err
		}
		skip += n
	}
	for skip < len(src) && (src[skip] == ' ' || src[skip] == '\t') && src[skip] != p.delimiter {
		skip++
	}
	return skip, nil
}
