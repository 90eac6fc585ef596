// Package access is who may do what: users and how they prove who they are,
// roles, grants, row policies, quotas, settings profiles, and the durable store
// of those that SQL made.
//
// Deliberately elsewhere: the statements (engine), the protocols that ask for
// passwords (server), the users of the configuration file (cmd/lakeserver).
//
// Read next: auth.go (passwords), rights.go (grants), store.go, session.go.
package access
