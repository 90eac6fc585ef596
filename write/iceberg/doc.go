// Package iceberg commits changes of Iceberg tables: the optimistic loop over
// whatever holds a table's present version, the making of snapshots with their
// manifests, and the operations on files (append, overwrite, row changes,
// rewrites).
//
// The law of the package: data files are written once, before the first
// attempt; an attempt that lost a race is planned anew over the newer version.
// What an attempt wrote is deleted only when it is known not to have landed.
//
// Deliberately elsewhere: making files (write), what lies on disk and how one
// version becomes the next (metadata/iceberg), SQL (functions/iceberg).
//
// Read next: commit.go, swap.go, producer.go, validate.go.
package iceberg
