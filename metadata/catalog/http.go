package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

const (
	requestTime = 60 * time.Second
	maxAnswer   = 1 << 30
	attempts    = 5
)

// client sends requests with JSON bodies.
type client struct {
	http *http.Client
	// sign adds what tells the catalog who asks; fresh: what was sent before was
	// refused, get anew.
	sign func(ctx context.Context, r *http.Request, body []byte, fresh bool) error
}

// guard refuses hosts that queries may not reach, redirects included.
type guard struct {
	next  http.RoundTripper
	hosts *objstore.Hosts
}

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.hosts.Check(r.URL); err != nil {
		return nil, err
	}
	return g.next.RoundTrip(r)
}

func newClient(hosts *objstore.Hosts) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = listAtOnce
	t.ResponseHeaderTimeout = requestTime
	return &http.Client{Transport: &guard{t, hosts}, Timeout: 5 * requestTime}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// httpError is an answer that is no success. Its text is the service's.
type httpError struct {
	answer
	kind, text string
}

func (e *httpError) Error() string { return e.text }

// request describes one call. again: it may be repeated when the answer is
// lost, because it changes nothing or the same twice.
type request struct {
	method string
	url    string
	header map[string]string
	body   any // JSON; nil: none
	raw    []byte
	again  bool
}

// do sends a request and decodes a JSON answer into out, if any. Errors that
// are no answers are NETWORK_ERROR; answers are *httpError.
func (c *client) do(ctx context.Context, r request, out any) (*answer, error) {
	body := r.raw
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return nil, cherr.New(cherr.LogicalError, "a request to a catalog cannot be written: %s", err)
		}
	}
	fresh := false
	for n := 0; ; n++ {
		a, err := c.once(ctx, r, body, fresh)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && (a.status == http.StatusUnauthorized || a.status == 419) && !fresh && c.sign != nil:
			fresh = true // a token that ran out
			continue
		case err != nil && !r.again, err == nil && (a.status < 500 && a.status != http.StatusTooManyRequests || !r.again):
			return a, c.result(a, err, out)
		case n+1 >= attempts:
			return a, c.result(a, err, out)
		}
		if e, ok := errors.AsType[*cherr.Error](err); ok && e.Code() != cherr.NetworkError {
			return nil, e
		}
		if err := pause(ctx, n, a); err != nil {
			return nil, err
		}
	}
}

func (c *client) result(a *answer, err error, out any) error {
	if err != nil {
		return err
	}
	if a.status >= 300 {
		return failure(a)
	}
	if out == nil || a.status == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return cherr.New(cherr.DatalakeDatabaseError, "The catalog's answer is not the JSON that was asked for")
	}
	return nil
}

func pause(ctx context.Context, n int, a *answer) error {
	d := 100 * time.Millisecond << n
	if a != nil && a.header.Get("Retry-After") != "" {
		d = max(d, time.Second)
	}
	t := time.NewTimer(d/2 + time.Duration(rand.Int64N(int64(d))))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (c *client) once(ctx context.Context, r request, body []byte, fresh bool) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(body))
	if err != nil {
		return nil, cherr.New(cherr.BadArguments, "The address of the catalog is not valid")
	}
	req.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	if c.sign != nil {
		if err := c.sign(ctx, req, body, fresh); err != nil {
			return nil, err
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, networkError(err, req.URL.Host)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, networkError(err, req.URL.Host)
	}
	return &answer{resp.StatusCode, resp.Header, data}, nil
}

func networkError(err error, host string) error {
	if e, ok := errors.AsType[*cherr.Error](err); ok {
		return e
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may hold a token
	}
	return cherr.New(cherr.NetworkError, "The catalog at %s cannot be reached: %s", host, err)
}

// failure reads the usual forms of errors in JSON.
func failure(a *answer) error {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Type    string          `json:"__type"`
		Code    json.RawMessage `json:"error_code"`
		// Resource is Paimon's word for what an error is about.
		Resource string `json:"resourceType"`
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
	}
	_ = json.Unmarshal(a.body, &e) // what is no JSON has no message
	_ = json.Unmarshal(e.Error, &inner)
	kind, text := inner.Type, inner.Message
	if text == "" {
		text, kind = e.Message, e.Type
	}
	if kind == "" {
		kind = e.Resource
	}
	if kind == "" {
		kind = strings.Trim(string(e.Code), `"`)
	}
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "") + "…"
	}
	if text == "" {
		text = http.StatusText(a.status)
	}
	return &httpError{*a, kind, text}
}

// coded gives an error of the catalog its code.
func coded(err error, doing string, id Identifier) error {
	e, ok := errors.AsType[*httpError](err)
	if !ok {
		return err
	}
	if e.status == http.StatusNotFound {
		return unknownTable(id)
	}
	code := cherr.DatalakeDatabaseError
	if e.status == http.StatusForbidden || e.status == http.StatusUnauthorized {
		code = cherr.AccessDenied
	}
	return cherr.New(code, "%s `%s` in the catalog: %s (%s, HTTP status %d)", doing, id, e.text, e.kind, e.status)
}
