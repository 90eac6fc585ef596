package access

import (
	"strconv"
	"strings"
	"sync"

	"lakeserver/cherr"
	"lakeserver/settings"
)

// Session is a user's rights in a session: with the roles that he set. It is
// safe for concurrent use.
type Session struct {
	store *Store
	user  string

	mu      sync.Mutex
	roles   *Names // SET ROLE; nil: the default roles
	version uint64
	now     *Effective
}

// NewSession begins a session of a user that the store has.
func (s *Store) NewSession(user string) *Session { return &Session{store: s, user: user} }

// Store gives where the entities are.
func (s *Session) Store() *Store { return s.store }

// User gives the user's name.
func (s *Session) User() string { return s.user }

// Effective is what holds for a user with his current roles.
type Effective struct {
	Rights   *Rights
	Current  []string // roles that are set
	Default  []string // roles that a login sets
	Enabled  []string // and those that these have
	Admin    map[string]bool
	profiles []Rule
	policies []*Policy
	quotas   []*Quota
	all      bool
}

// Effective gives what holds now. A user who was dropped may do nothing.
func (s *Session) Effective() *Effective {
	v := s.store.joined.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil || s.version != v.number {
		s.now, s.version = effective(v.state, s.user, s.roles), v.number
	}
	return s.now
}

