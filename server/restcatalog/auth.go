package restcatalog

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"

	"lakeserver/access"
	"lakeserver/cherr"
	"lakeserver/server"
)

// login finds who asks: by a token of ours, by Basic, or default without
// either.
func (h *Handler) login(r *http.Request) (*server.User, error) {
	from := address(r)
	header := r.Header.Get("Authorization")
	if kind, token, _ := strings.Cut(header, " "); strings.EqualFold(kind, "Bearer") {
		// What PyIceberg sends without a credential is the name of no value.
		if token = strings.TrimSpace(token); token == "" || token == "None" {
			return h.cfg.Users.Login("default", "", from)
		}
		name, auth, ok := h.tokens.find(token)
		if !ok {
			return nil, fail(http.StatusUnauthorized, "NotAuthorizedException", "The token is not known or has expired")
		}
		return h.cfg.Users.Known(name, from, auth)
	}
	if name, password, ok := r.BasicAuth(); ok {
		return h.cfg.Users.Login(name, password, from)
	}
	if header != "" {
		return nil, fail(http.StatusUnauthorized, "NotAuthorizedException", "Of authentication there is Basic and Bearer")
	}
	return h.cfg.Users.Login("default", "", from)
}

func address(r *http.Request) netip.Addr {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr()
}

// token is OAuth2's endpoint for client credentials: the id is a user's name,
// the secret his password.
func (h *Handler) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, text string) {
		answer(w, status, map[string]any{"error": code, "error_description": text})
	}
	if err := r.ParseForm(); err != nil {
		refuse(http.StatusBadRequest, "invalid_request", "The request is no form")
		return
	}
	name, password := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, pass, ok := r.BasicAuth(); ok {
		name, password = unescaped(user), unescaped(pass)
	}
	if name == "" {
		name = "default"
	}
	if g := r.PostForm.Get("grant_type"); g != "client_credentials" {
		h.exchange(w, r, refuse)
		return
	}
	user, err := h.cfg.Users.Login(name, password, address(r))
	if err != nil {
		refuse(http.StatusUnauthorized, "invalid_client", "The client's id or secret is wrong")
		return
	}
	h.grant(w, user)
}

// exchange gives a new token for one that still holds.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, refuse func(status int, code, text string)) {
	if r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange" {
		refuse(http.StatusBadRequest, "unsupported_grant_type", "grant_type is client_credentials or a token's exchange")
		return
	}
	name, auth, ok := h.tokens.find(r.PostForm.Get("subject_token"))
	if ok {
		if user, err := h.cfg.Users.Known(name, address(r), auth); err == nil {
			h.grant(w, user)
			return
		}
	}
	refuse(http.StatusUnauthorized, "invalid_client", "The token is not known or has expired")
}

func (h *Handler) grant(w http.ResponseWriter, user *server.User) {
	w.Header().Set("Cache-Control", "no-store")
	answer(w, http.StatusOK, map[string]any{
		"access_token": h.tokens.issue(user), "token_type": "bearer", "expires_in": int(tokenLife / time.Second),
		"issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
	})
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

const (
	tokenLife = time.Hour
	// maxTokens bounds what is kept: the oldest go first.
	maxTokens = 100_000
)

// tokens are those that were given out. It is safe for concurrent use.
type tokens struct {
	now func() time.Time
	mu  sync.Mutex
	m   map[string]issued
	old []string // in the order of their issue
}

// issued says whose a token is; a changed password ends it.
type issued struct {
	user string
	auth []access.Auth
	ends time.Time
}

func newTokens(now func() time.Time) *tokens { return &tokens{now: now, m: map[string]issued{}} }

func (t *tokens) issue(u *server.User) string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	token := base64.RawURLEncoding.EncodeToString(b[:])
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for len(t.old) > 0 && (len(t.old) >= maxTokens || now.After(t.m[t.old[0]].ends)) {
		delete(t.m, t.old[0])
		t.old = t.old[1:]
	}
	t.m[token] = issued{u.Name, u.Auth, now.Add(tokenLife)}
	t.old = append(t.old, token)
	return token
}

// find gives the user of a token and a check that he identifies as he did.
func (t *tokens) find(token string) (name string, same func([]access.Auth) bool, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x, ok := t.m[token]
	if !ok || t.now().After(x.ends) {
		return "", nil, false
	}
	return x.user, func(auth []access.Auth) bool { return reflect.DeepEqual(auth, x.auth) }, true
}

// noRight is the error where rights alone do not tell enough.
func noRight(format string, args ...any) error { return cherr.New(cherr.AccessDenied, format, args...) }
