package parse

import "lakeserver/engine/ast"

// drop reads DROP, DETACH, TRUNCATE and UNDROP.
func (p *parser) drop(at ast.At, w string) ast.Statement {
	d := &ast.Drop{At: at}
	switch w {
	case "DETACH":
		d.Verb = ast.VerbDetach
	case "TRUNCATE":
		d.Verb = ast.VerbTruncate
	case "UNDROP":
		d.Verb = ast.VerbUndrop
	}
	if d.Verb == ast.VerbDrop && p.dropAccess(d) {
		return d
	}
	d.Temporary = p.oneOf("TEMPORARY", "TEMP") != ""
	p.dropObject(d)
	d.IfExists = d.IfExists || p.word("IF EXISTS")
	d.IfEmpty = p.word("IF EMPTY")
	switch d.Object {
	case ast.ObjectDatabase:
		d.Tables = []*ast.TableName{p.databaseName()}
	case ast.ObjectTables:
		p.oneOf("FROM", "IN")
		d.Tables = []*ast.TableName{p.databaseName()}
		p.truncateLike(d)
	default:
		d.Tables = list(p, p.tableName)
	}
	d.UUID = p.uuid()
	d.Cluster = p.onCluster()
	d.Permanently = p.word("PERMANENTLY")
	d.NoDelay = p.oneOf("SYNC", "NO DELAY") != ""
	p.output(&d.Output)
	return d
}

func (p *parser) dropObject(d *ast.Drop) {
	d.Object = ast.ObjectTable
	switch {
	case p.isWord(0, "TABLE") && !p.notOperand(1):
		p.pos++
	case p.isWord(0, "DATABASE") && !p.notOperand(1):
		p.pos++
		d.Object = ast.ObjectDatabase
	case p.isWord(0, "VIEW") && !p.notOperand(1):
		p.pos++
		d.Object = ast.ObjectView
	case p.word("MATERIALIZED VIEW"):
		d.Object = ast.ObjectView
	case p.isWord(0, "DICTIONARY") && !p.notOperand(1):
		p.pos++
		d.Object = ast.ObjectDictionary
	case d.Verb == ast.VerbTruncate && (p.word("ALL TABLES") || p.isWord(0, "TABLES") && (p.isWord(1, "FROM") || p.isWord(1, "IN"))):
		if p.isWord(0, "TABLES") {
			p.pos++
		}
		d.Object = ast.ObjectTables
	case d.Verb == ast.VerbTruncate: // TRUNCATE t
	default:
		p.want(0, "TABLE")
		p.want(0, "VIEW")
		p.fail("DATABASE")
	}
}

func (p *parser) truncateLike(d *ast.Drop) {
	switch {
	case p.word("NOT LIKE"):
		d.Like, d.NotLike = p.strName(), true
	case p.word("NOT ILIKE"):
		d.Like, d.NotLike, d.ILike = p.strName(), true, true
	case p.word("LIKE"):
		d.Like = p.strName()
	case p.word("ILIKE"):
		d.Like, d.ILike = p.strName(), true
	}
}

// dropAccess reads DROP of what is no table: users, functions, indexes ….
func (p *parser) dropAccess(d *ast.Drop) bool {
	if o, ok := p.accessObject(false); ok {
		d.Object = o
		d.IfExists = p.word("IF EXISTS")
		d.Names = list(p, p.userName)
		if p.word("ON") {
			d.On = p.tableName()
		}
		d.Cluster = p.onCluster()
		if p.word("FROM") {
			d.From = p.ident()
		}
		return true
	}
	switch {
	case p.word("FUNCTION"):
		d.Object = ast.ObjectFunction
	case p.word("NAMED COLLECTION"):
		d.Object = ast.ObjectNamedCollection
	case p.word("WORKLOAD"):
		d.Object = ast.ObjectWorkload
	case p.word("RESOURCE"):
		d.Object = ast.ObjectResource
	case p.word("INDEX"):
		d.Object = ast.ObjectIndex
	default:
		return false
	}
	d.IfExists = p.word("IF EXISTS")
	d.Names = []string{p.ident()}
	if d.Object == ast.ObjectIndex {
		p.mustWord("ON")
		d.On = p.tableName()
	}
	d.Cluster = p.onCluster()
	return true
}

// rename reads RENAME and EXCHANGE.
func (p *parser) rename(at ast.At, exchange bool) ast.Statement {
	r := &ast.Rename{At: at, Exchange: exchange}
	word := "TO"
	if exchange {
		word = "AND"
	}
	switch p.oneOf("TABLES", "TABLE", "DICTIONARIES", "DICTIONARY", "DATABASE") {
	case "TABLES", "TABLE":
		r.Object = ast.ObjectTable
	case "DICTIONARIES", "DICTIONARY":
		r.Object = ast.ObjectDictionary
	case "DATABASE":
		r.Object = ast.ObjectDatabase
	case "":
		if exchange {
			p.failed = true
			return r
		}
	}
	r.IfExists = p.word("IF EXISTS")
	name := p.tableName
	if r.Object == ast.ObjectDatabase {
		name = p.databaseName
	}
	r.Pairs = list(p, func() *ast.RenamePair {
		pair := &ast.RenamePair{At: p.place(), From: name()}
		p.mustWord(word)
		pair.To = name()
		return pair
	})
	r.Cluster = p.onCluster()
	return r
}
