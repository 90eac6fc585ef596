// Package native serves ClickHouse's native protocol over TCP.
//
// A connection has two goroutines: one reads packets (it answers Ping at once
// and sees Cancel and a client that leaves), the other runs queries. Writing is
// behind one lock.
//
// Deliberately elsewhere: the packets' bytes (wire), blocks (codec/native),
// sessions and users (server).
//
// Read next: serve.go, conn.go, query.go, insert.go.
package native
