package format

import (
	"bufio"
	"bytes"
	"context"

	"lakeserver/column"
	"lakeserver/column/text"
	"lakeserver/types"
)

// objectName is the setting that names the column of the rows' names.
const objectName = "format_json_object_each_row_column_for_object_name"

func newJSONObjectReader(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
	p := newJSONObjectParser("JSONObjectEachRow", h, o, false)
	return newRows(r, h, o, text.JSON, &o.Text, &namedRowsParser{jsonObjectParser: p, name: h.Index(o.Settings.Get(objectName))}), nil
}

// namedRowsParser reads the members of one object, each a row.
type namedRowsParser struct {
	*jsonObjectParser
	name int // the column of the rows' names, -1: none
}

func (p *namedRowsParser) open(r *rows) error {
	for {
		rest := bytes.TrimLeft(r.in.rest(), " \t\r\n")
		if len(rest) > 0 {
			if rest[0] != '{' {
				return expected("{", rest)
			}
			r.in.pos = len(r.in.buf) - len(rest) + 1
			return nil
		}
		if r.in.eof {
			return nil
		}
		if err := r.in.more(); err != nil {
			return err
		}
	}
}

// splitMember takes "name": value with the spaces and commas before it.
func splitMember(buf []byte, final bool) (int, bool) {
	n, ok := splitJSON(buf, final)
	if !ok || n == len(buf) && !final {
		return n, ok && final
	}
	if key := bytes.TrimLeft(buf[:n], " \t\r\n,"); len(key) == 0 || key[0] != '"' {
		return n, true // the closing bracket, or what is none of this format
	}
	for n < len(buf) && (buf[n] == ' ' || buf[n] == '\t' || buf[n] == '\n' || buf[n] == '\r' || buf[n] == ':') {
		n++
	}
	k, ok := splitJSON(buf[n:], final)
	return n + k, ok
}

func (p *namedRowsParser) next(r *rows) ([]byte, error) {
	for {
		src, err := r.in.next(splitMember)
		if err != nil || src == nil {
			return nil, err
		}
		if src = bytes.TrimLeft(src, " \t\r\n,"); len(src) == 0 {
			continue
		}
		if src[0] == '}' {
			return nil, nil
		}
		return src, nil
	}
}

// member gives a row's name and value.
func member(src []byte) (name, value []byte, err error) {
	name, n, err := text.UnquoteJSON(src, nil)
	if err != nil {
		return nil, nil, err
	}
	if n = skipSpaces(src, n); n >= len(src) || src[n] != ':' {
		return nil, nil, expected(":", src[min(n, len(src)):])
	}
	return name, src[n+1:], nil
}

func (p *namedRowsParser) row(r *rows, src []byte) error {
	r.col = -1
	name, value, err := member(src)
	if err != nil {
		return err
	}
	if p.name < 0 {
		return p.jsonObjectParser.row(r, value)
	}
	if _, err := r.cells[p.name].Read(text.AppendJSON(nil, name, true)); err != nil {
		return err
	}
	p.given = p.name
	return p.jsonObjectParser.row(r, value)
}

// inferJSONObject looks at the members' values; the rows' names are a String
// where a setting names their column.
func inferJSONObject(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
	f := newInference(o).ofJSON()
	if name := o.Settings.Get(objectName); name != "" {
		f.fixed = column.Header{{Name: name, Type: types.String}}
	}
	rows := &rows{in: &window{r: r}, o: o}
	p := &namedRowsParser{jsonObjectParser: &jsonObjectParser{}, name: -1}
	if err := p.open(rows); err != nil {
		return nil, err
	}
	for range rowsRead(o) {
		src, err := p.next(rows)
		if err != nil {
			return nil, err
		}
		if src == nil {
			break
		}
		_, value, err := member(src)
		if err != nil {
			return nil, err
		}
		if err := f.object(value); err != nil {
			return nil, err
		}
	}
	return f.header()
}
