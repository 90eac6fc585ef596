package system

import (
	"time"

	"lakeserver/access"
	"lakeserver/column"
	"lakeserver/functions"
)

// accessTables show the store of users, roles and rights.
var accessTables = map[string]func(src *Source, env *functions.Env, st *access.State, r *rows){
	"users": fillUsers, "roles": fillRoles, "grants": fillGrants, "role_grants": fillRoleGrants,
	"row_policies": fillPolicies, "settings_profiles": fillProfiles, "settings_profile_elements": fillProfileElements,
	"quotas": fillQuotas, "quota_limits": fillQuotaLimits, "quota_usage": fillQuotaUsage, "quotas_usage": fillQuotaUsage,
	"current_roles": fillCurrentRoles, "enabled_roles": fillEnabledRoles, "user_directories": fillUserDirectories,
	"privileges": fillPrivileges,
}

// accessFill is such a table's fill; without a store there is nobody.
func accessFill(name string) fill {
	f := accessTables[name]
	if f == nil {
		return nil
	}
	return func(src *Source, env *functions.Env, r *rows) error {
		st := &access.State{}
		if src.Access != nil {
			st = src.Access.State()
		}
		f(src, env, st, r)
		return nil
	}
}

func setEntity(r *rows, e *access.Entity) {
	r.next()
	r.set("name", e.Name)
	r.set("id", e.ID)
	r.set("storage", e.Storage)
}

// setNames shows a set of users or roles in the three columns of a prefix.
func setNames(r *rows, prefix, all string, n access.Names) {
	r.set(prefix+all, n.All)
	r.set(prefix+"list", n.Names)
	r.set(prefix+"except", n.Except)
}

func fillUsers(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, u := range access.Sorted(st.Users) {
		setEntity(r, &u.Entity)
		var methods, params []string
		var until column.Row
		for _, a := range u.Auth {
			methods, params = append(methods, string(a.Method)), append(params, "{}")
			t := int64(0)
			if !a.Until.IsZero() {
				t = a.Until.Unix()
			}
			until = append(until, t)
		}
		if len(methods) == 0 {
			methods, params, until = []string{string(access.NoPassword)}, []string{"{}"}, column.Row{int64(0)}
		}
		r.set("auth_type", methods)
		r.set("auth_params", params)
		r.set("valid_until", until)
		var ips []string
		if u.Hosts.Any {
			ips = []string{"::/0"}
		}
		if u.Hosts.Local {
			ips = append(ips, "127.0.0.1", "::1")
		}
		for _, p := range u.Hosts.IPs {
			ips = append(ips, p.String())
		}
		r.set("host_ip", ips)
		r.set("host_names", u.Hosts.Names)
		r.set("host_names_regexp", u.Hosts.Regexps)
		r.set("host_names_like", u.Hosts.Likes)
		setNames(r, "default_roles_", "all", u.DefaultRoles)
		setNames(r, "grantees_", "any", u.Grantees)
		r.set("default_database", u.Database)
	}
}

func fillRoles(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, x := range access.Sorted(st.Roles) {
		setEntity(r, &x.Entity)
	}
}

// holders calls f for all users and roles, with the columns that name them.
func holders(st *access.State, f func(column string, h *access.Holder)) {
	for _, u := range access.Sorted(st.Users) {
		f("user_name", &u.Holder)
	}
	for _, x := range access.Sorted(st.Roles) {
		f("role_name", &x.Holder)
	}
}

func fillGrants(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	holders(st, func(who string, h *access.Holder) {
		for _, g := range h.Grants {
			columns := g.Columns
			if len(columns) == 0 {
				columns = []string{""}
			}
			for _, name := range g.Access {
				for _, c := range columns {
					r.next()
					r.set(who, h.Name)
					r.set("access_type", name)
					setPath(r, name, g)
					if c != "" {
						r.set("column", c)
					}
					r.set("is_partial_revoke", g.Revoke)
					r.set("grant_option", g.Option)
				}
			}
		}
	})
}

func setPath(r *rows, name string, g access.Grant) {
	wildcard := false
	for i, p := range g.Path {
		wildcard = wildcard || p.Prefix
		switch {
		case access.IsNamed(name) && i == 0:
			r.set("access_object", p.Name)
		case !access.IsNamed(name):
			r.set([]string{"database", "table"}[i], p.Name)
		}
	}
	r.set("is_wildcard", wildcard)
}

func fillRoleGrants(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	holders(st, func(who string, h *access.Holder) {
		for _, g := range h.Roles {
			r.next()
			r.set(who, h.Name)
			r.set("granted_role_name", g.Role)
			isDefault := true
			if u := st.Users[h.Name]; u != nil {
				isDefault = u.DefaultRoles.Has(g.Role)
			}
			if x := st.Roles[g.Role]; x != nil {
				r.set("granted_role_id", x.ID)
			}
			r.set("granted_role_is_default", isDefault)
			r.set("with_admin_option", g.Admin)
		}
	})
}

