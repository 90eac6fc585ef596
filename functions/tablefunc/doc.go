// Package tablefunc is the family of table functions that need no lake:
// numbers, zeros, values, generate_series and their like.
//
// Deliberately elsewhere: view(SELECT …) (the analyser), lake tables
// (functions/iceberg), system tables (engine/system).
//
// Read next: set.go, sequence.go, rows.go.
package tablefunc
