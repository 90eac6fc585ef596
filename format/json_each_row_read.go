package format

import (
	"bufio"
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

func newEachRowReader(r *bufio.Reader, h column.Header, o *Options, name string, k eachRowKind) (Reader, error) {
	form, t := text.JSON, &o.Text
	if k.strings {
		form, t = text.Plain, o.withNull(prettyNull)
	}
	if k.compact {
		return newRows(r, h, o, form, t, &jsonArrayParser{name: name, kind: k}), nil
	}
	return newRows(r, h, o, form, t, newJSONObjectParser(name, h, o, k.strings)), nil
}

// jsonObjectParser reads objects, one after the other, on lines of their own,
// between commas or in one array.
type jsonObjectParser struct {
	name    string
	strings bool
	keys    [][]byte // the header's names as they stand in most objects
	set     []bool   // columns that the current row has
	scratch []byte
	inList  bool
	given   int // column that has its value from elsewhere, -1: none
}

func newJSONObjectParser(name string, h column.Header, o *Options, asStrings bool) *jsonObjectParser {
	p := &jsonObjectParser{name: name, strings: asStrings, set: make([]bool, len(h)), given: -1}
	for _, f := range h {
		p.keys = append(p.keys, []byte(f.Name))
	}
	return p
}

func (p *jsonObjectParser) open(r *rows) error {
	// one array of all rows is taken as well
	for {
		rest := bytes.TrimLeft(r.in.rest(), " \t\r\n")
		if len(rest) > 0 {
			if rest[0] == '[' {
				r.in.pos = len(r.in.buf) - len(rest) + 1
				p.inList = true
			}
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

func (p *jsonObjectParser) next(r *rows) ([]byte, error) {
	return nextJSON(r, p.inList)
}

// nextJSON gives the next value between commas and spaces, nil at the end of
// the document or of the array that holds them.
func nextJSON(r *rows, inList bool) ([]byte, error) {
	for {
		src, err := r.in.next(splitJSON)
		if err != nil || src == nil {
			return nil, err
		}
		src = bytes.TrimLeft(src, " \t\r\n,;")
		if len(src) == 0 {
			continue
		}
		if inList && src[0] == ']' {
			return nil, nil
		}
		return src, nil
	}
}

func (p *jsonObjectParser) row(r *rows, src []byte) error {
	r.col = -1
	clear(p.set)
	if p.given >= 0 {
		p.set[p.given] = true
	}
	n := skipSpaces(src, 0)
	if n >= len(src) || src[n] != '{' {
		return expected("{", src[n:])
	}
	n++
	for i := 0; ; i++ {
		n = skipSpaces(src, n)
		if n < len(src) && src[n] == '}' && i == 0 {
			break
		}
		next, err := p.member(r, src, n, i)
		if err != nil {
			return err
		}
		n = skipSpaces(src, next)
		if n < len(src) && src[n] == ',' {
			n++
			continue
		}
		if n < len(src) && src[n] == '}' {
			break
		}
		r.col = -1
		if n >= len(src) {
			return cherr.New(cherr.CannotReadAllData, "Unexpected end of stream while parsing %s format", p.name)
		}
		return expected(",", src[n:])
	}
	r.col = -1
	for i, set := range p.set {
		if !set {
			r.omit(i)
		}
	}
	return nil
}

func (p *jsonObjectParser) member(r *rows, src []byte, n, i int) (int, error) {
	key, used, err := p.key(src[n:], i)
	if err != nil {
		return 0, err
	}
	col := p.find(key, i)
	n = skipSpaces(src, n+used)
	if n >= len(src) || src[n] != ':' {
		return 0, expected(":", src[min(n, len(src)):])
	}
	n = skipSpaces(src, n+1)
	if col < 0 {
		if !r.o.SkipUnknownFields {
			return 0, cherr.New(cherr.IncorrectData, "Unknown field found while parsing %s format: %s", p.name, key)
		}
		used, err = text.SkipJSON(src[n:])
		return n + used, err
	}
	if p.set[col] {
		return 0, cherr.New(cherr.IncorrectData, "Duplicate field found while parsing %s format: %s", p.name, key)
	}
	p.set[col] = true
	used, err = jsonValue(r, col, src[n:], p.strings, &p.scratch)
	return n + used, err
}

// jsonValue reads a JSON value, or a value that stands as text in a JSON string.
func jsonValue(r *rows, col int, src []byte, asString bool, scratch *[]byte) (int, error) {
	if !asString {
		return r.value(col, src)
	}
	r.col = col
	if n, ok := isNull(src, text.JSON, r.text); ok {
		r.omit(col)
		return n, nil
	}
	if len(src) == 0 || src[0] != '"' {
		n, err := text.SkipJSON(src)
		if err != nil {
			return 0, err
		}
		_, err = r.value(col, src[:n])
		return n, err
	}
	s, n, err := text.UnquoteJSON(src, (*scratch)[:0])
	if err != nil {
		return 0, err
	}
	*scratch = s[:0]
	_, err = r.value(col, s)
	return n, err
}

// key gives a member's name without quotes.
func (p *jsonObjectParser) key(src []byte, i int) ([]byte, int, error) {
	if i < len(p.keys) {
		k := p.keys[i]
		if n := len(k) + 2; len(src) >= n && src[0] == '"' && src[n-1] == '"' && bytes.Equal(src[1:n-1], k) {
			return k, n, nil
		}
	}
	key, n, err := text.UnquoteJSON(src, nil)
	return key, n, err
}

func (p *jsonObjectParser) find(key []byte, i int) int {
	if i < len(p.keys) && bytes.Equal(p.keys[i], key) {
		return i
	}
	for c, k := range p.keys {
		if bytes.Equal(k, key) {
			return c
		}
	}
	return -1
}

func skipSpaces(src []byte, n int) int {
	for n < len(src) && (src[n] == ' ' || src[n] == '\t' || src[n] == '\n' || src[n] == '\r') {
		n++
	}
	return n
}

// jsonArrayParser reads rows that are arrays.
type jsonArrayParser struct {
	name    string
	kind    eachRowKind
	columns []int
	absent  []int
	scratch []byte
	inList  bool
}

func (p *jsonArrayParser) open(r *rows) error {
	p.columns = r.inOrder()
	names, withTypes := p.kind.names, p.kind.types
	if names {
		words, err := p.words(r)
		if err != nil {
			return err
		}
		if r.o.WithNamesUseHeader {
			if p.columns, err = r.fileColumns(words, p.name); err != nil {
				return err
			}
			p.absent = r.absent(p.columns)
		}
	}
	if withTypes {
		words, err := p.words(r)
		if err != nil {
			return err
		}
		if r.o.WithTypesUseHeader {
			return r.checkTypes(p.columns, words)
		}
	}
	return nil
}

func (p *jsonArrayParser) words(r *rows) ([]string, error) {
	src, err := p.next(r)
	if err != nil {
		return nil, err
	}
	var out []string
	n := skipSpaces(src, 0) + 1
	for n < len(src) {
		n = skipSpaces(src, n)
		w, used, err := text.UnquoteJSON(src[n:], nil)
		if err != nil {
			return nil, err
		}
		out = append(out, string(w))
		if n = skipSpaces(src, n+used); n < len(src) && src[n] == ']' {
			return out, nil
		}
		n++
	}
	return nil, cherr.New(cherr.CannotReadAllData, "Cannot read the header of %s", p.name)
}

func (p *jsonArrayParser) next(r *rows) ([]byte, error) { return nextJSON(r, p.inList) }

func (p *jsonArrayParser) row(r *rows, src []byte) error {
	r.col = -1
	n := skipSpaces(src, 0)
	if n >= len(src) || src[n] != '[' {
		return expected("[", src[n:])
	}
	n++
	for i, c := range p.columns {
		n = skipSpaces(src, n)
		if i > 0 {
			if n >= len(src) || src[n] != ',' {
				return expected(",", src[n:])
			}
			n = skipSpaces(src, n+1)
		}
		var used int
		var err error
		if c < 0 {
			used, err = text.SkipJSON(src[n:])
		} else {
			used, err = jsonValue(r, c, src[n:], p.kind.strings, &p.scratch)
		}
		if err != nil {
			return err
		}
		n += used
	}
	r.col = -1
	if n = skipSpaces(src, n); n >= len(src) || src[n] != ']' {
		return expected("]", src[n:])
	}
	for _, c := range p.absent {
		r.omit(c)
	}
	return nil
}
