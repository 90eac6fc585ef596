package format

import (
	"bufio"
	"bytes"
	"context"
	"regexp"

	"lakeserver/cherr"
	"lakeserver/column"
)

var _ = add(Format{Name: "Regexp", ContentType: plainText, NewReader: newRegexpReader, Infer: inferRegexp})

// regexpParser takes the groups of an expression that each line must match.
type regexpParser struct {
	src   string
	re    *regexp.Regexp
	rule  rule
	skips bool
}

func newRegexpParser(o *Options) (*regexpParser, error) {
	s := o.Settings
	p := &regexpParser{skips: s.Bool("format_regexp_skip_unmatched")}
	if p.src = s.Get("format_regexp"); p.src == "" {
		return nil, cherr.New(cherr.BadArguments, "The regular expression is not set for the `Regexp` format. It requires setting the value of the `format_regexp` setting")
	}
	var err error
	if p.re, err = regexp.Compile(`^(?:` + p.src + `)$`); err != nil {
		return nil, cherr.WithCode(cherr.BadArguments, err, "format_regexp")
	}
	name := s.Get("format_regexp_escaping_rule")
	if name == "" {
		name = "Raw"
	}
	p.rule, err = newRule(name, o)
	return p, err
}

func newRegexpReader(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
	p, err := newRegexpParser(o)
	if err != nil {
		return nil, err
	}
	return newRows(r, h, o, p.rule.form, o.withNull(`\N`), p), nil
}

func (p *regexpParser) open(*rows) error { return nil }

func (p *regexpParser) next(r *rows) ([]byte, error) {
	line, err := r.in.next(splitRaw)
	if err != nil || line == nil {
		return nil, err
	}
	if line = bytes.TrimRight(line, "\r\n"); line == nil {
		line = []byte{}
	}
	return line, nil
}

// fields gives a line's groups; nil: the line is passed over.
func (p *regexpParser) fields(line []byte) ([][]byte, error) {
	m := p.re.FindSubmatch(line)
	if m == nil && !p.skips {
		return nil, cherr.New(cherr.IncorrectData, "Line \"%s\" doesn't match the regexp: `%s`", line, p.src)
	}
	if m == nil {
		return nil, nil
	}
	return m[1:], nil
}

func (p *regexpParser) row(r *rows, src []byte) error {
	r.col = -1
	fields, err := p.fields(src)
	if err != nil {
		return err
	}
	if fields == nil {
		r.skip = true
		return nil
	}
	if len(fields) != len(r.h) {
		return cherr.New(cherr.IncorrectData, "The number of matched fields in line doesn't match the number of columns")
	}
	for i, f := range fields {
		if _, err := r.value(i, f); err != nil {
			return err
		}
	}
	return nil
}

func inferRegexp(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	p, err := newRegexpParser(o)
	if err != nil {
		return nil, err
	}
	f := newInference(o)
	if p.rule.name == "JSON" {
		f = f.ofJSON()
	}
	f.text = true
	rows := &rows{in: &window{r: r}, o: o}
	for range rowsRead(o) {
		line, err := p.next(rows)
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		fields, err := p.fields(line)
		if err != nil {
			return nil, err
		}
		for i, w := range fields {
			if err := f.add(columnName(o, i), p.rule.guess(f, w)); err != nil {
				return nil, err
			}
		}
	}
	return f.header()
}
