package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"lakeserver/cherr"
	"lakeserver/metadata/paimon"
	"lakeserver/objstore"
)

// The signatures were made by the classes DLFDefaultSigner and DLFOpenApiSigner
// of Paimon's Java core 1.4.2.
func TestDLFSignatures(t *testing.T) {
	now := time.Date(2024, 3, 5, 6, 7, 8, 0, time.UTC)
	const host = "http://host.example"
	for _, c := range []struct {
		openapi            bool
		method, path, body string
		token, want        string
	}{
		{false, "GET", "/v1/lake/databases", "", "", "14a2675115a394188cf9bd6681d0e6c6852e1fdcc2cb7a5c6839bc61aaca5075"},
		{false, "POST", "/v1/lake/databases/d/tables/t%24branch_b/commit", `{"a":"b c"}`, "sts", "367f9ca618ca3e37e671113ee42e29ed6ac90948944bf09a4f5ac69e739f7971"},
		{false, "GET", "/v1/lake/databases?pageToken=a+b%2Fc%3D&maxResults=1000&x=", "", "", "48ec29aebc1150bad5f5c4aab8f22f0abd2d45c915341ad84836b97915f3e60f"},
		{true, "GET", "/v1/lake/databases", "", "", "orINiC1ocsM7mev4Rjlgj6zLtFA="},
		{true, "POST", "/v1/lake/databases/d/tables/t%24branch_b/commit", `{"a":"b c"}`, "sts", "BaAd3t5OGePVQLjomZZqx75ZwgU="},
		{true, "GET", "/v1/lake/databases?pageToken=a+b%2Fc%3D&maxResults=1000&x=", "", "", "jOYI7zcuL5348g12cKiBTw0myvc="},
	} {
		r, err := http.NewRequest(c.method, host+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := &PaimonOptions{DLFKeyID: "key-id", DLFSecret: "key-secret", DLFToken: c.token, Region: "cn-hangzhou"}
		want := "DLF4-HMAC-SHA256 Credential=key-id/20240305/cn-hangzhou/DlfNext/aliyun_v4_request,Signature=" + c.want
		if c.openapi {
			want = "acs key-id:" + c.want
			r.Header.Set("x-acs-signature-nonce", "nonce-1")
			signDLFOpenAPI(r, []byte(c.body), o, now)
		} else {
			signDLF(r, []byte(c.body), o, now)
		}
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, got, want)
		}
	}
}

// paimonService answers as the protocol's text says; Paimon's own server is met
// in integration.
type paimonService struct {
	seen   []string
	bodies []map[string]any
	fail   int // status of the next commit
}

func (s *paimonService) ServeHTTP(w http.ResponseWriter, r *http.Request) { // long: one case an endpoint
	s.seen = append(s.seen, r.Method+" "+r.URL.EscapedPath())
	if data, _ := io.ReadAll(r.Body); len(data) > 0 {
		var body map[string]any
		_ = json.Unmarshal(data, &body)
		s.bodies = append(s.bodies, body)
	}
	say := func(status int, text string) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
	missing := func(kind string) {
		say(404, `{"message":"none","resourceType":"`+kind+`","resourceName":"x","code":404}`)
	}
	if r.Header.Get("Authorization") != "Bearer secret-token" {
		say(401, `{"message":"who?","code":401}`)
		return
	}
	if r.URL.Path != "/v1/config" && r.Header.Get("X-Told") != "yes" {
		say(400, `{"message":"no header","code":400}`)
		return
	}
	switch r.Method + " " + r.URL.EscapedPath() {
	case "GET /v1/config":
		say(200, `{"defaults":{"prefix":"wrong","header.X-Told":"yes"},"overrides":{"prefix":"p"}}`)
	case "GET /v1/p/databases":
		if r.URL.Query().Get("pageToken") == "" {
			say(200, `{"databases":["a"],"nextPageToken":"more"}`)
			return
		}
		say(200, `{"databases":["b"],"nextPageToken":null}`)
	case "GET /v1/p/databases/a/tables":
		say(200, `{"tables":["t"],"nextPageToken":"same"}`)
	case "GET /v1/p/databases/b/tables":
		say(200, `{"tables":["u"]}`)
	case "GET /v1/p/databases/a/tables/t%24branch_dev":
		say(200, `{"id":"7","name":"t","path":"s3://bucket/a.db/t","schemaId":3,"schema":{}}`)
	case "GET /v1/p/databases/a/tables/t/snapshot":
		say(200, `{"snapshot":null}`)
	case "GET /v1/p/databases/a/tables/empty/snapshot":
		missing("SNAPSHOT")
	case "POST /v1/p/databases/a/tables/t/commit":
		if s.fail != 0 {
			say(s.fail, `{"message":"no","code":500}`)
			return
		}
		say(200, `{"success":false}`)
	case "POST /v1/p/databases/a/tables/t":
		say(200, "")
	default:
		missing("TABLE")
	}
}

func inDatabase(db, name string) Identifier { return Identifier{Namespace: []string{db}, Name: name} }

func newPaimonService(t *testing.T, token string) (*paimonService, *paimonREST) {
	s := &paimonService{}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	c, err := OpenPaimon(PaimonOptions{Type: "paimon_rest", URL: h.URL, Warehouse: "w", Token: token, Stores: objstore.NewRegistry(nil)})
	if err != nil {
		t.Fatal(err)
	}
	return s, c.(*paimonREST)
}

