// Package sqltest reads and writes the SQL test files of tests/queries: cases
// of one query each, with the answer that ClickHouse gave.
//
//	# a comment
//	query [rowsort] [types] [setting=value …]
//	SELECT …
//	----
//	the answer as TabSeparated
//
//	error UNKNOWN_IDENTIFIER
//	SELECT nope
//
//	statement
//	CREATE TABLE …
//
// Cases of a file share one session. Deliberately elsewhere: running them
// (cmd/lakeserver's tests), asking ClickHouse (internal/reference).
package sqltest
