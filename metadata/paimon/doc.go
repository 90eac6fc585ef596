// Package paimon holds the Apache Paimon file layout, faithfully and in both
// directions: schemas, snapshots, tags, branches, consumers, manifest lists,
// manifests, index manifests, binary rows, partition folders, buckets,
// deletion vectors and index files. What a newer writer adds is kept where a
// file is written again, and stepped over elsewhere.
//
// Deliberately elsewhere: which snapshot a query reads (timetravel), which
// files may be left out (pruning), rows and merging (read), commits
// (write/paimon), SQL (functions/paimon).
//
// Read next: schema.go, snapshot.go, dir.go, manifest.go, row.go.
package paimon
