package ast

import (
	"strconv"
)

// Format prints any node as SQL on one line. What it prints parses to an equal
// tree. Operands that are operators themselves stand in brackets, as in
// ClickHouse's own printing, so that no reader needs the table of precedence.
// Secrets are printed; logs use Redact.
func Format(n Node) string {
	if isNil(n) {
		return ""
	}
	p := printer{b: make([]byte, 0, 256)}
	n.format(&p)
	return string(p.b)
}

// FormatPretty is Format over several lines in ClickHouse's layout: a clause a
// line, the elements of longer lists below it, subqueries indented.
func FormatPretty(n Node) string {
	if isNil(n) {
		return ""
	}
	p := printer{b: make([]byte, 0, 512), pretty: true}
	n.format(&p)
	return string(p.b)
}

// printer collects the text.
type printer struct {
	b      []byte
	pretty bool // over several lines
	indent int
}

// clauseWord begins a clause of a query: on a line of its own when pretty.
func (p *printer) clauseWord(word string) {
	if p.pretty {
		p.newline()
	} else {
		p.s(" ")
	}
	p.s(word)
}

func (p *printer) newline() {
	p.s("\n")
	for range p.indent {
		p.s("    ")
	}
}

// block prints the list of a clause behind its word.
func block[T Node](p *printer, list []T, print func(int, T)) {
	lines := p.pretty && len(list) > 1
	if lines {
		p.indent++
	}
	for i, n := range list {
		p.when(i > 0, ",")
		if lines {
			p.newline()
		} else {
			p.s(" ")
		}
		print(i, n)
	}
	if lines {
		p.indent--
	}
}

func (p *printer) exprBlock(list []Expr) { block(p, list, p.itemAt) }

func nodeBlock[T Node](p *printer, list []T) {
	block(p, list, func(_ int, n T) { n.format(p) })
}

// parenQuery prints a query in brackets.
func (p *printer) parenQuery(q Query) {
	p.s("(")
	if p.pretty {
		p.indent++
		p.newline()
	}
	q.format(p)
	if p.pretty {
		p.indent--
		p.newline()
	}
	p.s(")")
}

func (p *printer) s(text string) { p.b = append(p.b, text...) }

func (p *printer) name(s string) { p.s(quoteWord(s)) }

func (p *printer) str(s string) { p.b = appendQuoted(p.b, s, '\'') }

// when prints text if cond holds.
func (p *printer) when(cond bool, text string) {
	if cond {
		p.s(text)
	}
}

// opt prints a word and an expression if there is one.
func (p *printer) opt(word string, e Expr) {
	if e != nil {
		p.s(word)
		p.expr(e)
	}
}

// optStr prints a word and a string literal unless it is empty.
func (p *printer) optStr(word, s string) {
	if s != "" {
		p.s(word)
		p.str(s)
	}
}

// optName prints a word and a name unless it is empty.
func (p *printer) optName(word, s string) {
	if s != "" {
		p.s(word)
		p.name(s)
	}
}

// seq prints elements with commas between.
func seq[T any](p *printer, list []T, print func(T)) {
	for i, x := range list {
		if i > 0 {
			p.s(", ")
		}
		print(x)
	}
}

// nodes prints nodes with commas between.
func nodes[T Node](p *printer, list []T) { seq(p, list, func(n T) { n.format(p) }) }

func (p *printer) names(list []string) { seq(p, list, p.name) }

// item prints an expression where an alias may follow without brackets.
func (p *printer) item(e Expr) {
	if a, ok := e.(*Aliased); ok {
		a.bare(p)
		return
	}
	p.expr(e)
}

func (p *printer) items(list []Expr) {
	for i, e := range list {
		p.when(i > 0, ", ")
		p.itemAt(i, e)
	}
}

// itemAt prints the i-th element of a list. Behind others a lambda's name stands
// in brackets: a, x -> y is one lambda of a and x; a, (x) -> y is not.
func (p *printer) itemAt(i int, e Expr) {
	l, ok := Unalias(e).(*Lambda)
	if i == 0 || !ok || len(l.Params) != 1 {
		p.item(e)
		return
	}
	p.s("(")
	p.name(l.Params[0])
	p.s(") -> ")
	p.expr(l.Body)
	if a, ok := e.(*Aliased); ok {
		p.s(" AS ")
		p.name(a.Alias)
	}
}

// expr prints an expression where no alias may stand bare.
func (p *printer) expr(e Expr) {
	if e == nil {
		return
	}
	e.format(p)
}

// operand prints an expression as part of a greater one.
func (p *printer) operand(e Expr) {
	switch e := e.(type) {
	case *Function:
		if !e.infix() {
			e.format(p)
			return
		}
	case *Lambda:
	default:
		e.format(p)
		return
	}
	p.s("(")
	e.format(p)
	p.s(")")
}

// atom prints an expression before an access or a cast.
func (p *printer) atom(e Expr) {
	switch e := e.(type) {
	case *Function:
		if !e.infix() && !(e.Operator && (e.Name == "array" || e.Name == "tuple") || e.Over != nil || e.Nulls != 0) {
			e.format(p)
			return
		}
	case *Aliased, *Subquery:
		e.format(p)
		return
	}
	p.s("(")
	e.format(p)
	p.s(")")
}

