package parse

import "lakeserver/engine/ast"

// insert reads INSERT up to where its data begins.
func (p *parser) insert(at ast.At) ast.Statement {
	n := &ast.Insert{At: at}
	if n.Overwrite = p.isOverwrite(); n.Overwrite {
		p.pos++
	}
	p.word("INTO")
	if p.isWord(0, "TABLE") && (p.isName(1) || p.peek(1).kind == '{') && !p.isWord(1, "VALUES") && !p.isWord(1, "FORMAT") && !p.isWord(1, "SELECT") {
		p.pos++
	}
	if p.isWord(0, "FUNCTION") && p.isName(1) && p.peek(2).kind == '(' {
		p.pos++
		n.Function = p.tableFunction()
		if p.word("PARTITION BY") {
			n.PartitionBy = p.expr()
		}
	} else {
		n.Table = p.tableName()
	}
	if p.at('(') && !p.queryInParens(0) {
		n.Columns = parens(p, p.insertColumn)
	}
	p.overwritten(n)
	if p.word("PARTITION BY") {
		n.PartitionBy = p.expr()
	}
	if p.word("FROM INFILE") {
		n.Infile = p.strName()
		if p.word("COMPRESSION") {
			n.InfileCompression = p.strName()
		}
	}
	if p.word("SETTINGS") {
		n.Settings = p.settings()
	}
	p.insertSource(n)
	return n
}

// isOverwrite tells INSERT OVERWRITE t from an INSERT (without INTO) into a
// table of that name.
func (p *parser) isOverwrite() bool {
	if !p.isWord(0, "OVERWRITE") || !p.isName(1) && p.peek(1).kind != '{' {
		return false
	}
	for _, w := range [...]string{"VALUES", "FORMAT", "SELECT", "SETTINGS", "WITH", "FROM", "WATCH", "PARTITION"} {
		if p.isWord(1, w) {
			return false
		}
	}
	return true
}

// overwritten reads which rows give way: PARTITION (g = 2), WHERE c behind
// OVERWRITE, or REPLACE WHERE c behind INTO.
func (p *parser) overwritten(n *ast.Insert) {
	switch {
	case n.Overwrite && p.isWord(0, "PARTITION") && !p.isWord(1, "BY"):
		p.pos++
		n.Partition = p.partition()
	case n.Overwrite && p.word("WHERE"), p.word("REPLACE WHERE"):
		n.Overwrite, n.ReplaceWhere = true, p.expr()
	}
}

// insertColumn is a name, or * and COLUMNS with what they leave out.
func (p *parser) insertColumn() ast.Expr {
	if p.at('*') || p.isWord(0, "COLUMNS") && p.peek(1).kind == '(' {
		return p.primary()
	}
	return p.plainName()
}

func (p *parser) insertSource(n *ast.Insert) {
	switch {
	case p.isWord(0, "VALUES"):
		p.pos++
		n.DataFormat = "Values"
		p.inlineData(n, int(p.toks[p.pos-1].end))
	case p.word("FORMAT"):
		n.DataFormat = p.ident()
		if p.failed {
			return
		}
		if n.Settings == nil && p.isWord(0, "SETTINGS") && n.Infile != "" {
			p.pos++
			n.Settings = p.settings()
		}
		if n.Infile == "" {
			p.inlineData(n, p.dataStart(int(p.toks[p.pos-1].end)))
		}
	case p.isWord(0, "WATCH") && p.isName(1):
		p.pos++
		n.Watch = p.tableName()
	case p.queryHere(0), p.isWord(0, "SELECT"):
		n.Query = p.query()
		p.output(&n.Output)
	case n.Infile != "":
	default:
		p.want(0, "VALUES")
		p.want(0, "FORMAT")
		p.want(0, "SETTINGS")
		p.fail("SELECT subquery")
	}
}

// inlineData marks the data from start and goes on behind it. The data of
// VALUES ends at a semicolon where several statements are read; any other
// format takes the rest of the text.
func (p *parser) inlineData(n *ast.Insert, start int) {
	if n.Infile != "" {
		return
	}
	end := len(p.text)
	if p.many && n.DataFormat == "Values" {
		for !p.at(tEOF) && !p.at(';') {
			p.pos++
		}
		if p.at(';') {
			end = int(p.cur().start)
		}
	}
	n.Data = &ast.Span{Start: start, End: end}
	if end == len(p.text) {
		p.skipTo(end)
	}
}

// dataStart is where the data of FORMAT x begins: behind blanks and one newline.
func (p *parser) dataStart(i int) int {
	for i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\t' || p.text[i] == '\f') {
		i++
	}
	if i < len(p.text) && p.text[i] == ';' {
		i++
	}
	if i < len(p.text) && p.text[i] == '\r' {
		i++
	}
	if i < len(p.text) && p.text[i] == '\n' {
		i++
	}
	return i
}
