// Package tableengine holds the table engines that keep rows in memory or
// nowhere: Memory and its likes, Null.
//
// Deliberately elsewhere: lake engines (functions/iceberg), databases and
// definitions (engine/database), ClickHouse's table functions
// (functions/tablefunc).
//
// Read next: memory.go.
package tableengine
