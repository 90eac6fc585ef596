package parse

import (
	"math"
	"strings"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

const (
	// maxDepth is ClickHouse's max_parser_depth: how deep brackets, subqueries
	// and prefix operators may nest.
	maxDepth = 1000
	// maxReturns bounds how often a reading may be given back.
	maxReturns = 100_000
)

// Parse reads one statement; semicolons after it are allowed. Errors have code
// SYNTAX_ERROR (or TOO_DEEP_RECURSION) with line, column and what was expected.
func Parse(text string) (ast.Statement, error) {
	return run(text, func(p *parser) ast.Statement {
		s := p.statement()
		for p.accept(';') {
			continue
		}
		p.end()
		return s
	})
}

// ParseMany reads statements separated by semicolons. The inline data of
// INSERT … VALUES ends at its semicolon; the data of other formats reaches to
// the end of the text.
func ParseMany(text string) ([]ast.Statement, error) {
	return run(text, func(p *parser) []ast.Statement {
		p.many = true
		var out []ast.Statement
		for {
			for p.accept(';') {
				continue
			}
			if p.at(tEOF) {
				return out
			}
			out = append(out, p.statement())
			if !p.at(';') {
				p.end()
			}
		}
	})
}

// ParseExpr reads one expression, perhaps with an alias.
func ParseExpr(text string) (ast.Expr, error) {
	return run(text, func(p *parser) ast.Expr {
		e := p.exprAlias(false)
		p.end()
		return e
	})
}

// parser holds the tokens read so far and the place among them. It belongs to
// one call of Parse.
type parser struct {
	text    string
	lex     lexer
	toks    []token
	pos     int
	failed  bool  // the current reading is wrong
	err     error // ends everything; no reset clears it
	depth   int
	returns int
	many    bool // several statements: VALUES data ends at a semicolon

	// For the error: the furthest token a check stood at, and, in the second
	// run, what the checks there wanted.
	far      int
	noting   bool
	expected []string
}

func run[T any](text string, parse func(*parser) T) (T, error) {
	var none T
	if len(text) > math.MaxInt32 {
		return none, cherr.New(cherr.SyntaxError, "Query text of %d bytes is too long", len(text))
	}
	p := newParser(text)
	out := parse(p)
	if !p.failed && p.err == nil {
		return out, nil
	}
	if p.err != nil {
		return none, p.err
	}
	q := newParser(text)
	q.noting, q.far = true, p.far
	parse(q)
	return none, q.syntaxError(p.far)
}

func newParser(text string) *parser {
	return &parser{text: text, lex: lexer{text: text, line: 1}, toks: make([]token, 0, len(text)/5+8)}
}

func (p *parser) syntaxError(far int) error {
	t := p.load(far)
	near := ast.RedactText(p.text)
	if near == p.text {
		near = p.text[t.start:]
	} else { // the strings are hidden, the place is found by what stands before it
		near = near[min(len(ast.RedactText(p.text[:t.start])), len(near)):]
	}
	if len(near) > 160 {
		near = strings.ToValidUTF8(near[:160], "") + "..."
	}
	what := p.text[t.start:t.end]
	if strings.HasPrefix(what, "'") && ast.RedactText(p.text) != p.text {
		what = "'…'"
	}
	if t.kind == tEOF {
		what = "end of query"
	}
	wanted := ""
	switch len(p.expected) {
	case 0:
	case 1:
		wanted = ". Expected " + p.expected[0]
	default:
		wanted = ". Expected one of: " + strings.Join(p.expected, ", ")
	}
	return cherr.At(cherr.SyntaxError, int(t.line), int(t.col),
		"Syntax error: failed at position %d (%s) (line %d, col %d): %s%s", t.start+1, what, t.line, t.col, near, wanted)
}

// load gives the token at index i, reading up to it.
func (p *parser) load(i int) token {
	for len(p.toks) <= i {
		if n := len(p.toks); n > 0 && p.toks[n-1].kind == tEOF {
			return p.toks[n-1]
		}
		p.toks = append(p.toks, p.lex.next())
	}
	return p.toks[i]
}

// peek gives the k-th token from here; the end of text once failed.
func (p *parser) peek(k int) token {
	if i := p.pos + k; i < len(p.toks) && !p.failed {
		return p.toks[i]
	}
	return p.peekSlow(k)
}

func (p *parser) peekSlow(k int) token {
	if p.failed {
		return token{}
	}
	return p.load(p.pos + k)
}

func (p *parser) cur() token { return p.peek(0) }

func (p *parser) place() ast.At {
	t := p.cur()
	return ast.At{Line: t.line, Column: t.col}
}

func (p *parser) raw(t token) string { return p.text[t.start:t.end] }

// mark and reset give back a reading.
type mark struct{ pos, depth int }

func (p *parser) mark() mark { return mark{p.pos, p.depth} }

func (p *parser) reset(m mark) {
	if p.pos == m.pos && !p.failed {
		return
	}
	p.returns++
	if p.returns > maxReturns && p.err == nil {
		p.err = cherr.New(cherr.SyntaxError, "Syntax error: the query is too ambiguous to parse")
	}
	if p.err == nil {
		p.failed = false
	}
	p.pos, p.depth = m.pos, m.depth
}

// refuse ends everything with an error that is no syntax error, at this place.
func (p *parser) refuse(code cherr.Code, message string) {
	if p.failed || p.err != nil {
		return
	}
	t := p.cur()
	p.err = cherr.At(code, int(t.line), int(t.col), "%s", message)
	p.failed = true
}

// want notes that what was expected at the k-th token from here, and is not there.
func (p *parser) want(k int, what string) {
	if p.failed {
		return
	}
	i := p.pos + k
	if i > p.far {
		p.far = i
	}
	if !p.noting || i != p.far {
		return
	}
	for _, e := range p.expected {
		if e == what {
			return
		}
	}
	p.expected = append(p.expected, what)
}

// fail ends the current reading: what was expected here.
func (p *parser) fail(what string) {
	p.want(0, what)
	p.failed = true
}

// skipTo goes on behind the byte end of the text; tokens read ahead are dropped.
func (p *parser) skipTo(end int) {
	p.toks = p.toks[:p.pos]
	if p.pos > 0 {
		last := p.toks[p.pos-1]
		nl := strings.LastIndexByte(p.text[:last.end], '\n')
		p.lex = lexer{text: p.text, pos: int(last.end), line: last.line, lineStart: nl + 1}
	}
	p.lex.advance(end)
}

func (p *parser) end() {
	if !p.at(tEOF) {
		p.fail("end of query")
	}
}

// enter guards recursion; every enter has its leave.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth && p.err == nil {
		t := p.cur()
		p.err = cherr.At(cherr.TooDeepRecursion, int(t.line), int(t.col),
			"Maximum parse depth (%d) exceeded. Consider rising max_parser_depth parameter.", maxDepth)
		p.failed = true
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) at(k kind) bool {
	if p.failed {
		return k == tEOF
	}
	return p.cur().kind == k
}

