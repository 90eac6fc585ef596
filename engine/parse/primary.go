package parse

import (
	"math"
	"strings"

	"lakeserver/engine/ast"
)

// notOperand tells whether the k-th token cannot begin an operand: then a word
// before it, which would otherwise begin a special form, is a mere name.
func (p *parser) notOperand(k int) bool {
	t := p.peek(k)
	switch t.kind {
	case tEOF, ')', ']', '}', ',', '.', ';', '=', tEquals, tNotEquals, '<', '>', tLessEq, tGreaterEq, tNullSafe, tConcat,
		'/', '%', '?', ':', tDoubleColon, tArrow, tError:
		return true
	case tWord:
		return p.isClauseWord(k)
	}
	return false
}

// isClauseWord tells whether the k-th token is a word that goes on with the
// query after an expression has ended.
func (p *parser) isClauseWord(k int) bool {
	for _, w := range [...]string{
		"AS", "FROM", "WHERE", "PREWHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "SETTINGS",
		"FORMAT", "AND", "OR", "IN", "LIKE", "ILIKE", "IS", "BETWEEN", "THEN", "ELSE", "END", "ASC", "DESC", "OFFSET",
	} {
		if p.isWord(k, w) {
			return true
		}
	}
	return false
}

// primary reads an operand without what may follow it.
func (p *parser) primary() ast.Expr {
	at, t := p.place(), p.cur()
	switch t.kind {
	case tNumber:
		l, ok := number(p.raw(t), false)
		if !ok {
			p.fail("number")
			return nil
		}
		p.pos++
		l.At = at
		return l
	case tString, tHeredoc:
		return p.strLiteral()
	case tHexString, tBinString:
		return p.bytesLiteral(at, t)
	case tQuoted:
		if p.peek(1).kind == tArrow {
			return p.lambda(at, []string{p.ident()})
		}
		return p.name(at)
	case tWord:
		return p.wordOperand(at, t)
	case '(':
		return p.paren(at)
	case '[':
		return p.array(at)
	case '*':
		p.pos++
		return &ast.Asterisk{At: at, Transformers: p.transformers()}
	case '{':
		return p.parameter(at)
	case tAtAt:
		p.pos++
		name := p.ident()
		for p.accept('.') {
			name += "." + p.ident()
		}
		return &ast.Aliased{
			At: at, Alias: "@@" + name,
			Expr: &ast.Function{At: at, Name: "globalVariable", Args: []ast.Expr{ast.NewString(name)}},
		}
	}
	p.fail("expression")
	return nil
}

func (p *parser) bytesLiteral(at ast.At, t token) ast.Expr {
	raw := p.raw(t)
	digits := raw[2 : len(raw)-1]
	undo := hexString
	if t.kind == tBinString {
		undo = binString
	}
	s, ok := undo(digits)
	if !ok {
		p.fail("string of digits")
		return nil
	}
	p.pos++
	return &ast.Literal{At: at, Kind: ast.String, Text: s}
}

func (p *parser) specialFloat(t token) (float64, bool) {
	switch w := p.raw(t); len(w) {
	case 3:
		if strings.EqualFold(w, "inf") {
			return math.Inf(1), true
		}
		if strings.EqualFold(w, "nan") {
			return math.NaN(), true
		}
	case 8:
		if strings.EqualFold(w, "infinity") {
			return math.Inf(1), true
		}
	}
	return 0, false
}

func floatWord(f float64) string {
	if f != f {
		return "nan"
	}
	return "inf"
}

// wordOperand reads what begins with a bare word: a constant, a special form, a
// call, a lambda or a name.
func (p *parser) wordOperand(at ast.At, t token) ast.Expr {
	switch next := p.peek(1); next.kind {
	case '(':
		return p.call(at)
	case '.':
		return p.name(at)
	case tArrow:
		return p.lambda(at, []string{p.ident()})
	case tString, tHeredoc:
		if e := p.typedLiteral(at); e != nil {
			return e
		}
	}
	if e := p.constant(at, t); e != nil {
		return e
	}
	if p.isWord(0, "CASE") && !p.notOperand(1) {
		return p.caseForm(at)
	}
	if p.isWord(0, "INTERVAL") && !p.notOperand(1) {
		if e := p.interval(at); e != nil {
			return e
		}
	}
	return p.name(at)
}

