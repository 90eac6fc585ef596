package format

import (
	"bufio"
	"bytes"
	"context"

	"lakeserver/column"
	"lakeserver/column/text"
)

// jsonElements cuts an array into its elements.
func jsonElements(v []byte) [][]byte {
	var out [][]byte
	for n := 1; n < len(v); {
		n = skipSpaces(v, n)
		if n >= len(v) || v[n] == ']' {
			break
		}
		used, err := text.SkipJSON(v[n:])
		if err != nil {
			break
		}
		out = append(out, v[n:n+used])
		if n = skipSpaces(v, n+used); n < len(v) && v[n] == ',' {
			n++
		}
	}
	return out
}

// jsonMembers calls f with the name and the value of each member of an object.
func jsonMembers(src []byte, f func(name, value []byte) error) error {
	for n := skipSpaces(src, 0) + 1; n < len(src); {
		n = skipSpaces(src, n)
		if n >= len(src) || src[n] == '}' {
			return nil
		}
		key, used, err := text.UnquoteJSON(src[n:], nil)
		if err != nil {
			return err
		}
		if n = skipSpaces(src, n+used); n >= len(src) || src[n] != ':' {
			return expected(":", src[min(n, len(src)):])
		}
		n = skipSpaces(src, n+1)
		if used, err = text.SkipJSON(src[n:]); err != nil {
			return err
		}
		if err := f(key, src[n:n+used]); err != nil {
			return err
		}
		if n = skipSpaces(src, n+used); n < len(src) && src[n] == ',' {
			n++
		}
	}
	return nil
}

func (f *inference) object(src []byte) error {
	defer func() { f.row++ }()
	return jsonMembers(src, func(name, value []byte) error { return f.add(string(name), f.json(value)) })
}

// inferJSON looks at objects, or at arrays whose elements are named c1, c2 …
// or by the first row.
func inferJSON(k eachRowKind) func(context.Context, *bufio.Reader, *Options) (column.Header, error) {
	return func(_ context.Context, r *bufio.Reader, o *Options) (column.Header, error) {
		f := newInference(o).ofJSON()
		rows := &rows{in: &window{r: r}, o: o}
		if k.compact {
			return f.arrays(rows, k)
		}
		p := &jsonObjectParser{}
		if err := p.open(rows); err != nil {
			return nil, err
		}
		for range rowsRead(o) {
			src, err := nextJSON(rows, p.inList)
			if err != nil {
				return nil, err
			}
			if src == nil {
				break
			}
			if err := f.object(src); err != nil {
				return nil, err
			}
		}
		return f.header()
	}
}

func (f *inference) arrays(rows *rows, k eachRowKind) (column.Header, error) {
	p := &jsonArrayParser{kind: k}
	var head []string
	if k.names {
		var err error
		if head, err = p.words(rows); err != nil {
			return nil, err
		}
	}
	if k.types {
		typeNames, err := p.words(rows)
		if err != nil {
			return nil, err
		}
		return typedHeader(head, typeNames)
	}
	for range rowsRead(f.o) {
		src, err := nextJSON(rows, p.inList)
		if err != nil {
			return nil, err
		}
		if src == nil {
			break
		}
		for i, e := range jsonElements(bytes.TrimSpace(src)) {
			name := columnName(f.o, i)
			if i < len(head) {
				name = head[i]
			}
			g := f.json(e)
			if err := f.add(name, g); err != nil {
				return nil, err
			}
		}
		f.row++
	}
	return f.header()
}
