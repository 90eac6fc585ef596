package format

import (
	"bufio"
	"bytes"

	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/column/text"
)

func newValuesReader(r *bufio.Reader, h column.Header, o *Options) (Reader, error) {
	return newRows(r, h, o, text.Quoted, &o.Text, &valuesParser{}), nil
}

// valuesParser reads rows of SQL literals in brackets; other expressions are
// computed.
type valuesParser struct{}

func (p *valuesParser) open(*rows) error { return nil }

// splitValues takes one row in brackets with what stands before it.
func splitValues(buf []byte, final bool) (int, bool) {
	depth := 0
	for i := 0; i < len(buf); i++ {
		switch c := buf[i]; c {
		case '\'', '"', '`':
			end := sqlStringEnd(buf[i:])
			if end < 0 {
				return len(buf), final
			}
			i += end - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 && c == ')' {
				return i + 1, true
			}
		case ';':
			if depth == 0 {
				return len(buf), final // the end; what follows is nobody's
			}
		case '-':
			if i+1 < len(buf) && buf[i+1] == '-' && depth == 0 {
				if e := bytes.IndexByte(buf[i:], '\n'); e >= 0 {
					i += e
				}
			}
		}
	}
	return len(buf), final && len(buf) > 0
}

func sqlStringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case b[0]:
			if i+1 < len(b) && b[i+1] == b[0] {
				i++
				continue
			}
			return i + 1
		}
	}
	return -1
}

func (p *valuesParser) next(r *rows) ([]byte, error) {
	src, err := r.in.next(splitValues)
	if err != nil || src == nil {
		return nil, err
	}
	src = bytes.TrimLeft(src, " \t\r\n,")
	for bytes.HasPrefix(src, []byte("--")) {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return nil, nil
		}
		src = bytes.TrimLeft(src[i:], " \t\r\n,")
	}
	if len(src) == 0 || src[0] == ';' {
		return nil, nil
	}
	return src, nil
}

func (p *valuesParser) row(r *rows, src []byte) error {
	r.col = -1
	if src[0] != '(' {
		return expected("(", src)
	}
	n := 1
	for i := range r.h {
		n = skipSpaces(src, n)
		if i > 0 {
			if n >= len(src) || src[n] != ',' {
				return expected(",", src[n:])
			}
			n = skipSpaces(src, n+1)
		}
		used, err := p.value(r, i, src[n:])
		if err != nil {
			return err
		}
		n += used
	}
	r.col = -1
	if n = skipSpaces(src, n); n < len(src) && src[n] == ',' {
		n = skipSpaces(src, n+1)
	}
	if n >= len(src) || src[n] != ')' {
		return cherr.New(cherr.SyntaxError, "Expected ')' after the values of a row here: %s", src[min(n, len(src)):min(n+40, len(src))])
	}
	return nil
}

// value reads a literal; what is none, or is followed by more than a comma, is
// an expression.
func (p *valuesParser) value(r *rows, i int, src []byte) (int, error) {
	if isWord(src, "DEFAULT") {
		r.omit(i)
		return len("DEFAULT"), nil
	}
	before := r.cells[i].Len()
	n, err := r.value(i, src)
	if err == nil {
		if after := skipSpaces(src, n); after < len(src) && (src[after] == ',' || src[after] == ')') {
			return n, nil
		}
		if skipSpaces(src, n) >= len(src) {
			return 0, cherr.New(cherr.SyntaxError, "Expected ')' after the value of column `%s` of type %s here: %s", r.h[i].Name, r.h[i].Type, src[:min(40, len(src))])
		}
		r.cells[i].Truncate(before)
		if r.missing != nil && len(r.missing[i]) > r.n {
			r.missing[i] = r.missing[i][:r.n]
		}
	}
	return p.expression(r, i, src, err)
}

func isWord(src []byte, word string) bool {
	n := len(word)
	return len(src) > n && bytes.EqualFold(src[:n], []byte(word)) && bytes.IndexByte([]byte(" \t\r\n,)"), src[n]) >= 0
}

func (p *valuesParser) expression(r *rows, i int, src []byte, literal error) (int, error) {
	s := r.o.Settings
	if r.o.Eval == nil || !s.Bool("input_format_values_interpret_expressions") && !s.Bool("input_format_values_deduce_templates_of_expressions") {
		if literal == nil {
			literal = cherr.New(cherr.CannotParseInputAssertionFailed, "Cannot parse input: a literal is expected before: '%s'", src[:min(40, len(src))])
		}
		return 0, literal
	}
	end := expressionEnd(src)
	t := r.h[i].Type
	c, err := r.o.Eval(string(src[:end]), t)
	if err != nil {
		if literal != nil && (cherr.Is(err, cherr.SyntaxError) || cherr.Is(err, cherr.UnknownIdentifier)) {
			return 0, literal
		}
		return 0, err
	}
	if column.IsNullAt(c, 0) {
		r.omit(i)
		return end, nil
	}
	cell := text.Print(t, text.Quoted, r.text, c)
	_, err = r.cells[i].Read(cell(nil, 0))
	return end, err
}

// expressionEnd gives where the first expression of src ends: at a comma or
// bracket of its own depth.
func expressionEnd(src []byte) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\'', '"', '`':
			if end := sqlStringEnd(src[i:]); end > 0 {
				i += end - 1
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(src)
}
