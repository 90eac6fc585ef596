package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"lakeserver/cherr"
	"lakeserver/internal/fakes3"
	"lakeserver/server"
)

// session runs statements on an engine of a data folder; its answers and
// errors are kept.
type recorded struct {
	t    *testing.T
	s    server.Session
	seen map[string]string
}

func recordedServer(t *testing.T, cfg Config) *recorded {
	t.Helper()
	eng, err := newEngine(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := localSession(eng)
	t.Cleanup(func() { s.Close() })
	return &recorded{t, s, map[string]string{}}
}

func (r *recorded) run(sql string) (string, cherr.Code) {
	var out bytes.Buffer
	err := runLocal(context.Background(), r.s, &server.Query{Text: sql}, "", &out)
	text := out.String()
	if err != nil {
		text = err.Error()
	}
	r.seen[sql] = text
	return text, cherr.CodeOf(err)
}

func (r *recorded) want(sql string, code cherr.Code, answer string) {
	r.t.Helper()
	got, c := r.run(sql)
	if c != code || code == 0 && strings.TrimSuffix(got, "\n") != answer {
		r.t.Errorf("%s: code %d, %q; want code %d, %q", sql, c, got, code, answer)
	}
}

func testConfig(t *testing.T) Config {
	cfg := defaultConfig()
	cfg.DataDir, cfg.UserFilesDir = t.TempDir(), t.TempDir()
	return cfg
}

// Named collections: their statements, their use by functions and engines, and
// that they outlive the server.
func TestNamedCollections(t *testing.T) {
	srv := fakes3.New(t)
	srv.Set("lake/d/a.csv", []byte("1,x\n2,y\n"))
	cfg := testConfig(t)
	cfg.NamedCollections = map[string]map[string]string{"conf": {"url": srv.URL + "/lake/d/"}}
	r := recordedServer(t, cfg)
	u := srv.URL + "/lake/"
	r.want("CREATE NAMED COLLECTION nc AS url = '"+u+"', access_key_id = 'k', secret_access_key = 'marked' NOT OVERRIDABLE, format = 'CSV'", 0, "")
	r.want("CREATE NAMED COLLECTION nc AS url = 'x'", 670, "")
	r.want("CREATE NAMED COLLECTION IF NOT EXISTS nc AS url = 'x'", 0, "")
	r.want("SELECT sum(c1) FROM s3(nc, filename = 'd/a.csv')", 0, "3")
	r.want("SELECT sum(c1) FROM s3(nc, url = '"+u+"d/*.csv')", 0, "3")
	r.want("SELECT sum(c1) FROM s3(conf, filename = 'a.csv')", 0, "3")
	r.want("SELECT a FROM s3(nc, filename = 'd/a.csv', structure = 'a Int8, b String') WHERE b = 'y'", 0, "2")
	r.want("SELECT 1 FROM s3(nc, filename = 'd/a.csv', secret_access_key = 'other')", 36, "")
	r.want("SELECT 1 FROM s3(nc, filename = 'd/a.csv', bogus = '1')", 36, "")
	r.want("SELECT 1 FROM s3(nc, 'd/a.csv')", 36, "")
	r.want("SELECT 1 FROM s3(none, filename = 'x')", 669, "")
	r.want("SELECT 1 FROM s3('"+u+"', filename = 'x')", 47, "")
	r.want("SELECT 1 FROM icebergS3(nc, filename = 'd/')", 107, "")
	r.want("SELECT name, mapKeys(collection), source FROM system.named_collections ORDER BY name", 0,
		"conf\t['url']\tCONFIG\nnc\t['access_key_id','format','secret_access_key','url']\tSQL")
	r.want("ALTER NAMED COLLECTION nc SET structure = 'a Int8, b String' DELETE format", 0, "")
	r.want("ALTER NAMED COLLECTION conf SET a = '1'", 671, "")
	r.want("DROP NAMED COLLECTION conf", 671, "")
	r.want("ALTER NAMED COLLECTION none SET a = '1'", 669, "")

	r = recordedServer(t, cfg)
	r.want("SELECT sum(a) FROM s3(nc, filename = 'd/a.csv')", 0, "3")
	r.want("CREATE TABLE t ENGINE = IcebergS3(nc, filename = 'd/')", 107, "")
	r.want("DROP NAMED COLLECTION nc", 0, "")
	r.want("DROP NAMED COLLECTION nc", 669, "")
	r.want("DROP NAMED COLLECTION IF EXISTS nc", 0, "")
	r.want("SELECT 1 FROM s3(nc, filename = 'd/a.csv')", 669, "")
}

// Secrets stand in no answer, error, system table, SHOW or EXPLAIN.
func TestSecretsAreNowhere(t *testing.T) {
	srv := fakes3.New(t)
	cfg := testConfig(t)
	cfg.NamedCollections = map[string]map[string]string{"conf": {"secret_access_key": "marked-config"}}
	r := recordedServer(t, cfg)
	u := srv.URL + "/lake/x/"
	broken := "http://127.0.0.1:1/lake/x/"
	for _, sql := range []string{
		"SELECT * FROM icebergS3('" + u + "', 'k', 'marked-secret')",
		"SELECT * FROM icebergS3('" + u + "', 'k', 'marked-secret', 'marked-token')",
		"SELECT * FROM iceberg('" + broken + "', 'k', 'marked-secret') SETTINGS s3_retry_attempts = 1",
		"SELEC * FROM icebergS3('" + u + "', 'k', 'marked-secret'",
		"SELECT * FROM s3('" + u + "*.csv', 'k', 'marked-secret', 'CSV') SETTINGS nope = 1",
		"SELECT * FROM s3('" + u + "*.csv', 'k', 'marked-secret', 'Nonsense', 'a Int8', 'none')",
		"SELECT * FROM s3('" + u + "*.csv', NOSIGN, headers('Authorization' = 'marked-header'))",
		"SELECT * FROM s3('http://user:marked-password@127.0.0.1:1/lake/x.csv')",
		"SELECT * FROM s3('" + u + "x.csv?X-Amz-Signature=marked-signature')",
		"CREATE TABLE sec1 (a Int64) ENGINE = IcebergS3('" + u + "', 'k', 'marked-secret')",
		"CREATE TABLE sec1 (a Int64) ENGINE = IcebergS3('" + u + "', 'k', 'marked-secret')",
		"INSERT INTO FUNCTION icebergS3('" + u + "', 'k', 'marked-secret') VALUES (1)",
		"CREATE NAMED COLLECTION nc AS url = '" + u + "', secret_access_key = 'marked-collection'",
		"CREATE NAMED COLLECTION nc AS url = '" + u + "', secret_access_key = 'marked-collection'",
		"ALTER NAMED COLLECTION nc SET session_token = 'marked-altered'",
		"SELECT * FROM icebergS3(nc)", "SELECT * FROM icebergS3(conf)",
		"SELECT * FROM icebergS3(nc, secret_access_key = 'marked-override')",
		"CREATE TABLE sec2 (a Int64) ENGINE = IcebergS3(nc, filename = 'y/', secret_access_key = 'marked-override')",
		"EXPLAIN SELECT * FROM icebergS3('" + u + "', 'k', 'marked-secret')",
		"EXPLAIN SYNTAX SELECT * FROM icebergS3('" + u + "', 'k', 'marked-secret')",
		"SELECT * FROM icebergS3Cluster('c', '" + u + "', 'k', 'marked-secret')",
	} {
		r.run(sql)
	}
	names, _ := r.run("SELECT name FROM system.tables WHERE database = 'system' AND name NOT LIKE 'numbers%' AND name NOT LIKE 'zeros%' AND name NOT IN ('generate_series', 'primes')")
	n := 0
	for name := range strings.FieldsSeq(names) {
		if _, code := r.run("SELECT * FROM system.`" + name + "` LIMIT 100000"); code == 0 {
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d system tables were read", n)
	}
	for _, sql := range []string{"SHOW CREATE TABLE sec1", "SHOW CREATE TABLE sec2", "SHOW PROCESSLIST", "DESCRIBE TABLE sec1"} {
		if _, code := r.run(sql); code != 0 {
			t.Errorf("%s: code %d", sql, code)
		}
	}
	r.run("SELECT * FROM system.named_collections SETTINGS format_display_secrets_in_show_and_select = 1")
	hiddenSeen := false
	for sql, text := range r.seen {
		if i := strings.Index(text, "marked-"); i >= 0 {
			t.Errorf("%s shows %s", sql[:min(len(sql), 60)], text[max(0, i-80):min(len(text), i+20)])
		}
		hiddenSeen = hiddenSeen || strings.Contains(text, "[HIDDEN]")
	}
	if !hiddenSeen {
		t.Error("nothing says [HIDDEN]")
	}
}
