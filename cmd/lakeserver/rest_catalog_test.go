package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"lakeserver/cherr"
	"lakeserver/engine"
	"lakeserver/server"
)

// restServer serves the warehouse of a data folder.
func restServer(t *testing.T, dir string) (address string, s server.Session) {
	t.Helper()
	address, s, _ = restEngine(t, dir)
	return address, s
}

func restEngine(t *testing.T, dir string) (address string, s server.Session, eng *engine.Engine) {
	t.Helper()
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir, cfg.AllowedLocalPaths = dir, t.TempDir(), []string{dir}
	eng, err := newEngine(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	users := server.UsersOf(eng.Access())
	user, err := users.Login("default", "", netip.MustParseAddr("127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := restCatalog(cfg, eng, users, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL, server.Over(eng).NewSession(user), eng
}

// rest sends a request as a user (name:password, or Bearer token; "" is
// nobody) and gives status and body.
func rest(t *testing.T, as, method, address, body string, headers ...string) (int, map[string]any, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if name, password, ok := strings.Cut(as, ":"); ok {
		req.SetBasicAuth(name, password)
	} else if as != "" {
		req.Header.Set("Authorization", "Bearer "+as)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if len(bytes.TrimSpace(data)) > 0 {
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatalf("%s %s: %s is no JSON", method, address, data)
		}
	}
	return res.StatusCode, out, res.Header
}

func want(t *testing.T, what string, got, status int, body map[string]any, kind string) {
	t.Helper()
	e, _ := body["error"].(map[string]any)
	if got != status || kind != "" && (e["type"] != kind || e["code"] != float64(status) || e["message"] == "") {
		t.Errorf("%s: %d %v, want %d %s", what, got, body, status, kind)
	}
}

const newRESTTable = `{"name":"t","stage-create":%v,"properties":{"format-version":"2","k":"v"},
 "schema":{"type":"struct","schema-id":0,"identifier-field-ids":[7],"fields":[{"id":7,"name":"id","required":true,"type":"long"},{"id":9,"name":"s","required":false,"type":"string"}]},
 "partition-spec":{"spec-id":0,"fields":[{"source-id":7,"field-id":1000,"name":"id_b","transform":"bucket[4]"}]},
 "write-order":{"order-id":1,"fields":[{"transform":"identity","source-id":9,"direction":"desc","null-order":"nulls-last"}]}}`

// The endpoints one after the other, with SQL looking on.
func TestRESTCatalog(t *testing.T) { // long: one request after the other
	dir := t.TempDir()
	base, s := restServer(t, dir)
	ns, tables := base+"/v1/namespaces", base+"/v1/namespaces/shop/tables"
	code, body, _ := rest(t, "", "GET", base+"/v1/config", "")
	want(t, "config", code, 200, body, "")
	if list, _ := body["endpoints"].([]any); len(list) < 15 {
		t.Errorf("endpoints: %v", body)
	}
	code, body, _ = rest(t, "", "GET", tables, "")
	want(t, "no namespace", code, 404, body, "NoSuchNamespaceException")
	code, body, _ = rest(t, "", "POST", ns, `{"namespace":["shop"],"properties":{"owner":"o"}}`)
	want(t, "create namespace", code, 200, body, "")
	code, body, _ = rest(t, "", "POST", ns, `{"namespace":["shop"]}`)
	want(t, "create it again", code, 409, body, "AlreadyExistsException")
	code, body, _ = rest(t, "", "POST", ns, `{"namespace":["a","b"]}`)
	want(t, "a nested one", code, 400, body, "BadRequestException")
	code, body, _ = rest(t, "", "POST", ns+"/shop/properties", `{"removals":["owner","x"],"updates":{"a":"1"}}`)
	if want(t, "properties", code, 200, body, ""); fmt.Sprint(body["removed"], body["missing"], body["updated"]) != "[owner] [x] [a]" {
		t.Errorf("properties: %v", body)
	}
	code, body, _ = rest(t, "", "POST", tables, fmt.Sprintf(newRESTTable, false))
	want(t, "create", code, 200, body, "")
	if got := strings.Join(ask(t, s, "SELECT name, type FROM system.columns WHERE database = 'shop'"), ";"); !strings.Contains(got, "Int64") {
		t.Errorf("SQL sees %s", got)
	}
	ask(t, s, "INSERT INTO shop.t VALUES (1, 'a'), (2, NULL)")
	code, body, header := rest(t, "", "GET", tables+"/t", "")
	want(t, "load", code, 200, body, "")
	m := body["metadata"].(map[string]any)
	if m["location"] != dir+"/warehouse/shop/t" || len(m["snapshots"].([]any)) != 1 || m["last-partition-id"] != 1000.0 || m["default-sort-order-id"] != 1.0 {
		t.Errorf("metadata %v", m)
	}
	code, body, _ = rest(t, "", "GET", tables+"/t", "", "If-None-Match", header.Get("ETag"))
	want(t, "load again", code, 304, body, "")
	uuid := m["table-uuid"].(string)
	commit := func(reqs, ups string) (int, map[string]any) {
		c, b, _ := rest(t, "", "POST", tables+"/t", `{"requirements":[`+reqs+`],"updates":[`+ups+`]}`)
		return c, b
	}
	code, body = commit(`{"type":"assert-table-uuid","uuid":"`+uuid+`"}`, `{"action":"set-properties","updates":{"x":"y"}}`)
	want(t, "commit", code, 200, body, "")
	code, body = commit(`{"type":"assert-table-uuid","uuid":"00000000-0000-0000-0000-000000000000"}`, `{"action":"set-properties","updates":{"x":"z"}}`)
	want(t, "a requirement that does not hold", code, 409, body, "CommitFailedException")
	code, body = commit(`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}`, `{"action":"set-properties","updates":{"x":"z"}}`)
	want(t, "main has moved", code, 409, body, "CommitFailedException")
	code, body = commit("", `{"action":"frobnicate"}`)
	want(t, "an unknown update", code, 400, body, "BadRequestException")
	code, body = commit(`{"type":"assert-moon"}`, "")
	want(t, "an unknown requirement", code, 400, body, "BadRequestException")
	code, body = commit("", `{"action":"set-location","location":"/etc"}`)
	want(t, "another location", code, 400, body, "BadRequestException")
	code, body, _ = rest(t, "", "POST", base+"/v1/tables/rename", `{"source":{"namespace":["shop"],"name":"t"},"destination":{"namespace":["default"],"name":"u"}}`)
	want(t, "rename", code, 204, body, "")
	if got := ask(t, s, "SELECT count() FROM default.u"); got[0] != "2" {
		t.Errorf("renamed: %v", got)
	}
	code, body, _ = rest(t, "", "HEAD", tables+"/t", "")
	want(t, "the old name", code, 404, body, "")
	code, body, _ = rest(t, "", "DELETE", ns+"/default", "")
	want(t, "a namespace with tables", code, 409, body, "NamespaceNotEmptyException")
	_, body, _ = rest(t, "", "GET", ns+"/default/tables/u", "")
	file := body["metadata-location"].(string)
	code, body, _ = rest(t, "", "DELETE", ns+"/default/tables/u", "")
	want(t, "drop", code, 204, body, "")
	code, body, _ = rest(t, "", "POST", ns+"/shop/register", `{"name":"back","metadata-location":"`+file+`"}`)
	want(t, "register", code, 200, body, "")
	code, body, _ = rest(t, "", "POST", ns+"/shop/register", `{"name":"twice","metadata-location":"`+file+`"}`)
	want(t, "register under two names", code, 409, body, "AlreadyExistsException")
	code, body, _ = rest(t, "", "POST", ns+"/shop/register", `{"name":"out","metadata-location":"/etc/metadata/passwd"}`)
	want(t, "register from elsewhere", code, 400, body, "BadRequestException")
	_, again := restServer(t, dir)
	if got := strings.Join(ask(t, again, "SELECT id, s FROM shop.back ORDER BY id"), ";"); got != "1\ta;2\t\\N" {
		t.Errorf("after a restart: %s", got)
	}
	code, body, _ = rest(t, "", "DELETE", tables+"/back?purgeRequested=true", "")
	want(t, "purge", code, 204, body, "")
	code, body, _ = rest(t, "", "DELETE", ns+"/shop", "")
	want(t, "drop namespace", code, 204, body, "")
}

// A staged table is there with its first commit, in the folder that it was
// promised, and in no other.
func TestRESTCatalogStages(t *testing.T) {
	base, s := restServer(t, t.TempDir())
	tables := base + "/v1/namespaces/default/tables"
	code, body, _ := rest(t, "", "POST", tables, fmt.Sprintf(newRESTTable, true))
	want(t, "stage", code, 200, body, "")
	m := body["metadata"].(map[string]any)
	ask(t, s, "EXISTS default.t")
	ups := func(location string) string {
		part := func(action, member string, value any) string {
			b, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			return `{"action":"` + action + `","` + member + `":` + string(b) + `}`
		}
		return `{"requirements":[{"type":"assert-create"}],"updates":[` + strings.Join([]string{
			part("assign-uuid", "uuid", m["table-uuid"]), part("upgrade-format-version", "format-version", 2),
			part("add-schema", "schema", m["schemas"].([]any)[0]), part("set-current-schema", "schema-id", -1),
			part("add-spec", "spec", m["partition-specs"].([]any)[0]), part("set-default-spec", "spec-id", -1),
			part("add-sort-order", "sort-order", m["sort-orders"].([]any)[0]), part("set-default-sort-order", "sort-order-id", -1),
			part("set-location", "location", location), part("set-properties", "updates", m["properties"]),
		}, ",") + `]}`
	}
	location := m["location"].(string)
	for _, bad := range []string{"/etc/x", location + "/deeper", strings.TrimSuffix(location, "t") + "..", strings.Replace(location, "/default/", "/other/", 1)} {
		code, body, _ = rest(t, "", "POST", tables+"/t", ups(bad))
		want(t, "at "+bad, code, 400, body, "BadRequestException")
	}
	code, body, _ = rest(t, "", "POST", tables+"/t", ups(location))
	want(t, "commit", code, 200, body, "")
	code, body, _ = rest(t, "", "POST", tables+"/t", ups(location))
	want(t, "commit again", code, 409, body, "CommitFailedException")
	ask(t, s, "INSERT INTO default.t VALUES (3, 'x')")
	if got := ask(t, s, "SELECT id, s FROM default.t"); got[0] != "3\tx" {
		t.Error(got)
	}
}

// Rights are those of SQL; a table of which a user sees a part he gets by SQL
// alone.
func TestRESTCatalogRights(t *testing.T) {
	base, s := restServer(t, t.TempDir())
	for _, q := range []string{
		"CREATE TABLE a (x Int64, y Int64)", "CREATE TABLE b (x Int64)", "CREATE TABLE c (x Int64)", "CREATE TABLE d (x Int64)", "CREATE USER u IDENTIFIED BY 'secret'",
		"GRANT SELECT ON default.a TO u", "GRANT SELECT ON default.b TO u", "GRANT SELECT(x) ON default.d TO u", "CREATE ROW POLICY p ON b USING x > 1 TO u",
	} {
		ask(t, s, "%s", q)
	}
	tables := base + "/v1/namespaces/default/tables"
	code, body, _ := rest(t, "u:wrong", "GET", tables, "")
	want(t, "a wrong password", code, 401, body, "NotAuthorizedException")
	code, body, _ = rest(t, "u:secret", "GET", tables, "")
	if want(t, "list", code, 200, body, ""); len(body["identifiers"].([]any)) != 3 {
		t.Errorf("he sees %v", body)
	}
	code, body, _ = rest(t, "u:secret", "GET", tables+"?pageToken=&pageSize=2", "")
	if want(t, "page", code, 200, body, ""); len(body["identifiers"].([]any)) != 2 || body["next-page-token"] != "b" {
		t.Errorf("page: %v", body)
	}
	res, err := http.PostForm(base+"/v1/oauth/tokens", url.Values{"grant_type": {"client_credentials"}, "client_id": {"u"}, "client_secret": {"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var token struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&token); err != nil || token.Token == "" {
		t.Fatal(err, token)
	}
	code, body, _ = rest(t, token.Token, "GET", tables+"/a", "")
	want(t, "load by token", code, 200, body, "")
	for path, status := range map[string]int{"/b": 403, "/c": 404, "/d": 403} {
		code, body, _ = rest(t, "u:secret", "GET", tables+path, "")
		want(t, "load "+path, code, status, body, "")
	}
	code, body, _ = rest(t, "u:secret", "POST", tables+"/a", `{"requirements":[],"updates":[{"action":"set-properties","updates":{"x":"y"}}]}`)
	want(t, "commit", code, 403, body, "ForbiddenException")
	code, body, _ = rest(t, "u:secret", "POST", tables, fmt.Sprintf(newRESTTable, false))
	want(t, "create", code, 403, body, "ForbiddenException")
	for _, purge := range []string{"", "?purgeRequested=true"} {
		code, body, _ = rest(t, "u:secret", "DELETE", tables+"/a"+purge, "")
		want(t, "drop", code, 403, body, "ForbiddenException")
	}
	ask(t, s, "ALTER USER u IDENTIFIED BY 'other'")
	code, body, _ = rest(t, token.Token, "GET", tables+"/a", "")
	want(t, "a token after the password changed", code, 401, body, "NotAuthorizedException")
}

// SQL inserts and commits of the catalog race: each lands once.
func TestRESTCatalogRaces(t *testing.T) {
	base, s, eng := restEngine(t, t.TempDir())
	ask(t, s, "CREATE TABLE r (x Int64)")
	own := make([]server.Session, 4)
	for i := range own {
		own[i] = server.Over(eng).NewSession(&server.User{Name: "default"})
	}
	var wg sync.WaitGroup
	for w := range own {
		wg.Go(func() {
			for i := range 5 {
				ask(t, own[w], "INSERT INTO r VALUES (%d)", w*10+i)
				code, body, _ := rest(t, "", "POST", base+"/v1/namespaces/default/tables/r", fmt.Sprintf(`{"updates":[{"action":"set-properties","updates":{"p%d":"1"}}]}`, w*10+i))
				want(t, "commit", code, 200, body, "")
			}
		})
	}
	wg.Wait()
	if got := ask(t, s, "SELECT count(), uniqExact(x) FROM r"); got[0] != "20\t20" {
		t.Error(got)
	}
	_, body, _ := rest(t, "", "GET", base+"/v1/namespaces/default/tables/r", "")
	n := 0
	for k := range body["metadata"].(map[string]any)["properties"].(map[string]any) {
		if strings.HasPrefix(k, "p") {
			n++
		}
	}
	if n != 20 {
		t.Errorf("%d of 20 properties", n)
	}
}

// The catalog needs a warehouse, and opens to others only with a password.
func TestRESTCatalogRefusals(t *testing.T) {
	cfg := defaultConfig()
	cfg.RESTCatalogListen = "0.0.0.0:8181"
	if err := checkListen(cfg); err == nil {
		t.Error("an open catalog is allowed")
	}
	cfg.DataDir = ""
	if _, err := restCatalog(cfg, nil, nil, nil); !cherr.Is(err, cherr.BadArguments) {
		t.Error(err)
	}
}
