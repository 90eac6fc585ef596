package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// statement reads one statement by its first word.
func (p *parser) statement() ast.Statement { // long: one case for each first word
	if p.isWord(0, "WITH") && p.insertAfterWith() {
		return p.withInsert()
	}
	if p.queryHere(0) || p.at('(') || p.isWord(0, "SELECT") || p.isWord(0, "WITH") {
		return p.queryStatement()
	}
	if p.isWord(0, "FROM") {
		return p.queryStatement()
	}
	at := p.place()
	switch w := p.oneOf("INSERT", "EXPLAIN", "CREATE", "ATTACH", "REPLACE", "ALTER", "DROP", "DETACH", "TRUNCATE", "UNDROP",
		"RENAME", "EXCHANGE", "DELETE", "UPDATE", "MERGE", "OPTIMIZE", "SHOW", "DESCRIBE", "DESC", "EXISTS", "SET", "USE",
		"SYSTEM", "KILL", "GRANT", "REVOKE", "CHECK", "BEGIN", "START", "COMMIT", "ROLLBACK", "BACKUP", "RESTORE", "EXECUTE"); w {
	case "INSERT":
		return p.insert(at)
	case "EXPLAIN":
		p.pos--
		return p.explain()
	case "CREATE", "ATTACH", "REPLACE":
		return p.create(at, w)
	case "ALTER":
		return p.alter(at)
	case "DROP", "DETACH", "TRUNCATE", "UNDROP":
		return p.drop(at, w)
	case "RENAME", "EXCHANGE":
		return p.rename(at, w == "EXCHANGE")
	case "DELETE":
		return p.deleteFrom(at)
	case "UPDATE":
		return p.update(at)
	case "MERGE":
		return p.merge(at)
	case "OPTIMIZE":
		return p.optimize(at)
	case "SHOW":
		return p.show(at)
	case "DESCRIBE", "DESC":
		return p.describe(at)
	case "EXISTS":
		return p.existsStatement(at)
	case "SET":
		return p.set(at)
	case "USE":
		return p.use(at)
	case "SYSTEM":
		return p.system(at)
	case "KILL":
		return p.kill(at)
	case "GRANT", "REVOKE":
		return p.grant(at, w == "REVOKE")
	case "CHECK":
		return p.check(at)
	case "BEGIN", "START", "COMMIT", "ROLLBACK":
		return p.transaction(at, w)
	case "BACKUP", "RESTORE":
		return p.backup(at, w == "RESTORE")
	case "EXECUTE":
		return p.executeAs(at)
	}
	p.fail("query")
	return nil
}

// insertAfterWith tells whether INSERT, not SELECT, comes after the WITH here.
func (p *parser) insertAfterWith() bool {
	for k, depth := 1, 0; ; k++ {
		switch t := p.peek(k); {
		case t.kind == tEOF:
			return false
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case depth > 0 || t.kind != tWord:
		case p.isWord(k, "SELECT"):
			return false
		case p.isWord(k, "INSERT") && p.isWord(k+1, "INTO"):
			return true
		}
	}
}

// withInsert is WITH … INSERT INTO t SELECT …: the WITH belongs to each SELECT.
func (p *parser) withInsert() ast.Statement {
	var with ast.Select
	p.pos++
	p.with(&with)
	at := p.place()
	p.mustWord("INSERT")
	n, _ := p.insert(at).(*ast.Insert)
	if p.failed {
		return nil
	}
	if n.Query == nil {
		p.fail("SELECT")
		return nil
	}
	prependWith(n.Query, &with)
	return n
}

// prependWith puts a WITH before every SELECT that a query combines.
func prependWith(q ast.Query, with *ast.Select) {
	switch x := q.(type) {
	case *ast.SelectUnion:
		for _, in := range x.Inputs {
			prependWith(in, with)
		}
	case *ast.Select:
		copied := ast.Clone(with)
		x.With = append(copied.With, x.With...)
		x.Recursive = x.Recursive || with.Recursive
	}
}

func (p *parser) queryStatement() ast.Statement {
	s := &ast.QueryStatement{At: p.place(), Query: p.query()}
	p.output(&s.Output)
	return s
}

// explain reads EXPLAIN, the word being here.
func (p *parser) explain() ast.Statement {
	e := &ast.Explain{At: p.place()}
	p.pos++
	switch p.oneOf("AST", "SYNTAX", "QUERY TREE", "PIPELINE", "ESTIMATE", "PLAN", "TABLE OVERRIDE", "CURRENT TRANSACTION", "ANALYZE") {
	case "AST":
		e.Kind = ast.ExplainAST
	case "SYNTAX":
		e.Kind = ast.ExplainSyntax
	case "QUERY TREE":
		e.Kind = ast.ExplainQueryTree
	case "PIPELINE":
		e.Kind = ast.ExplainPipeline
	case "ESTIMATE":
		e.Kind = ast.ExplainEstimate
	case "ANALYZE":
		e.Kind = ast.ExplainAnalyze
	case "TABLE OVERRIDE":
		e.Kind = ast.ExplainTableOverride
		e.Function = p.tableFunction()
		p.output(&e.Output)
		return e
	case "CURRENT TRANSACTION":
		e.Kind = ast.ExplainTransaction
		p.output(&e.Output)
		return e
	}
	if p.isName(0) && p.peek(1).kind == tEquals {
		e.Settings = p.settings()
	}
	if !p.enter() {
		return e
	}
	defer p.leave()
	if p.queryHere(0) || p.isWord(0, "SELECT") {
		// FORMAT and what follows it belong to EXPLAIN itself.
		e.Statement = &ast.QueryStatement{At: p.place(), Query: p.query()}
		p.output(&e.Output)
		return e
	}
	e.Statement = p.statement()
	if p.isWord(0, "FORMAT") || p.isWord(0, "INTO") {
		p.output(&e.Output)
	}
	return e
}

