package server

import (
	"context"
	"net/netip"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/settings"
)

// User is one who may log in. It is immutable.
type User struct {
	Name string
	// Auth are the ways to prove who he is, any of which will do; none: no
	// password is asked.
	Auth []access.Auth
	// Networks are the addresses from which the user may come; none: any.
	Networks []netip.Prefix
	// Settings are the user's profile.
	Settings *settings.Settings
	// Readonly is the setting readonly of all his sessions: 0, 1 or 2.
	Readonly int
	Database string // at the session's begin; "" for default
	// Access is what he may do; nil: everything.
	Access *access.Session
	hosts  *access.Hosts
}

// Users are all who may log in, by name: of a fixed list, or those of a store
// of users, which changes.
type Users struct {
	byName map[string]*User
	store  *access.Store
}

// UsersOf are the users of a store.
func UsersOf(s *access.Store) *Users { return &Users{store: s} }

// user finds one as he is now; nil if there is none.
func (u *Users) user(name string) *User {
	if u.store == nil {
		return u.byName[name]
	}
	kept := u.store.State().Users[name]
	if kept == nil {
		return nil
	}
	s := u.store.NewSession(name)
	out := &User{Name: name, Auth: kept.Auth, Database: kept.Database, Access: s, hosts: &kept.Hosts, Settings: settings.Default()}
	if set, err := s.Effective().Settings(out.Settings); err == nil { // checked when the rules were made
		out.Settings = set
	}
	return out
}

// NewUsers makes the set; without any user there is "default" with no password.
func NewUsers(users ...*User) *Users {
	u := &Users{byName: map[string]*User{}}
	for _, x := range users {
		if x.Settings == nil {
			x.Settings = settings.Default()
		}
		u.byName[x.Name] = x
	}
	if len(users) == 0 {
		u.byName["default"] = &User{Name: "default", Settings: settings.Default()}
	}
	return u
}

// Login checks name, password and address. Error: AUTHENTICATION_FAILED,
// without saying what was wrong.
func (u *Users) Login(name, password string, from netip.Addr) (*User, error) {
	return u.Authenticate(name, from, func(a access.Auth) bool { return a.Matches(password) })
}

// Authenticate is Login with another proof than the password itself: matches
// tells whether what the client sent fits one of the user's ways to identify.
func (u *Users) Authenticate(name string, from netip.Addr, matches func(access.Auth) bool) (*User, error) {
	user := u.user(name)
	if user == nil {
		// As long as a wrong password takes, so that names cannot be guessed.
		matches(access.Auth{Method: access.Plaintext})
		return nil, noLogin(name)
	}
	if !user.matches(matches) || !user.allows(from) {
		return nil, noLogin(name)
	}
	return user, nil
}

// Known gives a user who proved before who he is: same tells whether his ways
// to identify are those of then.
func (u *Users) Known(name string, from netip.Addr, same func([]access.Auth) bool) (*User, error) {
	user := u.user(name)
	if user == nil || !same(user.Auth) || !user.allows(from) {
		return nil, noLogin(name)
	}
	return user, nil
}

func noLogin(name string) error {
	return cherr.New(cherr.AuthenticationFailed,
		"%s: Authentication failed: password is incorrect, or there is no user with such name.", name)
}

// Methods gives a user's ways to identify; none for an unknown user.
func (u *Users) Methods(name string) []access.Method {
	user := u.user(name)
	if user == nil {
		return nil
	}
	out := make([]access.Method, 0, len(user.Auth)+1)
	for _, a := range user.Auth {
		out = append(out, a.Method)
	}
	if len(out) == 0 {
		out = append(out, access.NoPassword)
	}
	return out
}

func (u *User) matches(proof func(access.Auth) bool) bool {
	if len(u.Auth) == 0 {
		return proof(access.Auth{Method: access.NoPassword})
	}
	now := time.Now()
	for _, a := range u.Auth {
		if (a.Until.IsZero() || now.Before(a.Until)) && proof(a) {
			return true
		}
	}
	return false
}

func (u *User) allows(from netip.Addr) bool {
	if u.hosts != nil {
		return u.hosts.Allow(context.Background(), from)
	}
	if len(u.Networks) == 0 {
		return true
	}
	for _, n := range u.Networks {
		if n.Contains(from.Unmap()) {
			return true
		}
	}
	return false
}
