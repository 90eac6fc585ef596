package mysql

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/column"
	"lakeserver/server"
	"lakeserver/settings"
	"lakeserver/types"
)

// oneEngine answers every statement with the number 1.
type oneEngine struct{ noEngine }

func (oneEngine) NewSession(u *server.User) server.Session { return oneSession{u.Settings} }

type oneSession struct{ set *settings.Settings }

func (oneSession) Use(db string) error {
	if db == "nope" {
		return cherr.New(cherr.UnknownDatabase, "Database nope does not exist")
	}
	return nil
}
func (s oneSession) Settings() *settings.Settings { return s.set }
func (oneSession) Zone() *time.Location           { return time.UTC }
func (oneSession) Close()                         {}

func (s oneSession) Execute(context.Context, *server.Query) (*server.Result, error) {
	return &server.Result{
		HasRows: true, Header: column.Header{{Name: "n", Type: types.UInt8}}, Settings: s.set,
		Stream: column.Blocks(column.NewBlock(column.NewFixed([]uint8{1}))),
		Stats:  func() server.Stats { return server.Stats{} }, Close: func(error) {},
	}, nil
}

// certificate makes a certificate for 127.0.0.1.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
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
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func serveTest(t *testing.T, cfg Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ctx, l, cfg) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func auth(t *testing.T, m access.Method, salt string) []access.Auth {
	t.Helper()
	a, err := access.NewAuth(m, "secret", salt)
	if err != nil {
		t.Fatal(err)
	}
	return []access.Auth{a}
}

// TestPasswords: every form of a password that the server keeps lets in the
// driver with the password, and none without it, with TLS and without.
func TestPasswords(t *testing.T) {
	cert, pool := certificate(t)
	users := []*server.User{
		{Name: "open"},
		{Name: "plain", Auth: auth(t, access.Plaintext, "")},
		{Name: "sha256", Auth: auth(t, access.SHA256, "")},
		{Name: "salted", Auth: auth(t, access.SHA256, "salt")},
		{Name: "sha1", Auth: auth(t, access.DoubleSHA1, "")},
		{Name: "bcrypt", Auth: auth(t, access.Bcrypt, "")},
		{Name: "both", Auth: append(auth(t, access.Bcrypt, ""), auth(t, access.DoubleSHA1, "")...)},
		{Name: "expired", Auth: []access.Auth{{Method: access.Plaintext, Secret: []byte("secret"), Until: time.Now().Add(-time.Hour)}}},
		{Name: "elsewhere", Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
	}
	addr := serveTest(t, Config{Engine: oneEngine{}, Users: server.NewUsers(users...), TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	login := func(name, password, database string, secure bool) error {
		c := driver.NewConfig()
		c.User, c.Passwd, c.Net, c.Addr, c.DBName = name, password, "tcp", addr, database
		if secure {
			c.TLS = &tls.Config{RootCAs: pool}
		}
		conn, err := driver.NewConnector(c)
		if err != nil {
			return err
		}
		d, err := conn.Connect(t.Context())
		if err != nil {
			return err
		}
		for range 3 { // through the watcher of the connection, which reads ahead
			if err := d.(interface{ Ping(context.Context) error }).Ping(t.Context()); err != nil {
				return err
			}
		}
		return d.Close()
	}
	for _, secure := range []bool{false, true} {
		for _, u := range users {
			for _, password := range []string{"secret", "wrong", ""} {
				t.Run(fmt.Sprintf("%s/%s/tls=%v", u.Name, password, secure), func(t *testing.T) {
					ok := u.Name == "open" || password == "secret" && u.Name != "expired" && u.Name != "elsewhere"
					err := login(u.Name, password, "", secure)
					var e *driver.MySQLError
					switch {
					case ok && err != nil:
						t.Error(err)
					case !ok && (!errors.As(err, &e) || e.Number != 1045 || string(e.SQLState[:]) != "28000"):
						t.Errorf("gave %v, want error 1045", err)
					}
				})
			}
		}
	}
	var e *driver.MySQLError
	if err := login("nobody", "secret", "", false); !errors.As(err, &e) || e.Number != 1045 {
		t.Errorf("an unknown user gave %v", err)
	}
	if err := login("open", "", "nope", false); !errors.As(err, &e) || e.Number != 1049 {
		t.Errorf("an unknown database gave %v", err)
	}
}

// TestNoTLS: a client that insists on TLS where there is none is told so.
func TestNoTLS(t *testing.T) {
	addr := serveTest(t, Config{Engine: oneEngine{}, Users: server.NewUsers()})
	c := driver.NewConfig()
	c.User, c.Net, c.Addr, c.TLS = "default", "tcp", addr, &tls.Config{InsecureSkipVerify: true}
	conn, err := driver.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Connect(t.Context()); !errors.Is(err, driver.ErrNoTLS) {
		t.Errorf("gave %v", err)
	}
}
