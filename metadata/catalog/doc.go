// Package catalog speaks to the services that know where tables are and which
// version is the present one: Iceberg's REST protocol, AWS Glue, Unity, Hive's
// metastore. It lists, loads, makes, drops and renames tables and swaps their
// versions.
//
// Deliberately elsewhere: what a table's metadata means (metadata/iceberg),
// the stores that tables lie in (objstore), databases in SQL
// (functions/iceberg).
//
// Read next: catalog.go, rest.go.
package catalog
