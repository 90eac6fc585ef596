package engine

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/engine/analyze"
	"lakeserver/engine/ast"
	"lakeserver/settings"
)

// rule gives what the user's profiles say of a setting.
func (s *Session) rule(name string) access.Rule {
	if s.user.Access == nil {
		return access.Rule{Name: name}
	}
	return s.user.Access.Effective().Rule(name)
}

// roles gives the session's roles.
func (s *Session) roles() *access.Effective {
	if s.user.Access == nil {
		return &access.Effective{}
	}
	return s.user.Access.Effective()
}

// mayUse refuses a database of which the user may see nothing.
func (s *Session) mayUse(db string) error {
	a := s.user.Access
	if a == nil || db == "default" || db == "system" || strings.EqualFold(db, "information_schema") || a.Effective().Rights.Visible(db) {
		return nil
	}
	return a.Denied(access.Need{Access: access.ShowDatabases, Path: []string{db}})
}

// ownQueries is a condition that leaves of system.processes what the user may
// kill.
func (r *run) ownQueries() string {
	a := r.s.user.Access
	if a == nil || a.Effective().Rights.Allows(access.Need{Access: access.KillQuery}) {
		return ""
	}
	return " AND user = " + ast.QuoteString(r.s.user.Name)
}

// createAccess is CREATE and ALTER of users, roles, policies, quotas and
// profiles.
func (r *run) createAccess(ctx context.Context, n *ast.CreateAccess) error {
	store := r.s.user.Access.Store()
	names := n.Names
	if n.Object == ast.ObjectRowPolicy {
		names = nil
		for _, short := range n.Names {
			for _, t := range n.Tables {
				names = append(names, r.policyName(short, t))
			}
		}
	}
	return store.Update(func(st *access.State) error {
		for i, name := range names {
			if store.Fixed(name) && (n.Object == ast.ObjectUser || n.Object == ast.ObjectRole) {
				if n.IfNotExists {
					continue
				}
				return readOnlyStorage(n.Object, name)
			}
			var err error
			switch n.Object {
			case ast.ObjectUser:
				err = r.createUser(ctx, st, n, name)
			case ast.ObjectRole:
				err = r.createRole(st, n, name)
			case ast.ObjectSettingsProfile:
				err = r.createProfile(st, n, name)
			case ast.ObjectRowPolicy:
				err = r.createPolicy(ctx, st, n, names[i], n.Names[i/max(len(n.Tables), 1)], n.Tables[i%max(len(n.Tables), 1)])
			case ast.ObjectQuota:
				err = r.createQuota(st, n, name)
			default:
				err = cherr.New(cherr.NotImplemented, "%s is not supported", n.Object)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func readOnlyStorage(o ast.Object, name string) error {
	return cherr.New(cherr.AccessStorageReadonly, "Cannot change %s `%s` in users_xml: it is defined in the configuration, which SQL does not change", strings.ToLower(o.String()), name)
}

// target finds what a statement creates or changes. skip: there is nothing to
// do (IF EXISTS, IF NOT EXISTS).
func target[T any](m map[string]*T, n *ast.CreateAccess, name string, made func() *T) (x *T, skip bool, err error) {
	x = m[name]
	word := strings.ToLower(n.Object.String())
	switch {
	case n.Alter && x == nil && n.IfExists, !n.Alter && x != nil && n.IfNotExists:
		return nil, true, nil
	case n.Alter && x == nil:
		return nil, false, unknownEntity(n.Object, name)
	case !n.Alter && x != nil && !n.Replace:
		return nil, false, cherr.New(cherr.AccessEntityAlreadyExists, "%s `%s`: %s `%s` already exists in local_directory", word, name, word, name)
	case n.Alter:
		return x, false, nil
	}
	x = made()
	m[name] = x
	return x, false, nil
}

// unknownEntity has the code that ClickHouse has for each kind.
func unknownEntity(o ast.Object, name string) error {
	code := map[ast.Object]cherr.Code{
		ast.ObjectUser: cherr.UnknownUser, ast.ObjectRole: cherr.UnknownRole, ast.ObjectQuota: cherr.UnknownQuota,
		ast.ObjectRowPolicy: cherr.UnknownRowPolicy, ast.ObjectSettingsProfile: cherr.ThereIsNoProfile,
	}[o]
	return cherr.New(code, "There is no %s `%s` in `user directories`.", strings.ToLower(o.String()), name)
}

// renamed puts an entity under its new name.
func renamed[T any](m map[string]*T, st *access.State, from, to string, name *string) error {
	if to == "" || to == from {
		return nil
	}
	if m[to] != nil {
		return cherr.New(cherr.AccessEntityAlreadyExists, "`%s` already exists in local_directory", to)
	}
	m[to] = m[from]
	delete(m, from)
	*name = to
	st.Forget(from, to)
	return nil
}

func (r *run) createUser(ctx context.Context, st *access.State, n *ast.CreateAccess, name string) error {
	if st.Roles[name] != nil {
		return cherr.New(cherr.AccessEntityAlreadyExists, "A role `%s` already exists", name)
	}
	u, skip, err := target(st.Users, n, name, func() *access.User {
		u := &access.User{Hosts: access.Hosts{Any: true}, DefaultRoles: access.Names{All: true}, Grantees: access.Names{All: true}}
		u.ID, u.Name = access.NewID(), name
		return u
	})
	if err != nil || skip {
		return err
	}
	if err := r.identify(ctx, n, u); err != nil {
		return err
	}
	if err := changeHosts(n, &u.Hosts); err != nil {
		return err
	}
	if n.DefaultRole != nil {
		if u.DefaultRoles, err = r.roleNames(&n.DefaultRole.RoleSet); err != nil {
			return err
		}
	}
	if n.Grantees != nil {
		if u.Grantees, err = r.roleNames(&n.Grantees.RoleSet); err != nil {
			return err
		}
		u.Grantees.All = u.Grantees.All || n.Grantees.Any
	}
	switch {
	case n.NoDefaultDatabase:
		u.Database = ""
	case n.DefaultDatabase != "":
		u.Database = n.DefaultDatabase
	}
	if u.Settings, err = changeRules(n, u.Settings); err != nil {
		return err
	}
	return renamed(st.Users, st, name, n.RenameTo, &u.Name)
}

// identify changes the ways to log in.
func (r *run) identify(ctx context.Context, n *ast.CreateAccess, u *access.User) error {
	var until time.Time
	if n.ValidUntil != nil {
		var err error
		if until, err = r.until(ctx, n.ValidUntil); err != nil {
			return err
		}
		for i := range u.Auth {
			u.Auth[i].Until = until
		}
	}
	switch {
	case n.NotIdentified:
		u.Auth = nil
	case n.ResetAuth && len(u.Auth) > 0:
		u.Auth = u.Auth[len(u.Auth)-1:]
	case len(n.Identified) == 0:
		return nil
	case !n.AddIdentified:
		u.Auth = nil
	}
	for _, m := range n.Identified {
		a, err := authOf(m)
		if err != nil {
			return err
		}
		a.Until = until
		if a.Method == access.NoPassword {
			u.Auth = nil
			continue
		}
		u.Auth = append(u.Auth, a)
	}
	return nil
}

// authOf makes a way to log in. A password without a method is kept as
// sha256_password, as in ClickHouse.
func authOf(m *ast.AuthMethod) (access.Auth, error) {
	secret, salt := "", ""
	if m.Secret != nil {
		secret = m.Secret.Text
	}
	if m.Salt != nil {
		salt = m.Salt.Text
	}
	switch m.Type {
	case "":
		return access.NewAuth(access.SHA256, secret, "")
	case "sha256_hash":
		return access.FromHash(access.SHA256, strings.ToLower(secret), salt)
	case "double_sha1_hash":
		return access.FromHash(access.DoubleSHA1, strings.ToLower(secret), "")
	case "bcrypt_hash":
		return access.FromHash(access.Bcrypt, secret, "")
	}
	if m.Secret == nil && m.Type != string(access.NoPassword) {
		return access.Auth{}, cherr.New(cherr.NotImplemented, "Users cannot be identified with %s", m.Type)
	}
	return access.NewAuth(access.Method(m.Type), secret, salt)
}

func (r *run) until(ctx context.Context, e ast.Expr) (time.Time, error) {
	if l, ok := e.(*ast.Literal); ok && l.Kind == ast.String {
		if strings.EqualFold(l.Text, "infinity") {
			return time.Time{}, nil
		}
		for _, layout := range []string{time.DateTime, time.DateOnly, time.RFC3339} {
			if t, err := time.ParseInLocation(layout, l.Text, r.s.engine.cfg.Zone); err == nil {
				return t, nil
			}
		}
	}
	res, err := r.text(ctx, ast.Output{}, "SELECT toUnixTimestamp(parseDateTimeBestEffort(toString("+ast.Format(e)+")))")
	if err != nil {
		return time.Time{}, err
	}
	blocks, err := column.ReadAll(ctx, res.Stream)
	if err != nil || len(blocks) == 0 {
		return time.Time{}, err
	}
	v, _ := column.At(blocks[0].Columns[0], 0).(uint32)
	return time.Unix(int64(v), 0), nil
}

// changeHosts changes where a user may come from.
func changeHosts(n *ast.CreateAccess, h *access.Hosts) error {
	if len(n.Hosts) > 0 {
		*h = access.Hosts{}
	} else if len(n.AddHosts) > 0 && h.Any {
		*h = access.Hosts{}
	}
	for _, rule := range append(append([]*ast.HostRule(nil), n.Hosts...), n.AddHosts...) {
		if err := addHost(h, rule); err != nil {
			return err
		}
	}
	for _, rule := range n.DropHosts {
		var gone access.Hosts
		if err := addHost(&gone, rule); err != nil {
			return err
		}
		h.Any, h.Local = h.Any && !gone.Any, h.Local && !gone.Local
		h.IPs, h.Names = without(h.IPs, gone.IPs), without(h.Names, gone.Names)
		h.Regexps, h.Likes = without(h.Regexps, gone.Regexps), without(h.Likes, gone.Likes)
	}
	return nil
}

func without[T comparable](list, gone []T) []T {
	var out []T
	for _, x := range list {
		keep := true
		for _, y := range gone {
			keep = keep && x != y
		}
		if keep {
			out = append(out, x)
		}
	}
	return out
}

func addHost(h *access.Hosts, r *ast.HostRule) error {
	switch r.Kind {
	case "ANY":
		h.Any = true
	case "LOCAL":
		h.Local = true
	case "NAME":
		h.Names = append(h.Names, r.Value)
	case "REGEXP":
		h.Regexps = append(h.Regexps, r.Value)
	case "LIKE":
		if r.Value == "%" {
			h.Any = true
		}
		h.Likes = append(h.Likes, r.Value)
	case "IP":
		p, err := netip.ParsePrefix(r.Value)
		if err != nil {
			a, err := netip.ParseAddr(r.Value)
			if err != nil {
				return cherr.New(cherr.BadArguments, "`%s` is neither an address nor a network", r.Value)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		h.IPs = append(h.IPs, p)
	}
	return nil
}

// roleNames gives a list of roles and users; they must be there.
func (r *run) roleNames(s *ast.RoleSet) (access.Names, error) {
	out := access.Names{All: s.All, Names: append([]string(nil), s.Names...), Except: s.Except}
	if s.Current {
		out.Names = append(out.Names, r.s.user.Name)
	}
	st := r.s.user.Access.Store().State()
	for _, name := range append(append([]string(nil), out.Names...), out.Except...) {
		if st.Holder(name) == nil {
			return out, access.UnknownRole(name)
		}
	}
	return out, nil
}

func (r *run) createRole(st *access.State, n *ast.CreateAccess, name string) error {
	if st.Users[name] != nil {
		return cherr.New(cherr.AccessEntityAlreadyExists, "A user `%s` already exists", name)
	}
	role, skip, err := target(st.Roles, n, name, func() *access.Role {
		x := &access.Role{}
		x.ID, x.Name = access.NewID(), name
		return x
	})
	if err != nil || skip {
		return err
	}
	if role.Settings, err = changeRules(n, role.Settings); err != nil {
		return err
	}
	return renamed(st.Roles, st, name, n.RenameTo, &role.Name)
}

func (r *run) createProfile(st *access.State, n *ast.CreateAccess, name string) error {
	p, skip, err := target(st.Profiles, n, name, func() *access.Profile {
		return &access.Profile{Entity: access.Entity{ID: access.NewID(), Name: name}}
	})
	if err != nil || skip {
		return err
	}
	if p.Settings, err = changeRules(n, p.Settings); err != nil {
		return err
	}
	if n.To != nil {
		if p.To, err = r.roleNames(&n.To.RoleSet); err != nil {
			return err
		}
	}
	return renamed(st.Profiles, st, name, n.RenameTo, &p.Name)
}

// changeRules applies SETTINGS, or ADD, MODIFY and DROP of single ones.
func changeRules(n *ast.CreateAccess, rules []access.Rule) ([]access.Rule, error) {
	whole := n.HasSettings
	for _, s := range n.Settings {
		whole = whole && s.Verb == ""
	}
	if whole {
		rules = nil
	}
	for _, s := range n.Settings {
		if strings.HasPrefix(s.Name, "ALL ") {
			rules = nil
			continue
		}
		rule, err := ruleOf(s)
		if err != nil {
			return nil, err
		}
		same := func(x access.Rule) bool { return x.Name == rule.Name && x.Profile == rule.Profile }
		if s.Verb != "" {
			var rest []access.Rule
			for _, x := range rules {
				if !same(x) {
					rest = append(rest, x)
				}
			}
			rules = rest
		}
		if s.Verb != "DROP" {
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

// ruleOf checks a rule's values by the setting's own type.
func ruleOf(s *ast.SettingRule) (access.Rule, error) {
	out := access.Rule{Profile: s.Profile, Name: s.Name, Writable: s.Writability}
	if out.Writable == "READONLY" {
		out.Writable = "CONST"
	}
	if s.Profile != "" {
		return out, nil
	}
	value := func(e ast.Expr) (*string, error) {
		if e == nil {
			return nil, nil
		}
		text, err := settingText(e)
		if err != nil {
			return nil, err
		}
		set, err := settings.Default().With(s.Name, text)
		if err != nil {
			return nil, err
		}
		text = set.Get(s.Name)
		return &text, nil
	}
	if _, ok := settings.Lookup(s.Name); !ok {
		return out, cherr.New(cherr.UnknownSetting, "Unknown setting '%s'", s.Name)
	}
	var err error
	for _, x := range []struct {
		to   **string
		from ast.Expr
	}{{&out.Value, s.Value}, {&out.Min, s.Min}, {&out.Max, s.Max}} {
		if *x.to, err = value(x.from); err != nil {
			return out, err
		}
	}
	for _, e := range s.Values {
		v, err := value(e)
		if err != nil {
			return out, err
		}
		out.Allowed = append(out.Allowed, *v)
	}
	return out, nil
}

func (r *run) policyName(short string, t *ast.TableName) string {
	db := t.Database
	if db == "" {
		db = r.s.Database()
	}
	return short + " ON " + db + "." + t.Table
}

func (r *run) createPolicy(ctx context.Context, st *access.State, n *ast.CreateAccess, name, short string, t *ast.TableName) error {
	db := t.Database
	if db == "" {
		db = r.s.Database()
	}
	p, skip, err := target(st.Policies, n, name, func() *access.Policy {
		return &access.Policy{Entity: access.Entity{ID: access.NewID(), Name: name}, Short: short, Database: db, Table: t.Table}
	})
	if err != nil || skip {
		return err
	}
	if n.Using != nil {
		if err := r.bindsTo(ctx, n.Using, db, t.Table); err != nil {
			return err
		}
		p.Filter = ast.Format(n.Using)
	}
	if n.UsingNone {
		p.Filter = ""
	}
	if n.Permissive != "" {
		p.Restrictive = n.Permissive == "RESTRICTIVE"
	}
	if n.To != nil {
		if p.To, err = r.roleNames(&n.To.RoleSet); err != nil {
			return err
		}
	}
	if n.RenameTo == "" {
		return nil
	}
	p.Short = n.RenameTo
	return renamed(st.Policies, st, name, n.RenameTo+" ON "+db+"."+t.Table, &p.Name)
}

// bindsTo checks that a condition is one over the table, where there is one.
func (r *run) bindsTo(ctx context.Context, cond ast.Expr, db, name string) error {
	e, err := r.s.engine.catalog.Lookup(db, name)
	if err != nil || e.View != nil {
		return nil // a policy may be older than its table
	}
	h := make(column.Header, 0, len(e.Columns))
	for _, c := range e.Columns {
		h = append(h, column.Field{Name: c.Name, Type: c.Type})
	}
	if len(h) == 0 {
		return nil // the columns of a lake table are known when it is opened
	}
	_, err = analyze.BindOver(ctx, r.env, h, cond)
	return err
}

func (r *run) createQuota(st *access.State, n *ast.CreateAccess, name string) error {
	q, skip, err := target(st.Quotas, n, name, func() *access.Quota {
		return &access.Quota{Entity: access.Entity{ID: access.NewID(), Name: name}, Keys: []string{"user_name"}}
	})
	if err != nil || skip {
		return err
	}
	switch {
	case n.NotKeyed:
		q.Keys = nil
	case len(n.KeyedBy) > 0:
		q.Keys = n.KeyedBy
	}
	for _, i := range n.Intervals {
		next, err := intervalOf(i)
		if err != nil {
			return err
		}
		var rest []access.Interval
		for _, x := range q.Intervals {
			if x.Length != next.Length {
				rest = append(rest, x)
			}
		}
		q.Intervals = rest
		if !i.NoLimits {
			q.Intervals = append(q.Intervals, next)
		}
	}
	if n.To != nil {
		if q.To, err = r.roleNames(&n.To.RoleSet); err != nil {
			return err
		}
	}
	return renamed(st.Quotas, st, name, n.RenameTo, &q.Name)
}

// intervalUnits are the lengths of a quota's intervals; months and years are
// those that ClickHouse counts with.
var intervalUnits = map[string]time.Duration{
	"SECOND": time.Second, "MINUTE": time.Minute, "HOUR": time.Hour, "DAY": 24 * time.Hour, "WEEK": 7 * 24 * time.Hour,
	"MONTH": 2629746 * time.Second, "QUARTER": 3 * 2629746 * time.Second, "YEAR": 31556952 * time.Second,
}

func intervalOf(i *ast.QuotaInterval) (access.Interval, error) {
	text, err := settingText(i.Count)
	if err != nil {
		return access.Interval{}, err
	}
	count, err := time.ParseDuration(text + "ns")
	unit := intervalUnits[strings.TrimSuffix(strings.ToUpper(i.Unit), "S")]
	if err != nil || unit == 0 || count <= 0 {
		return access.Interval{}, cherr.New(cherr.BadArguments, "A quota cannot be for INTERVAL %s %s", text, i.Unit)
	}
	out := access.Interval{Length: count * unit, Randomized: i.Randomized, Max: map[string]float64{}}
	for _, l := range i.Limits {
		text, err := settingText(l.Value)
		if err != nil {
			return out, err
		}
		v, err := parseLimit(text)
		if err != nil {
			return out, err
		}
		out.Max[strings.ReplaceAll(strings.ToLower(l.Name), " ", "_")] = v
	}
	return out, nil
}

// dropAccess is DROP of users, roles, policies, quotas and profiles.
func (r *run) dropAccess(n *ast.Drop) error {
	if r.s.user.Access == nil {
		return cherr.New(cherr.AccessStorageForInsertionNotFound, "There are no users in this process")
	}
	store := r.s.user.Access.Store()
	return store.Update(func(st *access.State) error {
		for _, name := range n.Names {
			if n.Object == ast.ObjectRowPolicy && n.On != nil {
				name = r.policyName(name, n.On)
			}
			if store.Fixed(name) && (n.Object == ast.ObjectUser || n.Object == ast.ObjectRole) {
				return readOnlyStorage(n.Object, name)
			}
			if !removed(st, n.Object, name) && !n.IfExists {
				return unknownEntity(n.Object, name)
			}
		}
		return nil
	})
}

func removed(st *access.State, o ast.Object, name string) bool {
	ok := false
	switch o {
	case ast.ObjectUser:
		ok = st.Users[name] != nil
		delete(st.Users, name)
	case ast.ObjectRole:
		ok = st.Roles[name] != nil
		delete(st.Roles, name)
	case ast.ObjectRowPolicy:
		ok = st.Policies[name] != nil
		delete(st.Policies, name)
	case ast.ObjectQuota:
		ok = st.Quotas[name] != nil
		delete(st.Quotas, name)
	case ast.ObjectSettingsProfile:
		ok = st.Profiles[name] != nil
		delete(st.Profiles, name)
	}
	if ok && (o == ast.ObjectUser || o == ast.ObjectRole) {
		st.Forget(name, "")
	}
	return ok
}

// executeAs is EXECUTE AS user statement: it runs with that user's rights and
// settings, in a session of his own.
func (r *run) executeAs(ctx context.Context, n *ast.ExecuteAs) (*Result, error) {
	a := r.s.user.Access
	switch {
	case n.Statement == nil:
		return nil, cherr.New(cherr.NotImplemented, "EXECUTE AS without a statement is not supported")
	case a == nil:
		return nil, cherr.New(cherr.AccessStorageForInsertionNotFound, "There are no users in this process")
	case a.Store().State().Users[n.User] == nil:
		return nil, unknownEntity(ast.ObjectUser, n.User)
	}
	as := a.Store().NewSession(n.User)
	set, err := as.Effective().Settings(r.s.engine.cfg.Settings)
	if err != nil {
		return nil, err
	}
	s := r.s.engine.NewSession(User{Name: n.User, Settings: set, Access: as})
	s.database = r.s.Database()
	return s.Execute(ctx, &Query{
		Text: ast.Format(n.Statement), Params: r.q.Params, Interface: r.q.Interface, Client: r.q.Client, Address: r.q.Address, Input: r.q.Input,
	})
}
