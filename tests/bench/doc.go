// Package bench measures what the tests cannot hold: how plans, commits and
// scans behave at the size of real tables. Its benchmarks make their own data
// and are run by hand:
//
//	go test ./tests/bench -run '^$' -bench Planning -benchtime 1x
//
// TestWrites measures writes beside ClickHouse, DuckDB and Spark on the same
// rows: make bench-writes. It needs a Python with their packages and the rows
// as Parquet files, and is skipped without.
package bench
