// Package info has functions about the query, the server and the form of
// values rather than the values: toTypeName, materialize, version, rand.
//
// Read next: identity.go, session.go.
package info
