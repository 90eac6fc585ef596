package format

import (
	"bufio"
	"bytes"
	"context"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{
	Name: "TemplateIgnoreSpaces", ContentType: plainText,
	NewReader: newTemplateReader(true), Infer: inferTemplate(true), SubsetOfColumns: true,
})

// templateParser reads rows as a template writes them. The document is held
// whole: where a row ends is known only when its values are read.
type templateParser struct {
	line          *template
	head, tail    string // around ${data}
	between       string
	ignoresSpaces bool
	columns       []int
	absent        []int
	doc           []byte
	at            int
	begun         bool
}

func newTemplateParser(o *Options, ignoresSpaces bool) (*templateParser, error) {
	p := &templateParser{between: o.Settings.Get("format_template_rows_between_delimiter"), ignoresSpaces: ignoresSpaces}
	var err error
	if p.line, err = rowTemplate(o); err != nil {
		return nil, err
	}
	whole, err := resultTemplate(o)
	if err != nil {
		return nil, err
	}
	for i, x := range whole.places {
		if x.name == "data" {
			p.head, p.tail = whole.before[i], whole.after
			if i+1 < len(whole.places) {
				p.tail = whole.before[i+1]
			}
			if i > 0 {
				return nil, cherr.New(cherr.NotImplemented, "A template of a result set with values before ${data} cannot be read")
			}
			return p, nil
		}
	}
	return nil, cherr.New(cherr.InvalidTemplateFormat, "Invalid template format: the result set has no ${data}")
}

func newTemplateReader(ignoresSpaces bool) func(*bufio.Reader, column.Header, *Options) (Reader, error) {
	return func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		p, err := newTemplateParser(o, ignoresSpaces)
		if err != nil {
			return nil, err
		}
		t := o.withNull(`\N`)
		t.Delimiter = 0xff // values are cut beforehand
		out := newRows(r, h, o, text.Escaped, t, p)
		for _, x := range p.line.places {
			c := h.Index(x.name)
			if c < 0 && x.name != "" && !o.SkipUnknownFields {
				return nil, cherr.New(cherr.NotFoundColumnInBlock, "Not found column %s in block", x.name)
			}
			if c >= 0 && x.rule.name == "None" || x.rule.name == "XML" {
				return nil, cherr.New(cherr.InvalidTemplateFormat, "Invalid template format: a value of rule %s cannot be read", x.rule.name)
			}
			p.columns = append(p.columns, c)
			if c >= 0 {
				out.cells[c] = text.NewReader(h[c].Type, x.rule.form, t)
			}
		}
		p.absent = out.absent(p.columns)
		return out, nil
	}
}

func (p *templateParser) spaces() {
	if p.ignoresSpaces {
		p.at = skipSpaces(p.doc, p.at)
	}
}

func (p *templateParser) mark(m string) error {
	p.spaces()
	if !bytes.HasPrefix(p.doc[p.at:], []byte(m)) {
		return expected(m, p.doc[p.at:])
	}
	p.at += len(m)
	p.spaces()
	return nil
}

func (p *templateParser) open(r *rows) (err error) {
	if p.doc, err = r.in.whole(); err != nil {
		return err
	}
	return p.mark(p.head)
}

// ended tells whether no row follows: the rest is the result set's end.
func (p *templateParser) ended() bool {
	p.spaces()
	rest := p.doc[p.at:]
	return len(rest) == 0 || p.tail != "" && bytes.HasPrefix(rest, []byte(p.tail)) && (!p.begun || !bytes.HasPrefix(rest, []byte(p.between)) || p.between == "")
}

func (p *templateParser) next(*rows) ([]byte, error) {
	if p.ended() {
		return nil, nil
	}
	return p.doc[p.at : p.at+1], nil
}

// fields calls f for each value of the next row; it gives the bytes used.
func (p *templateParser) fields(f func(i int, src []byte, until string) (int, error)) error {
	if p.begun {
		if err := p.mark(p.between); err != nil {
			return err
		}
	}
	p.begun = true
	for i := range p.line.places {
		if err := p.mark(p.line.before[i]); err != nil {
			return err
		}
		until := p.line.after
		if i+1 < len(p.line.before) {
			until = p.line.before[i+1]
		} else if until == "" {
			if until = p.between; until == "" {
				until = p.tail
			}
		}
		n, err := f(i, p.doc[p.at:], until)
		if err != nil {
			return err
		}
		p.at += n
	}
	return p.mark(p.line.after)
}

func (p *templateParser) row(r *rows, _ []byte) error {
	r.col = -1
	err := p.fields(func(i int, src []byte, until string) (int, error) {
		k := p.line.places[i].rule
		if k.name == "None" { // whatever stands before the next mark
			if n := bytes.Index(src, []byte(until)); n >= 0 {
				return n, nil
			}
			return len(src), nil
		}
		r.form = k.form
		return k.read(r, p.columns[i], src, until)
	})
	if err != nil {
		return err
	}
	r.col = -1
	for _, c := range p.absent {
		r.omit(c)
	}
	return nil
}

func inferTemplate(ignoresSpaces bool) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		p, err := newTemplateParser(o, ignoresSpaces)
		if err != nil {
			return nil, err
		}
		if err := p.open(&rows{in: &window{r: r}}); err != nil {
			return nil, err
		}
		f := newInference(o).ofJSON()
		f.text = true
		for row := 0; row < rowsRead(o) && !p.ended(); row++ {
			err := p.fields(func(i int, src []byte, until string) (int, error) {
				x := p.line.places[i]
				n, ok := x.rule.end(src, until)
				if !ok {
					return 0, cherr.New(cherr.CannotReadAllData, "Cannot read a value: it is cut")
				}
				if x.name == "" || x.rule.name == "None" {
					return n, nil
				}
				return n, f.add(x.name, x.rule.guess(f, src[:n]))
			})
			if err != nil {
				return nil, err
			}
		}
		return f.header()
	}
}
