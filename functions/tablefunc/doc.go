// Package tablefunc is the family of table functions that need no lake: file,
// numbers, zeros, values, generate_series and their like.
//
// Deliberately elsewhere: view(SELECT …) (the analyser), lake tables
// (functions/iceberg), system tables (engine/system).
//
// Read next: set.go, sequence.go, rows.go; file.go, file_scan.go.
package tablefunc
