package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// userName reads a user or role: a name, a string, perhaps with @host; query
// parameters are kept as {name:Identifier}.
func (p *parser) userName() string {
	name := ""
	switch {
	case p.atString():
		name = p.strName()
	case p.at('{'):
		if q := p.queryParam(); q != nil {
			return "{" + q.Name + ":" + q.Type + "}"
		}
	default:
		name = p.ident()
		for p.at('.') && p.isName(1) {
			p.pos++
			name += "." + p.ident()
		}
	}
	if p.at('@') {
		p.pos++
		host := p.clusterName()
		if host != "%" {
			name += "@" + host
		}
	}
	return name
}

// roles reads a list of roles or users.
func (p *parser) roles(set bool) ast.RoleSet {
	var r ast.RoleSet
	switch {
	case p.word("NONE"):
		r.None = true
	case set && p.word("DEFAULT"):
		r.Default = true
	case p.isWord(0, "ANY") && p.notOperand(1):
		p.pos++
		r.Any = true
	default:
		for !p.failed {
			switch {
			case p.word("CURRENT_USER"):
				r.Current = true
			case p.isWord(0, "ALL"):
				p.pos++
				r.All = true
			default:
				r.Names = append(r.Names, p.userName())
			}
			if !p.accept(',') {
				break
			}
		}
	}
	if p.word("EXCEPT") {
		r.Except = list(p, p.userName)
	}
	return r
}

func (p *parser) roleList() *ast.RoleList {
	return &ast.RoleList{At: p.place(), RoleSet: p.roles(false)}
}

// grant reads GRANT and REVOKE.
func (p *parser) grant(at ast.At, revoke bool) ast.Statement {
	g := &ast.Grant{At: at, Revoke: revoke, Cluster: p.onCluster()}
	if revoke {
		g.GrantOption = p.word("GRANT OPTION FOR")
		g.AdminOption = !g.GrantOption && p.word("ADMIN OPTION FOR")
	}
	direction := "TO"
	if revoke {
		direction = "FROM"
	}
	switch {
	case p.word("CURRENT GRANTS"):
		g.CurrentGrants = true
		if p.accept('(') {
			g.Privileges = list(p, p.privilege)
			p.expect(')')
		} else if p.isWord(0, "ON") {
			g.Privileges = []*ast.Privilege{p.privilegeTarget(&ast.Privilege{At: p.place()})}
		}
	case p.grantsPrivileges(direction):
		g.Privileges = list(p, p.privilege)
	default:
		g.Roles = p.roleList()
	}
	p.mustWord(direction)
	g.To = p.roleList()
	for !p.failed {
		switch {
		case p.word("WITH GRANT OPTION"):
			g.GrantOption = true
		case p.word("WITH ADMIN OPTION"):
			g.AdminOption = true
		case p.word("WITH REPLACE OPTION"):
			g.Replace = true
		default:
			return g
		}
	}
	return g
}

// grantsPrivileges tells privileges, which have ON, from roles.
func (p *parser) grantsPrivileges(direction string) bool {
	for k := 0; ; k++ {
		switch {
		case p.isWord(k, "ON"):
			return true
		case p.peek(k).kind == tEOF, p.isWord(k, direction):
			return false
		}
	}
}

func (p *parser) privilege() *ast.Privilege {
	v := &ast.Privilege{At: p.place()}
	v.Access = list(p, func() *ast.AccessType {
		a := &ast.AccessType{At: p.place()}
		var words []string
		for p.at(tWord) && !p.isWord(0, "ON") {
			words = append(words, strings.ToUpper(p.raw(p.cur())))
			p.pos++
		}
		if len(words) == 0 {
			p.fail("access type")
		}
		a.Name = strings.Join(words, " ")
		if p.at('(') {
			a.Columns = parens(p, p.ident)
		}
		return a
	})
	return p.privilegeTarget(v)
}

// privilegeTarget reads ON *.*, db.*, db.t, t, *, and source('filter').
func (p *parser) privilegeTarget(v *ast.Privilege) *ast.Privilege {
	p.mustWord("ON")
	star := func(prefix *bool) bool {
		if p.at('*') && p.cur().start == p.toks[p.pos-1].end {
			p.pos++
			*prefix = true
			return true
		}
		return false
	}
	if p.accept('*') {
		v.AnyTable = true
		if p.accept('.') {
			p.expect('*')
			v.AnyDatabase = true
			return v
		}
		v.DefaultDatabase = true
		return v
	}
	name := p.ident()
	if p.at('(') {
		p.pos++
		v.Table, v.DefaultDatabase, v.Filter = name, true, p.strName()
		p.expect(')')
		return v
	}
	prefix := false
	star(&prefix)
	if !p.accept('.') {
		v.Table, v.TablePrefix, v.DefaultDatabase = name, prefix, true
		return v
	}
	v.Database, v.DatabasePrefix = name, prefix
	if p.accept('*') {
		v.AnyTable = true
		return v
	}
	v.Table = p.ident()
	star(&v.TablePrefix)
	return v
}