// accept takes the token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if p.failed {
		return false
	}
	if p.cur().kind != k {
		p.want(0, kindName(k))
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(k kind) bool {
	if p.accept(k) {
		return true
	}
	p.failed = true
	return false
}

func kindName(k kind) string {
	switch k {
	case tEOF:
		return "end of query"
	case tWord, tQuoted:
		return "identifier"
	case tNumber:
		return "number"
	case tString:
		return "string literal"
	case tArrow:
		return "Arrow"
	case tDoubleColon:
		return "DoubleColon"
	case tEquals:
		return "Equals"
	case '(':
		return "OpeningRoundBracket"
	case ')':
		return "ClosingRoundBracket"
	case ',':
		return "Comma"
	case '.':
		return "Dot"
	}
	if k < 128 {
		return string(rune(k))
	}
	return "token"
}

// isWord tells whether the k-th token is the word w, given in upper case.
func (p *parser) isWord(k int, w string) bool {
	t := p.peek(k)
	if t.kind != tWord || int(t.end-t.start) != len(w) {
		return false
	}
	s := p.text[t.start:t.end]
	for i := range len(w) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != w[i] {
			return false
		}
	}
	return true
}

// isWords tells whether the words stand here one after the other.
func (p *parser) isWords(ws ...string) bool {
	for i, w := range ws {
		if !p.isWord(i, w) {
			return false
		}
	}
	return true
}

// word takes the words (one string, blanks between) if they are here.
func (p *parser) word(ws string) bool {
	if p.failed {
		return false
	}
	if t := p.cur(); t.kind != tWord || p.text[t.start]|0x20 != ws[0]|0x20 {
		p.want(0, ws) // most checks end here
		return false
	}
	n, rest := 0, ws
	for rest != "" {
		w, r, _ := strings.Cut(rest, " ")
		if !p.isWord(n, w) {
			p.want(0, ws)
			return false
		}
		n, rest = n+1, r
	}
	p.pos += n
	return true
}

func (p *parser) mustWord(ws string) bool {
	if p.word(ws) {
		return true
	}
	p.failed = true
	return false
}

// oneOf takes the first of the choices that is here and gives it, or "".
func (p *parser) oneOf(choices ...string) string {
	for _, c := range choices {
		if p.word(c) {
			return c
		}
	}
	return ""
}

// ident takes a name: a bare word or a quoted one.
func (p *parser) ident() string {
	t := p.cur()
	switch t.kind {
	case tWord:
		p.pos++
		return p.raw(t)
	case tQuoted:
		if s := unquote(p.raw(t)); s != "" {
			p.pos++
			return s
		}
	}
	p.fail("identifier")
	return ""
}

// isName tells whether the k-th token can be a name.
func (p *parser) isName(k int) bool {
	t := p.peek(k).kind
	return t == tWord || t == tQuoted
}

// str takes a string literal.
func (p *parser) str() string {
	t := p.cur()
	switch t.kind {
	case tString:
		p.pos++
		return unquote(p.raw(t))
	case tHeredoc:
		p.pos++
		return heredoc(p.raw(t))
	}
	p.fail("string literal")
	return ""
}

// strName takes a string literal that is a name, and so not empty.
func (p *parser) strName() string {
	if t := p.cur(); t.end-t.start <= 2 {
		p.fail("identifier")
		return ""
	}
	if s := p.str(); s != "" || p.failed {
		return s
	}
	p.fail("identifier")
	return ""
}

func (p *parser) atString() bool { return p.at(tString) || p.at(tHeredoc) }

func (p *parser) strLiteral() *ast.Literal {
	at := p.place()
	if t := p.cur(); t.kind == tString && brokenEscape(p.raw(t)) {
		p.fail("string literal")
		return nil
	}
	return &ast.Literal{At: at, Kind: ast.String, Text: p.str()}
}

func heredoc(raw string) string {
	n := strings.IndexByte(raw[1:], '$') + 2
	return raw[n : len(raw)-n]
}

// list reads one or more elements separated by commas.
func list[T any](p *parser, element func() T) []T {
	out := []T{element()}
	for p.accept(',') {
		out = append(out, element())
	}
	return out
}

// parens reads a list in parentheses, perhaps empty.
func parens[T any](p *parser, element func() T) []T {
	if !p.expect('(') || p.accept(')') {
		return nil
	}
	out := list(p, element)
	p.expect(')')
	return out
}
