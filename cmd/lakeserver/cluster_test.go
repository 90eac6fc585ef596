package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
	"lakeserver/internal/sqltest"
	"lakeserver/server"
)

// Functions of a cluster read as the plain ones where this server is all of
// it, and nowhere else: never fewer rows.
func TestClusterFunctions(t *testing.T) {
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir = t.TempDir(), t.TempDir()
	cfg.Clusters = map[string][]ShardConfig{
		"here": {{Replicas: []ReplicaConfig{{Host: "localhost", Local: true}}}},
		"far":  {{Replicas: []ReplicaConfig{{Host: "localhost", Local: true}, {Host: "other", Port: 9000}}}},
	}
	e, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.UserFilesDir, "a.csv"), []byte("1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	users := server.UsersOf(e.Access())
	login := func(name, password string) server.Session {
		u, err := users.Login(name, password, netip.MustParseAddr("127.0.0.1"))
		if err != nil {
			t.Fatal(err)
		}
		return server.Over(e).NewSession(u)
	}
	s := login("default", "")
	ask(t, s, "CREATE TABLE i (a Int64, b String) ENGINE = IcebergLocal('i')")
	ask(t, s, "INSERT INTO i VALUES (1, 'x'), (2, 'y'), (3, 'z')")
	for cluster, plain := range map[string]string{
		"icebergLocalCluster('here', 'i')": "icebergLocal('i')", "icebergLocalCluster(here, 'i')": "icebergLocal('i')",
		"fileCluster('here', 'a.csv', 'CSV', 'a Int64, b String')": "file('a.csv', 'CSV', 'a Int64, b String')",
	} {
		got, want := ask(t, s, "SELECT * FROM %s WHERE a > 1 ORDER BY a", cluster), ask(t, s, "SELECT * FROM %s WHERE a > 1 ORDER BY a", plain)
		if len(want) == 0 || strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("%s: %v, want %v", cluster, got, want)
		}
	}
	code := func(s server.Session, sql string) cherr.Code {
		_, err := answer(t.Context(), s, sqltest.Case{SQL: sql})
		return cherr.CodeOf(err)
	}
	for sql, want := range map[string]cherr.Code{
		"SELECT * FROM icebergLocalCluster('nowhere', 'i')": cherr.ClusterDoesntExist,
		"SELECT * FROM icebergLocalCluster('far', 'i')":     cherr.NotImplemented,
		"SELECT * FROM s3Cluster('nowhere', 'http://x/y')":  cherr.ClusterDoesntExist,
		"SELECT * FROM fileCluster()":                       cherr.NumberOfArgumentsDoesntMatch,
	} {
		if got := code(s, sql); got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
	// A grant on some addresses is asked for the address, not for the cluster's name.
	ask(t, s, "CREATE USER u")
	ask(t, s, "GRANT READ ON FILE('here') TO u")
	if got := code(login("u", ""), "SELECT * FROM fileCluster('here', 'a.csv', 'CSV', 'a Int64, b String')"); got != cherr.AccessDenied {
		t.Errorf("a grant on another address lets through: %v", got)
	}
	stmt, err := parse.Parse("SELECT * FROM azureBlobStorageCluster('here', 'AccountKey=SEKRET', 'c', 'p', 'n', 'SEKRET')")
	if err != nil {
		t.Fatal(err)
	}
	if text := ast.Redact(stmt); strings.Contains(text, "SEKRET") {
		t.Errorf("a secret is shown: %s", text)
	}
}
