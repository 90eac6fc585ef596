package parse_test

import (
	"strings"
	"testing"

	"lakeserver/engine/ast"
	"lakeserver/engine/parse"
)

// TestRedact: no secret is printed, and what is printed still parses.
func TestRedact(t *testing.T) {
	for _, sql := range []string{
		"SELECT * FROM s3('http://h/x', 'KEY', 'SECRETWORD', 'CSV')",
		"SELECT * FROM icebergS3('http://h/x', 'KEY', 'SECRETWORD', 'SECRETWORD')",
		"SELECT * FROM icebergS3Cluster('c', 'http://h/x', 'KEY', 'SECRETWORD')",
		"SELECT * FROM s3('http://h/x', access_key_id = 'k', secret_access_key = 'SECRETWORD')",
		"SELECT * FROM url('http://user:SECRETWORD@host/path', 'CSV')",
		"SELECT * FROM url('https://h/x?sig=SECRETWORD&a=1')",
		"SELECT * FROM mysql('h:1', 'd', 't', 'u', 'SECRETWORD')",
		"SELECT * FROM remote('h', d, t, 'u', 'SECRETWORD')",
		"SELECT * FROM azureBlobStorage('SECRETWORD', 'c', 'p')",
		"CREATE TABLE t ENGINE = IcebergS3('http://h/x', 'KEY', 'SECRETWORD')",
		"CREATE USER u IDENTIFIED WITH sha256_password BY 'SECRETWORD'",
		"ALTER USER u IDENTIFIED BY 'SECRETWORD'",
		"CREATE NAMED COLLECTION c AS a = 'SECRETWORD'",
		"ALTER NAMED COLLECTION c SET a = 'SECRETWORD'",
		"CREATE DICTIONARY d (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'h' PASSWORD 'SECRETWORD')) LAYOUT(FLAT()) LIFETIME(1)",
		"SELECT encrypt('aes-128-ecb', x, 'SECRETWORD')",
		"SELECT 1 SETTINGS my_password = 'SECRETWORD'",
		"INSERT INTO FUNCTION s3('http://h/x', 'KEY', 'SECRETWORD', 'CSV') SELECT 1",
	} {
		st, err := parse.Parse(sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		got := ast.Redact(st)
		if strings.Contains(got, "SECRETWORD") {
			t.Errorf("%s\n\tprints %s", sql, got)
		}
		if _, err := parse.Parse(got); err != nil {
			t.Errorf("%s\n\tprints %s: %v", sql, got, err)
		}
		if !strings.Contains(ast.Format(st), "SECRETWORD") {
			t.Errorf("%s: the statement itself was changed", sql)
		}
	}
	for _, sql := range []string{"SELECT * FROM s3('http://h/x', 'CSV', 'a UInt8')", "SELECT * FROM s3('http://h/x', NOSIGN, 'CSV')"} {
		st, err := parse.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if got := ast.Redact(st); got != sql {
			t.Errorf("%s\n\tprints %s", sql, got)
		}
	}
}
