package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// service is a REST catalog for tests: what it answers is what the protocol's
// text says; real services are met in integration.
type service struct {
	t       *testing.T
	url     string
	tokens  int            // given so far; only the last one is good
	tables  int            // in namespace a
	round   bool           // paging never ends
	fail    map[string]int // "METHOD path" → status of the next answer
	seen    []string
	commits []map[string]any
}

func newService(t *testing.T) *service {
	s := &service{t: t, tables: 3, fail: map[string]int{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) { // long: one case an endpoint
	q := r.URL.Query()
	s.seen = append(s.seen, r.Method+" "+r.URL.EscapedPath())
	if code := s.fail[r.Method+" "+r.URL.Path]; code != 0 {
		delete(s.fail, r.Method+" "+r.URL.Path)
		w.WriteHeader(code)
		fmt.Fprint(w, `{"error":{"message":"told so","type":"TestException","code":1}}`)
		return
	}
	if r.URL.Path == "/v1/oauth/tokens" {
		_ = r.ParseForm()
		if r.Form.Get("client_secret") != "marked-secret" || r.Form.Get("grant_type") != "client_credentials" || r.Form.Get("scope") != "PRINCIPAL_ROLE:ALL" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.tokens++
		fmt.Fprintf(w, `{"access_token":"token-%d","expires_in":3600}`, s.tokens)
		return
	}
	if r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d", s.tokens) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/config":
		answer(map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{"prefix": "pre"}})
	case "GET /v1/pre/namespaces":
		switch q.Get("parent") {
		case "":
			answer(map[string]any{"namespaces": [][]string{{"a"}, {"b"}}})
		case "a":
			answer(map[string]any{"namespaces": [][]string{{"a", "in ner"}}})
		default:
			answer(map[string]any{"namespaces": [][]string{}})
		}
	case "GET /v1/pre/namespaces/a/tables":
		var page []map[string]any
		at := 0
		_, _ = fmt.Sscanf(q.Get("pageToken"), "%d", &at)
		for i := at; i < min(at+2, s.tables); i++ {
			page = append(page, map[string]any{"namespace": []string{"a"}, "name": fmt.Sprintf("t%d", i)})
		}
		out := map[string]any{"identifiers": page}
		if at+2 < s.tables {
			out["next-page-token"] = fmt.Sprint(at + 2)
		}
		if s.round {
			out["next-page-token"] = "0"
		}
		answer(out)
	case "GET /v1/pre/namespaces/a\x1fin ner/tables":
		answer(map[string]any{"identifiers": []map[string]any{{"namespace": []string{"a", "in ner"}, "name": "deep"}}})
	case "GET /v1/pre/namespaces/b/tables":
		w.WriteHeader(http.StatusForbidden)
	case "GET /v1/pre/namespaces/a/tables/t0", "POST /v1/pre/namespaces/a/tables/t0":
		if r.Method == http.MethodPost {
			var c map[string]any
			_ = json.NewDecoder(r.Body).Decode(&c)
			s.commits = append(s.commits, c)
		}
		answer(map[string]any{
			"metadata-location": "s3://lake/a/t0/metadata/1.json", "metadata": json.RawMessage(someMetadata),
			"config": map[string]string{"s3.access-key-id": "outer", "s3.secret-access-key": "x"},
			"storage-credentials": []any{
				map[string]any{"prefix": "s3://lake/", "config": map[string]string{"s3.access-key-id": "wide", "s3.secret-access-key": "x", "s3.session-token": "t"}},
				map[string]any{"prefix": "s3://lake/a/", "config": map[string]string{
					"s3.access-key-id": "narrow", "s3.secret-access-key": "x", "s3.session-token": "t",
					"s3.session-token-expires-at-ms": fmt.Sprint(time.Now().Add(time.Hour).UnixMilli()), "s3.endpoint": "http://127.0.0.1:1",
				}},
			},
		})
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"no such thing","type":"NoSuchTableException","code":404}}`)
	}
}

const someMetadata = `{"format-version":2,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1","location":"s3://lake/a/t0","last-sequence-number":0,
"last-updated-ms":1,"last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"x","required":false,"type":"long"}]}],
"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],
"properties":{},"current-snapshot-id":-1,"refs":{},"snapshots":[],"snapshot-log":[],"metadata-log":[]}`

func (s *service) open(t *testing.T) Catalog {
	c, err := Open(Options{
		Type: "rest", URL: s.url + "/v1", Warehouse: "w", Credential: "id:marked-secret", Scope: "PRINCIPAL_ROLE:ALL", TokenInBody: true, Vended: true,
		Stores: objstore.NewRegistry(nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRESTListing(t *testing.T) {
	s := newService(t)
	c, ctx := s.open(t), context.Background()
	ids, err := List(ctx, c)
	if got := fmt.Sprint(ids); err != nil || got != "[a.t0 a.t1 a.t2 a.in ner.deep]" {
		t.Errorf("%s, %v", got, err)
	}
	s.round = true
	if _, err := c.Tables(ctx, []string{"a"}); !cherr.Is(err, cherr.DatalakeDatabaseError) {
		t.Errorf("a listing that goes round: %v", err)
	}
}

func TestRESTTokens(t *testing.T) {
	s := newService(t)
	c, ctx := s.open(t), context.Background()
	if _, err := c.Load(ctx, Identifier{[]string{"a"}, "t0"}); err != nil {
		t.Fatal(err)
	}
	s.tokens++ // what was given is refused from now on
	if _, err := c.Load(ctx, Identifier{[]string{"a"}, "t0"}); err != nil || s.tokens != 3 {
		t.Errorf("after the token ran out: %v, %d tokens", err, s.tokens)
	}
	bad, _ := Open(Options{Type: "rest", URL: s.url, Warehouse: "w", Credential: "id:marked-other", Scope: "PRINCIPAL_ROLE:ALL", TokenInBody: true, Stores: objstore.NewRegistry(nil)})
	_, err := bad.Load(ctx, Identifier{[]string{"a"}, "t0"})
	if !cherr.Is(err, cherr.AuthenticationFailed) || strings.Contains(err.Error(), "marked") {
		t.Errorf("a wrong secret: %v", err)
	}
}

func TestRESTLoad(t *testing.T) {
	s := newService(t)
	c, ctx := s.open(t), context.Background()
	tab, err := c.Load(ctx, Identifier{[]string{"a"}, "t0"})
	if err != nil {
		t.Fatal(err)
	}
	a := tab.Access
	if tab.Meta.File != "s3://lake/a/t0/metadata/1.json" || a == nil || a.KeyID != "narrow" || a.Endpoint != "http://127.0.0.1:1" || a.Refresh == nil || time.Until(a.Expires) < time.Minute {
		t.Errorf("%+v, access %+v", tab, a)
	}
	if _, err := c.Load(ctx, Identifier{[]string{"a"}, "none"}); !cherr.Is(err, cherr.UnknownTable) {
		t.Errorf("a table that is not there: %v", err)
	}
	s.fail["GET /v1/pre/namespaces/a/tables/t0"] = 503
	if _, err := c.Load(ctx, Identifier{[]string{"a"}, "t0"}); err != nil {
		t.Errorf("after one 503: %v", err)
	}
}

// Only a clear no is a no.
func TestRESTCommit(t *testing.T) {
	s := newService(t)
	c, ctx := s.open(t), context.Background()
	id := Identifier{[]string{"a"}, "t0"}
	base, err := c.Load(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	same := *base.Meta.CurrentSchema()
	ups := []iceberg.Update{iceberg.AddSchema{Schema: &same, LastColumnID: 1}, iceberg.SetCurrentSchema{SchemaID: iceberg.LastAdded}}
	commit := func() error {
		_, err := c.Commit(ctx, id, base, []iceberg.Requirement{iceberg.AssertUUID{UUID: base.Meta.UUID}}, ups)
		return err
	}
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(s.commits[0]["updates"])
	if want := `[{"action":"set-current-schema","schema-id":0}]`; string(got) != want {
		t.Errorf("a schema that is there already was sent as %s", got)
	}
	for status, want := range map[int]error{409: ErrConflict, 500: ErrUnknown, 503: ErrUnknown, 504: ErrUnknown, 400: nil} {
		s.fail["POST /v1/pre/namespaces/a/tables/t0"] = status
		before := len(s.seen)
		err := commit()
		if want != nil && !errors.Is(err, want) || err == nil || want == nil && (errors.Is(err, ErrUnknown) || errors.Is(err, ErrConflict)) {
			t.Errorf("status %d: %v", status, err)
		}
		if len(s.seen) != before+1 {
			t.Errorf("status %d: sent %d times", status, len(s.seen)-before)
		}
	}
}

// The example of AWS's documentation of Signature Version 4.
func TestSignV4(t *testing.T) {
	r, _ := http.NewRequest(http.MethodGet, "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", nil)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	signV4(r, nil, "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "", "us-east-1", "iam", time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC))
	a := r.Header.Get("Authorization")
	if !strings.HasPrefix(a, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=") {
		t.Errorf("%s", a)
	}
	k := mac(mac(mac(mac([]byte("AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), "20150830"), "us-east-1"), "iam"), "aws4_request")
	if got := fmt.Sprintf("%x", k); got != "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9" {
		t.Errorf("signing key %s", got)
	}
}