// SetRoles is SET ROLE; nil sets the default roles. Error:
// SET_NON_GRANTED_ROLE.
func (s *Session) SetRoles(roles *Names) error {
	u := s.store.State().Users[s.user]
	if roles != nil {
		for _, r := range append(append([]string(nil), roles.Names...), roles.Except...) {
			if s.store.State().Roles[r] == nil {
				return UnknownRole(r)
			}
			if u == nil || !u.has(r) {
				return cherr.New(cherr.SetNonGrantedRole, "Role should be granted to set current")
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roles, s.now = roles, nil
	return nil
}

func (h *Holder) has(role string) bool {
	for _, g := range h.Roles {
		if g.Role == role {
			return true
		}
	}
	return false
}

// UnknownRole is the error for a name that is no role and no user.
func UnknownRole(name string) error {
	return cherr.New(cherr.UnknownRole, "There is no role `%s` in `user directories`.", name)
}

func effective(st *State, user string, roles *Names) *Effective {
	e := &Effective{Rights: &Rights{}, Admin: map[string]bool{}}
	u := st.Users[user]
	if u == nil {
		return e
	}
	which := u.DefaultRoles
	if roles != nil {
		which = *roles
	}
	for _, g := range u.Roles {
		if which.Has(g.Role) {
			e.Current = append(e.Current, g.Role)
		}
		if u.DefaultRoles.Has(g.Role) {
			e.Default = append(e.Default, g.Role)
		}
		e.Admin[g.Role] = e.Admin[g.Role] || g.Admin
	}
	holders := []*Holder{&u.Holder}
	seen := map[string]bool{}
	for queue := append([]string(nil), e.Current...); len(queue) > 0; queue = queue[1:] {
		r := st.Roles[queue[0]]
		if r == nil || seen[r.Name] {
			continue
		}
		seen[r.Name] = true
		e.Enabled = append(e.Enabled, r.Name)
		holders = append(holders, &r.Holder)
		for _, g := range r.Roles {
			queue = append(queue, g.Role)
			e.Admin[g.Role] = e.Admin[g.Role] || g.Admin
		}
	}
	e.join(st, user, holders)
	return e
}

// join adds up what the user and his roles have. The user's own settings go
// over his roles', and those over profiles that name him.
func (e *Effective) join(st *State, user string, holders []*Holder) {
	names := append([]string{user}, e.Enabled...)
	for _, p := range Sorted(st.Profiles) {
		if p.To.Has(names...) {
			e.addRules(st, p.Settings, 0)
		}
	}
	for i := len(holders) - 1; i >= 0; i-- {
		e.addRules(st, holders[i].Settings, 0)
	}
	for _, h := range holders {
		own := &Rights{}
		for _, g := range h.Grants {
			_ = own.Apply(g) // checked when it was granted
		}
		if len(holders) == 1 {
			e.Rights = own
		} else {
			e.Rights.Add(own)
		}
	}
	for _, p := range Sorted(st.Policies) {
		if p.To.Has(names...) {
			e.policies = append(e.policies, p)
		}
	}
	for _, q := range Sorted(st.Quotas) {
		if q.To.Has(names...) {
			e.quotas = append(e.quotas, q)
		}
	}
	e.all = e.Rights.IsAll()
}

// maxProfiles bounds how deep profiles inherit: a cycle ends.
const maxProfiles = 32

func (e *Effective) addRules(st *State, rules []Rule, depth int) {
	for _, r := range rules {
		if r.Profile == "" {
			e.profiles = append(e.profiles, r)
			continue
		}
		if p := st.Profiles[r.Profile]; p != nil && depth < maxProfiles {
			e.addRules(st, p.Settings, depth+1)
		}
	}
}

// Everything tells whether no right is missing and no policy holds, so that
// nothing need be asked.
func (e *Effective) Everything() bool { return e.all && len(e.policies) == 0 }

// Settings gives set with the values of the profiles.
func (e *Effective) Settings(set *settings.Settings) (*settings.Settings, error) {
	for _, r := range e.profiles {
		if r.Value == nil {
			continue
		}
		next, err := set.With(r.Name, *r.Value)
		if err != nil {
			return nil, err
		}
		set = next
	}
	return set, nil
}

// Rule gives what is said of a setting; the later rules go over the earlier.
func (e *Effective) Rule(name string) Rule {
	out := Rule{Name: name}
	for _, r := range e.profiles {
		if r.Name != name {
			continue
		}
		if r.Min != nil {
			out.Min = r.Min
		}
		if r.Max != nil {
			out.Max = r.Max
		}
		if r.Allowed != nil {
			out.Allowed = r.Allowed
		}
		if r.Writable != "" {
			out.Writable = r.Writable
		}
	}
	return out
}

// Check refuses a setting's value that its rule does not allow:
// SETTING_CONSTRAINT_VIOLATION.
func (r Rule) Check(value string) error {
	switch {
	case r.Writable == "CONST" || r.Writable == "READONLY":
		return cherr.New(cherr.SettingConstraintViolation, "Setting %s should not be changed", r.Name)
	case r.Min != nil && less(value, *r.Min):
		return cherr.New(cherr.SettingConstraintViolation, "Setting %s shouldn't be less than %s", r.Name, *r.Min)
	case r.Max != nil && less(*r.Max, value):
		return cherr.New(cherr.SettingConstraintViolation, "Setting %s shouldn't be greater than %s", r.Name, *r.Max)
	case r.Allowed != nil && !(Names{Names: r.Allowed}).Has(value):
		return cherr.New(cherr.SettingConstraintViolation, "Setting %s shouldn't be %s: it may be %s", r.Name, value, strings.Join(r.Allowed, ", "))
	}
	return nil
}

// Policy gives the conditions on a table's rows: a row is seen when one of the
// permissive ones holds, if there are any, and all of the restrictive do.
// Policies for others do not bind: ClickHouse's
// users_without_row_policies_can_read_rows.
func (s *Session) Policy(database, table string) (permissive, restrictive []string) {
	for _, p := range s.Effective().policies {
		if p.Database != database || p.Table != table && p.Table != "*" {
			continue
		}
		filter := p.Filter
		if filter == "" {
			filter = "1"
		}
		if p.Restrictive {
			restrictive = append(restrictive, filter)
		} else {
			permissive = append(permissive, filter)
		}
	}
	return permissive, restrictive
}

// Check refuses what is not allowed: ACCESS_DENIED, with the grant that is
// missing.
func (s *Session) Check(needs ...Need) error {
	e := s.Effective()
	if e.all {
		return nil
	}
	for _, n := range needs {
		if !e.Rights.Allows(n) {
			return s.Denied(n)
		}
	}
	return nil
}

// Denied is the error for a need that is not met.
func (s *Session) Denied(n Need) error {
	g := Grant{Access: []string{n.Access}, Path: Path(n.Path...), Columns: n.Columns}
	with := ""
	if n.Option {
		with = " WITH GRANT OPTION"
	}
	return cherr.New(cherr.AccessDenied, "%s: Not enough privileges. To execute this query, it's necessary to have the grant %s ON %s%s",
		s.user, g.Words(), g.Target(), with)
}

// less compares values of a setting: as numbers where they are.
func less(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err != nil || err2 != nil {
		return a < b
	}
	return x < y
}
