package parse

import "lakeserver/engine/ast"

func (p *parser) deleteFrom(at ast.At) ast.Statement {
	p.mustWord("FROM")
	d := &ast.Delete{At: at, Table: p.tableName(), Cluster: p.onCluster()}
	if p.word("IN PARTITION") {
		d.Partition = p.partition()
	}
	p.mustWord("WHERE")
	d.Where = p.expr()
	if p.word("SETTINGS") {
		d.Settings = p.settings()
	}
	return d
}

func (p *parser) update(at ast.At) ast.Statement {
	u := &ast.Update{At: at, Table: p.tableName(), Cluster: p.onCluster()}
	p.mustWord("SET")
	u.Set = list(p, p.assignment)
	if p.word("IN PARTITION") {
		u.Partition = p.partition()
	}
	p.mustWord("WHERE")
	u.Where = p.expr()
	if p.word("SETTINGS") {
		u.Settings = p.settings()
	}
	return u
}

func (p *parser) assignment() *ast.Assignment {
	a := &ast.Assignment{At: p.place(), Column: p.plainName()}
	p.expect(tEquals)
	a.Expr = p.expr()
	return a
}

func (p *parser) partition() *ast.Partition {
	n := &ast.Partition{At: p.place()}
	switch {
	case p.isWord(0, "ALL") && p.peek(1).kind != '(':
		p.pos++
		n.All = true
	case p.isWord(0, "ID") && (p.peek(1).kind == tString || p.peek(1).kind == '{'):
		p.pos++
		n.ID = p.primary()
	default:
		n.Value = p.expr()
	}
	return n
}

// merge is MERGE INTO target USING source ON … WHEN …, standard SQL.
func (p *parser) merge(at ast.At) ast.Statement {
	p.mustWord("INTO")
	m := &ast.Merge{At: at, Target: p.tableExpr()}
	p.mustWord("USING")
	m.Source = p.tableExpr()
	p.mustWord("ON")
	m.On = p.expr()
	for p.isWord(0, "WHEN") {
		m.Clauses = append(m.Clauses, p.mergeClause())
	}
	if len(m.Clauses) == 0 {
		p.fail("WHEN")
	}
	if p.word("SETTINGS") {
		m.Settings = p.settings()
	}
	return m
}

func (p *parser) mergeClause() *ast.MergeClause {
	c := &ast.MergeClause{At: p.place()}
	p.mustWord("WHEN")
	c.Matched = !p.word("NOT")
	p.mustWord("MATCHED")
	if !c.Matched {
		switch {
		case p.word("BY SOURCE"):
			c.BySource = true
		default:
			p.word("BY TARGET")
		}
	}
	if p.word("AND") {
		c.And = p.expr()
	}
	p.mustWord("THEN")
	c.Action = p.oneOf("UPDATE", "DELETE", "INSERT", "DO NOTHING")
	switch c.Action {
	case "UPDATE":
		p.mustWord("SET")
		if !p.accept('*') {
			c.Set = list(p, p.assignment)
		}
	case "INSERT":
		if p.accept('*') {
			return c
		}
		if p.at('(') {
			c.Columns = parens(p, p.plainName)
		}
		p.mustWord("VALUES")
		c.Values = parens(p, p.expr)
	case "":
		p.failed = true
	}
	return c
}

func (p *parser) optimize(at ast.At) ast.Statement {
	p.mustWord("TABLE")
	o := &ast.Optimize{At: at, Table: p.tableName(), Cluster: p.onCluster()}
	if p.word("DRY RUN") {
		o.DryRun = true
		if p.word("PARTS") {
			o.Parts = list(p, p.expr)
		}
	}
	if p.word("PARTITION") {
		o.Partition = p.partition()
	}
	o.Manifest = p.word("MANIFEST")
	if p.word("WHERE") {
		o.Where = p.expr()
	}
	o.Final = p.word("FINAL")
	o.Force = !o.Final && p.word("FORCE")
	if p.word("DEDUPLICATE") {
		o.Deduplicate = true
		if p.word("BY") {
			o.DeduplicateBy = p.exprs()
		}
	}
	o.Cleanup = p.word("CLEANUP")
	p.output(&o.Output)
	if o.Format == "" && o.OutputSettings != nil {
		o.Settings, o.OutputSettings = o.OutputSettings, nil
	}
	return o
}
