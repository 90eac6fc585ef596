// Package pruning tells which containers (manifests, files, row groups, pages)
// cannot hold a row for which a filter is true. A bound filter is compiled
// once; asking it of a container's statistics is cheap. Its law: it may keep
// too much, never too little.
//
// Deliberately elsewhere: filtering rows (read, engine/exec), reading footers
// (codec), whether a filter may sink into a scan (engine/plan).
//
// Read next: filter.go, compile.go, iceberg.go, paimon.go, projection.go.
package pruning
