package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/netip"

	"lakeserver/cherr"
	"lakeserver/settings"
)

// User is one who may log in. It is immutable.
type User struct {
	Name string
	// Password or PasswordSHA256 (hex digits); both empty: no password is asked.
	Password, PasswordSHA256 string
	// Networks are the addresses from which the user may come; none: any.
	Networks []netip.Prefix
	// Settings are the user's profile.
	Settings *settings.Settings
	// Readonly is the setting readonly of all his sessions: 0, 1 or 2.
	Readonly int
	Database string // at the session's begin; "" for default
}

// Users are all who may log in, by name.
type Users struct{ byName map[string]*User }

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
	user := u.byName[name]
	if user == nil || !user.matches(password) || !user.allows(from) {
		return nil, cherr.New(cherr.AuthenticationFailed,
			"%s: Authentication failed: password is incorrect, or there is no user with such name.", name)
	}
	return user, nil
}

// Names gives all users.
func (u *Users) Names() []string {
	var out []string
	for n := range u.byName {
		out = append(out, n)
	}
	return out
}

// NeedsPassword tells whether a user has one.
func (u *Users) NeedsPassword(name string) bool {
	user := u.byName[name]
	return user == nil || user.Password != "" || user.PasswordSHA256 != ""
}

func (u *User) matches(password string) bool {
	if u.PasswordSHA256 != "" {
		want, err := hex.DecodeString(u.PasswordSHA256)
		got := sha256.Sum256([]byte(password))
		return err == nil && subtle.ConstantTimeCompare(got[:], want) == 1
	}
	return subtle.ConstantTimeCompare([]byte(password), []byte(u.Password)) == 1
}

func (u *User) allows(from netip.Addr) bool {
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
