package parse

import "lakeserver/engine/ast"

// create reads what follows CREATE, ATTACH or REPLACE.
func (p *parser) create(at ast.At, verb string) ast.Statement {
	attach := verb == "ATTACH"
	replace := verb == "REPLACE" || p.word("OR REPLACE")
	if !attach && verb == "CREATE" {
		if o, ok := p.accessObject(false); ok {
			return p.createAccess(at, o, false, replace)
		}
		switch {
		case p.word("NAMED COLLECTION"):
			return p.createCollection(at)
		case p.isWord(0, "INDEX") || p.isWords("UNIQUE", "INDEX"):
			return p.createIndex(at)
		case p.word("FUNCTION"):
			return p.createFunction(at, replace)
		}
	}
	temporary := p.oneOf("TEMPORARY", "TEMP") != ""
	switch w := p.oneOf("DATABASE", "TABLE", "DICTIONARY", "MATERIALIZED VIEW", "LIVE VIEW", "WINDOW VIEW", "VIEW"); w {
	case "DATABASE":
		return p.createDatabase(at, attach)
	case "TABLE":
		c := &ast.CreateTable{At: at, Attach: attach, Replace: replace, ReplaceOnly: verb == "REPLACE", Temporary: temporary}
		p.createTable(c)
		return c
	case "DICTIONARY":
		return p.createDictionary(&ast.CreateDictionary{At: at, Attach: attach, Replace: replace})
	case "":
		if attach && p.isName(0) { // ATTACH t is not ClickHouse's, ATTACH TABLE t is
			p.fail("TABLE")
		}
		p.failed = true
		return nil
	default:
		v := &ast.CreateView{At: at, Attach: attach, Replace: replace, Temporary: temporary}
		v.Materialized, v.Live, v.Window = w == "MATERIALIZED VIEW", w == "LIVE VIEW", w == "WINDOW VIEW"
		p.createView(v)
		return v
	}
}

func (p *parser) uuid() string {
	if p.word("UUID") {
		return p.strName()
	}
	return ""
}

func (p *parser) comment(c **ast.Literal) bool {
	if *c != nil || !p.word("COMMENT") {
		return false
	}
	*c = p.strLiteral()
	return true
}

func (p *parser) createDatabase(at ast.At, attach bool) ast.Statement {
	d := &ast.CreateDatabase{At: at, Attach: attach, IfNotExists: p.word("IF NOT EXISTS")}
	d.Name, d.NameParam = p.tablePart()
	d.UUID = p.uuid()
	d.Cluster = p.onCluster()
	d.Storage = p.storage(nil)
	p.comment(&d.Comment)
	return d
}

func (p *parser) createTable(c *ast.CreateTable) {
	c.IfNotExists = p.word("IF NOT EXISTS")
	c.Name = p.tableName()
	c.UUID = p.uuid()
	c.Cluster = p.onCluster()
	if c.Attach && p.word("FROM") {
		c.From = p.strName()
	}
	if p.at('(') {
		p.columnList(c)
	}
	for !p.failed {
		switch {
		case p.comment(&c.Comment):
		case p.atStorage():
			c.Storage = p.storage(c.Storage)
		case p.word("EMPTY AS"):
			c.Empty = true
			c.AsQuery = p.query()
		case p.word("CLONE AS"):
			c.Clone = true
			c.AsTable = p.tableName()
		case c.AsQuery == nil && c.AsTable == nil && c.AsFunction == nil && p.word("AS"):
			p.createAs(c)
		case p.queryHere(0) && c.AsQuery == nil && c.AsTable == nil: // CREATE TABLE t ENGINE = Memory SELECT …
			c.AsQuery = p.query()
		default:
			return
		}
	}
}

func (p *parser) createAs(c *ast.CreateTable) {
	switch {
	case p.queryHere(0), p.isWord(0, "SELECT"):
		c.AsQuery = p.query()
	case p.isTableFunction():
		c.AsFunction = p.tableFunction()
	default:
		c.AsTable = p.tableName()
	}
}

