package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
)

// config writes a configuration and gives its path.
func config(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// as posts a query as a user and gives status and body.
func (p *process) as(t *testing.T, user, password, sql string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+p.http+"/", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(user, password)
	return do(t, http.DefaultClient, req)
}

func do(t *testing.T, c *http.Client, req *http.Request) (int, string) {
	t.Helper()
	r, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// TestLogin: passwords, networks and users of the configuration and of SQL,
// over HTTP and the native protocol.
func TestLogin(t *testing.T) {
	p := start(t, "--config", config(t, `
users:
  default: {password: secret}
  far: {networks: [10.0.0.0/8]}
  hashed: {password_sha256_hex: 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b}
  viewer: {readonly: true, grants: ["SELECT ON d.*"]}
`))
	for _, sql := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (a UInt8) ENGINE = Memory", "CREATE USER sql IDENTIFIED BY 'other' HOST IP '127.0.0.1'",
		"CREATE USER away IDENTIFIED BY 'other' HOST IP '10.1.1.1'", "CREATE USER old IDENTIFIED BY 'x' VALID UNTIL '2020-01-01'",
		"CREATE USER two IDENTIFIED WITH sha256_password BY 'a', bcrypt_password BY 'b'",
	} {
		if status, body := p.as(t, "default", "secret", sql); status != http.StatusOK {
			t.Fatalf("%s: %s", sql, body)
		}
	}
	for _, c := range []struct {
		user, password, sql, want string
	}{
		{"default", "secret", "SELECT currentUser()", "default\n"},
		{"default", "wrong", "SELECT 1", "516"},
		{"default", "", "SELECT 1", "516"},
		{"nobody", "", "SELECT 1", "516"},
		{"far", "", "SELECT 1", "516"},
		{"hashed", "secret", "SELECT 1", "1\n"},
		{"hashed", "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b", "SELECT 1", "516"},
		{"sql", "other", "SELECT currentUser()", "sql\n"},
		{"sql", "secret", "SELECT 1", "516"},
		{"away", "other", "SELECT 1", "516"},
		{"old", "x", "SELECT 1", "516"},
		{"two", "a", "SELECT 1", "1\n"},
		{"two", "b", "SELECT 1", "1\n"},
		{"two", "c", "SELECT 1", "516"},
		{"sql", "other", "SELECT * FROM d.t", "497"},
		{"viewer", "", "SELECT count() FROM d.t", "0\n"},
		{"viewer", "", "SELECT count() FROM d.t SETTINGS max_execution_time = 5", "0\n"},
		{"viewer", "", "SET readonly = 0", "452"},
		{"viewer", "", "INSERT INTO d.t VALUES (1)", "164"},
		{"viewer", "", "SELECT * FROM system.users", "497"},
		{"default", "secret", "DROP USER viewer", "495"},
		{"default", "secret", "SELECT count() FROM system.query_log WHERE query LIKE '%other%' AND query LIKE 'CREATE USER%'", "0\n"},
	} {
		_, body := p.as(t, c.user, c.password, c.sql)
		if !strings.HasPrefix(body, c.want) && !strings.HasPrefix(body, "Code: "+c.want+".") {
			t.Errorf("%s with %q: %s\ngave %q, want %s", c.user, c.password, c.sql, body, c.want)
		}
	}
	for _, sql := range []string{"CREATE ROLE r1, r2", "GRANT SELECT ON d.t TO r1", "GRANT r1, r2 TO sql", "SET DEFAULT ROLE r2 TO sql"} {
		if status, body := p.as(t, "default", "secret", sql); status != http.StatusOK {
			t.Fatalf("%s: %s", sql, body)
		}
	}
	for query, want := range map[string]string{
		"":                 "Code: 497",
		"?role=r1":         "['r1']\t0\n",
		"?role=r1&role=r2": "['r1','r2']\t0\n",
		"?role=nope":       "Code: 511",
	} {
		req, err := http.NewRequest(http.MethodPost, "http://"+p.http+"/"+query, strings.NewReader("SELECT currentRoles(), count() FROM d.t"))
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("sql", "other")
		if _, body := do(t, http.DefaultClient, req); !strings.HasPrefix(body, want) {
			t.Errorf("%q gave %q, want %q", query, body, want)
		}
	}
	c, err := ch.Dial(t.Context(), ch.Options{Address: p.native, User: "sql", Password: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), ch.Query{Body: "SELECT a FROM d.t", Result: discard()}); err == nil || !strings.Contains(err.Error(), "497") {
		t.Errorf("a query without rights gave %v", err)
	}
	_ = c.Close()
	if _, err := ch.Dial(t.Context(), ch.Options{Address: p.native, User: "sql", Password: "wrong"}); err == nil || !strings.Contains(err.Error(), "516") {
		t.Errorf("a wrong password gave %v", err)
	}
	if strings.Contains(p.stderr.String(), "secret") || strings.Contains(p.stderr.String(), "other") {
		t.Errorf("the log has a password:\n%s", p.stderr)
	}
}

// TestUsersAreDurable: kill -9 at any moment loses no user whose CREATE was
// answered, and the server starts again.
func TestUsersAreDurable(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		p := start(t, "--data-dir", dir)
		answered := make(chan int, 10000)
		go func() { // ends when the server does
			defer close(answered)
			for i := 0; ; i++ {
				r, err := http.Post("http://"+p.http+"/", "", strings.NewReader(fmt.Sprintf("CREATE USER u%d_%d; ", round, i)))
				if err != nil {
					return
				}
				_ = r.Body.Close()
				if r.StatusCode != http.StatusOK {
					return
				}
				answered <- i
			}
		}()
		time.Sleep(time.Duration(150+70*round) * time.Millisecond)
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		last := -1
		for i := range answered {
			last = i
		}
		if last < 0 {
			t.Fatal("no user was made")
		}
		q := start(t, "--data-dir", dir)
		_, body := q.ask(t, fmt.Sprintf("SELECT count() >= %d FROM system.users WHERE name LIKE 'u%d\\_%%'", last+1, round))
		if body != "1\n" {
			t.Errorf("of %d users some are gone: %s", last+1, body)
		}
		_ = q.cmd.Process.Kill()
		_ = q.cmd.Wait()
	}
}

// TestTLS: HTTP and the native protocol over TLS, and what is refused.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	https, secure := freeAddr(t), freeAddr(t)
	start(t, "--config", config(t, fmt.Sprintf("https_listen: %s\nnative_secure_listen: %s\ntls: {certificate: %s/cert.pem, key: %s/key.pem}\n", https, secure, dir, dir)))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	req, err := http.NewRequest(http.MethodPost, "https://"+https+"/", strings.NewReader("SELECT 1"))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := do(t, client, req); status != http.StatusOK || body != "1\n" {
		t.Errorf("status %d: %s", status, body)
	}
	if _, err := http.Post("https://"+https+"/", "", strings.NewReader("SELECT 1")); err == nil {
		t.Error("a client that does not know the certificate took it")
	}
	conn, err := ch.Dial(t.Context(), ch.Options{Address: secure, TLS: &tls.Config{RootCAs: pool}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
