package ast

import "strings"

// user prints a user's or role's name; {p:Identifier} stays as it is.
func (p *printer) user(s string) {
	if strings.HasPrefix(s, "{") {
		p.s(s)
		return
	}
	name, host, has := strings.Cut(s, "@")
	if name == "" || !isBare(name) || has && !isBare(host) {
		p.b = appendQuoted(p.b, s, '`')
		return
	}
	p.name(name)
	if has {
		p.s("@")
		p.str(host)
	}
}

func (p *printer) users(list []string) { seq(p, list, p.user) }

func (p *printer) roles(r *RoleSet) {
	switch {
	case r.None:
		p.s("NONE")
	case r.Default:
		p.s("DEFAULT")
	case r.Any:
		p.s("ANY")
	case r.All:
		p.s("ALL")
		p.when(r.Current, ", CURRENT_USER")
	default:
		p.users(r.Names)
		p.when(r.Current && r.Names != nil, ", ")
		p.when(r.Current, "CURRENT_USER")
	}
	if r.Except != nil {
		p.s(" EXCEPT ")
		p.users(r.Except)
	}
}

func (n *RoleList) format(p *printer) { p.roles(&n.RoleSet) }

func (n *Grant) format(p *printer) {
	if n.Revoke {
		p.s("REVOKE")
	} else {
		p.s("GRANT")
	}
	p.cluster(n.Cluster)
	p.when(n.Revoke && n.GrantOption, " GRANT OPTION FOR")
	p.when(n.Revoke && n.AdminOption, " ADMIN OPTION FOR")
	p.s(" ")
	switch {
	case n.CurrentGrants:
		p.s("CURRENT GRANTS")
		if n.Privileges != nil && n.Privileges[0].Access == nil {
			n.Privileges[0].target(p)
		} else if n.Privileges != nil {
			p.s("(")
			nodes(p, n.Privileges)
			p.s(")")
		}
	case n.Roles != nil:
		n.Roles.format(p)
	default:
		nodes(p, n.Privileges)
	}
	if n.Revoke {
		p.s(" FROM ")
	} else {
		p.s(" TO ")
	}
	n.To.format(p)
	p.when(!n.Revoke && n.GrantOption, " WITH GRANT OPTION")
	p.when(!n.Revoke && n.AdminOption, " WITH ADMIN OPTION")
	p.when(n.Replace, " WITH REPLACE OPTION")
}

func (n *Privilege) format(p *printer) {
	nodes(p, n.Access)
	n.target(p)
}

func (n *Privilege) target(p *printer) {
	p.s(" ON ")
	if n.Filter != "" {
		p.name(n.Table)
		p.s("(")
		p.str(n.Filter)
		p.s(")")
		return
	}
	switch {
	case n.AnyDatabase:
		p.s("*.")
	case !n.DefaultDatabase:
		p.name(n.Database)
		p.when(n.DatabasePrefix, "*")
		p.s(".")
	}
	if n.AnyTable {
		p.s("*")
		return
	}
	p.name(n.Table)
	p.when(n.TablePrefix, "*")
}

func (n *AccessType) format(p *printer) {
	p.s(n.Name)
	if n.Columns != nil {
		p.s("(")
		p.names(n.Columns)
		p.s(")")
	}
}

func (n *CreateAccess) format(p *printer) {
	switch {
	case n.Alter:
		p.s("ALTER ")
	case n.Replace:
		p.s("CREATE OR REPLACE ")
	default:
		p.s("CREATE ")
	}
	p.s(n.Object.String())
	p.when(n.IfExists, " IF EXISTS")
	p.when(n.IfNotExists, " IF NOT EXISTS")
	p.s(" ")
	p.users(n.Names)
	p.cluster(n.Cluster)
	if n.RenameTo != "" {
		p.s(" RENAME TO ")
		p.user(n.RenameTo)
	}
	n.formatUser(p)
	n.formatPolicy(p)
	n.formatSettings(p)
	if n.To != nil {
		p.s(" TO ")
		n.To.format(p)
	}
	p.optName(" IN ", n.Storage)
}

