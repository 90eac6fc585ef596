package access

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
)

// TestPasswords: each form knows its password and no other.
func TestPasswords(t *testing.T) {
	for _, m := range []Method{Plaintext, SHA256, DoubleSHA1, Bcrypt} {
		for _, salt := range []string{"", "salt"} {
			a, err := NewAuth(m, "secret", salt)
			if err != nil {
				t.Fatal(err)
			}
			if !a.Matches("secret") || a.Matches("Secret") || a.Matches("") {
				t.Errorf("%s does not tell its password from others", m)
			}
			if m != Plaintext && strings.Contains(string(a.Secret), "secret") {
				t.Errorf("%s keeps the password", m)
			}
		}
	}
	// echo -n secret | sha256sum; ClickHouse's documentation of double SHA1.
	for hash, m := range map[string]Method{
		"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b": SHA256,
		"14e65567abdb5135d0cfd9a70b3032c179a49ee7":                         DoubleSHA1,
	} {
		a, err := FromHash(m, hash, "")
		if err != nil || !a.Matches("secret") {
			t.Errorf("%s of a hash: %v", m, err)
		}
	}
	for _, bad := range []string{"", "xyz", "00"} {
		if _, err := FromHash(SHA256, bad, ""); cherr.CodeOf(err) != cherr.BadArguments {
			t.Errorf("the hash %q gave %v", bad, err)
		}
	}
}

func apply(t *testing.T, r *Rights, g Grant) {
	t.Helper()
	if err := r.Apply(g); err != nil {
		t.Fatal(err)
	}
}

func TestRights(t *testing.T) {
	r := &Rights{}
	apply(t, r, Grant{Access: []string{"SELECT"}, Path: Path("d")})
	apply(t, r, Grant{Access: []string{"SELECT"}, Path: Path("d", "secret"), Revoke: true})
	apply(t, r, Grant{Access: []string{"SELECT"}, Path: Path("d", "secret"), Columns: []string{"a"}})
	apply(t, r, Grant{Access: []string{"INSERT"}, Path: []PathPart{{Name: "my_", Prefix: true}}, Option: true})
	apply(t, r, Grant{Access: []string{"READ"}, Path: Path("S3", "s3://bucket/.*")})
	for _, c := range []struct {
		need Need
		want bool
	}{
		{Need{Access: "SELECT", Path: []string{"d", "t"}}, true},
		{Need{Access: "SELECT", Path: []string{"d"}}, false}, // not all of it
		{Need{Access: "SELECT", Path: []string{"d", "secret"}}, false},
		{Need{Access: "SELECT", Path: []string{"d", "secret"}, Any: true}, true},
		{Need{Access: "SELECT", Path: []string{"d", "secret"}, Columns: []string{"a"}}, true},
		{Need{Access: "SELECT", Path: []string{"d", "secret"}, Columns: []string{"a", "b"}}, false},
		{Need{Access: "SELECT", Path: []string{"e", "t"}, Any: true}, false},
		{Need{Access: "INSERT", Path: []string{"my_db", "t"}}, true},
		{Need{Access: "INSERT", Path: []string{"my_db", "t"}, Option: true}, true},
		{Need{Access: "SELECT", Path: []string{"d", "t"}, Option: true}, false},
		{Need{Access: "INSERT", Path: []string{"your_db", "t"}}, false},
		{Need{Access: "READ", Path: []string{"S3"}, Source: "s3://bucket/x"}, true},
		{Need{Access: "READ", Path: []string{"S3"}, Source: "s3://other/s3://bucket/x"}, false},
		{Need{Access: "READ", Path: []string{"S3"}}, false},
		{Need{Access: "ALTER ADD COLUMN", Path: []string{"d", "t"}}, false},
	} {
		if got := r.Allows(c.need); got != c.want {
			t.Errorf("%+v: %v", c.need, got)
		}
	}
	want := []string{
		"GRANT READ ON S3('s3://bucket/.*') TO u", "GRANT SELECT ON d.* TO u", "REVOKE SELECT ON d.secret FROM u",
		"GRANT SELECT(a) ON d.secret TO u", "GRANT INSERT ON my_*.* TO u WITH GRANT OPTION",
	}
	if got := Statements(r, "u"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !All().IsAll() || r.IsAll() {
		t.Error("ALL is not all")
	}
	apply(t, r, Grant{Access: []string{"ALL"}, Revoke: true})
	if got := Statements(r, "u"); len(got) != 0 {
		t.Errorf("after REVOKE ALL there is %q", got)
	}
}

// TestRightsModel: rights after random statements allow what a plain list of
// them allows, also when they are joined and written down in between.
func TestRightsModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "ab", "b"}
	words := []string{"SELECT", "INSERT", "ALTER UPDATE"}
	for range 300 {
		rights := [2]*Rights{{}, {}}
		model := [2]map[[4]string]bool{{}, {}}
		for range rng.IntN(12) {
			who := rng.IntN(2)
			g := Grant{Access: []string{words[rng.IntN(3)]}, Revoke: rng.IntN(3) == 0}
			for range rng.IntN(3) {
				g.Path = append(g.Path, PathPart{names[rng.IntN(3)], rng.IntN(4) == 0})
			}
			if len(g.Path) == 2 && !g.Path[1].Prefix && !g.Path[0].Prefix && rng.IntN(2) == 0 {
				g.Columns = []string{names[rng.IntN(3)]}
			}
			apply(t, rights[who], g)
			for _, d := range names {
				for _, tab := range names {
					for _, c := range names {
						if covers(g, d, tab, c) {
							model[who][[4]string{g.Access[0], d, tab, c}] = !g.Revoke
						}
					}
				}
			}
		}
		again := &Rights{}
		for _, g := range rights[0].Grants() {
			apply(t, again, g)
		}
		both := &Rights{}
		both.Add(rights[0])
		both.Add(rights[1])
		for _, w := range words {
			for _, d := range names {
				for _, tab := range names {
					for _, c := range names {
						n := Need{Access: w, Path: []string{d, tab}, Columns: []string{c}}
						k := [4]string{w, d, tab, c}
						if got := rights[0].Allows(n); got != model[0][k] {
							t.Fatalf("%v: %v\n%s", k, got, strings.Join(Statements(rights[0], "u"), "\n"))
						}
						if got := again.Allows(n); got != model[0][k] {
							t.Fatalf("written down and read: %v: %v", k, got)
						}
						if got := both.Allows(n); got != (model[0][k] || model[1][k]) {
							t.Fatalf("joined: %v: %v", k, got)
						}
					}
				}
			}
		}
	}
}

