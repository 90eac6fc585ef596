package format

import (
	"bufio"
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

func newTSVReader(r *bufio.Reader, h column.Header, o *Options, k tsvKind) (Reader, error) {
	form := text.Escaped
	if k.raw {
		form = text.Plain
	}
	t := o.withNull(`\N`)
	if n := o.Settings.Get("format_tsv_null_representation"); n != "" {
		t = o.withNull(n)
	}
	return newRows(r, h, o, form, t, &tsvParser{kind: k}), nil
}

// tsvParser reads lines of values between tabs.
type tsvParser struct {
	kind    tsvKind
	columns []int // the header's column for each of the line's values
	absent  []int
}

func (p *tsvParser) open(r *rows) error {
	p.columns = r.inOrder()
	for range r.o.Settings.Uint("input_format_tsv_skip_first_lines") {
		if _, err := r.in.next(splitLine); err != nil {
			return err
		}
	}
	names, types := p.kind.names, p.kind.types
	if !names && r.o.Settings.Bool("input_format_tsv_detect_header") {
		var err error
		if names, types, err = p.detect(r); err != nil {
			return err
		}
	}
	if names {
		line, err := p.headLine(r)
		if err != nil {
			return err
		}
		if r.o.WithNamesUseHeader && line != nil {
			if p.columns, err = r.fileColumns(line, "TabSeparatedWithNames"); err != nil {
				return err
			}
			p.absent = r.absent(p.columns)
		}
	}
	if types {
		line, err := p.headLine(r)
		if err != nil {
			return err
		}
		if r.o.WithTypesUseHeader {
			return r.checkTypes(p.columns, line)
		}
	}
	return nil
}

// detect tells whether the first line holds the columns' names, and the
// second their types.
func (p *tsvParser) detect(r *rows) (names, withTypes bool, err error) {
	if len(r.h) == 0 {
		return false, false, nil
	}
	first, second, err := r.in.peekLines(splitLine)
	if err != nil || first == nil {
		return false, false, err
	}
	words := p.words(first)
	if !allNames(r.h, words) {
		return false, false, nil
	}
	return true, second != nil && allTypes(p.words(second), len(words)), nil
}

// allNames tells whether words are names of columns, all of them different.
func allNames(h column.Header, words []string) bool {
	seen := map[string]bool{}
	for _, w := range words {
		if h.Index(w) < 0 || seen[w] {
			return false
		}
		seen[w] = true
	}
	return len(words) > 0
}

func allTypes(words []string, n int) bool {
	for _, w := range words {
		if _, err := types.Parse(w); err != nil {
			return false
		}
	}
	return len(words) == n
}

// peekLines gives the first two rows without using them.
func (w *window) peekLines(split splitter) (first, second []byte, err error) {
	for {
		rest := w.rest()
		if n, ok := split(rest, w.eof); ok {
			if k, ok := split(rest[n:], w.eof); ok {
				return rest[:n], rest[n : n+k], nil
			}
			if w.eof {
				return rest[:n], nil, nil
			}
		} else if w.eof {
			return nil, nil, nil
		}
		if err := w.more(); err != nil {
			return nil, nil, err
		}
	}
}

func (p *tsvParser) words(line []byte) []string {
	var out []string
	for _, f := range bytes.Split(trimLine(line), []byte{'\t'}) {
		if p.kind.raw {
			out = append(out, string(f))
			continue
		}
		c := text.NewReader(types.String, text.Escaped, nil)
		if _, err := c.Read(f); err != nil {
			return nil
		}
		out = append(out, string(c.Finish().(*column.Str).At(0)))
	}
	return out
}

func trimLine(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

func (p *tsvParser) headLine(r *rows) ([]string, error) {
	line, err := r.in.next(splitLine)
	if err != nil || line == nil {
		return nil, err
	}
	return p.words(line), nil
}

func (p *tsvParser) next(r *rows) ([]byte, error) {
	line, err := r.in.next(splitLine)
	if err != nil || line == nil {
		return nil, err
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), nil
}

func (p *tsvParser) row(r *rows, src []byte) error {
	at := 0
	for i, c := range p.columns {
		r.col = c
		if i > 0 {
			if at >= len(src) || src[at] != '\t' {
				return expected("\\t", src[at:])
			}
			at++
		}
		n, err := p.value(r, c, src[at:], i == len(p.columns)-1)
		if err != nil {
			return err
		}
		at += n
	}
	r.col = -1
	if at < len(src) && string(src[at:]) != "\r" && len(p.columns) > 0 {
		return expected("\\n", src[at:])
	}
	for _, c := range p.absent {
		r.omit(c)
	}
	return nil
}

// value reads up to the next tab. A value's reader stops where the value ends,
// so what follows must be a tab or the line's end.
func (p *tsvParser) value(r *rows, c int, src []byte, last bool) (int, error) {
	end := tokenEnd(src, p.kind.raw)
	if last && end > 0 && src[end-1] == '\r' && (c < 0 || !r.h[c].Type.IsString()) {
		end--
	}
	if c < 0 {
		return end, nil
	}
	if r.o.DefaultsForOmitted && end == 0 && r.plain[c] && r.o.Settings.Bool("input_format_tsv_empty_as_default") {
		r.omit(c)
		return 0, nil
	}
	n, err := r.value(c, src[:end])
	if err == nil && n < end {
		err = expected("\\t", src[n:end])
	}
	return end, err
}

func tokenEnd(src []byte, raw bool) int {
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\t':
			return i
		case '\\':
			if !raw {
				i++
			}
		}
	}
	return len(src)
}

func expected(what string, before []byte) error {
	if len(before) == 0 {
		return cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: expected '%s' at end of stream", what)
	}
	return cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: expected '%s' before: '%s'", what, text.AppendEscaped(nil, before[:min(len(before), 40)]))
}
