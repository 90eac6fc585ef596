// Package timetravel goes from a wish about time to one pinned snapshot and
// its schema. It owns every answer to "which version?", the latest included.
//
// Deliberately elsewhere: what versions there are (metadata).
//
// Read next: when.go, iceberg.go, paimon.go.
package timetravel
