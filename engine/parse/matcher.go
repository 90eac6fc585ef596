package parse

import "lakeserver/engine/ast"

// columns reads COLUMNS('re') or COLUMNS(a, b), the word being here.
func (p *parser) columns(at ast.At, qualifier []string) ast.Expr {
	p.pos++
	c := &ast.Columns{At: at, Qualifier: qualifier}
	p.expect('(')
	switch {
	case p.atString():
		c.Pattern = p.str()
	case p.at('{'):
		c.PatternParam = p.queryParam().Name
	default:
		c.List = list(p, p.expr)
	}
	p.expect(')')
	c.Transformers = p.transformers()
	return c
}

func (p *parser) transformers() []ast.Transformer {
	var out []ast.Transformer
	for !p.failed {
		at := p.place()
		switch {
		case p.isWord(0, "APPLY") && !p.notOperand(1):
			p.pos++
			out = append(out, p.applyTransformer(at))
		case p.isWord(0, "EXCEPT") && p.exceptIsTransformer():
			p.pos++
			out = append(out, p.exceptTransformer(at))
		case p.isWord(0, "REPLACE") && !p.notOperand(1):
			p.pos++
			r := &ast.Replace{At: at, Strict: p.word("STRICT")}
			if p.at('(') {
				r.Items = parens(p, p.replacement)
			} else {
				r.Items = []*ast.Aliased{p.replacement()}
			}
			out = append(out, r)
		default:
			return out
		}
	}
	return out
}

// exceptIsTransformer tells * EXCEPT a from the set operation.
func (p *parser) exceptIsTransformer() bool {
	switch {
	case p.isWord(1, "SELECT"), p.isWord(1, "ALL"), p.isWord(1, "DISTINCT"), p.isWord(1, "WITH"), p.isWord(1, "FROM"):
		return false
	case p.peek(1).kind == '(':
		return !p.queryInParens(1)
	}
	return p.isName(1) || p.peek(1).kind == tString
}

func (p *parser) replacement() *ast.Aliased {
	a := &ast.Aliased{At: p.place(), Expr: p.expr()}
	p.mustWord("AS")
	a.Alias = p.ident()
	return a
}

func (p *parser) exceptTransformer(at ast.At) ast.Transformer {
	x := &ast.Except{At: at, Strict: p.word("STRICT")}
	brackets := p.accept('(')
	switch {
	case p.atString():
		x.Pattern = p.str()
	case brackets:
		x.Names = list(p, p.plainName)
	default:
		x.Names = []*ast.Identifier{p.plainName()}
	}
	if brackets {
		p.expect(')')
	}
	return x
}

// plainName is a name with dots and nothing else.
func (p *parser) plainName() *ast.Identifier {
	id := &ast.Identifier{At: p.place()}
	for {
		name, param := p.identParam()
		p.addPart(id, name, param)
		if !p.accept('.') {
			return id
		}
	}
}

func (p *parser) applyTransformer(at ast.At) ast.Transformer {
	a := &ast.Apply{At: at}
	brackets := p.at('(') && !p.isLambdaHere()
	if brackets {
		p.pos++
	}
	switch {
	case p.isLambdaHere():
		lat := p.place()
		if params, ok := p.lambdaParams(); ok {
			a.Lambda, _ = p.lambda(lat, params).(*ast.Lambda)
		} else {
			a.Lambda, _ = p.lambda(lat, []string{p.ident()}).(*ast.Lambda)
		}
	case p.isWord(0, "LAMBDA") && p.peek(1).kind == '(':
		p.lambdaCall(a)
	default:
		a.Func = p.ident()
		if p.at('(') {
			a.Params = parens(p, p.expr)
		}
	}
	if brackets {
		if p.accept(',') {
			a.Prefix = p.strName()
		}
		p.expect(')')
	}
	return a
}

// lambdaCall is APPLY lambda(tuple(x), body), the lambda written as a call.
func (p *parser) lambdaCall(a *ast.Apply) {
	at := p.place()
	p.pos += 2
	if !p.word("TUPLE") {
		p.fail("lambda arguments")
		return
	}
	names := parens(p, p.ident)
	if len(names) == 0 {
		p.fail("lambda arguments")
	}
	p.expect(',')
	a.Lambda = &ast.Lambda{At: at, Params: names, Body: p.expr()}
	p.expect(')')
}

func (p *parser) isLambdaHere() bool {
	if p.isName(0) {
		return p.peek(1).kind == tArrow
	}
	if !p.at('(') {
		return false
	}
	k := 1
	for p.isName(k) {
		k++
		if p.peek(k).kind != ',' {
			break
		}
		k++
	}
	return p.peek(k).kind == ')' && p.peek(k+1).kind == tArrow
}
