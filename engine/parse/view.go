package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

func (p *parser) createView(v *ast.CreateView) {
	v.IfNotExists = p.word("IF NOT EXISTS")
	v.Name = p.tableName()
	v.UUID = p.uuid()
	v.Cluster = p.onCluster()
	for !p.failed {
		switch {
		case p.word("REFRESH"):
			v.Refresh = p.refresh()
		case p.word("TO INNER UUID"):
			v.ToInnerUUID = p.strName()
		case p.word("TO"):
			v.To = p.tableName()
		case p.at('(') && v.Columns == nil && v.Aliases == nil:
			p.viewColumns(v)
		case p.word("INNER"), p.atStorage():
			v.Storage = p.storage(v.Storage)
		case p.word("POPULATE"):
			v.Populate = true
		case p.word("EMPTY"):
			v.Empty = true
		case p.atDefiner():
			v.Definer, v.SQLSecurity = p.definer(v.Definer, v.SQLSecurity)
		case p.comment(&v.Comment):
		case p.word("AS"):
			v.Query = p.query()
			p.comment(&v.Comment)
			return
		case v.Attach && (p.at(tEOF) || p.at(';')):
			return
		default:
			p.fail("AS")
		}
	}
}

// viewColumns is a list of names, or of columns with types.
func (p *parser) viewColumns(v *ast.CreateView) {
	if p.isName(1) && (p.peek(2).kind == ',' || p.peek(2).kind == ')') {
		v.Aliases = parens(p, p.ident)
		return
	}
	var c ast.CreateTable
	p.columnList(&c)
	v.Columns, v.Indexes = c.Columns, c.Indexes
}

func (p *parser) atDefiner() bool { return p.isWord(0, "DEFINER") || p.isWords("SQL", "SECURITY") }

// definer reads DEFINER = user and SQL SECURITY kind.
func (p *parser) definer(user, security string) (string, string) {
	for !p.failed {
		switch {
		case p.word("DEFINER"):
			p.accept(tEquals)
			if p.word("CURRENT_USER") {
				user = "CURRENT_USER"
			} else {
				user = p.userName()
			}
		case p.word("SQL SECURITY"):
			if security = p.oneOf("DEFINER", "INVOKER", "NONE"); security == "" {
				p.failed = true
			}
		default:
			return user, security
		}
	}
	return user, security
}

// refresh reads EVERY|AFTER interval [OFFSET interval] [RANDOMIZE FOR interval]
// [DEPENDS ON tables] [SETTINGS …] [APPEND].
func (p *parser) refresh() *ast.Refresh {
	r := &ast.Refresh{At: p.place()}
	var words []string
	intervals := func() {
		for p.at(tNumber) {
			words = append(words, p.raw(p.cur()))
			p.pos++
			u := p.unit()
			if u == "" {
				p.failed = true
			}
			words = append(words, strings.ToUpper(u))
		}
	}
	w := p.oneOf("EVERY", "AFTER")
	if w == "" {
		p.failed = true
	}
	words = append(words, w)
	intervals()
	if p.word("OFFSET") {
		words = append(words, "OFFSET")
		intervals()
	}
	if p.word("RANDOMIZE FOR") {
		words = append(words, "RANDOMIZE FOR")
		intervals()
	}
	r.Schedule = strings.Join(words, " ")
	if p.word("DEPENDS ON") {
		r.DependsOn = list(p, p.tableName)
	}
	if p.word("SETTINGS") {
		r.Settings = p.settings()
	}
	r.Append = p.word("APPEND")
	return r
}

func (p *parser) createFunction(at ast.At, replace bool) ast.Statement {
	f := &ast.CreateFunction{At: at, Replace: replace, IfNotExists: p.word("IF NOT EXISTS"), Name: p.ident(), Cluster: p.onCluster()}
	p.mustWord("AS")
	f.Body = p.expr()
	return f
}

func (p *parser) createCollection(at ast.At) ast.Statement {
	c := &ast.CreateNamedCollection{At: at, IfNotExists: p.word("IF NOT EXISTS"), Name: p.ident(), Cluster: p.onCluster()}
	p.mustWord("AS")
	c.Settings, c.Overridable = p.collectionItems()
	return c
}

