package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sort"

	"lakeserver/access"
	"lakeserver/engine"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/settings"
)

// openAccess opens the users and rights: those of the configuration, and those
// that SQL made, which are kept in the data folder.
func openAccess(cfg Config) (*access.Store, error) {
	st, err := configured(cfg)
	if err != nil {
		return nil, err
	}
	dir := ""
	if cfg.DataDir != "" {
		dir = filepath.Join(cfg.DataDir, "access")
	}
	return access.Open(dir, st)
}

// configured gives the users and profiles of the configuration; without any
// user there is default, without a password.
func configured(cfg Config) (*access.State, error) {
	st := &access.State{Users: map[string]*access.User{}, Profiles: map[string]*access.Profile{}}
	for name, values := range cfg.Profiles {
		rules, err := rulesOf(values)
		if err != nil {
			return nil, fmt.Errorf("profiles.%s: %w", name, err)
		}
		st.Profiles[name] = &access.Profile{Entity: entity("profile", name), Settings: rules}
	}
	users := cfg.Users
	if len(users) == 0 {
		users = map[string]UserConfig{"default": {}}
	}
	for name, u := range users {
		x, err := userOf(name, u)
		if err != nil {
			return nil, fmt.Errorf("users.%s: %w", name, err)
		}
		st.Users[name] = x
	}
	return st, nil
}

// entity names what the configuration defines; its id stays the same over
// restarts.
func entity(kind, name string) access.Entity {
	return access.Entity{ID: access.NameID(kind, name), Name: name}
}

func userOf(name string, u UserConfig) (*access.User, error) {
	out := &access.User{DefaultRoles: access.Names{All: true}, Grantees: access.Names{All: true}}
	out.Entity = entity("user", name)
	auth, err := authOf(u)
	if err != nil {
		return nil, err
	}
	out.Auth = []access.Auth{auth}
	out.Hosts.Any = len(u.Networks) == 0
	for _, n := range u.Networks {
		p, err := prefix(n)
		if err != nil {
			return nil, fmt.Errorf("networks: %w", err)
		}
		out.Hosts.IPs = append(out.Hosts.IPs, p)
	}
	if u.Profile != "" {
		out.Settings = append(out.Settings, access.Rule{Profile: u.Profile})
	}
	if u.ReadOnly {
		// He may read and set what bounds his queries, but change nothing:
		// clients set limits at each query.
		two := "2"
		out.Settings = append(out.Settings, access.Rule{Name: "readonly", Value: &two, Writable: "CONST"})
	}
	if u.Grants == nil {
		out.Grants = access.All().Grants()
		return out, nil
	}
	rights := &access.Rights{}
	for _, text := range u.Grants {
		stmt, err := parse.Parse("GRANT " + text + " TO x")
		g, ok := stmt.(*ast.Grant)
		if err != nil || !ok {
			return nil, fmt.Errorf("grants: %q is not like SELECT ON db.*", text)
		}
		list, err := engine.GrantsOf(g)
		if err != nil {
			return nil, fmt.Errorf("grants: %q: %w", text, err)
		}
		for _, x := range list {
			if err := rights.Apply(x); err != nil {
				return nil, fmt.Errorf("grants: %q: %w", text, err)
			}
		}
	}
	out.Grants = rights.Grants()
	return out, nil
}

// rulesOf makes a profile's rules; their order is that of the names.
func rulesOf(values map[string]string) ([]access.Rule, error) {
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	sort.Strings(names)
	out := make([]access.Rule, 0, len(names))
	for _, n := range names {
		set, err := settings.Default().With(n, values[n])
		if err != nil {
			return nil, err
		}
		v := set.Get(n)
		out = append(out, access.Rule{Name: n, Value: &v})
	}
	return out, nil
}

// asks tells whether a user of the configuration has a password.
func (u UserConfig) asks() bool {
	for _, p := range u.secrets() {
		if *p != "" {
			return true
		}
	}
	return false
}

// openUser gives a user of the configuration who may come from anywhere and is
// asked for no password; "" if there is none.
func openUser(cfg Config) string {
	if len(cfg.Users) == 0 {
		return "default"
	}
	names := make([]string, 0, len(cfg.Users))
	for n := range cfg.Users {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if u := cfg.Users[n]; !u.asks() && len(u.Networks) == 0 {
			return n
		}
	}
	return ""
}

// secrets are the keys of which at most one is given.
func (u *UserConfig) secrets() []*string {
	return []*string{&u.Password, &u.PasswordSHA256Hex, &u.PasswordDoubleSHA1Hex, &u.PasswordBcrypt}
}

// authOf gives the user's way to identify; asks is false when no password is
// asked.
func authOf(u UserConfig) (access.Auth, error) {
	given := 0
	for _, p := range u.secrets() {
		if *p != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return access.Auth{}, errors.New("only one of password, password_sha256_hex, password_double_sha1_hex and password_bcrypt can be given")
	case u.Password != "":
		return access.NewAuth(access.Plaintext, u.Password, "")
	case u.PasswordSHA256Hex != "":
		return access.FromHash(access.SHA256, u.PasswordSHA256Hex, "")
	case u.PasswordDoubleSHA1Hex != "":
		return access.FromHash(access.DoubleSHA1, u.PasswordDoubleSHA1Hex, "")
	case u.PasswordBcrypt != "":
		return access.FromHash(access.Bcrypt, u.PasswordBcrypt, "")
	}
	// A wrong password is refused here too: an empty one is a password, as in
	// ClickHouse's users.xml.
	return access.Auth{Method: access.Plaintext}, nil
}

// hidden is the configuration without what must not be seen.
func hidden(cfg Config) Config {
	users := map[string]UserConfig{}
	for n, u := range cfg.Users {
		for _, p := range u.secrets() {
			if *p != "" {
				*p = "[HIDDEN]"
			}
		}
		users[n] = u
	}
	cfg.Users = users
	named := map[string]map[string]string{}
	for n, keys := range cfg.NamedCollections {
		named[n] = map[string]string{}
		for k := range keys {
			named[n][k] = "[HIDDEN]"
		}
	}
	cfg.NamedCollections = named
	return cfg
}
