// Package restcatalog serves the embedded warehouse as an Iceberg REST
// catalog, so that other engines create, read, write and drop its tables. A
// namespace is the SQL database of the same name.
//
// A request in its order: route.go, auth.go (who asks), rights.go (whether he
// may), then a file for each endpoint; error.go gives the protocol's errors.
// Whatever SQL can say (databases, DROP, RENAME) runs as a statement of the
// user's session; commits go the way that INSERT and ALTER go.
//
// Deliberately elsewhere: the tables themselves (Warehouse, which the process
// wires), what updates mean (metadata/iceberg).
//
// Read next: route.go, then commit_table.go.
package restcatalog
