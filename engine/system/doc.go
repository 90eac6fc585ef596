// Package system is the tables that the server itself provides: system.* and
// information_schema.*.
//
// The columns of each table are data (schema.tsv, information_schema.tsv: the
// names and types of ClickHouse 26); a table's file says only what its rows
// are. A table without a file is there and empty, since clients read it at
// start.
//
// Deliberately elsewhere: what the rows tell of (database, functions,
// settings, the engine, handed in as Source).
//
// Read next: system.go, rows.go, then any table's file.
package system
