package format

import (
	"bufio"
	"bytes"
	"context"
	"net/url"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

var _ = add(Format{
	Name: "Form", ContentType: "application/x-www-form-urlencoded", SubsetOfColumns: true, Infer: inferForm,
	NewReader: func(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
		return newRows(r, h, o, text.Escaped, o.withNull(`\N`), &formParser{}), nil
	},
})

// formParser reads one row of a=1&b=x, as browsers send forms.
type formParser struct{}

func (p *formParser) open(*rows) error { return nil }

func (p *formParser) next(r *rows) ([]byte, error) {
	doc, err := r.in.whole()
	if doc = bytes.TrimRight(doc, "\r\n"); err != nil || len(doc) == 0 {
		return nil, err
	}
	return doc, nil
}

// formFields calls f for each name and value.
func formFields(doc []byte, f func(name, value string) error) error {
	for _, pair := range bytes.Split(doc, []byte("&")) {
		name, value, _ := bytes.Cut(pair, []byte("="))
		n, err := url.PathUnescape(string(name))
		if err == nil {
			var v string
			if v, err = url.PathUnescape(string(value)); err == nil {
				err = f(n, v)
				if err != nil {
					return err
				}
				continue
			}
		}
		return cherr.WithCode(cherr.IncorrectData, err, "reading Form")
	}
	return nil
}

func (p *formParser) row(r *rows, src []byte) error {
	r.col = -1
	set := make([]bool, len(r.h))
	err := formFields(src, func(name, value string) error {
		c := r.h.Index(name)
		if c < 0 {
			if !r.o.SkipUnknownFields {
				return cherr.New(cherr.IncorrectData, "Unknown field found while parsing Form format: %s", name)
			}
			return nil
		}
		if set[c] {
			return cherr.New(cherr.IncorrectData, "Duplicate field found while parsing Form format: %s", name)
		}
		set[c] = true
		_, err := r.value(c, []byte(value))
		return err
	})
	for c, have := range set {
		if err == nil && !have {
			r.omit(c)
		}
	}
	return err
}

func inferForm(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	doc, err := (&window{r: r}).whole()
	if err != nil {
		return nil, err
	}
	f := newInference(o)
	f.text = true
	err = formFields(bytes.TrimRight(doc, "\r\n"), func(name, value string) error { return f.add(name, guessField(o.Settings, value)) })
	if err != nil {
		return nil, err
	}
	return f.header()
}
