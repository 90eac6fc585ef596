package ast

import "strings"

// QuoteString gives s as a string literal, with ClickHouse's escapes.
func QuoteString(s string) string { return string(appendQuoted(nil, s, '\'')) }

// QuoteName gives s as an identifier, in backquotes only where ClickHouse puts
// them (as in the names of a Tuple's elements).
func QuoteName(s string) string {
	if isBare(s) {
		switch strings.ToUpper(s) {
		case "ALL", "AS", "DISTINCT", "FROM", "NULL", "SELECT", "TABLE":
		default:
			return s
		}
	}
	return string(appendQuoted(nil, s, '`'))
}

// quoteWord is QuoteName for a place in a query, where more words would be
// misread than in a type.
func quoteWord(s string) string {
	if isBare(s) && !reserved(s) {
		return s
	}
	return string(appendQuoted(nil, s, '`'))
}

func isBare(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// reserved are the words that would not read as a name everywhere: constants,
// and those that begin or continue a query.
func reserved(s string) bool {
	if len(s) > 9 {
		return false
	}
	switch strings.ToUpper(s) {
	case "NULL", "TRUE", "FALSE", "INF", "NAN", "INFINITY", "DISTINCT", "TOP", "ALL", "FROM", "SELECT", "WITH", "NOT", "CASE",
		"INTERVAL", "EXCEPT", "REPLACE", "APPLY", "AS", "AND", "OR", "DIV", "MOD", "IN", "LIKE", "ILIKE", "IS", "BETWEEN",
		"GLOBAL", "REGEXP", "WHERE", "PREWHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "SETTINGS", "FORMAT", "INTO",
		"UNION", "INTERSECT", "WINDOW", "QUALIFY", "JOIN", "LEFT", "RIGHT", "INNER", "FULL", "CROSS", "ANY", "ASOF", "SEMI",
		"ANTI", "ARRAY", "ON", "USING", "FINAL", "SAMPLE", "PASTE", "NATURAL", "LOCAL", "OVER", "VALUES", "DATE", "TIMESTAMP",
		"FILTER", "RESPECT", "IGNORE", "THEN", "ELSE", "END", "WHEN", "TABLE", "TABLES", "DATABASE", "VIEW", "FUNCTION", "INDEX",
		"EXPLAIN", "ROWS", "RANGE", "GROUPS", "RECURSIVE", "COLUMNS", "PARTITION", "FOR", "BOTH", "LEADING", "TRAILING",
		"DEFAULT", "ALIAS", "COMMENT", "CODEC", "TTL", "PRIMARY", "COLLATE", "FIRST", "AFTER", "NONE":
		return true
	}
	return false
}

func appendQuoted(b []byte, s string, q byte) []byte {
	b = append(b, q)
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', q:
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case 0:
			b = append(b, '\\', '0')
		default:
			b = append(b, c)
		}
	}
	return append(b, q)
}
