package main

import (
	"net/netip"
	"testing"

	"lakeserver/access"
	"lakeserver/cherr"
)

// A user that the configuration gives no password has the empty one, as in
// ClickHouse: whoever sends another is told so.
func TestNoPasswordIsTheEmptyOne(t *testing.T) {
	for _, cfg := range []Config{{}, {Users: map[string]UserConfig{"default": {}}}} {
		st, err := configured(cfg)
		if err != nil {
			t.Fatal(err)
		}
		user := st.Users["default"]
		for password, want := range map[string]bool{"": true, "wrong": false} {
			if got := user.Auth[0].Matches(password); got != want {
				t.Errorf("%q matches: %v", password, got)
			}
		}
		if !user.Auth[0].MatchesNative(nil, []byte("nonce")) {
			t.Error("an empty answer of a MySQL client does not match")
		}
		if user.Auth[0].Method != access.Plaintext {
			t.Error(user.Auth[0].Method)
		}
		if !user.Hosts.Allow(t.Context(), netip.MustParseAddr("127.0.0.1")) {
			t.Error("loopback is refused")
		}
	}
	if _, err := configured(Config{Users: map[string]UserConfig{"u": {Password: "a", PasswordSHA256Hex: "b"}}}); err == nil || cherr.Is(err, cherr.LogicalError) {
		t.Error("two passwords are taken:", err)
	}
}