func TestPaimonREST(t *testing.T) { // long: one protocol, in its order
	s, c := newPaimonService(t, "secret-token")
	ctx := context.Background()
	if dbs, err := c.Databases(ctx); err != nil || !slices.Equal(dbs, []string{"a", "b"}) {
		t.Errorf("databases %v, %v", dbs, err)
	}
	if _, err := c.Tables(ctx, "a"); cherr.CodeOf(err) != cherr.DatalakeDatabaseError {
		t.Errorf("a listing that goes round: %v", err)
	}
	if ts, err := c.Tables(ctx, "b"); err != nil || !slices.Equal(ts, []string{"u"}) {
		t.Errorf("tables %v, %v", ts, err)
	}
	if tab, err := c.Load(ctx, inDatabase("a", "t$branch_dev")); err != nil || tab.ID != "7" || tab.Path != "s3://bucket/a.db/t" {
		t.Errorf("table %+v, %v", tab, err)
	}
	if _, err := c.Load(ctx, inDatabase("a", "none")); !cherr.Is(err, cherr.UnknownTable) {
		t.Errorf("a table that is not there: %v", err)
	}
	for _, name := range []string{"t", "empty"} {
		if x, err := c.Latest(ctx, inDatabase("a", name)); x != nil || err != nil {
			t.Errorf("snapshot of %s: %v, %v", name, x, err)
		}
	}
	if _, err := c.Latest(ctx, inDatabase("a", "none")); !cherr.Is(err, cherr.UnknownTable) {
		t.Errorf("the snapshot of no table: %v", err)
	}
	if ok, err := c.CommitSnapshot(ctx, inDatabase("a", "t"), []byte(`{"tableId":"7"}`)); ok || err != nil {
		t.Errorf("a lost race: %v, %v", ok, err)
	}
	s.fail, s.seen = 503, nil
	if _, err := c.CommitSnapshot(ctx, inDatabase("a", "t"), []byte(`{}`)); err == nil || len(s.seen) != 1 {
		t.Errorf("a commit whose answer is lost was sent %d times: %v", len(s.seen), err)
	}
	_, other := newPaimonService(t, "another-token")
	_, err := other.Databases(ctx)
	if !cherr.Is(err, cherr.AccessDenied) || strings.Contains(err.Error(), "another-token") {
		t.Errorf("a wrong token: %v", err)
	}
}

// What makes of one schema the next, as the protocol names it.
func TestSchemaChanges(t *testing.T) {
	s, c := newPaimonService(t, "secret-token")
	parse := func(fields, options string) *paimon.Schema {
		x := &paimon.Schema{}
		if err := json.Unmarshal([]byte(`{"version":3,"id":0,"fields":[`+fields+`],"options":`+options+`}`), x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	from := parse(`{"id":0,"name":"a","type":"INT"},{"id":1,"name":"b","type":"STRING"},{"id":2,"name":"c","type":"INT"}`, `{"x":"1","y":"2"}`)
	to := parse(`{"id":2,"name":"c","type":"BIGINT"},{"id":3,"name":"n","type":"DATE","description":"new"},{"id":0,"name":"z","type":"INT","description":"last"}`, `{"x":"3"}`)
	if err := c.Alter(context.Background(), inDatabase("a", "t"), from, to); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, x := range s.bodies[0]["changes"].([]any) {
		m := x.(map[string]any)
		text := m["action"].(string)
		if n, ok := m["fieldNames"].([]any); ok {
			text += fmt.Sprint(" ", n[0])
		}
		if mv, ok := m["move"].(map[string]any); ok {
			text += fmt.Sprint(" ", mv["fieldName"], " ", mv["type"], " ", mv["referenceFieldName"])
		}
		actions = append(actions, text)
	}
	want := []string{
		"setOption", "removeOption", "renameColumn a", "updateColumnComment z", "dropColumn b", "updateColumnType c",
		"updateColumnPosition c FIRST <nil>", "addColumn n n AFTER c",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("changes %q, want %q", actions, want)
	}
}

// A warehouse folder: databases, tables, creation, dropping.
func TestPaimonFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	stores := objstore.NewRegistry(nil)
	objstore.RegisterLocal(stores, objstore.NewLocal(dir))
	c, err := OpenPaimon(PaimonOptions{Type: "paimon_filesystem", Warehouse: dir, Stores: stores})
	if err != nil {
		t.Fatal(err)
	}
	def := &paimon.Schema{}
	if err := json.Unmarshal([]byte(`{"version":3,"id":0,"fields":[{"id":0,"name":"a","type":"INT"}],"options":{}}`), def); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t", "u"} {
		if err := c.Create(ctx, inDatabase("d", name), def); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Create(ctx, inDatabase("d", "t"), def); !cherr.Is(err, cherr.TableAlreadyExists) {
		t.Errorf("a table twice: %v", err)
	}
	if _, err := c.Load(ctx, inDatabase("d", "../d.db/t")); !cherr.Is(err, cherr.UnknownTable) {
		t.Errorf("a name with slashes: %v", err)
	}
	if dbs, err := c.Databases(ctx); err != nil || !slices.Equal(dbs, []string{"d"}) {
		t.Errorf("databases %v, %v", dbs, err)
	}
	if err := c.Drop(ctx, inDatabase("d", "u")); err != nil {
		t.Fatal(err)
	}
	if ts, err := c.Tables(ctx, "d"); err != nil || !slices.Equal(ts, []string{"t"}) {
		t.Errorf("tables %v, %v", ts, err)
	}
}