func (p *parser) set(at ast.At) ast.Statement {
	switch {
	case p.word("DEFAULT ROLE"):
		s := &ast.SetRole{At: at, Default: true, Roles: p.roles(false)}
		p.mustWord("TO")
		s.Users = list(p, p.userName)
		return s
	case p.word("ROLE"):
		return &ast.SetRole{At: at, Roles: p.roles(true)}
	case p.isWords("TRANSACTION", "SNAPSHOT"):
		p.pos += 2
		return &ast.Transaction{At: at, Verb: "SET TRANSACTION SNAPSHOT", Snapshot: p.expr()}
	}
	p.word("GLOBAL")
	s := &ast.Set{At: at}
	for _, x := range p.settings() {
		if name, ok := strings.CutPrefix(x.Name, "param_"); ok {
			x.Name = name
			s.Params = append(s.Params, x)
			continue
		}
		s.Settings = append(s.Settings, x)
	}
	return s
}

func (p *parser) use(at ast.At) ast.Statement {
	if p.isWord(0, "DATABASE") && p.isName(1) {
		p.pos++
	}
	u := &ast.Use{At: at}
	u.Database, u.Param = p.identParam()
	return u
}

func (p *parser) kill(at ast.At) ast.Statement {
	k := &ast.Kill{At: at, Mode: "ASYNC"}
	if k.Object = p.oneOf("QUERY", "MUTATION", "PART_MOVE_TO_SHARD", "TRANSACTION"); k.Object == "" {
		p.failed = true
	}
	k.Cluster = p.onCluster()
	if p.word("WHERE") {
		k.Where = p.expr()
	}
	if m := p.oneOf("ASYNC", "SYNC", "TEST"); m != "" {
		k.Mode = m
	}
	p.output(&k.Output)
	return k
}

func (p *parser) transaction(at ast.At, w string) ast.Statement {
	if w == "START" {
		p.mustWord("TRANSACTION")
		return &ast.Transaction{At: at, Verb: "BEGIN"}
	}
	p.word("TRANSACTION")
	return &ast.Transaction{At: at, Verb: w}
}

func (p *parser) executeAs(at ast.At) ast.Statement {
	p.mustWord("AS")
	e := &ast.ExecuteAs{At: at, User: p.userName()}
	if !p.at(tEOF) && !p.at(';') && p.enter() {
		e.Statement = p.statement()
		p.leave()
	}
	return e
}

func (p *parser) check(at ast.At) ast.Statement {
	c := &ast.Check{At: at}
	if p.word("ALL TABLES") {
		c.All = true
	} else {
		p.mustWord("TABLE")
		c.Table = p.tableName()
		switch {
		case p.word("PARTITION"):
			c.Partition = p.partition()
		case p.word("PART"):
			c.Partition = &ast.Partition{At: p.place(), Part: true, Value: p.strLiteral()}
		}
	}
	p.output(&c.Output)
	if c.Format == "" && c.OutputSettings != nil {
		c.Settings, c.OutputSettings = c.OutputSettings, nil
	}
	return c
}

func (p *parser) describe(at ast.At) ast.Statement {
	d := &ast.Describe{At: at}
	if p.isWord(0, "TABLE") && (p.isName(1) || p.peek(1).kind == '(' && p.queryInParens(1) || p.peek(1).kind == '{') &&
		(!p.isWord(1, "FORMAT") && !p.isWord(1, "SETTINGS") || p.peek(2).kind == '(') {
		p.pos++
	}
	if p.queryHere(0) && !p.at('(') {
		tat := p.place()
		d.Table = &ast.TableExpr{At: tat, Query: p.query()}
	} else {
		d.Table = p.tableExpr()
	}
	p.output(&d.Output)
	if d.Format == "" && d.OutputSettings != nil {
		d.Settings, d.OutputSettings = d.OutputSettings, nil
	}
	return d
}

func (p *parser) existsStatement(at ast.At) ast.Statement {
	e := &ast.Exists{At: at, Object: ast.ObjectTable}
	e.Temporary = p.word("TEMPORARY")
	switch {
	case p.isWord(0, "TABLE") && p.isName(1):
		p.pos++
	case p.isWord(0, "VIEW") && p.isName(1):
		p.pos++
		e.Object = ast.ObjectView
	case p.isWord(0, "DICTIONARY") && p.isName(1):
		p.pos++
		e.Object = ast.ObjectDictionary
	case p.isWord(0, "DATABASE") && p.isName(1):
		p.pos++
		e.Object = ast.ObjectDatabase
	}
	if e.Object == ast.ObjectDatabase {
		e.Table = p.databaseName()
	} else {
		e.Table = p.tableName()
	}
	p.output(&e.Output)
	return e
}

// databaseName reads a database's name as a TableName without table.
func (p *parser) databaseName() *ast.TableName {
	n := &ast.TableName{At: p.place()}
	n.Database, n.DatabaseParam = p.tablePart()
	return n
}

func (p *parser) onCluster() string {
	if !p.word("ON CLUSTER") {
		return ""
	}
	if p.atString() {
		return p.strName()
	}
	if p.at('{') { // the macro {cluster}
		start := p.cur().start
		p.pos++
		p.ident()
		p.expect('}')
		if p.failed {
			return ""
		}
		return p.text[start:p.toks[p.pos-1].end]
	}
	return p.ident()
}
