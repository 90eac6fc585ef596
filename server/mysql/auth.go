package mysql

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the protocol's
	"crypto/x509"
	"encoding/pem"
	"net/netip"
	"sync"

	"lakeserver/access"
	"lakeserver/cherr"
)

// The ways to prove a password.
const (
	pluginNative = "mysql_native_password"
	pluginSHA2   = "caching_sha2_password"
	pluginClear  = "mysql_clear_password"
)

// firstPlugin is named in the greeting, as ClickHouse does: more clients know
// it. Those that do not answer with their own and are asked again.
const firstPlugin = pluginNative

// keys is the server's RSA key, made when the first client needs it: to send
// a password where there is no TLS.
type keys struct {
	once sync.Once
	key  *rsa.PrivateKey
	err  error
}

func (k *keys) get() (*rsa.PrivateKey, error) {
	k.once.Do(func() { k.key, k.err = rsa.GenerateKey(rand.Reader, 2048) })
	return k.key, k.err
}

// authenticate logs a user in. The client's first answer is tried; where it
// was of a plugin that cannot tell for this user, it is asked again.
func (c *conn) authenticate(user, plugin string, answer []byte) error {
	if plugin == "" {
		plugin = pluginNative
	}
	// An answer of another plugin than the greeting's may be empty only because
	// the client had no nonce for it.
	err := c.try(user, plugin, answer)
	if err == nil {
		return nil
	}
	next := c.pluginFor(user, plugin)
	if c.caps&capPluginAuth == 0 || next == plugin && plugin == firstPlugin {
		return err
	}
	if next != plugin || len(answer) == 0 {
		again := append(append([]byte{0xfe}, next...), 0)
		if answer, err = c.ask(append(append(again, c.nonce...), 0)); err != nil {
			return err
		}
		if err = c.try(user, next, answer); err == nil {
			return nil
		}
	}
	if next == pluginSHA2 && len(answer) > 0 && c.onlyPassword(user) {
		return c.full(user)
	}
	return err
}

// try checks an answer as a plugin's.
func (c *conn) try(user, plugin string, answer []byte) error {
	switch plugin {
	case pluginNative:
		return c.login(user, func(a access.Auth) bool { return a.MatchesNative(answer, c.nonce) })
	case pluginSHA2:
		if err := c.login(user, func(a access.Auth) bool { return a.MatchesSHA2(answer, c.nonce) }); err != nil {
			return err
		}
		if len(answer) == 0 {
			return nil // an empty password needs no word
		}
		return c.p.write([]byte{1, sha2Fast})
	case pluginClear:
		if c.secure {
			password := trimZero(answer)
			return c.login(user, func(a access.Auth) bool { return a.Matches(password) })
		}
	}
	return c.login(user, func(access.Auth) bool { return false })
}

// pluginFor gives the plugin that can tell for a user: the client's own if it
// can.
func (c *conn) pluginFor(user, own string) string {
	methods := c.cfg.Users.Methods(user)
	native := len(methods) == 0
	sha2 := false
	for _, m := range methods {
		native = native || m == access.DoubleSHA1 || m == access.Plaintext || m == access.NoPassword
		sha2 = sha2 || m != access.DoubleSHA1
	}
	switch {
	case own == pluginSHA2 && sha2, own == pluginClear && c.secure:
		return own
	case native:
		return pluginNative
	}
	return pluginSHA2
}

// onlyPassword: what the server keeps of the user's password can be checked
// against the password itself only.
func (c *conn) onlyPassword(user string) bool {
	for _, m := range c.cfg.Users.Methods(user) {
		if m == access.Bcrypt || m == access.SHA256 {
			return true
		}
	}
	return false
}

func (c *conn) login(user string, matches func(access.Auth) bool) error {
	u, err := c.cfg.Users.Authenticate(user, c.address(), matches)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.user = u
	return nil
}

// The words of caching_sha2_password.
const (
	sha2KeyRequest = 2
	sha2Fast       = 3
	sha2Full       = 4
)

// full asks for the password itself: as it is under TLS, else under the
// server's RSA key.
func (c *conn) full(user string) error {
	answer, err := c.ask([]byte{1, sha2Full})
	if err != nil {
		return err
	}
	if !c.secure {
		if answer, err = c.decrypted(answer); err != nil {
			return err
		}
	}
	password := trimZero(answer)
	return c.login(user, func(a access.Auth) bool { return a.Matches(password) })
}

// decrypted gives the password of an answer under the server's key; a client
// that does not have the key asks for it first.
func (c *conn) decrypted(answer []byte) ([]byte, error) {
	key, err := c.of.keys.get()
	if err != nil {
		return nil, cherr.Wrap(err, "making a key")
	}
	if len(answer) == 1 && answer[0] == sha2KeyRequest {
		der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
		if err != nil {
			return nil, cherr.Wrap(err, "the server's public key")
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		if answer, err = c.ask(append([]byte{1}, text...)); err != nil {
			return nil, err
		}
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), nil, key, answer, nil)
	if err != nil {
		return nil, cherr.New(cherr.AuthenticationFailed, "Authentication failed: the password cannot be read")
	}
	for i := range plain {
		plain[i] ^= c.nonce[i%len(c.nonce)]
	}
	return plain, nil
}

// ask sends a payload and gives what comes back.
func (c *conn) ask(payload []byte) ([]byte, error) {
	if err := c.p.write(payload); err != nil {
		return nil, err
	}
	if err := c.p.flush(); err != nil {
		return nil, err
	}
	return c.p.read()
}

func (c *conn) address() netip.Addr {
	a, err := netip.ParseAddrPort(c.raw.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}

// trimZero takes the zero byte off a password's end.
func trimZero(b []byte) string {
	if n := len(b); n > 0 && b[n-1] == 0 {
		b = b[:n-1]
	}
	return string(b)
}
