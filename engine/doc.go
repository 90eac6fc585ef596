// Package engine runs a statement in a session: parse, analyse, plan, execute,
// and everything that is not a query (CREATE, SET, SHOW, INSERT …).
//
// The root holds the query's life only; each stage is a package below it.
//
// Deliberately elsewhere: bytes of a protocol (server), formats (format),
// what tables and functions do (functions, table).
//
// Read next: execute.go, one line a step; session.go; select.go; insert.go.
package engine
