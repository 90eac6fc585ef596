package engine

import (
	"strings"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// needs is which rights a statement asks for at its begin. What a query reads
// is asked when its plan is known (guard).
func (r *run) needs(stmt ast.Statement) []access.Need { // long: one case a statement
	one := func(name string, path ...string) []access.Need { return []access.Need{{Access: name, Path: path}} }
	switch n := stmt.(type) {
	case *ast.Insert:
		return r.insertNeeds(n)
	case *ast.CreateDatabase:
		return one("CREATE DATABASE", n.Name)
	case *ast.CreateTable:
		if n.Temporary {
			return one(access.CreateTemporary)
		}
		out := one("CREATE TABLE", r.path(n.Name)...)
		if n.AsTable != nil && n.Clone {
			out = append(out, one(access.Select, r.path(n.AsTable)...)[0])
		} else if n.AsTable != nil {
			out = append(out, access.Need{Access: access.ShowColumns, Path: r.path(n.AsTable), Any: true})
		}
		if n.Storage != nil && n.Storage.Engine != nil {
			if source := sourceOf(n.Storage.Engine.Name); source != "" {
				out = append(out, one(access.Read, source)[0], one(access.Write, source)[0])
			}
		}
		return out
	case *ast.CreateView:
		out := one("CREATE VIEW", r.path(n.Name)...)
		if n.To != nil { // the view writes there for whoever feeds it
			out = append(out, one(access.Insert, r.path(n.To)...)[0])
		}
		return out
	case *ast.CreateFunction:
		return one("CREATE FUNCTION")
	case *ast.Drop:
		return r.dropNeeds(n)
	case *ast.Rename:
		var out []access.Need
		for _, p := range n.Pairs {
			out = append(out, one(access.Select, r.path(p.From)...)[0], one("DROP TABLE", r.path(p.From)...)[0],
				one("CREATE TABLE", r.path(p.To)...)[0], one(access.Insert, r.path(p.To)...)[0])
		}
		return out
	case *ast.Alter:
		return r.alterNeeds(n)
	case *ast.Delete:
		return one("ALTER DELETE", r.path(n.Table)...)
	case *ast.Update:
		return one("ALTER UPDATE", r.path(n.Table)...)
	case *ast.Merge:
		return r.mergeNeeds(n)
	case *ast.Optimize:
		return one("OPTIMIZE", r.path(n.Table)...)
	case *ast.Describe:
		if n.Table != nil && n.Table.Name != nil {
			return []access.Need{{Access: access.ShowColumns, Path: r.path(n.Table.Name), Any: true}}
		}
	case *ast.Check:
		if n.Table != nil {
			return one("CHECK", r.path(n.Table)...)
		}
	case *ast.Show:
		return r.showNeeds(n)
	case *ast.System:
		name := "SYSTEM " + n.Command
		if !access.Known(name) {
			name = "SYSTEM"
		}
		return one(name)
	case *ast.Explain:
		return r.needs(n.Statement)
	case *ast.CreateNamedCollection:
		return one("CREATE NAMED COLLECTION", n.Name)
	case *ast.AlterCollection:
		return one("ALTER NAMED COLLECTION", n.Name)
	case *ast.ExecuteAs:
		return one("IMPERSONATE", n.User)
	case *ast.CreateAccess, *ast.Grant:
		return r.accessNeeds(stmt)
	}
	return nil
}

// path gives a table's name in full.
func (r *run) path(n *ast.TableName) []string {
	db, name := r.s.qualified(n)
	return []string{db, name}
}

// insertNeeds asks for the target: the columns that are listed, or all.
func (r *run) insertNeeds(n *ast.Insert) []access.Need {
	if n.Function != nil {
		if source := sourceOf(n.Function.Name); source != "" {
			return []access.Need{{Access: access.Write, Path: []string{source}, Source: addressOf(n.Function)}}
		}
		return nil
	}
	if r.isTemporary(n.Table) {
		return nil
	}
	out := access.Need{Access: access.Insert, Path: r.path(n.Table)}
	for _, c := range n.Columns {
		id, ok := c.(*ast.Identifier)
		if !ok {
			out.Columns = nil
			break
		}
		out.Columns = append(out.Columns, strings.Join(id.Parts, "."))
	}
	if n.Overwrite {
		return []access.Need{out, {Access: "ALTER DELETE", Path: out.Path}}
	}
	return []access.Need{out}
}

// mergeNeeds asks for what the clauses of a MERGE do to the target, and for
// reading it: its conditions show what is in there.
func (r *run) mergeNeeds(n *ast.Merge) []access.Need {
	if n.Target.Name == nil {
		return nil
	}
	path := r.path(n.Target.Name)
	out := []access.Need{{Access: access.Select, Path: path}}
	for _, c := range n.Clauses {
		if name := map[string]string{"UPDATE": "ALTER UPDATE", "DELETE": "ALTER DELETE", "INSERT": access.Insert}[c.Action]; name != "" {
			out = append(out, access.Need{Access: name, Path: path})
		}
	}
	return out
}

// isTemporary tells a session's own table.
func (r *run) isTemporary(n *ast.TableName) bool {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return n != nil && n.Database == "" && r.s.temp[n.Table] != nil
}

func (r *run) dropNeeds(n *ast.Drop) []access.Need {
	verb := "DROP "
	if n.Verb == ast.VerbTruncate {
		verb = "TRUNCATE"
	}
	var out []access.Need
	switch n.Object {
	case ast.ObjectDatabase:
		return []access.Need{{Access: "DROP DATABASE", Path: []string{n.Tables[0].Database}}}
	case ast.ObjectFunction:
		return []access.Need{{Access: "DROP FUNCTION"}}
	case ast.ObjectTables:
		return []access.Need{{Access: "TRUNCATE", Path: []string{n.Tables[0].Database}}}
	case ast.ObjectUser, ast.ObjectRole, ast.ObjectNamedCollection:
		for _, name := range n.Names {
			out = append(out, access.Need{Access: "DROP " + n.Object.String(), Path: []string{name}})
		}
		return out
	case ast.ObjectRowPolicy, ast.ObjectQuota, ast.ObjectSettingsProfile:
		return []access.Need{{Access: "DROP " + n.Object.String()}}
	}
	name := verb
	if verb == "DROP " {
		name = "DROP TABLE"
		if n.Object == ast.ObjectView || n.Object == ast.ObjectDictionary {
			name = "DROP " + n.Object.String()
		}
	}
	for _, t := range n.Tables {
		if !r.isTemporary(t) {
			out = append(out, access.Need{Access: name, Path: r.path(t)})
		}
	}
	return out
}

// alterAccess names the right that a command of ALTER TABLE asks for; those
// that are not here ask for ALTER TABLE whole.
var alterAccess = map[ast.AlterKind]string{
	ast.AddColumn: "ALTER ADD COLUMN", ast.DropColumn: "ALTER DROP COLUMN", ast.ModifyColumn: "ALTER MODIFY COLUMN",
	ast.RenameColumn: "ALTER RENAME COLUMN", ast.CommentColumn: "ALTER COMMENT COLUMN", ast.ClearColumn: "ALTER CLEAR COLUMN",
	ast.MaterializeColumn: "ALTER MATERIALIZE COLUMN", ast.UpdateWhere: "ALTER UPDATE", ast.DeleteWhere: "ALTER DELETE",
	ast.ModifyOrderBy: "ALTER ORDER BY", ast.ModifySampleBy: "ALTER SAMPLE BY", ast.RemoveSampleBy: "ALTER SAMPLE BY",
	ast.ModifyTTL: "ALTER TTL", ast.RemoveTTL: "ALTER TTL", ast.MaterializeTTL: "ALTER MATERIALIZE TTL",
	ast.ModifySetting: "ALTER SETTINGS", ast.ResetSetting: "ALTER SETTINGS", ast.ModifyComment: "ALTER MODIFY COMMENT",
	ast.ModifyDatabaseComment: "ALTER MODIFY DATABASE COMMENT", ast.ModifyDatabaseSetting: "ALTER DATABASE SETTINGS",
	ast.Execute: "ALTER EXECUTE", ast.DropPartition: "ALTER DELETE", ast.ModifyQuery: "ALTER VIEW MODIFY QUERY",
	ast.AddConstraint: "ALTER ADD CONSTRAINT", ast.DropConstraint: "ALTER DROP CONSTRAINT", ast.RewriteParts: "ALTER REWRITE PARTS",
}

func (r *run) alterNeeds(n *ast.Alter) []access.Need {
	var out []access.Need
	for _, c := range n.Commands {
		name := alterAccess[c.Kind]
		need := access.Need{Access: name}
		switch {
		case n.Object == ast.ObjectDatabase:
			need.Path = []string{n.Table.Database}
		default:
			need.Path = r.path(n.Table)
		}
		if name == "" {
			need.Access = "ALTER TABLE"
		}
		if c.Name != nil && len(c.Name.Parts) > 0 && strings.Contains(name, "COLUMN") {
			need.Columns = []string{strings.Join(c.Name.Parts, ".")}
		}
		out = append(out, need)
	}
	return out
}

func (r *run) showNeeds(n *ast.Show) []access.Need {
	name := ""
	switch n.Kind {
	case ast.ShowUsers:
		name = "SHOW USERS"
	case ast.ShowRoles:
		name = "SHOW ROLES"
	case ast.ShowProfiles:
		name = "SHOW SETTINGS PROFILES"
	case ast.ShowQuotas:
		name = "SHOW QUOTAS"
	case ast.ShowPolicies:
		name = "SHOW ROW POLICIES"
	case ast.ShowAccess:
		name = "SHOW ACCESS"
	case ast.ShowColumns:
		return []access.Need{{Access: access.ShowColumns, Path: r.path(n.Table), Any: true}}
	case ast.ShowGrants:
		if len(n.Names) > 0 && !(len(n.Names) == 1 && n.Names[0] == r.s.user.Name) {
			return []access.Need{{Access: "SHOW USERS"}, {Access: "SHOW ROLES"}}
		}
	case ast.ShowCreate:
		return r.showCreateNeeds(n)
	}
	if name == "" {
		return nil
	}
	return []access.Need{{Access: name}}
}

func (r *run) showCreateNeeds(n *ast.Show) []access.Need {
	switch n.Object {
	case ast.ObjectUser:
		if len(n.Names) == 0 || len(n.Names) == 1 && n.Names[0] == r.s.user.Name {
			return nil
		}
		return []access.Need{{Access: "SHOW USERS"}}
	case ast.ObjectRole:
		return []access.Need{{Access: "SHOW ROLES"}}
	case ast.ObjectQuota:
		return []access.Need{{Access: "SHOW QUOTAS"}}
	case ast.ObjectSettingsProfile:
		return []access.Need{{Access: "SHOW SETTINGS PROFILES"}}
	case ast.ObjectRowPolicy:
		return []access.Need{{Access: "SHOW ROW POLICIES"}}
	case ast.ObjectDatabase:
		return []access.Need{{Access: access.ShowDatabases, Path: []string{n.Table.Database}, Any: true}}
	}
	if n.Table == nil || r.isTemporary(n.Table) {
		return nil
	}
	return []access.Need{{Access: access.ShowColumns, Path: r.path(n.Table), Any: true}}
}

// accessNeeds asks for what CREATE USER, GRANT and their like need.
func (r *run) accessNeeds(stmt ast.Statement) []access.Need {
	var out []access.Need
	switch n := stmt.(type) {
	case *ast.CreateAccess:
		verb := "CREATE "
		if n.Alter {
			verb = "ALTER "
		}
		named := n.Object == ast.ObjectUser || n.Object == ast.ObjectRole
		for _, name := range n.Names {
			need := access.Need{Access: verb + n.Object.String()}
			if named {
				need.Path = []string{name}
			}
			out = append(out, need)
		}
	case *ast.Grant:
		grants, err := grantsOf(n, r.s.Database())
		if err != nil {
			return nil // the statement itself says so
		}
		for _, g := range grants {
			for _, a := range g.Access {
				path := make([]string, len(g.Path))
				for i, p := range g.Path {
					path[i] = p.Name
				}
				out = append(out, access.Need{Access: a, Path: path, Columns: g.Columns, Option: true})
			}
		}
		if n.Roles != nil {
			for _, role := range n.Roles.Names {
				if !r.s.user.Access.Effective().Admin[role] {
					out = append(out, access.Need{Access: access.RoleAdmin})
				}
			}
		}
	}
	return out
}

// sources are the outer systems that table functions and engines reach, by
// the endings and beginnings of their names, as the rights call them.
var sources = []struct{ part, source string }{
	{"local", "FILE"},
	{"file", "FILE"},
	{"azure", "AZURE"},
	{"hdfs", "HDFS"},
	{"s3", "S3"},
	{"gcs", "S3"},
	{"oss", "S3"},
	{"cosn", "S3"},
	{"url", "URL"},
	{"remote", "REMOTE"},
	{"cluster", "REMOTE"},
	{"mysql", "MYSQL"},
	{"postgresql", "POSTGRES"},
	{"mongodb", "MONGO"},
	{"redis", "REDIS"},
	{"sqlite", "SQLITE"},
	{"odbc", "ODBC"},
	{"jdbc", "JDBC"},
	{"iceberg", "S3"},
	{"paimon", "S3"},
	{"delta", "S3"},
	{"hudi", "S3"},
}

// sourceOf gives the source that a table function or engine reaches; "" for
// those that reach none (numbers, values).
func sourceOf(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "icebergbucket") || strings.HasPrefix(name, "iceberghash") || strings.HasPrefix(name, "icebergtruncate") {
		return ""
	}
	for _, s := range sources {
		if strings.Contains(name, s.part) {
			return s.source
		}
	}
	return ""
}

