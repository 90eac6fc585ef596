package format

import (
	"bufio"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

func newJSONReader(r *bufio.Reader, h column.Header, o *Options, name string, k jsonKind) (Reader, error) {
	form, t := text.JSON, &o.Text
	if k.strings {
		form, t = text.Plain, o.withNull(prettyNull)
	}
	if k.compact {
		p := &jsonArrayParser{name: name, kind: eachRowKind{compact: true, strings: k.strings}, inList: true}
		return newRows(r, h, o, form, t, &dataParser{p, name}), nil
	}
	p := newJSONObjectParser(name, h, o, k.strings)
	p.inList = true
	return newRows(r, h, o, form, t, &dataParser{p, name}), nil
}

// dataParser reads the rows that stand in the member "data" of one object.
type dataParser struct {
	rowParser
	name string
}

// open goes to the first row. The document is held whole: what stands before
// the data may be long, and the data may come first.
func (d *dataParser) open(r *rows) error {
	doc, err := r.in.whole()
	if err != nil {
		return err
	}
	data, err := jsonMember(doc, "data")
	if err != nil {
		return err
	}
	n := skipSpaces(data, 0)
	if n >= len(data) || data[n] != '[' {
		return cherr.New(cherr.IncorrectData, "Expected field 'data' with the rows in format %s", d.name)
	}
	r.in = &window{r: r.in.r, buf: data[n+1:], eof: true}
	if p, ok := d.rowParser.(*jsonArrayParser); ok {
		p.columns = r.inOrder()
	}
	return nil
}

// jsonMember gives the value of a member of the object that a document is;
// nil when there is none.
func jsonMember(doc []byte, name string) ([]byte, error) {
	n := skipSpaces(doc, 0)
	if n >= len(doc) || doc[n] != '{' {
		return nil, expected("{", doc[n:])
	}
	for n++; n < len(doc); {
		if n = skipSpaces(doc, n); n < len(doc) && doc[n] == '}' {
			return nil, nil
		}
		key, used, err := text.UnquoteJSON(doc[n:], nil)
		if err != nil {
			return nil, err
		}
		if n = skipSpaces(doc, n+used); n >= len(doc) || doc[n] != ':' {
			return nil, expected(":", doc[min(n, len(doc)):])
		}
		n++
		used, err = text.SkipJSON(doc[n:])
		if err != nil {
			return nil, err
		}
		if string(key) == name {
			return doc[n : n+used], nil
		}
		if n = skipSpaces(doc, n+used); n < len(doc) && doc[n] == ',' {
			n++
		}
	}
	return nil, cherr.New(cherr.CannotReadAllData, "Unexpected end of a JSON document")
}
