package parse

import (
	"strings"

	"lakeserver/engine/ast"
)

// show reads what follows SHOW.
func (p *parser) show(at ast.At) ast.Statement { // long: one case for each kind
	s := &ast.Show{At: at}
	if p.word("CREATE") {
		p.showCreate(s)
		p.output(&s.Output)
		return s
	}
	for {
		if p.isWord(0, "FULL") && p.isName(1) {
			p.pos++
			s.Full = true
		} else if p.isWord(0, "EXTENDED") && p.isName(1) {
			p.pos++
			s.Extended = true
		} else if p.word("TEMPORARY") {
			s.Temporary = true
		} else if p.word("CHANGED") {
			s.Changed = true
		} else {
			break
		}
	}
	switch w := p.oneOf("TABLES", "DATABASES", "SCHEMAS", "DICTIONARIES", "COLUMNS", "FIELDS", "INDEXES", "INDEX", "INDICES",
		"KEYS", "FUNCTIONS", "PROCESSLIST", "SETTINGS PROFILES", "SETTINGS", "SETTING", "ENGINES", "CLUSTERS", "CLUSTER",
		"GRANTS", "USERS", "CURRENT ROLES", "ENABLED ROLES", "ROLES", "PROFILES", "ROW POLICIES", "POLICIES", "QUOTAS",
		"CURRENT QUOTA", "QUOTA", "ACCESS", "PRIVILEGES", "MERGES", "FILESYSTEM CACHES", "NAMED COLLECTIONS", "BRANCHES", "TAGS"); w {
	case "TABLES", "DICTIONARIES":
		s.Kind = ast.ShowTables
		if w == "DICTIONARIES" {
			s.Kind = ast.ShowDictionaries
		}
		if p.oneOf("FROM", "IN") != "" {
			s.Table = p.databaseName()
		}
	case "COLUMNS", "FIELDS", "INDEXES", "INDEX", "INDICES", "KEYS", "BRANCHES", "TAGS":
		p.showOfTable(s, w)
	case "SETTING":
		s.Kind = ast.ShowSetting
		s.Names = []string{p.ident()}
	case "CLUSTER":
		s.Kind = ast.ShowCluster
		s.Names = []string{p.clusterName()}
	case "GRANTS":
		s.Kind = ast.ShowGrants
		if p.word("FOR") {
			s.Names = list(p, p.userName)
		}
		s.Implicit = p.word("WITH IMPLICIT")
		s.Final = p.word("FINAL")
	case "ROW POLICIES", "POLICIES":
		s.Kind = ast.ShowPolicies
		if p.word("ON") {
			s.On = p.tableName()
		}
	case "":
		p.failed = true
		return s
	default:
		s.Kind = showKinds(w)
	}
	p.showFilter(s)
	p.output(&s.Output)
	return s
}

func showKinds(w string) ast.ShowKind {
	switch w {
	case "DATABASES", "SCHEMAS":
		return ast.ShowDatabases
	case "FUNCTIONS":
		return ast.ShowFunctions
	case "PROCESSLIST":
		return ast.ShowProcesslist
	case "SETTINGS PROFILES", "PROFILES":
		return ast.ShowProfiles
	case "SETTINGS":
		return ast.ShowSettings
	case "ENGINES":
		return ast.ShowEngines
	case "CLUSTERS":
		return ast.ShowClusters
	case "USERS":
		return ast.ShowUsers
	case "ROLES":
		return ast.ShowRoles
	case "CURRENT ROLES":
		return ast.ShowCurrentRoles
	case "ENABLED ROLES":
		return ast.ShowEnabledRoles
	case "QUOTAS":
		return ast.ShowQuotas
	case "QUOTA", "CURRENT QUOTA":
		return ast.ShowQuota
	case "ACCESS":
		return ast.ShowAccess
	case "PRIVILEGES":
		return ast.ShowPrivileges
	case "MERGES":
		return ast.ShowMerges
	case "FILESYSTEM CACHES":
		return ast.ShowFilesystemCaches
	}
	return ast.ShowNamedCollections
}