func (n *Literal) format(p *printer) {
	switch n.Kind {
	case Null:
		p.s("NULL")
	case Bool:
		if n.Uint != 0 {
			p.s("true")
		} else {
			p.s("false")
		}
	case String:
		p.str(n.Text)
	default:
		switch {
		case n.Text != "":
			p.s(n.Text)
		case n.Kind == Uint:
			p.b = strconv.AppendUint(p.b, n.Uint, 10)
		case n.Kind == Int:
			p.b = strconv.AppendInt(p.b, n.Int, 10)
		default:
			p.b = appendFloat(p.b, n.Float)
		}
	}
}

// appendFloat writes a float as ClickHouse names it: the shortest digits that
// give it back, with a dot where it would look like an integer.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case f != f:
		return append(b, "nan"...)
	case f > maxFloat:
		return append(b, "inf"...)
	case f < -maxFloat:
		return append(b, "-inf"...)
	}
	abs := f
	if abs < 0 {
		abs = -abs
	}
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		s := strconv.AppendFloat(nil, f, 'e', -1, 64)
		for i := range s { // e-07 and e+21 are written e-7 and e21
			if s[i] != 'e' {
				continue
			}
			b = append(b, s[:i+1]...)
			if s[i+1] == '-' {
				b = append(b, '-')
			}
			exp := s[i+2:]
			for len(exp) > 1 && exp[0] == '0' {
				exp = exp[1:]
			}
			return append(b, exp...)
		}
	}
	n := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	for _, c := range b[n:] {
		if c == '.' {
			return b
		}
	}
	return append(b, '.')
}

const maxFloat = 1.79769313486231570814527423731704356798070e+308

func (n *Identifier) format(p *printer) {
	for i, part := range n.Parts {
		if i > 0 {
			p.s(".")
		}
		switch {
		case n.Params != nil && n.Params[i] != "":
			p.param(n.Params[i], "Identifier")
		case len(part) > 2 && (part[0] == ':' || part[0] == '^') && part[1] == '`' && i > 0:
			p.subcolumn(part)
		default:
			p.name(part)
		}
	}
}

// subcolumn prints :`Int64` and ^`a`, whose backquotes are part of the name.
func (p *printer) subcolumn(part string) {
	p.s(part[:1])
	p.b = appendQuoted(p.b, part[2:len(part)-1], '`')
}

func (p *printer) param(name, typ string) {
	p.s("{")
	p.name(name)
	p.s(":")
	p.s(typ)
	p.s("}")
}

func (n *QueryParam) format(p *printer) { p.param(n.Name, n.Type) }

func (n *Aliased) format(p *printer) {
	p.s("(")
	n.bare(p)
	p.s(")")
}

func (n *Aliased) bare(p *printer) {
	p.expr(n.Expr)
	p.s(" AS ")
	if n.Param != "" {
		p.param(n.Param, "Identifier")
		return
	}
	p.name(n.Alias)
}

func (n *Lambda) format(p *printer) {
	if len(n.Params) == 1 {
		p.name(n.Params[0])
	} else {
		p.s("(")
		p.names(n.Params)
		p.s(")")
	}
	p.s(" -> ")
	p.expr(n.Body)
}

func (n *Subquery) format(p *printer) { p.parenQuery(n.Query) }

func (p *printer) qualifier(parts []string) {
	for _, q := range parts {
		p.name(q)
		p.s(".")
	}
}

func (p *printer) transformers(list []Transformer) {
	for _, t := range list {
		p.s(" ")
		t.format(p)
	}
}

func (n *Asterisk) format(p *printer) {
	p.qualifier(n.Qualifier)
	p.s("*")
	p.transformers(n.Transformers)
}

func (n *Columns) format(p *printer) {
	p.qualifier(n.Qualifier)
	p.s("COLUMNS(")
	switch {
	case n.List != nil:
		seq(p, n.List, p.expr)
	case n.PatternParam != "":
		p.param(n.PatternParam, "String")
	default:
		p.str(n.Pattern)
	}
	p.s(")")
	p.transformers(n.Transformers)
}

func (n *Apply) format(p *printer) {
	p.s("APPLY(")
	if n.Lambda != nil {
		n.Lambda.format(p)
	} else {
		p.s(funcName(n.Func))
		if len(n.Params) > 0 {
			p.s("(")
			seq(p, n.Params, p.expr)
			p.s(")")
		}
	}
	p.optStr(", ", n.Prefix)
	p.s(")")
}

func (n *Except) format(p *printer) {
	p.s("EXCEPT ")
	p.when(n.Strict, "STRICT ")
	p.s("(")
	if len(n.Names) > 0 {
		nodes(p, n.Names)
	} else {
		p.str(n.Pattern)
	}
	p.s(")")
}

func (n *Replace) format(p *printer) {
	p.s("REPLACE ")
	p.when(n.Strict, "STRICT ")
	p.s("(")
	seq(p, n.Items, func(a *Aliased) { a.bare(p) })
	p.s(")")
}