func fillPolicies(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, p := range access.Sorted(st.Policies) {
		setEntity(r, &p.Entity)
		r.set("short_name", p.Short)
		r.set("database", p.Database)
		r.set("table", p.Table)
		if p.Filter != "" {
			r.set("select_filter", p.Filter)
		}
		r.set("is_restrictive", p.Restrictive)
		setNames(r, "apply_to_", "all", p.To)
	}
}

func fillProfiles(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, p := range access.Sorted(st.Profiles) {
		setEntity(r, &p.Entity)
		r.set("num_elements", len(p.Settings))
		setNames(r, "apply_to_", "all", p.To)
	}
}

func fillProfileElements(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	element := func(who, name string, i int, x access.Rule) {
		r.next()
		r.set(who, name)
		r.set("index", i)
		if x.Profile != "" {
			r.set("inherit_profile", x.Profile)
			return
		}
		r.set("setting_name", x.Name)
		for _, v := range []struct {
			column string
			value  *string
		}{{"value", x.Value}, {"min", x.Min}, {"max", x.Max}} {
			if v.value != nil {
				r.set(v.column, *v.value)
			}
		}
		if x.Writable != "" {
			r.set("writability", x.Writable)
		}
	}
	for _, p := range access.Sorted(st.Profiles) {
		for i, x := range p.Settings {
			element("profile_name", p.Name, i, x)
		}
	}
	holders(st, func(who string, h *access.Holder) {
		for i, x := range h.Settings {
			element(who, h.Name, i, x)
		}
	})
}

func fillQuotas(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, q := range access.Sorted(st.Quotas) {
		setEntity(r, &q.Entity)
		r.set("keys", q.Keys)
		var lengths column.Row
		for _, i := range q.Intervals {
			lengths = append(lengths, uint32(i.Length.Seconds()))
		}
		r.set("durations", lengths)
		setNames(r, "apply_to_", "all", q.To)
	}
}

func fillQuotaLimits(_ *Source, _ *functions.Env, st *access.State, r *rows) {
	for _, q := range access.Sorted(st.Quotas) {
		for _, i := range q.Intervals {
			r.next()
			r.set("quota_name", q.Name)
			r.set("duration", int(i.Length.Seconds()))
			r.set("is_randomized_interval", i.Randomized)
			setAmounts(r, "max_", i.Max)
		}
	}
}

func setAmounts(r *rows, prefix string, m map[string]float64) {
	for name, v := range m {
		if name == "execution_time" {
			r.set(prefix+name, v)
			continue
		}
		r.set(prefix+name, uint64(v))
	}
}

func fillQuotaUsage(src *Source, env *functions.Env, st *access.State, r *rows) {
	if src.Access == nil {
		return
	}
	for _, u := range src.Access.Usage(env.Now) {
		r.next()
		r.set("quota_name", u.Quota)
		r.set("quota_key", u.Key)
		r.set("start_time", u.End.Add(-u.Length))
		r.set("end_time", u.End)
		r.set("duration", int(u.Length/time.Second))
		setAmounts(r, "", u.Used)
		if q := st.Quotas[u.Quota]; q != nil {
			for _, i := range q.Intervals {
				if i.Length == u.Length {
					setAmounts(r, "max_", i.Max)
				}
			}
		}
	}
}

func fillCurrentRoles(_ *Source, env *functions.Env, st *access.State, r *rows) {
	for _, name := range env.CurrentRoles {
		r.next()
		setRole(r, env, st, name)
	}
}

func fillEnabledRoles(_ *Source, env *functions.Env, st *access.State, r *rows) {
	for _, name := range env.EnabledRoles {
		r.next()
		setRole(r, env, st, name)
		r.set("is_current", (access.Names{Names: env.CurrentRoles}).Has(name))
	}
}

func setRole(r *rows, env *functions.Env, st *access.State, name string) {
	r.set("role_name", name)
	if u := st.Users[env.User]; u != nil {
		r.set("is_default", u.DefaultRoles.Has(name))
		for _, g := range u.Roles {
			if g.Role == name {
				r.set("with_admin_option", g.Admin)
			}
		}
	}
}

func fillUserDirectories(_ *Source, _ *functions.Env, _ *access.State, r *rows) {
	for i, name := range []string{access.StorageConfig, access.StorageDisk} {
		r.next()
		r.set("name", name)
		r.set("type", name)
		r.set("params", "{}")
		r.set("precedence", i+1)
	}
}

func fillPrivileges(_ *Source, _ *functions.Env, _ *access.State, r *rows) {
	for _, p := range access.Privileges() {
		r.next()
		r.set("privilege", p.Name)
		r.set("aliases", p.Aliases)
		if p.Level != "" {
			r.set("level", p.Level)
		}
		if p.Parent != "" {
			r.set("parent_group", p.Parent)
		}
	}
}