// collectionItems reads key = value [[NOT] OVERRIDABLE], …
func (p *parser) collectionItems() (settings []*ast.Setting, overridable []string) {
	for {
		settings = append(settings, p.setting())
		overridable = append(overridable, p.oneOf("NOT OVERRIDABLE", "OVERRIDABLE"))
		if !p.accept(',') {
			return settings, overridable
		}
	}
}

func (p *parser) createIndex(at ast.At) ast.Statement {
	c := &ast.CreateIndex{At: at, Unique: p.word("UNIQUE")}
	p.mustWord("INDEX")
	c.IfNotExists = p.word("IF NOT EXISTS")
	c.Index = &ast.IndexDecl{At: p.place(), Name: p.ident()}
	p.mustWord("ON")
	c.Table = p.tableName()
	c.Cluster = p.onCluster()
	c.Index.Expr = p.expr()
	p.indexTail(c.Index)
	return c
}

func (p *parser) createDictionary(d *ast.CreateDictionary) ast.Statement {
	d.IfNotExists = p.word("IF NOT EXISTS")
	d.Name = p.tableName()
	d.UUID = p.uuid()
	d.Cluster = p.onCluster()
	if p.at('(') {
		d.Attributes = parens(p, p.dictionaryAttribute)
	}
	for !p.failed {
		switch {
		case p.word("PRIMARY KEY"):
			d.PrimaryKey = p.exprs()
		case p.word("SOURCE"):
			d.Source = p.keyValueIn()
		case p.word("LAYOUT"):
			d.Layout = p.keyValueIn()
		case p.word("LIFETIME"):
			d.LifetimeMin, d.LifetimeMax = p.lifetime()
		case p.word("RANGE"):
			p.expect('(')
			p.mustWord("MIN")
			d.RangeMin = p.ident()
			p.mustWord("MAX")
			d.RangeMax = p.ident()
			p.expect(')')
		case p.word("SETTINGS"):
			brackets := p.accept('(')
			d.Settings = p.settings()
			if brackets {
				p.expect(')')
			}
		case p.comment(&d.Comment):
		default:
			return d
		}
	}
	return d
}

func (p *parser) lifetime() (lo, hi ast.Expr) {
	p.expect('(')
	switch {
	case p.word("MIN"):
		lo = p.expr()
		p.mustWord("MAX")
		hi = p.expr()
	case p.word("MAX"):
		hi = p.expr()
		if p.word("MIN") {
			lo = p.expr()
		}
	default:
		hi = p.expr()
	}
	p.expect(')')
	return lo, hi
}

func (p *parser) dictionaryAttribute() *ast.DictionaryAttribute {
	a := &ast.DictionaryAttribute{At: p.place(), Name: p.ident(), Type: p.typeName()}
	for !p.failed {
		switch {
		case p.word("DEFAULT"):
			a.Default = p.expr()
		case p.word("EXPRESSION"):
			a.Expression = p.expr()
		case p.word("HIERARCHICAL"):
			a.Hierarchical = true
		case p.word("BIDIRECTIONAL"):
			a.Bidirectional = true
		case p.word("INJECTIVE"):
			a.Injective = true
		case p.word("IS_OBJECT_ID"):
			a.IsObjectID = true
		default:
			return a
		}
	}
	return a
}

// keyValueIn is ( NAME(key value …) ) of SOURCE and LAYOUT.
func (p *parser) keyValueIn() *ast.Function {
	p.expect('(')
	f := p.keyValues()
	p.expect(')')
	return f
}

func (p *parser) keyValues() *ast.Function {
	f := &ast.Function{At: p.place(), Name: p.ident()}
	if !p.at('(') {
		f.NoArgs = true
		return f
	}
	if !p.enter() {
		return f
	}
	defer p.leave()
	p.pos++
	for !p.failed && !p.at(')') {
		kv := &ast.KeyValue{At: p.place(), Key: p.ident()}
		switch {
		case p.at('('): // STRUCTURE (…), HEADERS (HEADER (…))
			kv.Value = p.keyValueList()
		case p.isName(0) && p.peek(1).kind == '(':
			kv.Value = p.keyValues()
		case p.isName(0):
			kv.Value = ast.NewIdentifier(p.ident())
		default:
			kv.Value = p.settingValue()
		}
		f.Args = append(f.Args, kv)
	}
	p.expect(')')
	return f
}

// keyValueList is a bracket of pairs as the value of a key.
func (p *parser) keyValueList() ast.Expr {
	p.pos--
	f := p.keyValues()
	f.Name = ""
	return f
}