// sourceArgs are the arguments that name a source: functions of a cluster have
// its name before them.
func sourceArgs(f *ast.Function) []ast.Expr {
	if len(f.Args) > 0 && strings.HasSuffix(strings.ToLower(f.Name), "cluster") {
		return f.Args[1:]
	}
	return f.Args
}

// addressOf gives what a table function reads: its first text.
func addressOf(f *ast.Function) string {
	for _, a := range sourceArgs(f) {
		if l, ok := a.(*ast.Literal); ok && l.Kind == ast.String {
			return l.Text
		}
	}
	return ""
}

// collectionOf gives the named collection that a table function takes its
// arguments from; "" for none.
func (r *run) collectionOf(f *ast.Function) string {
	all := r.s.engine.cfg.Collections
	args := sourceArgs(f)
	if all == nil || len(args) == 0 {
		return ""
	}
	id, ok := args[0].(*ast.Identifier)
	if !ok || len(id.Parts) != 1 {
		return ""
	}
	if _, ok := all.Lookup(id.Parts[0]); !ok {
		return ""
	}
	return id.Parts[0]
}

// permitted refuses a statement whose rights the user has not.
func (r *run) permitted(stmt ast.Statement) error {
	a := r.s.user.Access
	if a == nil {
		switch stmt.(type) {
		case *ast.CreateAccess, *ast.Grant:
			return cherr.New(cherr.AccessStorageForInsertionNotFound, "There are no users in this process")
		}
		return nil
	}
	if err := a.Check(r.needs(stmt)...); err != nil {
		return err
	}
	return r.spendStatement(stmt)
}