// columnList reads the brackets of CREATE TABLE.
func (p *parser) columnList(c *ast.CreateTable) {
	p.expect('(')
	for !p.failed && !p.at(')') {
		switch {
		case p.isWord(0, "INDEX") && p.tryIndex(&c.Indexes):
		case p.isWord(0, "CONSTRAINT") && p.isName(1) && (p.isWord(2, "CHECK") || p.isWord(2, "ASSUME")):
			p.pos++
			c.Constraints = append(c.Constraints, p.constraint())
		case p.isWord(0, "PROJECTION") && p.isName(1) && (p.peek(2).kind == '(' || p.isWord(2, "INDEX")):
			p.pos++
			c.Projections = append(c.Projections, p.projection())
		case p.isWords("PRIMARY", "KEY"):
			p.pos += 2
			c.PrimaryKey = p.expr()
		default:
			c.Columns = append(c.Columns, p.columnDecl(true))
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
}

// tryIndex reads INDEX name expr …; false, with nothing read, is a column of
// the name index.
func (p *parser) tryIndex(into *[]*ast.IndexDecl) bool {
	if !p.isName(1) || p.peek(2).kind == ',' || p.peek(2).kind == ')' {
		return false
	}
	m := p.mark()
	p.pos++
	if i := p.indexDecl(); !p.failed && (p.at(',') || p.at(')')) {
		*into = append(*into, i)
		return true
	}
	p.reset(m)
	return false
}

func (p *parser) indexDecl() *ast.IndexDecl {
	i := &ast.IndexDecl{At: p.place(), Name: p.ident(), Expr: p.expr()}
	p.indexTail(i)
	return i
}

func (p *parser) indexTail(i *ast.IndexDecl) {
	if p.word("TYPE") {
		i.Type = p.engine()
	}
	if p.word("GRANULARITY") {
		i.Granularity = p.expr()
	}
}

func (p *parser) constraint() *ast.ConstraintDecl {
	c := &ast.ConstraintDecl{At: p.place(), Name: p.ident()}
	c.Assume = p.word("ASSUME")
	if !c.Assume {
		p.mustWord("CHECK")
	}
	c.Expr = p.expr()
	return c
}

func (p *parser) projection() *ast.ProjectionDecl {
	d := &ast.ProjectionDecl{At: p.place(), Name: p.ident()}
	if p.word("INDEX") {
		d.Index = p.expr()
		p.mustWord("TYPE")
		d.Type = p.engine()
	} else {
		p.expect('(')
		d.Query = p.projectionQuery()
		p.expect(')')
	}
	if p.word("WITH SETTINGS") {
		p.expect('(')
		d.Settings = p.settings()
		p.expect(')')
	}
	return d
}

// projectionQuery is [WITH …] SELECT … [WHERE] [GROUP BY] [ORDER BY] without FROM.
func (p *parser) projectionQuery() *ast.Select {
	s := &ast.Select{At: p.place()}
	if p.word("WITH") {
		p.with(s)
	}
	p.mustWord("SELECT")
	s.Columns = p.selectList()
	if p.word("WHERE") {
		s.Where = p.exprAs()
	}
	if p.word("GROUP BY") {
		s.GroupBy = &ast.GroupBy{At: p.place(), Exprs: p.exprs()}
	}
	if p.word("ORDER BY") {
		s.OrderBy = list(p, p.orderItem)
	}
	return s
}

// columnDecl reads a column; a type may be left out where a default gives it,
// and must be there (or a default) when full is set.
func (p *parser) columnDecl(full bool) *ast.ColumnDecl {
	c := &ast.ColumnDecl{At: p.place(), Name: p.ident()}
	for p.accept('.') {
		c.Name += "." + p.ident()
	}
	if p.isName(0) && !p.isColumnWord(0) {
		c.Type = p.typeName()
	}
	for !p.failed {
		switch {
		case c.Null == "" && p.word("NOT NULL"):
			c.Null = "NOT NULL"
		case c.Null == "" && p.word("NULL"):
			c.Null = "NULL"
		case c.DefaultKind == "" && (p.isWord(0, "DEFAULT") || p.isWord(0, "MATERIALIZED") || p.isWord(0, "ALIAS") || p.isWord(0, "EPHEMERAL")):
			p.columnDefault(c)
		default:
			p.columnTail(c)
			if full && c.Type == "" && c.DefaultKind == "" && c.TTL == nil && c.Codec == nil && c.Comment == nil && !c.AutoIncrement {
				p.fail("data type")
			}
			return c
		}
	}
	return c
}

func (p *parser) columnDefault(c *ast.ColumnDecl) {
	c.DefaultKind = p.oneOf("DEFAULT", "MATERIALIZED", "ALIAS", "EPHEMERAL")
	if c.DefaultKind == "EPHEMERAL" && (p.notOperand(0) || p.isColumnWord(0)) {
		return
	}
	c.Default = p.expr()
}

func (p *parser) isColumnWord(k int) bool {
	for _, w := range [...]string{
		"DEFAULT", "MATERIALIZED", "ALIAS", "EPHEMERAL", "COMMENT", "CODEC", "STATISTICS", "TTL", "NULL", "NOT", "PRIMARY",
		"COLLATE", "SETTINGS", "AUTO_INCREMENT", "FIRST", "AFTER", "REMOVE", "MODIFY", "RESET",
	} {
		if p.isWord(k, w) {
			return true
		}
	}
	return false
}

func (p *parser) columnTail(c *ast.ColumnDecl) {
	for !p.failed {
		switch {
		case p.isWord(0, "COMMENT") && p.peek(1).kind == tString:
			p.comment(&c.Comment)
			if p.isWord(0, "COMMENT") {
				p.fail("end of column")
			}
		case p.isWord(0, "CODEC") && p.peek(1).kind == '(':
			c.Codec = p.codec()
		case p.isWord(0, "STATISTICS") && p.peek(1).kind == '(':
			c.Statistics = p.codec()
		case p.word("TTL"):
			c.TTL = p.expr()
		case p.word("COLLATE"):
			c.Collate = p.ident()
		case p.word("AUTO_INCREMENT"):
			c.AutoIncrement = true
		case p.word("PRIMARY KEY"):
			c.PrimaryKey = true
		case p.isWord(0, "SETTINGS") && p.peek(1).kind == '(':
			p.pos += 2
			c.Settings = p.settings()
			p.expect(')')
		default:
			return
		}
	}
}

// codec reads NAME(a, b(1)), the word being here; elements without brackets
// stay so.
func (p *parser) codec() *ast.Function {
	f := &ast.Function{At: p.place(), Name: p.oneOf("CODEC", "STATISTICS")}
	for _, e := range parens(p, p.engine) {
		f.Args = append(f.Args, e)
	}
	return f
}

// engine reads name or name(args), also name(params)(args).
func (p *parser) engine() *ast.Function {
	f := &ast.Function{At: p.place(), Name: p.ident()}
	for p.isName(0) && p.toks[p.pos-1].kind == '.' {
		f.Name += "." + p.ident()
	}
	if !p.at('(') {
		f.NoArgs = true
		return f
	}
	p.arguments(f)
	if p.at('(') {
		f.Params, f.HasParams, f.Args = f.Args, true, nil
		p.arguments(f)
	}
	return f
}

func (p *parser) atStorage() bool {
	return p.isWord(0, "ENGINE") || p.isWords("PARTITION", "BY") || p.isWords("PRIMARY", "KEY") || p.isWords("ORDER", "BY") ||
		p.isWords("SAMPLE", "BY") || p.isWords("UNIQUE", "KEY") || p.isWord(0, "TTL") || p.isWord(0, "SETTINGS")
}

// storage reads ENGINE and its clauses in any order into s, or a new one; nil
// when none is here.
func (p *parser) storage(s *ast.Storage) *ast.Storage {
	if !p.atStorage() {
		return s
	}
	if s == nil {
		s = &ast.Storage{At: p.place()}
	}
	for !p.failed {
		switch {
		case s.Engine == nil && p.word("ENGINE"):
			p.accept(tEquals)
			s.Engine = p.engine()
		case s.PartitionBy == nil && p.word("PARTITION BY"):
			s.PartitionBy = p.expr()
		case s.PrimaryKey == nil && p.word("PRIMARY KEY"):
			s.PrimaryKey = p.expr()
		case s.OrderBy == nil && p.word("ORDER BY"):
			s.OrderBy = p.storageOrder()
		case s.SampleBy == nil && p.word("SAMPLE BY"):
			s.SampleBy = p.expr()
		case s.UniqueKey == nil && p.word("UNIQUE KEY"):
			s.UniqueKey = p.expr()
		case s.TTL == nil && p.word("TTL"):
			s.TTL = list(p, p.ttl)
		case s.Settings == nil && p.word("SETTINGS"):
			s.Settings = p.settings()
		default:
			return s
		}
	}
	return s
}

// storageOrder is ORDER BY of a table: an expression, or a list in brackets in
// which elements may have a direction.
func (p *parser) storageOrder() ast.Expr {
	at := p.place()
	m := p.mark()
	e := p.expr()
	if !p.failed {
		if p.isWord(0, "DESC") || p.isWord(0, "ASC") {
			o := &ast.OrderItem{At: at, Expr: e}
			p.orderTail(o)
			return o
		}
		return e
	}
	p.reset(m)
	f := &ast.Function{At: at, Name: "tuple", Operator: true}
	f.Args = parens(p, func() ast.Expr {
		o := p.orderItem()
		if !o.Desc && o.Nulls == ast.NullsUnset {
			return o.Expr
		}
		return o
	})
	if len(f.Args) == 1 {
		return f.Args[0]
	}
	return f
}

// ttlAssignments ends before a comma that begins the next element of the TTL.
func (p *parser) ttlAssignments() []*ast.Assignment {
	out := []*ast.Assignment{p.assignment()}
	for p.at(',') && p.isName(1) && p.peek(2).kind == tEquals {
		p.pos++
		out = append(out, p.assignment())
	}
	return out
}

func (p *parser) ttl() *ast.TTL {
	t := &ast.TTL{At: p.place(), Expr: p.expr()}
	switch t.Action = p.oneOf("DELETE", "TO DISK", "TO VOLUME", "RECOMPRESS", "GROUP BY"); t.Action {
	case "TO DISK", "TO VOLUME":
		t.IfExists = p.word("IF EXISTS")
		t.Target = p.strName()
	case "RECOMPRESS":
		if !p.isWord(0, "CODEC") {
			p.fail("CODEC")
			return t
		}
		t.Codec = p.codec()
	case "GROUP BY":
		t.GroupBy = list(p, p.expr)
		if p.word("SET") {
			t.Set = p.ttlAssignments()
		}
		return t
	}
	if p.word("WHERE") {
		t.Where = p.expr()
	}
	return t
}
