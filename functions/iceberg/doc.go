// Package iceberg is Apache Iceberg as SQL sees it: the names (icebergLocal,
// ENGINE = IcebergLocal …), their arguments and settings, the adapter that
// makes a pinned table a table.Table, and the functions of Iceberg's
// partition transforms.
//
// Deliberately elsewhere: files (metadata/iceberg), which version (timetravel),
// which files (pruning), rows (read). Nothing is decided here.
//
// Read next: names.go, open.go, table.go, scan.go.
package iceberg
