package engine

import (
	"strconv"
	"strings"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/engine/ast"
)

// grantsOf gives what a GRANT or REVOKE names, database db where a table stands
// alone. Errors: UNKNOWN_ACCESS_TYPE, INVALID_GRANT.
func grantsOf(n *ast.Grant, db string) ([]access.Grant, error) {
	var out []access.Grant
	for _, p := range n.Privileges {
		path := pathOf(p, db)
		for _, a := range p.Access {
			g := access.Grant{Access: []string{a.Name}, Path: path, Columns: a.Columns, Option: n.GrantOption, Revoke: n.Revoke}
			if !access.Known(a.Name) {
				return nil, cherr.New(cherr.SyntaxError, "Syntax error: %s is no access type", a.Name)
			}
			if source := access.SourceName(a.Name); source != "" {
				// GRANT S3 ON *.*: to read and to write it.
				g.Access, g.Path = []string{access.Read, access.Write}, access.Path(source)
			}
			if access.IsNamed(a.Name) && p.Database != "" {
				return nil, cherr.New(cherr.InvalidGrant, "%s cannot be granted on the database level", a.Name)
			}
			if access.IsNamed(a.Name) && p.Database == "" && !p.AnyDatabase && !p.AnyTable {
				g.Path = access.Path(p.Table)
				if p.Filter != "" {
					g.Path = access.Path(p.Table, p.Filter)
				}
			} else if access.IsNamed(a.Name) && p.AnyTable {
				g.Path = nil
			}
			if err := (&access.Rights{}).Apply(g); err != nil {
				return nil, err
			}
			out = append(out, g)
		}
	}
	return out, nil
}

// pathOf gives what stands behind ON.
func pathOf(p *ast.Privilege, db string) []access.PathPart {
	switch {
	case p.AnyDatabase:
		return nil
	case p.DefaultDatabase && p.AnyTable:
		return access.Path(db)
	case p.DefaultDatabase:
		return []access.PathPart{{Name: db}, {Name: p.Table, Prefix: p.TablePrefix}}
	case p.AnyTable:
		return []access.PathPart{{Name: p.Database, Prefix: p.DatabasePrefix}}
	}
	return []access.PathPart{{Name: p.Database, Prefix: p.DatabasePrefix}, {Name: p.Table, Prefix: p.TablePrefix}}
}

// GrantsOf reads the rights of a user of the configuration: GRANT without its
// TO.
func GrantsOf(n *ast.Grant) ([]access.Grant, error) { return grantsOf(n, "default") }

// grant is GRANT and REVOKE.
func (r *run) grant(n *ast.Grant) error {
	if n.CurrentGrants {
		return cherr.New(cherr.NotImplemented, "GRANT CURRENT GRANTS is not supported")
	}
	grants, err := grantsOf(n, r.s.Database())
	if err != nil {
		return err
	}
	store := r.s.user.Access.Store()
	to, err := r.roleNames(&n.To.RoleSet)
	if err != nil {
		return err
	}
	if n.Roles != nil {
		for _, role := range append(append([]string(nil), n.Roles.Names...), n.Roles.Except...) {
			if store.State().Roles[role] == nil {
				return access.UnknownRole(role)
			}
		}
	}
	return store.Update(func(st *access.State) error {
		names := to.Names
		if to.All {
			for _, u := range access.Sorted(st.Users) {
				if to.Has(u.Name) {
					names = append(names, u.Name)
				}
			}
			for _, x := range access.Sorted(st.Roles) {
				if to.Has(x.Name) {
					names = append(names, x.Name)
				}
			}
		}
		for _, name := range names {
			h := st.Holder(name)
			if h == nil {
				return readOnlyStorage(ast.ObjectUser, name)
			}
			if err := changeRights(st, h, n, grants); err != nil {
				return err
			}
		}
		return nil
	})
}

// changeRights applies a statement to one user or role.
func changeRights(st *access.State, h *access.Holder, n *ast.Grant, grants []access.Grant) error {
	rights := &access.Rights{}
	if !n.Replace || len(grants) == 0 {
		for _, g := range h.Grants {
			if err := rights.Apply(g); err != nil {
				return err
			}
		}
	}
	for _, g := range grants {
		if err := rights.Apply(g); err != nil {
			return err
		}
	}
	h.Grants = rights.Grants()
	if n.Roles == nil {
		return nil
	}
	which := access.Names{All: n.Roles.All, Names: n.Roles.Names, Except: n.Roles.Except}
	if !n.Revoke {
		if n.Replace {
			h.Roles = nil
		}
		for _, role := range n.Roles.Names {
			if role == h.Name || reaches(st, role, h.Name) {
				return cherr.New(cherr.InvalidGrant, "Role `%s` cannot be granted to `%s`: it would be granted to itself", role, h.Name)
			}
			h.Roles = append(removeRole(h.Roles, role), access.RoleGrant{Role: role, Admin: n.AdminOption})
		}
		return nil
	}
	var rest []access.RoleGrant
	for _, g := range h.Roles {
		switch {
		case !which.Has(g.Role):
			rest = append(rest, g)
		case n.AdminOption:
			rest = append(rest, access.RoleGrant{Role: g.Role})
		}
	}
	h.Roles = rest
	return nil
}

func removeRole(list []access.RoleGrant, role string) []access.RoleGrant {
	var out []access.RoleGrant
	for _, g := range list {
		if g.Role != role {
			out = append(out, g)
		}
	}
	return out
}

// reaches tells whether a role has another, perhaps through others.
func reaches(st *access.State, from, to string) bool {
	seen := map[string]bool{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		if role := st.Roles[queue[0]]; role != nil && !seen[queue[0]] {
			seen[queue[0]] = true
			for _, g := range role.Roles {
				queue = append(queue, g.Role)
			}
		}
	}
	return false
}

// setRole is SET ROLE and SET DEFAULT ROLE.
func (r *run) setRole(n *ast.SetRole) error {
	a := r.s.user.Access
	if a == nil {
		return nil
	}
	names := access.Names{All: n.Roles.All, Names: n.Roles.Names, Except: n.Roles.Except}
	if !n.Default {
		if n.Roles.Default {
			return a.SetRoles(nil)
		}
		return a.SetRoles(&names)
	}
	return a.Store().Update(func(st *access.State) error {
		for _, name := range n.Users {
			if strings.EqualFold(name, "CURRENT_USER") {
				name = r.s.user.Name
			}
			if name != r.s.user.Name {
				if err := a.Check(access.Need{Access: "ALTER USER", Path: []string{name}}); err != nil {
					return err
				}
			}
			u := st.Users[name]
			if u == nil {
				if a.Store().Fixed(name) {
					return readOnlyStorage(ast.ObjectUser, name)
				}
				return unknownEntity(ast.ObjectUser, name)
			}
			for _, role := range names.Names {
				if !(access.Names{Names: roleNamesOf(u.Roles)}).Has(role) {
					return cherr.New(cherr.SetNonGrantedRole, "Role should be granted to set default")
				}
			}
			u.DefaultRoles = names
		}
		return nil
	})
}

func roleNamesOf(list []access.RoleGrant) []string {
	out := make([]string, len(list))
	for i, g := range list {
		out[i] = g.Role
	}
	return out
}

func parseLimit(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 {
		return 0, cherr.New(cherr.BadArguments, "%s is no limit of a quota", text)
	}
	return v, nil
}
