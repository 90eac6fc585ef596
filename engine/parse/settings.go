package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// settings reads name = value, …
func (p *parser) settings() []*ast.Setting {
	out := []*ast.Setting{p.setting()}
	for p.at(',') && p.isName(1) && !p.failed {
		p.pos++
		out = append(out, p.setting())
	}
	return out
}

func (p *parser) setting() *ast.Setting {
	s := &ast.Setting{At: p.place(), Name: p.ident()}
	for p.accept('.') { // custom settings may have dots
		s.Name += "." + p.ident()
	}
	if !p.accept(tEquals) {
		if !strings.HasPrefix(s.Name, "param_") && (p.at(',') || p.at(tEOF) || p.at(')') || p.at(';') || p.isWord(0, "FORMAT")) {
			s.Value = &ast.Literal{At: s.At, Kind: ast.Bool, Uint: 1} // a flag without a value is on
			return s
		}
		p.failed = true
		return s
	}
	if p.isWord(0, "DEFAULT") {
		p.pos++
		s.Default = true
		return s
	}
	if strings.HasPrefix(s.Name, "param_") && p.at(tWord) && p.peek(1).kind != '(' {
		// A parameter's value may be a bare word: its text.
		s.Value = &ast.Literal{At: p.place(), Kind: ast.String, Text: p.ident()}
		return s
	}
	s.Value = p.settingValue()
	return s
}

// settingValue reads a literal, an array, tuple or map of them, a parameter, or
// a call such as disk(…).
func (p *parser) settingValue() ast.Expr {
	at := p.place()
	t := p.cur()
	switch {
	case t.kind == '{' && p.peek(1).kind != tWord:
		return p.settingMap(at)
	case t.kind == '[' || t.kind == '(':
		return p.settingList(at, t.kind)
	case t.kind == tWord && p.peek(1).kind != '(':
		if e := p.constant(at, t); e != nil {
			return e
		}
		p.fail("literal")
		return nil
	case t.kind == '-':
		p.pos++
		if l := p.negativeNumber(at); l != nil {
			return l
		}
		p.fail("number")
		return nil
	case t.kind == '+' && p.peek(1).kind == tNumber:
		p.pos++
	}
	switch p.cur().kind {
	case tNumber, tString, tHeredoc, tHexString, tBinString, tWord, '{':
		return p.primary()
	}
	p.fail("literal")
	return nil
}

func (p *parser) settingList(at ast.At, open kind) ast.Expr {
	f := &ast.Function{At: at, Name: "array", Operator: true}
	end := kind(']')
	if open == '(' {
		f.Name, end = "tuple", ')'
	}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.pos++
	if p.accept(end) {
		return f
	}
	f.Args = []ast.Expr{p.settingValue()}
	for p.accept(',') && !p.at(end) {
		f.Args = append(f.Args, p.settingValue())
	}
	p.expect(end)
	return f
}

func (p *parser) settingMap(at ast.At) ast.Expr {
	f := &ast.Function{At: at, Name: "map", Operator: true}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.pos++
	if p.accept('}') {
		return f
	}
	for !p.failed {
		f.Args = append(f.Args, p.settingValue())
		p.expect(':')
		f.Args = append(f.Args, p.settingValue())
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	return f
}

// output reads INTO OUTFILE, FORMAT and the SETTINGS after it.
func (p *parser) output(o *ast.Output) {
	if p.word("INTO OUTFILE") {
		o.Outfile = p.strName()
		o.Append = p.word("APPEND")
		o.Truncate = p.word("TRUNCATE")
		o.AndStdout = p.word("AND STDOUT")
		if p.word("COMPRESSION") {
			o.Compression = p.strName()
		}
		if p.word("LEVEL") {
			o.Level = p.expr()
		}
	}
	if p.word("FORMAT") {
		o.Format = p.ident()
	}
	if p.word("SETTINGS") {
		o.OutputSettings = p.settings()
	}
}
