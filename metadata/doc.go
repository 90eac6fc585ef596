// Package metadata loads the immutable metadata files of lake tables and
// keeps what was parsed of them, bounded by bytes.
//
// Deliberately elsewhere: what the files mean (metadata/iceberg,
// metadata/paimon), which version of a table is read (timetravel), bytes by path (objstore).
//
// Read next: loader.go, cache.go, then metadata/iceberg.
package metadata
