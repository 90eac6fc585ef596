package catalog

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"lakeserver/cherr"
)

// tokens gets bearer tokens by OAuth2 client credentials and keeps one until
// shortly before it runs out.
type tokens struct {
	http       *http.Client
	url        string
	id, secret string
	scope      string
	inBody     bool

	mu      sync.Mutex
	token   string
	expires time.Time // zero: not said
}

// get gives a token; fresh: the one at hand was refused.
func (t *tokens) get(ctx context.Context, fresh bool) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && !fresh && (t.expires.IsZero() || time.Until(t.expires) > 10*time.Second) {
		return t.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {t.id}, "client_secret": {t.secret}}
	if t.scope != "" {
		form.Set("scope", t.scope)
	}
	address, body := t.url, form.Encode()
	if !t.inBody {
		address, body = address+"?"+body, ""
	}
	c := client{http: t.http}
	a, err := c.once(ctx, request{
		method: http.MethodPost, url: address, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	}, []byte(body), false)
	if err != nil {
		return "", err
	}
	if a.status != http.StatusOK {
		return "", cherr.New(cherr.AuthenticationFailed, "The catalog's authorization server refuses the credential (HTTP status %d)", a.status)
	}
	var out struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
	}
	if json.Unmarshal(a.body, &out) != nil || out.Token == "" {
		return "", cherr.New(cherr.AuthenticationFailed, "The catalog's authorization server gives no token")
	}
	t.token, t.expires = out.Token, time.Time{}
	if out.Expires > 0 {
		t.expires = time.Now().Add(time.Duration(out.Expires) * time.Second)
	}
	return t.token, nil
}

// authorization gives what signs requests, by the options; nil: nothing.
func authorization(o Options, hc *http.Client, tokenURL string) (func(ctx context.Context, r *http.Request, body []byte, fresh bool) error, error) {
	if o.AuthHeader != "" {
		name, value, ok := strings.Cut(o.AuthHeader, ":")
		if !ok || strings.ContainsAny(o.AuthHeader, "\r\n") {
			return nil, cherr.New(cherr.BadArguments, "auth_header must have the form 'Name: value'")
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		return func(_ context.Context, r *http.Request, _ []byte, _ bool) error {
			r.Header.Set(name, value)
			return nil
		}, nil
	}
	id, secret, pair := strings.Cut(o.Credential, ":")
	switch {
	case o.Credential == "":
		return nil, nil
	case !pair:
		return func(_ context.Context, r *http.Request, _ []byte, _ bool) error {
			r.Header.Set("Authorization", "Bearer "+o.Credential)
			return nil
		}, nil
	}
	if o.TokenURL != "" {
		tokenURL = o.TokenURL
	}
	t := &tokens{http: hc, url: tokenURL, id: id, secret: secret, scope: o.Scope, inBody: o.TokenInBody}
	return func(ctx context.Context, r *http.Request, _ []byte, fresh bool) error {
		token, err := t.get(ctx, fresh)
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return err
	}, nil
}