func (p *parser) constant(at ast.At, t token) ast.Expr {
	var l *ast.Literal
	switch {
	case p.isWord(0, "NULL"):
		l = &ast.Literal{At: at, Kind: ast.Null}
	case p.isWord(0, "TRUE"):
		l = &ast.Literal{At: at, Kind: ast.Bool, Uint: 1}
	case p.isWord(0, "FALSE"):
		l = &ast.Literal{At: at, Kind: ast.Bool}
	default:
		f, ok := p.specialFloat(t)
		if !ok {
			return nil
		}
		l = &ast.Literal{At: at, Kind: ast.Float, Float: f, Text: floatWord(f)}
	}
	p.pos++
	return l
}

// typedLiteral is DATE '2020-01-01' and TIMESTAMP '…'.
func (p *parser) typedLiteral(at ast.At) ast.Expr {
	name := ""
	switch {
	case p.isWord(0, "DATE"):
		name = "toDate"
	case p.isWord(0, "TIMESTAMP"):
		name = "toDateTime"
	default:
		return nil
	}
	p.pos++
	return &ast.Function{At: at, Name: name, Args: []ast.Expr{p.strLiteral()}}
}

// lambda reads the arrow and the body.
func (p *parser) lambda(at ast.At, params []string) ast.Expr {
	p.expect(tArrow)
	return &ast.Lambda{At: at, Params: params, Body: p.binary(bindAny)}
}

// lambdaParams tells whether (a, b) -> stands here, and reads the names.
func (p *parser) lambdaParams() ([]string, bool) {
	k := 1
	for p.isName(k) {
		k++
		if p.peek(k).kind != ',' {
			break
		}
		k++
	}
	if p.peek(k).kind != ')' || p.peek(k+1).kind != tArrow {
		return nil, false
	}
	return parens(p, p.ident), true
}

// paren reads what stands in round brackets: a subquery, a lambda's names, one
// expression, or a tuple.
func (p *parser) paren(at ast.At) ast.Expr {
	if p.queryInParens(0) {
		return &ast.Subquery{At: at, Query: p.parenQuery()}
	}
	if params, ok := p.lambdaParams(); ok {
		return p.lambda(at, params)
	}
	p.pos++
	tuple := &ast.Function{At: at, Name: "tuple", Operator: true}
	if p.accept(')') {
		return tuple
	}
	first := p.exprAs()
	if p.accept(')') {
		return first
	}
	tuple.Args = append(tuple.Args, first)
	for p.accept(',') {
		if p.at(')') {
			break
		}
		tuple.Args = p.element(tuple.Args)
	}
	p.expect(')')
	return tuple
}

// element reads one element and adds it to the list; an arrow takes the names
// before it along.
func (p *parser) element(list []ast.Expr) []ast.Expr {
	arrow := p.peek(1).kind == tArrow
	e := p.exprAs()
	if arrow && len(list) > 0 {
		return p.mergeLambda(list, e)
	}
	return append(list, e)
}

func (p *parser) array(at ast.At) ast.Expr {
	p.pos++
	f := &ast.Function{At: at, Name: "array", Operator: true}
	if p.accept(']') {
		return f
	}
	f.Args = p.element(nil)
	for p.accept(',') {
		f.Args = p.element(f.Args)
	}
	p.expect(']')
	return f
}

