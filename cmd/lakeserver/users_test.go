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

// Collections of the configuration are there by name, and their secrets are
// not shown.
func TestCollectionsOfTheConfiguration(t *testing.T) {
	cfg := testConfig(t)
	cfg.NamedCollections = map[string]map[string]string{"lake": {"url": "http://127.0.0.1:1/bucket/", "secret_access_key": "hush"}}
	if err := cfg.check(); err != nil {
		t.Fatal(err)
	}
	r := recordedServer(t, cfg)
	r.want("SELECT name, collection['secret_access_key'], source FROM system.named_collections ORDER BY name", 0, "lake\t[HIDDEN]\tCONFIG")
}
