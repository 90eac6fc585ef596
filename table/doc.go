// Package table is the waist of the house: what the engine asks of a table.
// The SQL half calls it, lake formats and system tables implement it.
//
// Deliberately elsewhere: finding a table by name (engine/database), opening
// one from arguments (functions).
//
// Read next: table.go, then scan.go.
package table