// parameter is {name:Type}. A parameter of type Identifier is a name and may go
// on with dots.
func (p *parser) parameter(at ast.At) ast.Expr {
	if p.peek(1).kind == tString || p.peek(1).kind == tNumber {
		return p.mapLiteral(at)
	}
	q := p.queryParam()
	if q == nil || q.Type != "Identifier" {
		return q
	}
	id := &ast.Identifier{At: at, Parts: []string{""}, Params: []string{q.Name}}
	p.moreParts(id)
	return id
}

func (p *parser) queryParam() *ast.QueryParam {
	q := &ast.QueryParam{At: p.place()}
	p.expect('{')
	q.Name = p.ident()
	p.expect(':')
	q.Type = p.typeName()
	p.expect('}')
	return q
}

// mapLiteral is {'key': value, …}: ClickHouse has it of literals, in settings
// and VALUES; here it is map('key', value, …) wherever an expression may be.
func (p *parser) mapLiteral(at ast.At) ast.Expr {
	f := &ast.Function{At: at, Name: "map"}
	for p.pos++; ; {
		f.Args = append(f.Args, p.expr())
		p.expect(':')
		f.Args = append(f.Args, p.expr())
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	return f
}

// identParam reads a name, or {name:Identifier} for one.
func (p *parser) identParam() (name, param string) {
	if p.at('{') {
		q := p.queryParam()
		if q.Type != "Identifier" {
			p.fail("parameter of type Identifier")
		}
		return "", q.Name
	}
	return p.ident(), ""
}

// name reads a name with dots, t.* and t.COLUMNS(…) and a qualified function.
func (p *parser) name(at ast.At) ast.Expr {
	id := &ast.Identifier{At: at, Parts: make([]string, 1, 2)}
	id.Parts[0] = p.ident()
	if t := p.cur().kind; t == '.' || t == '[' {
		if e := p.moreParts(id); e != nil {
			return e
		}
	}
	if p.at('(') && id.Params == nil { // a quoted function name, or one with dots
		return p.finishCall(&ast.Function{At: at, Name: strings.Join(id.Parts, ".")})
	}
	return id
}

// moreParts adds .b.c to a name; where the dots end in * or COLUMNS it gives
// that in place of the name.
func (p *parser) moreParts(id *ast.Identifier) ast.Expr {
	for !p.failed {
		if p.at('[') { // json.a[] is the type Array(JSON) of the path
			n := 0
			for p.peek(2*n).kind == '[' && p.peek(2*n+1).kind == ']' {
				n++
			}
			if n == 0 || p.peek(2*n).kind != '.' && len(id.Parts) == 1 {
				return nil
			}
			p.pos += 2 * n
			p.addPart(id, ":`"+strings.Repeat("Array(", n)+"JSON"+strings.Repeat(")", n)+"`", "")
			continue
		}
		if !p.at('.') {
			return nil
		}
		switch next := p.peek(1); {
		case next.kind == '*':
			p.pos += 2
			return &ast.Asterisk{At: id.At, Qualifier: id.Parts, Transformers: p.transformers()}
		case next.kind == tWord && p.isWord(1, "COLUMNS") && p.peek(2).kind == '(':
			p.pos++
			return p.columns(id.At, id.Parts)
		case next.kind == tWord || next.kind == tQuoted:
			p.pos++
			p.addPart(id, p.ident(), "")
		case next.kind == '{':
			p.pos++
			name, param := p.identParam()
			p.addPart(id, name, param)
		case next.kind == '^':
			p.pos += 2
			p.addPart(id, "^`"+p.ident()+"`", "")
		case next.kind == ':':
			p.pos += 2
			if p.at(tQuoted) {
				p.addPart(id, ":`"+p.ident()+"`", "")
			} else {
				p.addPart(id, ":`"+p.typeName()+"`", "")
			}
		default:
			return nil // t.1 is an access
		}
	}
	return nil
}

func (p *parser) addPart(id *ast.Identifier, name, param string) {
	id.Parts = append(id.Parts, name)
	if id.Params == nil && param == "" {
		return
	}
	for len(id.Params) < len(id.Parts) {
		id.Params = append(id.Params, "")
	}
	id.Params[len(id.Parts)-1] = param
}

// postfix reads accesses and casts after an operand that began at token first.
func (p *parser) postfix(e ast.Expr, first token) ast.Expr {
	for simple := true; !p.failed; simple = false {
		at := p.place()
		switch p.cur().kind {
		case '[':
			p.pos++
			i := p.exprAs()
			p.expect(']')
			e = &ast.Function{At: at, Name: "arrayElement", Args: []ast.Expr{e, i}, Operator: true}
		case '.':
			e = p.access(e, at)
		case tDoubleColon:
			e = p.castOperator(e, first, at, simple)
		default:
			return e
		}
	}
	return e
}

func (p *parser) access(e ast.Expr, at ast.At) ast.Expr {
	p.pos++
	t := p.cur()
	if t.kind == '*' {
		p.pos++
		return &ast.Function{At: at, Name: "untuple", Args: []ast.Expr{e}}
	}
	f := &ast.Function{At: at, Name: "tupleElement", Operator: true}
	switch t.kind {
	case tNumber:
		l, ok := number(p.raw(t), false)
		if !ok || l.Kind != ast.Uint {
			p.fail("tuple element index")
			return nil
		}
		p.pos++
		l.At = at
		f.Args = []ast.Expr{e, l}
	case '-': // t.-1 counts from the end
		p.pos++
		l := p.negativeNumber(at)
		if l == nil || l.Kind == ast.Float {
			p.fail("tuple element index")
			return nil
		}
		f.Args = []ast.Expr{e, l}
	default:
		f.Args = []ast.Expr{e, &ast.Literal{At: at, Kind: ast.String, Text: p.ident()}}
	}
	return f
}

// castOperator is e::Type. Before it a literal of numbers, strings and brackets
// is taken as the text that was written, so that 1.1::Decimal(9, 1) is exact.
func (p *parser) castOperator(e ast.Expr, first token, at ast.At, simple bool) ast.Expr {
	end := p.toks[p.pos-1].end
	if simple && p.plainText(e, p.tokenIndex(first), p.pos) {
		text := p.text[first.start:end]
		if l, ok := e.(*ast.Literal); ok && l.Kind == ast.String {
			text = l.Text
		}
		e = &ast.Literal{At: ast.At{Line: first.line, Column: first.col}, Kind: ast.String, Text: text}
	}
	p.pos++
	tat := p.place()
	typ := &ast.Literal{At: tat, Kind: ast.String, Text: p.typeName()}
	return &ast.Function{At: at, Name: "CAST", Args: []ast.Expr{e, typ}, Operator: true}
}

func (p *parser) tokenIndex(t token) int {
	for i := p.pos; i >= 0; i-- {
		if p.toks[i].start == t.start {
			return i
		}
	}
	return 0
}

// literalTree tells whether e is a literal or an array or tuple of such.
func literalTree(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Literal:
		return e.IsNumber() || e.Kind == ast.String
	case *ast.Function:
		if !e.Operator || e.Name != "array" && e.Name != "tuple" {
			return false
		}
		for _, a := range e.Args {
			if !literalTree(a) {
				return false
			}
		}
		return true
	}
	return false
}

// plainText tells whether e, read from tokens from to to, is a literal whose
// text is what a cast takes.
func (p *parser) plainText(e ast.Expr, from, to int) bool {
	switch e := e.(type) {
	case *ast.Literal:
		return (e.IsNumber() || e.Kind == ast.String) && p.toks[from].kind != '('
	case *ast.Function: // not one in further brackets
		if e.Line != p.toks[from].line || e.Column != p.toks[from].col || !literalTree(e) {
			return false
		}
	default:
		return false
	}
	for _, t := range p.toks[from:to] {
		switch t.kind {
		case tNumber, tString, '[', ']', '(', ')', ',', '-':
		default:
			return false
		}
	}
	return true
}
