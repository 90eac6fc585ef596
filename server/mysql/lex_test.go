package mysql

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT 1":                              {"SELECT 1"},
		"SELECT 1; SELECT ';' ;":                {"SELECT 1", "SELECT ';'"},
		"SELECT \"a;\\\";b\"; SELECT `x;y`":     {"SELECT \"a;\\\";b\"", "SELECT `x;y`"},
		"SELECT 'it''s;' -- a ; comment\n; B":   {"SELECT 'it''s;' -- a ; comment", "B"},
		"/* ; */ SELECT 1 /* ; */; # x;\n":      {"SELECT 1 /* ; */"},
		"/*!40101 SET NAMES utf8 */; SELECT 2":  {"SET NAMES utf8", "SELECT 2"},
		" ; ;; ":                                nil,
		"SELECT 1-- 2; not a comment":           {"SELECT 1-- 2; not a comment"},
		"SELECT 5--2":                           {"SELECT 5--2"},
		"/* ApplicationName=Tool */ SELECT 'x'": {"SELECT 'x'"},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%q gave %q, want %q", text, got, want)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	for text, want := range map[string][]int{
		"SELECT ?, '?', `?`, \"?\" -- ?\n, ?": {7, 31},
		"SELECT 1 /* ? */":                    nil,
		"?":                                   {0},
	} {
		if got := placeholders(text); !slices.Equal(got, want) {
			t.Errorf("%q gave %v, want %v", text, got, want)
		}
	}
}

// TestPlainStrings: a backslash means what it means to ClickHouse, LIKE's
// included.
func TestPlainStrings(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT 'a\'b'`:         `SELECT 'a\'b'`,
		`SELECT '\x41\n'`:       "SELECT 'A\n'",
		`x LIKE 'a\_b\%'`:       `x LIKE 'a\\_b\\%'`,
		`x REGEXP '\d+'`:        `x REGEXP '\\d+'`,
		`SELECT "it's", 'a\\b'`: `SELECT 'it\'s', 'a\\b'`,
		`SELECT 'a''b\t'`:       "SELECT 'a\\'b\t'",
		`SELECT 'open\`:         `SELECT 'open\\`,
	} {
		if got := plainStrings(text); got != want {
			t.Errorf("%s gave %s, want %s", text, got, want)
		}
	}
}
