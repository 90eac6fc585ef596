// Package mysql is the MySQL protocol for clients and BI tools that speak
// nothing else: handshake, passwords, TLS, queries, prepared statements.
//
// A query is answered by the first that knows it: the probes of clients and
// tools (probe.go, show.go), the MySQL dialect, read by sqlparser and turned
// into ClickHouse's SQL (translate*.go), ClickHouse's own SQL as it is. Names
// of columns, types, comparisons and divisions are ClickHouse's in any case;
// what MySQL's functions mean is MySQL's (DAYOFWEEK counts from Sunday).
// || joins texts, as in ClickHouse. Transactions are accepted and do nothing.
//
// Deliberately elsewhere: what queries mean (engine), users (server, access).
//
// Read next: serve.go, conn.go, command.go, route.go, translate.go.
package mysql
