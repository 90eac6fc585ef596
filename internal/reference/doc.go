// Package reference asks a real ClickHouse, embedded in a child process: the
// Python package chdb. It serves tests alone. The interpreter that has chdb is
// named by the environment variable CHDB_PYTHON; without it tests that need
// the reference skip and say so.
package reference
