// Package iceberg holds the Apache Iceberg table spec, versions 1 to 3, as it
// lies on disk: table metadata, schemas, partition specs, transforms,
// snapshots, manifest lists, manifests, deletion vectors; and how to find a
// table's newest metadata file. It reads leniently what other engines wrote,
// and keeps what it does not know of it: a Builder makes changed metadata by
// updates, the REST catalog's, and Encode writes it.
//
// Deliberately elsewhere: which snapshot a query reads (timetravel), which
// files may be left out (pruning), rows (read).
//
// Read next: metadata.go, schema.go, manifest.go, resolve.go; for changes
// update.go, builder.go, requirement.go.
package iceberg
