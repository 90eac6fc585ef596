package engine

import (
	"context"
	"sort"
	"strconv"
	"strings"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// showAccess is SHOW USERS, ROLES, GRANTS and their like.
func (r *run) showAccess(ctx context.Context, n *ast.Show) (*Result, error) {
	a := r.s.user.Access
	if a == nil {
		if n.Kind == ast.ShowGrants {
			return lines(n.Output, "GRANTS", access.Statements(access.All(), r.s.user.Name)...), nil
		}
		return lines(n.Output, "name"), nil
	}
	st := a.Store().State()
	switch n.Kind {
	case ast.ShowUsers:
		return lines(n.Output, "name", names(st.Users)...), nil
	case ast.ShowRoles:
		return lines(n.Output, "name", names(st.Roles)...), nil
	case ast.ShowProfiles:
		return lines(n.Output, "name", names(st.Profiles)...), nil
	case ast.ShowPolicies:
		return lines(n.Output, "name", names(st.Policies)...), nil
	case ast.ShowQuotas:
		return lines(n.Output, "name", names(st.Quotas)...), nil
	case ast.ShowCurrentRoles:
		return r.text(ctx, n.Output, "SELECT * FROM system.current_roles ORDER BY role_name")
	case ast.ShowEnabledRoles:
		return r.text(ctx, n.Output, "SELECT * FROM system.enabled_roles ORDER BY role_name")
	case ast.ShowAccess:
		return lines(n.Output, "ACCESS", everything(st)...), nil
	}
	who := n.Names
	if len(who) == 0 {
		who = []string{r.s.user.Name}
	}
	var out []string
	for _, name := range who {
		h := st.Holder(name)
		if h == nil {
			return nil, access.UnknownRole(name)
		}
		out = append(out, grantTexts(h)...)
	}
	return lines(n.Output, "GRANTS", out...), nil
}

func names[T any](m map[string]*T) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// grantTexts gives the statements that made somebody's rights.
func grantTexts(h *access.Holder) []string {
	rights := &access.Rights{}
	for _, g := range h.Grants {
		_ = rights.Apply(g) // checked when it was granted
	}
	out := access.Statements(rights, h.Name)
	for _, admin := range []bool{false, true} {
		var roles []string
		for _, g := range h.Roles {
			if g.Admin == admin {
				roles = append(roles, ast.QuoteName(g.Role))
			}
		}
		if len(roles) == 0 {
			continue
		}
		text := "GRANT " + strings.Join(roles, ", ") + " TO " + ast.QuoteName(h.Name)
		if admin {
			text += " WITH ADMIN OPTION"
		}
		out = append(out, text)
	}
	return out
}

// everything is SHOW ACCESS: statements that make all anew.
func everything(st *access.State) []string {
	var out []string
	for _, u := range access.Sorted(st.Users) {
		out = append(out, userText(u))
	}
	for _, x := range access.Sorted(st.Roles) {
		out = append(out, "CREATE ROLE "+ast.QuoteName(x.Name)+rulesText(x.Settings))
	}
	for _, p := range access.Sorted(st.Policies) {
		out = append(out, policyText(p))
	}
	for _, q := range access.Sorted(st.Quotas) {
		out = append(out, quotaText(q))
	}
	for _, p := range access.Sorted(st.Profiles) {
		out = append(out, profileText(p))
	}
	for _, u := range access.Sorted(st.Users) {
		out = append(out, grantTexts(&u.Holder)...)
	}
	for _, x := range access.Sorted(st.Roles) {
		out = append(out, grantTexts(&x.Holder)...)
	}
	return out
}

// showCreateAccess is SHOW CREATE USER and its like.
func (r *run) showCreateAccess(n *ast.Show) (*Result, error) {
	a := r.s.user.Access
	if a == nil {
		return nil, cherr.New(cherr.AccessStorageForInsertionNotFound, "There are no users in this process")
	}
	st := a.Store().State()
	who := n.Names
	if len(who) == 0 && n.Object == ast.ObjectUser {
		who = []string{r.s.user.Name}
	}
	var out []string
	for _, name := range who {
		text := ""
		switch n.Object {
		case ast.ObjectUser:
			if u := st.Users[name]; u != nil {
				text = userText(u)
			}
		case ast.ObjectRole:
			if x := st.Roles[name]; x != nil {
				text = "CREATE ROLE " + ast.QuoteName(x.Name) + rulesText(x.Settings)
			}
		case ast.ObjectSettingsProfile:
			if p := st.Profiles[name]; p != nil {
				text = profileText(p)
			}
		case ast.ObjectQuota:
			if q := st.Quotas[name]; q != nil {
				text = quotaText(q)
			}
		case ast.ObjectRowPolicy:
			if n.On != nil {
				name = r.policyName(name, n.On)
			}
			if p := st.Policies[name]; p != nil {
				text = policyText(p)
			}
		}
		if text == "" {
			return nil, unknownEntity(n.Object, name)
		}
		out = append(out, text)
	}
	return lines(n.Output, "CREATE "+n.Object.String(), out...), nil
}

// userText is a user's CREATE statement, without what he proves himself by.
func userText(u *access.User) string {
	out := "CREATE USER " + ast.QuoteName(u.Name)
	methods := make([]string, 0, len(u.Auth)+1)
	for _, a := range u.Auth {
		methods = append(methods, string(a.Method))
	}
	if len(methods) == 0 {
		methods = append(methods, string(access.NoPassword))
	}
	out += " IDENTIFIED WITH " + strings.Join(methods, ", ")
	out += hostsText(u.Hosts)
	for _, a := range u.Auth {
		if !a.Until.IsZero() {
			out += " VALID UNTIL " + ast.QuoteString(a.Until.UTC().Format("2006-01-02 15:04:05"))
			break
		}
	}
	if !u.DefaultRoles.All || len(u.DefaultRoles.Except) > 0 {
		out += " DEFAULT ROLE " + namesText(u.DefaultRoles)
	}
	if u.Database != "" {
		out += " DEFAULT DATABASE " + ast.QuoteName(u.Database)
	}
	if !u.Grantees.All || len(u.Grantees.Except) > 0 {
		out += " GRANTEES " + namesText(u.Grantees)
	}
	return out + rulesText(u.Settings)
}

func hostsText(h access.Hosts) string {
	if h.Any {
		return ""
	}
	var parts []string
	if h.Local {
		parts = append(parts, "LOCAL")
	}
	for _, p := range h.IPs {
		text := p.String()
		if p.IsSingleIP() {
			text = p.Addr().String()
		}
		parts = append(parts, "IP "+ast.QuoteString(text))
	}
	for word, list := range map[string][]string{"NAME ": h.Names, "REGEXP ": h.Regexps, "LIKE ": h.Likes} {
		for _, x := range list {
			parts = append(parts, word+ast.QuoteString(x))
		}
	}
	if len(parts) == 0 {
		return " HOST NONE"
	}
	sort.Strings(parts)
	return " HOST " + strings.Join(parts, ", ")
}

func namesText(n access.Names) string {
	list := func(names []string) string {
		quoted := make([]string, len(names))
		for i, x := range names {
			quoted[i] = ast.QuoteName(x)
		}
		return strings.Join(quoted, ", ")
	}
	switch {
	case n.All && len(n.Except) > 0:
		return "ALL EXCEPT " + list(n.Except)
	case n.All:
		return "ALL"
	case len(n.Names) == 0:
		return "NONE"
	}
	return list(n.Names)
}

func rulesText(rules []access.Rule) string {
	parts := make([]string, 0, len(rules))
	for _, x := range rules {
		if x.Profile != "" {
			parts = append(parts, "PROFILE "+ast.QuoteName(x.Profile))
			continue
		}
		text := x.Name
		for _, v := range []struct {
			word  string
			value *string
		}{{" = ", x.Value}, {" MIN ", x.Min}, {" MAX ", x.Max}} {
			if v.value != nil {
				text += v.word + settingLiteral(*v.value)
			}
		}
		if x.Writable != "" {
			text += " " + x.Writable
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return " SETTINGS " + strings.Join(parts, ", ")
}

// settingLiteral is a setting's value in a statement: numbers stand bare.
func settingLiteral(v string) string {
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		return v
	}
	return ast.QuoteString(v)
}

func profileText(p *access.Profile) string {
	return "CREATE SETTINGS PROFILE " + ast.QuoteName(p.Name) + rulesText(p.Settings) + toText(p.To)
}

func toText(n access.Names) string {
	if !n.All && len(n.Names) == 0 {
		return ""
	}
	return " TO " + namesText(n)
}

func policyText(p *access.Policy) string {
	table := ast.QuoteName(p.Table)
	if p.Table == "*" {
		table = "*"
	}
	out := "CREATE ROW POLICY " + ast.QuoteName(p.Short) + " ON " + ast.QuoteName(p.Database) + "." + table + " FOR SELECT"
	if p.Filter != "" {
		out += " USING " + p.Filter
	}
	if p.Restrictive {
		out += " AS RESTRICTIVE"
	}
	return out + toText(p.To)
}

func quotaText(q *access.Quota) string {
	out := "CREATE QUOTA " + ast.QuoteName(q.Name)
	if len(q.Keys) > 0 {
		out += " KEYED BY " + strings.Join(q.Keys, ", ")
	}
	for i, x := range q.Intervals {
		if i > 0 {
			out += ","
		}
		out += " FOR "
		if x.Randomized {
			out += "RANDOMIZED "
		}
		out += "INTERVAL " + strconv.FormatInt(int64(x.Length.Seconds()), 10) + " second"
		keys := make([]string, 0, len(x.Max))
		for k := range x.Max {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for n, k := range keys {
			word := ", "
			if n == 0 {
				word = " MAX "
			}
			out += word + k + " = " + strconv.FormatFloat(x.Max[k], 'f', -1, 64)
		}
		if len(keys) == 0 {
			out += " TRACKING ONLY"
		}
	}
	return out + toText(q.To)
}
