package parse

import "lakeserver/engine/ast"

// tables reads what follows FROM: table expressions, joins and array joins, from
// left to right.
func (p *parser) tables() ast.Table {
	t := ast.Table(p.tableExpr())
	for !p.failed {
		at := p.place()
		switch {
		case p.accept(','):
			t = &ast.Join{At: at, Left: t, Right: p.tableExpr(), Kind: ast.JoinComma}
		case p.word("ARRAY JOIN"), p.word("INNER ARRAY JOIN"):
			t = &ast.ArrayJoin{At: at, Input: t, Exprs: p.exprs()}
		case p.word("LEFT ARRAY JOIN"):
			t = &ast.ArrayJoin{At: at, Input: t, Left: true, Exprs: p.exprs()}
		default:
			j := p.joinHead()
			if j == nil {
				return t
			}
			j.Left = t
			j.Right = p.tableExpr()
			p.joinCondition(j)
			t = j
		}
	}
	return t
}

// joinHead reads the words up to JOIN; nil, with nothing read, when no join is here.
func (p *parser) joinHead() *ast.Join {
	if !p.at(tWord) {
		return nil
	}
	m := p.mark()
	j := &ast.Join{At: p.place()}
	switch p.oneOf("GLOBAL", "LOCAL") {
	case "GLOBAL":
		j.Locality = ast.JoinGlobal
	case "LOCAL":
		j.Locality = ast.JoinLocal
	}
	j.Natural = p.word("NATURAL")
	p.strictness(j)
	side := p.oneOf("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "PASTE")
	switch side {
	case "LEFT":
		j.Kind = ast.JoinLeft
	case "RIGHT":
		j.Kind = ast.JoinRight
	case "FULL":
		j.Kind = ast.JoinFull
	case "CROSS":
		j.Kind = ast.JoinCross
	case "PASTE":
		j.Kind = ast.JoinPaste
	}
	if j.Strictness == ast.StrictnessUnset {
		p.strictness(j)
	}
	if side == "LEFT" || side == "RIGHT" || side == "FULL" {
		p.word("OUTER")
	}
	bad := j.Strictness != ast.StrictnessUnset && (side == "PASTE" || side == "CROSS")
	if bad || !p.word("JOIN") {
		p.reset(m)
		return nil
	}
	return j
}

func (p *parser) strictness(j *ast.Join) {
	switch p.oneOf("ANY", "ALL", "ASOF", "SEMI", "ANTI", "ONLY") {
	case "ANY":
		j.Strictness = ast.JoinAny
	case "ALL":
		j.Strictness = ast.JoinAll
	case "ASOF":
		j.Strictness = ast.JoinAsof
	case "SEMI", "ONLY":
		j.Strictness = ast.JoinSemi
	case "ANTI":
		j.Strictness = ast.JoinAnti
	}
}

func (p *parser) joinCondition(j *ast.Join) {
	if j.Kind == ast.JoinCross || j.Kind == ast.JoinPaste || j.Natural {
		return
	}
	switch {
	case p.word("USING"):
		switch {
		case p.at('('):
			p.pos++
			if p.accept('*') {
				j.UsingAll = true
			} else {
				j.Using = p.exprs()
			}
			p.expect(')')
		case p.accept('*'):
			j.UsingAll = true
		default:
			j.Using = p.exprs()
		}
	default:
		p.mustWord("ON")
		j.On = p.expr()
	}
}

// tableExpr reads one source with its alias, FINAL, SAMPLE and version.
func (p *parser) tableExpr() *ast.TableExpr {
	t := &ast.TableExpr{At: p.place()}
	switch {
	case p.queryInParens(0):
		t.Query = p.parenQuery()
	case p.at('('):
		t.Query = p.joinInParens()
	case p.isTableFunction():
		t.Function = p.tableFunction()
	default:
		t.Name = p.tableName()
	}
	if p.failed {
		return t
	}
	t.Version = p.timeTravel()
	p.tableAlias(t)
	if t.Version == nil {
		t.Version = p.timeTravel()
	}
	t.Final = p.word("FINAL")
	if p.word("SAMPLE") {
		t.Sample = p.ratio()
		if p.word("OFFSET") {
			t.SampleOffset = p.ratio()
		}
	}
	return t
}

// joinInParens is FROM (a JOIN b ON …), which ClickHouse reads as a subquery of
// all columns.
func (p *parser) joinInParens() ast.Query {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	at := p.place()
	p.expect('(')
	from := p.tables()
	if t, ok := from.(*ast.TableExpr); ok && t.Query == nil {
		p.fail("JOIN")
		return nil
	}
	p.expect(')')
	return &ast.Select{At: at, Columns: []ast.Expr{&ast.Asterisk{At: at}}, From: from}
}

func (p *parser) isTableFunction() bool { return p.isName(0) && p.peek(1).kind == '(' }

// tableFunction reads f(…), without what may follow an ordinary call.
func (p *parser) tableFunction() *ast.Function {
	f := &ast.Function{At: p.place(), Name: p.ident()}
	p.arguments(f)
	return f
}

// tableName reads [database.]table; a string in quotes is a name as well.
func (p *parser) tableName() *ast.TableName {
	n := &ast.TableName{At: p.place()}
	n.Table, n.TableParam = p.tablePart()
	if p.accept('.') {
		n.Database, n.DatabaseParam = n.Table, n.TableParam
		n.Table, n.TableParam = p.tablePart()
	}
	return n
}

func (p *parser) tablePart() (name, param string) {
	if p.atString() {
		return p.strName(), ""
	}
	return p.identParam()
}

func (p *parser) tableAlias(t *ast.TableExpr) {
	switch {
	case p.word("AS"):
		t.Alias = p.ident()
	case p.bareAlias() && !p.isTimeTravel():
		t.Alias = p.ident()
	default:
		return
	}
	if p.at('(') && p.isName(1) && (p.peek(2).kind == ',' || p.peek(2).kind == ')') {
		t.Columns = parens(p, p.ident)
	}
}

func (p *parser) isTimeTravel() bool {
	return p.isWords("FOR", "VERSION", "AS", "OF") || p.isWords("FOR", "TIMESTAMP", "AS", "OF") ||
		p.isWords("FOR", "SYSTEM_TIME", "AS", "OF") || p.isWords("FOR", "SYSTEM_VERSION", "AS", "OF")
}

// timeTravel is FOR VERSION|TIMESTAMP AS OF x, Spark's and Trino's words.
func (p *parser) timeTravel() *ast.TimeTravel {
	if !p.isTimeTravel() {
		return nil
	}
	v := &ast.TimeTravel{At: p.place(), Timestamp: p.isWord(1, "TIMESTAMP") || p.isWord(1, "SYSTEM_TIME")}
	p.pos += 4
	v.Value = p.binary(bindBetween)
	return v
}

func (p *parser) ratio() *ast.Ratio {
	r := &ast.Ratio{At: p.place(), Numerator: p.binary(bindMultiply)}
	if p.accept('/') {
		r.Denominator = p.binary(bindMultiply)
	}
	return r
}