func (p *parser) clusterName() string {
	if p.atString() {
		return p.strName()
	}
	return p.ident()
}

// showOfTable reads FROM t [FROM db].
func (p *parser) showOfTable(s *ast.Show, w string) {
	switch w {
	case "COLUMNS", "FIELDS":
		s.Kind = ast.ShowColumns
	case "BRANCHES", "TAGS":
		s.Kind = ast.ShowRefs
		s.Names = []string{w}
	default:
		s.Kind = ast.ShowIndexes
	}
	if p.oneOf("FROM", "IN") == "" {
		p.failed = true
		return
	}
	s.Table = p.tableName()
	if p.oneOf("FROM", "IN") != "" {
		s.Table.Database, s.Table.DatabaseParam = p.tablePart()
	}
}

func (p *parser) showFilter(s *ast.Show) {
	switch {
	case p.word("NOT LIKE"):
		s.Like, s.HasLike, s.NotLike = p.str(), true, true
	case p.word("NOT ILIKE"):
		s.Like, s.HasLike, s.NotLike, s.ILike = p.str(), true, true, true
	case p.word("LIKE"):
		s.Like, s.HasLike = p.str(), true
	case p.word("ILIKE"):
		s.Like, s.HasLike, s.ILike = p.str(), true, true
	case p.word("WHERE"):
		s.Where = p.expr()
	}
	if p.word("LIMIT") {
		s.Limit = p.expr()
	}
}

// showCreate reads SHOW CREATE of tables and access objects.
func (p *parser) showCreate(s *ast.Show) {
	s.Kind = ast.ShowCreate
	s.Temporary = p.word("TEMPORARY")
	if o, ok := p.accessObject(true); ok {
		s.Object = o
		p.showCreateAccess(s)
		return
	}
	switch {
	case p.isWord(0, "TABLE") && (p.isName(1) || p.peek(1).kind == '{'):
		p.pos++
		s.Object = ast.ObjectTable
	case p.isWord(0, "VIEW") && p.isName(1):
		p.pos++
		s.Object = ast.ObjectView
	case p.isWord(0, "DICTIONARY") && p.isName(1):
		p.pos++
		s.Object = ast.ObjectDictionary
	case p.isWord(0, "DATABASE") && (p.isName(1) || p.peek(1).kind == '{'):
		p.pos++
		s.Object = ast.ObjectDatabase
		s.Table = p.databaseName()
		return
	}
	s.Table = p.tableName()
}

func (p *parser) showCreateAccess(s *ast.Show) {
	switch {
	case p.at(tEOF), p.at(';'), p.isWord(0, "FORMAT"):
		return
	case p.word("ON"):
		s.On = p.tableName()
		return
	}
	s.Names = list(p, p.userName)
	if p.word("ON") {
		s.On = p.tableName()
	}
}

// accessObject takes the words that name a kind of access object; plural also
// allows USERS, ROLES …
func (p *parser) accessObject(plural bool) (ast.Object, bool) {
	for _, o := range [...]struct {
		words  string
		object ast.Object
	}{
		{"USER", ast.ObjectUser},
		{"ROLE", ast.ObjectRole},
		{"QUOTA", ast.ObjectQuota},
		{"ROW POLICY", ast.ObjectRowPolicy},
		{"POLICY", ast.ObjectRowPolicy},
		{"MASKING POLICY", ast.ObjectMaskingPolicy},
		{"SETTINGS PROFILE", ast.ObjectSettingsProfile},
		{"PROFILE", ast.ObjectSettingsProfile},
		{"USERS", ast.ObjectUser},
		{"ROLES", ast.ObjectRole},
		{"QUOTAS", ast.ObjectQuota},
		{"POLICIES", ast.ObjectRowPolicy},
		{"PROFILES", ast.ObjectSettingsProfile},
	} {
		if strings.HasSuffix(o.words, "S") && !plural {
			continue
		}
		if p.word(o.words) {
			return o.object, true
		}
	}
	return 0, false
}