// spendStatement counts a statement under the user's quotas.
func (r *run) spendStatement(stmt ast.Statement) error {
	amounts := map[string]float64{"queries": 1}
	switch stmt.(type) {
	case *ast.QueryStatement:
		amounts["query_selects"] = 1
	case *ast.Insert:
		amounts["query_inserts"] = 1
	}
	return r.spend(amounts)
}

func (r *run) spend(amounts map[string]float64) error {
	a := r.s.user.Access
	if a == nil {
		return nil
	}
	host := r.q.Address
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return a.Spend(r.s.engine.cfg.Now(), host, amounts)
}

// spendResult counts what a finished query used. What is beyond shows at the
// next statement.
func (r *run) spendResult(err error) {
	p := r.progress
	amounts := map[string]float64{
		"result_rows": float64(p.ResultRows.Load()), "result_bytes": float64(p.ResultBytes.Load()), "read_rows": float64(p.ReadRows.Load()),
		"read_bytes": float64(p.ReadBytes.Load()), "written_bytes": float64(p.WrittenBytes.Load()),
		"execution_time": r.s.engine.cfg.Now().Sub(r.proc.Started).Seconds(),
	}
	if err != nil {
		amounts["errors"] = 1
	}
	_ = r.spend(amounts) // the query is over
}