// createAccess reads CREATE and ALTER of users, roles, policies, quotas and
// profiles; the clauses come in any order.
func (p *parser) createAccess(at ast.At, object ast.Object, alter, replace bool) ast.Statement {
	c := &ast.CreateAccess{At: at, Object: object, Alter: alter}
	if alter {
		c.IfExists = p.word("IF EXISTS")
	} else {
		c.IfNotExists = p.word("IF NOT EXISTS")
		c.Replace = replace || p.word("OR REPLACE")
	}
	c.Names = list(p, p.userName)
	for !p.failed {
		switch {
		case p.isWords("ON", "CLUSTER"):
			c.Cluster = p.onCluster()
		case p.word("RENAME TO"):
			c.RenameTo = p.userName()
		case p.word("SETTINGS"):
			c.HasSettings = true
			if !p.word("NONE") {
				c.Settings = append(c.Settings, list(p, p.settingRule)...)
			}
		case p.alterSettings(c):
		case p.word("IN"):
			c.Storage = p.ident()
		case p.userClause(c), p.policyClause(c), p.quotaClause(c):
		default:
			return c
		}
	}
	return c
}

// alterSettings reads ADD|MODIFY|DROP SETTING(S)|PROFILE(S) ….
func (p *parser) alterSettings(c *ast.CreateAccess) bool {
	if p.word("DROP ALL SETTINGS") || p.word("DROP ALL PROFILES") {
		c.Settings = append(c.Settings, &ast.SettingRule{At: p.place(), Verb: "DROP", Name: "ALL " + strings.ToUpper(p.raw(p.toks[p.pos-1]))})
		return true
	}
	for _, verb := range [...]string{"ADD", "MODIFY", "DROP"} {
		for _, what := range [...]string{"SETTINGS", "SETTING", "PROFILES", "PROFILE"} {
			if !p.word(verb + " " + what) {
				continue
			}
			rules := list(p, func() *ast.SettingRule {
				if what[0] == 'P' {
					return &ast.SettingRule{At: p.place(), Profile: p.userName()}
				}
				return p.settingRule()
			})
			for _, r := range rules {
				r.Verb = verb
			}
			c.Settings = append(c.Settings, rules...)
			return true
		}
	}
	return false
}

func (p *parser) settingRule() *ast.SettingRule {
	r := &ast.SettingRule{At: p.place()}
	if (p.isWord(0, "PROFILE") || p.isWord(0, "INHERIT")) && (p.isName(1) || p.peek(1).kind == tString) {
		p.pos++
		r.Profile = p.userName()
		return r
	}
	r.Name = p.ident()
	for p.accept('.') {
		r.Name += "." + p.ident()
	}
	if p.accept(tEquals) {
		r.Value = p.settingValue()
	}
	for !p.failed {
		switch {
		case p.word("MIN"):
			p.accept(tEquals)
			r.Min = p.settingValue()
		case p.word("MAX"):
			p.accept(tEquals)
			r.Max = p.settingValue()
		case p.word("ALLOWED VALUES"):
			r.Values = parens(p, p.settingValue)
		default:
			r.Writability = p.oneOf("READONLY", "WRITABLE", "CONST", "CHANGEABLE_IN_READONLY")
			return r
		}
	}
	return r
}

func (p *parser) userClause(c *ast.CreateAccess) bool {
	if c.Object != ast.ObjectUser {
		return false
	}
	switch {
	case p.word("NOT IDENTIFIED"):
		c.NotIdentified = true
	case p.word("RESET AUTHENTICATION METHODS TO NEW"):
		c.ResetAuth = true
	case p.word("ADD IDENTIFIED"):
		c.AddIdentified = true
		c.Identified = p.authMethods()
	case p.word("IDENTIFIED"):
		c.Identified = p.authMethods()
	case p.word("ADD HOST"):
		c.AddHosts = append(c.AddHosts, p.hosts()...)
	case p.word("DROP HOST"):
		c.DropHosts = append(c.DropHosts, p.hosts()...)
	case p.word("HOST"):
		c.Hosts = append(c.Hosts, p.hosts()...)
	case p.word("VALID UNTIL"):
		c.ValidUntil = p.expr()
	case p.word("DEFAULT ROLE"):
		c.DefaultRole = p.roleList()
	case p.word("DEFAULT DATABASE"):
		if p.word("NONE") {
			c.NoDefaultDatabase = true
		} else {
			c.DefaultDatabase = p.ident()
		}
	case p.word("GRANTEES"):
		c.Grantees = p.roleList()
	default:
		return false
	}
	return true
}

func (p *parser) authMethods() []*ast.AuthMethod { return list(p, p.authMethod) }

// authMethod reads WITH type BY 'secret' and BY 'password'.
func (p *parser) authMethod() *ast.AuthMethod {
	m := &ast.AuthMethod{At: p.place()}
	if p.word("WITH") || !p.isWord(0, "BY") {
		m.Type = strings.ToLower(p.ident())
	}
	for !p.failed {
		switch {
		case p.word("BY"):
			m.Secret = p.strLiteral()
		case p.word("SALT"):
			m.Salt = p.strLiteral()
		case p.isAuthWord():
			p.authWords(m)
		default:
			return m
		}
	}
	return m
}

