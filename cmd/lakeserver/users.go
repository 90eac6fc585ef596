package main

import (
	"errors"

	"lakeserver/access"
)

// asks tells whether a user of the configuration has a password.
func (u UserConfig) asks() bool {
	for _, p := range u.secrets() {
		if *p != "" {
			return true
		}
	}
	return false
}

// secrets are the keys of which at most one is given.
func (u *UserConfig) secrets() []*string {
	return []*string{&u.Password, &u.PasswordSHA256Hex, &u.PasswordDoubleSHA1Hex, &u.PasswordBcrypt}
}

// authOf gives the user's way to identify; asks is false when no password is
// asked.
func authOf(u UserConfig) (a access.Auth, asks bool, err error) {
	given := 0
	for _, p := range u.secrets() {
		if *p != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return a, false, errors.New("only one of password, password_sha256_hex, password_double_sha1_hex and password_bcrypt can be given")
	case u.Password != "":
		a, err = access.NewAuth(access.Plaintext, u.Password, "")
	case u.PasswordSHA256Hex != "":
		a, err = access.FromHash(access.SHA256, u.PasswordSHA256Hex, "")
	case u.PasswordDoubleSHA1Hex != "":
		a, err = access.FromHash(access.DoubleSHA1, u.PasswordDoubleSHA1Hex, "")
	case u.PasswordBcrypt != "":
		a, err = access.FromHash(access.Bcrypt, u.PasswordBcrypt, "")
	}
	return a, given == 1, err
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