func (n *CreateAccess) formatUser(p *printer) {
	p.when(n.NotIdentified, " NOT IDENTIFIED")
	p.when(n.ResetAuth, " RESET AUTHENTICATION METHODS TO NEW")
	if n.Identified != nil {
		p.when(n.AddIdentified, " ADD")
		p.s(" IDENTIFIED ")
		nodes(p, n.Identified)
	}
	for _, h := range []struct {
		word  string
		rules []*HostRule
	}{{" HOST ", n.Hosts}, {" ADD HOST ", n.AddHosts}, {" DROP HOST ", n.DropHosts}} {
		if h.rules != nil {
			p.s(h.word)
			nodes(p, h.rules)
		}
	}
	p.opt(" VALID UNTIL ", n.ValidUntil)
	if n.DefaultRole != nil {
		p.s(" DEFAULT ROLE ")
		n.DefaultRole.format(p)
	}
	p.optName(" DEFAULT DATABASE ", n.DefaultDatabase)
	p.when(n.NoDefaultDatabase, " DEFAULT DATABASE NONE")
	if n.Grantees != nil {
		p.s(" GRANTEES ")
		n.Grantees.format(p)
	}
}

func (n *CreateAccess) formatPolicy(p *printer) {
	if n.Tables != nil {
		p.s(" ON ")
		seq(p, n.Tables, func(t *TableName) {
			if t.Database != "" {
				p.name(t.Database)
				p.s(".")
			}
			if t.Table == "*" {
				p.s("*")
			} else {
				p.name(t.Table)
			}
		})
	}
	p.opt(" USING ", n.Using)
	p.when(n.UsingNone, " USING NONE")
	if n.Permissive != "" {
		p.s(" AS ")
		p.s(n.Permissive)
	}
	p.when(n.NotKeyed, " NOT KEYED")
	if n.KeyedBy != nil {
		p.s(" KEYED BY ")
		p.names(n.KeyedBy)
	}
	if n.Intervals != nil {
		p.s(" FOR ")
		nodes(p, n.Intervals)
	}
}

func (n *CreateAccess) formatSettings(p *printer) {
	if n.HasSettings {
		plain := n.Settings[:0:0]
		for _, s := range n.Settings {
			if s.Verb == "" {
				plain = append(plain, s)
			}
		}
		p.s(" SETTINGS ")
		nodes(p, plain)
		p.when(len(plain) == 0, "NONE")
	}
	for _, s := range n.Settings {
		if s.Verb == "" {
			continue
		}
		p.s(" " + s.Verb + " ")
		switch {
		case s.Profile != "":
			p.s("PROFILE ")
			p.user(s.Profile)
			continue
		case strings.HasPrefix(s.Name, "ALL "):
			p.s(s.Name)
			continue
		}
		p.s("SETTING ")
		s.format(p)
	}
}

func (n *AuthMethod) format(p *printer) {
	if n.Type != "" {
		p.s("WITH " + n.Type)
		p.when(n.Secret != nil, " ")
	}
	if n.Secret != nil {
		p.s("BY ")
		n.Secret.format(p)
	}
	if n.Salt != nil {
		p.s(" SALT ")
		n.Salt.format(p)
	}
	for i := 0; i+1 < len(n.Words); i += 2 {
		if i > 0 && n.Words[i] == n.Words[i-2] {
			p.s(", ")
		} else {
			p.s(" " + n.Words[i] + " ")
		}
		p.str(n.Words[i+1])
	}
}

func (n *HostRule) format(p *printer) {
	p.s(n.Kind)
	p.optStr(" ", n.Value)
}

func (n *SettingRule) format(p *printer) {
	if n.Profile != "" {
		p.s("PROFILE ")
		p.user(n.Profile)
		return
	}
	for i, part := range splitDots(n.Name) {
		p.when(i > 0, ".")
		p.name(part)
	}
	p.opt(" = ", n.Value)
	p.opt(" MIN ", n.Min)
	p.opt(" MAX ", n.Max)
	if n.Values != nil {
		p.s(" ALLOWED VALUES (")
		seq(p, n.Values, p.expr)
		p.s(")")
	}
	if n.Writability != "" {
		p.s(" " + n.Writability)
	}
}

func (n *QuotaInterval) format(p *printer) {
	p.when(n.Randomized, "RANDOMIZED ")
	p.s("INTERVAL ")
	p.operand(n.Count)
	p.s(" " + strings.ToLower(n.Unit))
	switch {
	case n.NoLimits:
		p.s(" NO LIMITS")
	case n.Tracking:
		p.s(" TRACKING ONLY")
	default:
		p.s(" MAX ")
		nodes(p, n.Limits)
	}
}