func (p *parser) isAuthWord() bool {
	for _, w := range [...]string{"SERVER", "REALM", "CN", "SAN", "KEY", "SCHEME", "PROCESSOR", "CLAIMS"} {
		if p.isWord(0, w) {
			return true
		}
	}
	return false
}

// authWords keeps a word and its strings: SERVER 'x', KEY 'k' TYPE 't', CN 'a', 'b'.
func (p *parser) authWords(m *ast.AuthMethod) {
	w := strings.ToUpper(p.ident())
	if w == "KEY" {
		p.word("BY")
	}
	m.Words = append(m.Words, w, p.strName())
	for w != "SERVER" && p.at(',') && p.peek(1).kind == tString {
		p.pos++
		m.Words = append(m.Words, w, p.strName())
	}
	if w == "KEY" && p.word("TYPE") {
		m.Words = append(m.Words, "TYPE", p.strName())
	}
}

func (p *parser) hosts() []*ast.HostRule {
	return list(p, func() *ast.HostRule {
		h := &ast.HostRule{At: p.place()}
		switch h.Kind = p.oneOf("ANY", "LOCAL", "NONE", "NAME", "REGEXP", "IP", "LIKE"); h.Kind {
		case "":
			p.failed = true
		case "ANY", "LOCAL", "NONE":
		default:
			h.Value = p.strName()
		}
		return h
	})
}

func (p *parser) policyClause(c *ast.CreateAccess) bool {
	switch {
	case c.Object == ast.ObjectRowPolicy && p.word("ON"):
		c.Tables = list(p, p.policyTable)
	case c.Object == ast.ObjectRowPolicy && p.word("FOR SELECT"):
	case c.Object == ast.ObjectRowPolicy && p.word("USING"):
		if p.word("NONE") {
			c.UsingNone = true
		} else {
			c.Using = p.expr()
		}
	case c.Object == ast.ObjectRowPolicy && p.word("AS"):
		if c.Permissive = p.oneOf("PERMISSIVE", "RESTRICTIVE"); c.Permissive == "" {
			p.failed = true
		}
	case p.word("TO"):
		c.To = p.roleList()
	default:
		return false
	}
	return true
}

// policyTable is [db.]table or db.*; the star is kept as the table's name.
func (p *parser) policyTable() *ast.TableName {
	n := &ast.TableName{At: p.place()}
	if p.accept('*') {
		n.Table = "*"
		return n
	}
	n.Table = p.ident()
	if p.accept('.') {
		n.Database = n.Table
		if p.accept('*') {
			n.Table = "*"
		} else {
			n.Table = p.ident()
		}
	}
	return n
}

func (p *parser) quotaClause(c *ast.CreateAccess) bool {
	if c.Object != ast.ObjectQuota {
		return false
	}
	switch {
	case p.word("NOT KEYED"):
		c.NotKeyed = true
	case p.word("KEYED BY"), p.word("KEY BY"):
		brackets := p.accept('(')
		c.KeyedBy = list(p, p.quotaKey)
		if brackets {
			p.expect(')')
		}
	case p.word("FOR"):
		c.Intervals = append(c.Intervals, list(p, func() *ast.QuotaInterval {
			p.word("FOR")
			return p.quotaInterval()
		})...)
	default:
		return false
	}
	return true
}

func (p *parser) quotaKey() string {
	if p.atString() {
		return p.strName()
	}
	var words []string
	for p.at(tWord) && !p.isWord(0, "FOR") && !p.isWord(0, "TO") {
		words = append(words, strings.ToLower(p.ident()))
	}
	return strings.Join(words, "_")
}

func (p *parser) quotaInterval() *ast.QuotaInterval {
	q := &ast.QuotaInterval{At: p.place(), Randomized: p.word("RANDOMIZED")}
	p.mustWord("INTERVAL")
	q.Count = p.binary(bindAdd)
	if q.Unit = p.unit(); q.Unit == "" {
		p.failed = true
	}
	switch {
	case p.word("NO LIMITS"):
		q.NoLimits = true
	case p.word("TRACKING ONLY"):
		q.Tracking = true
	default:
		for !p.failed {
			p.word("MAX")
			s := &ast.Setting{At: p.place()}
			var words []string
			for p.at(tWord) {
				words = append(words, strings.ToLower(p.ident()))
			}
			if len(words) == 0 {
				p.fail("quota type")
			}
			s.Name = strings.Join(words, "_")
			p.accept(tEquals)
			s.Value = p.settingValue()
			q.Limits = append(q.Limits, s)
			if !p.at(',') || p.isWord(1, "FOR") || p.isWord(1, "INTERVAL") || p.isWord(1, "RANDOMIZED") {
				break
			}
			p.pos++
		}
	}
	return q
}
