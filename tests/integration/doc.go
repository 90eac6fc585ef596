// Package integration tests the server as its users have it: the binary, a
// process of its own, real protocols. What SQL answers belongs in
// tests/queries.
package integration
