package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// typeName reads a data type and gives its text with normal spacing; what it
// means is for package types.
func (p *parser) typeName() string {
	if p.failed {
		return ""
	}
	if !p.isName(0) {
		p.fail("data type")
		return ""
	}
	var b strings.Builder
	p.typeInto(&b)
	return b.String()
}

func (p *parser) typeInto(b *strings.Builder) {
	t := p.cur()
	if n := p.longTypeName(); n > 0 {
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ToUpper(p.raw(p.peek(i))))
		}
		p.pos += n
	} else {
		if t.kind == tQuoted {
			b.WriteString(ast.QuoteName(unquote(p.raw(t))))
		} else {
			b.WriteString(p.raw(t))
		}
		p.pos++
	}
	if p.at('(') {
		p.typeArguments(b)
	}
	p.typeSuffix(b)
}

// typeSuffix reads what stands after the brackets: VARCHAR(10) CHARACTER SET x
// is not known, INT(10) UNSIGNED is.
func (p *parser) typeSuffix(b *strings.Builder) {
	if p.pos > 0 && p.toks[p.pos-1].kind == ')' && (p.isWord(0, "UNSIGNED") || p.isWord(0, "SIGNED")) {
		b.WriteByte(' ')
		b.WriteString(strings.ToUpper(p.raw(p.cur())))
		p.pos++
	}
}

// longTypeName gives how many words here are a type's name of several words.
func (p *parser) longTypeName() int {
	t := p.cur()
	switch p.text[t.start] | 0x20 {
	case 'd':
		if p.isWords("DOUBLE", "PRECISION") {
			return 2
		}
	case 'c', 'n', 'b', 't', 's', 'm', 'i':
	default:
		return 0
	}
	for _, w := range [...][]string{
		{"CHAR", "LARGE", "OBJECT"},
		{"CHARACTER", "LARGE", "OBJECT"},
		{"NCHAR", "LARGE", "OBJECT"},
		{"NATIONAL", "CHARACTER", "LARGE", "OBJECT"},
		{"NATIONAL", "CHARACTER", "VARYING"},
		{"NATIONAL", "CHAR", "VARYING"},
		{"NATIONAL", "CHARACTER"},
		{"NATIONAL", "CHAR"},
		{"BINARY", "LARGE", "OBJECT"},
		{"BINARY", "VARYING"},
		{"CHAR", "VARYING"},
		{"CHARACTER", "VARYING"},
		{"NCHAR", "VARYING"},
		{"TINYINT", "UNSIGNED"},
		{"SMALLINT", "UNSIGNED"},
		{"MEDIUMINT", "UNSIGNED"},
		{"INT", "UNSIGNED"},
		{"INTEGER", "UNSIGNED"},
		{"BIGINT", "UNSIGNED"},
		{"TINYINT", "SIGNED"},
		{"SMALLINT", "SIGNED"},
		{"MEDIUMINT", "SIGNED"},
		{"INT", "SIGNED"},
		{"INTEGER", "SIGNED"},
		{"BIGINT", "SIGNED"},
		{"INT1", "UNSIGNED"},
		{"INT1", "SIGNED"},
	} {
		if p.isWords(w...) {
			return len(w)
		}
	}
	return 0
}

// typeArguments copies what stands in brackets: types, names before types,
// numbers, strings, and name = value.
func (p *parser) typeArguments(b *strings.Builder) {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.pos++
	b.WriteByte('(')
	for first := true; !p.failed && !p.at(')'); first = false {
		if !first {
			if !p.expect(',') {
				return
			}
			if p.at(')') { // one comma after the last is forgiven
				break
			}
			b.WriteString(", ")
		}
		p.typeArgument(b)
	}
	p.expect(')')
	b.WriteByte(')')
}

func (p *parser) typeArgument(b *strings.Builder) {
	if p.isName(0) && (p.isName(1) || p.peek(1).kind == '.' || p.peek(1).kind == '{') && !p.isWord(0, "SKIP") && p.longTypeName() == 0 {
		if p.peek(1).kind == '.' { // JSON(a.b UInt8)
			b.WriteString(ast.QuoteName(strings.Join(p.plainName().Parts, ".")))
		} else {
			b.WriteString(ast.QuoteName(p.ident()))
		}
		b.WriteByte(' ')
	}
	for n := 0; !p.failed; n++ {
		t := p.cur()
		switch t.kind {
		case tWord, tQuoted:
			if p.isWord(0, "SKIP") {
				p.skipArgument(b)
				return
			}
			p.typeInto(b)
		case tString, tHeredoc:
			b.WriteString(ast.QuoteString(p.str()))
		case tNumber:
			b.WriteString(p.raw(t))
			p.pos++
		case '-':
			b.WriteByte('-')
			p.pos++
			continue
		default:
			p.fail("data type argument")
			return
		}
		if !p.accept(tEquals) {
			return
		}
		b.WriteString(" = ")
	}
}

// skipArgument is SKIP path and SKIP REGEXP 're' of JSON.
func (p *parser) skipArgument(b *strings.Builder) {
	p.pos++
	if p.isWord(0, "REGEXP") {
		p.pos++
		b.WriteString("SKIP REGEXP " + ast.QuoteString(p.str()))
		return
	}
	b.WriteString("SKIP ")
	for i, part := range p.plainName().Parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(ast.QuoteName(part))
	}
}
