// Package wire holds the packets of ClickHouse's native protocol, by the
// revision that both sides agreed on: handshake, queries, progress, errors.
// Every field that came with a later revision stands behind its gate.
//
// Deliberately elsewhere: blocks (codec/native), what packets lead to
// (server/native).
//
// Read next: codes.go, hello.go, query.go.
package wire
