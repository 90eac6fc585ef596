// Package server is what all front ends share: users and how they log in, the
// list of running queries, sessions that outlive a connection, limits, metrics.
//
// Deliberately elsewhere: the protocols (httpapi, native), what a query means
// (engine), configuration files (cmd/lakeserver).
//
// Read next: server.go, users.go, process.go, sessions.go.
package server