func covers(g Grant, names ...string) bool {
	for i, p := range g.Path {
		if names[i] != p.Name && !(p.Prefix && strings.HasPrefix(names[i], p.Name)) {
			return false
		}
	}
	return len(g.Columns) == 0 || g.Columns[0] == names[2]
}

// TestStore: what an Update left is there after the store is opened again; a
// failed one leaves nothing; a torn file beside it does no harm, a torn file in
// its place is an error.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	fixed := &State{Users: map[string]*User{"default": {Holder: Holder{Entity: Entity{Name: "default"}}}}}
	s, err := Open(dir, fixed)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) error {
		return s.Update(func(st *State) error {
			a, err := NewAuth(SHA256, "secret", "")
			st.Users[name] = &User{
				Holder: Holder{Entity: Entity{ID: NewID(), Name: name}, Grants: []Grant{{Access: []string{"SELECT"}, Path: Path("d")}}},
				Auth:   []Auth{a}, Hosts: Hosts{Any: true},
			}
			return err
		})
	}
	if err := add("u"); err != nil {
		t.Fatal(err)
	}
	version := s.Version()
	if err := s.Update(func(st *State) error { st.Users["x"] = &User{}; return cherr.New(cherr.BadArguments, "no") }); err == nil || s.Version() != version || s.State().Users["x"] != nil {
		t.Error("a failed change was kept")
	}
	if err := os.WriteFile(filepath.Join(dir, ".access-torn"), []byte(`{"version":1,"sta`), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, fixed)
	if err != nil {
		t.Fatal(err)
	}
	u := again.State().Users["u"]
	if u == nil || !u.Auth[0].Matches("secret") || u.Storage != StorageDisk || again.State().Users["default"].Storage != StorageConfig {
		t.Errorf("read again: %+v", u)
	}
	text, err := os.ReadFile(filepath.Join(dir, "access.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "access.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the file: %v, %v", info.Mode(), err)
	}
	for n := 0; n < len(text); n += 7 {
		if err := os.WriteFile(filepath.Join(dir, "access.json"), text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, fixed); err == nil {
			t.Fatalf("the first %d of %d bytes were taken for all", n, len(text))
		}
	}
}

// TestForget: a role that is gone is gone from all that names it.
func TestForget(t *testing.T) {
	st := newState()
	st.Roles["r"] = &Role{}
	st.Users["u"] = &User{Holder: Holder{Roles: []RoleGrant{{Role: "r"}}}, DefaultRoles: Names{Names: []string{"r"}}}
	st.Policies["p"] = &Policy{To: Names{All: true, Except: []string{"r"}}}
	st.Forget("r", "s")
	if text, _ := json.Marshal(st.Users["u"]); strings.Contains(string(text), `"r"`) || !strings.Contains(string(text), `"s"`) {
		t.Errorf("%s", text)
	}
	st.Forget("s", "")
	if u := st.Users["u"]; len(u.Roles) != 0 || len(u.DefaultRoles.Names) != 0 || len(st.Policies["p"].To.Except) != 0 {
		t.Errorf("%+v", u)
	}
}

func TestQuota(t *testing.T) {
	s, err := Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(func(st *State) error {
		st.Users["u"] = &User{}
		st.Quotas["q"] = &Quota{
			Entity: Entity{Name: "q"}, Keys: []string{"user_name"}, To: Names{All: true},
			Intervals: []Interval{{Length: time.Hour, Max: map[string]float64{"queries": 2}}},
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	u := s.NewSession("u")
	now := time.Date(2026, 1, 1, 10, 30, 0, 0, time.UTC)
	for i, want := range []cherr.Code{cherr.OK, cherr.OK, cherr.QuotaExceeded} {
		if err := u.Spend(now, "", map[string]float64{"queries": 1}); cherr.CodeOf(err) != want {
			t.Errorf("query %d gave %v", i, err)
		}
	}
	if err := u.Spend(now.Add(time.Hour), "", map[string]float64{"queries": 1}); err != nil {
		t.Errorf("in the next hour: %v", err)
	}
}
