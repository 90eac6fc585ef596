// Package paimon is Apache Paimon as SQL sees it: the names (paimonLocal,
// ENGINE = PaimonLocal …), their arguments and settings, the adapter that makes
// a pinned table a table.Table, and its system tables (t$snapshots …).
//
// Deliberately elsewhere: files (metadata/paimon), which version (timetravel),
// which files (pruning), rows and merging (read). Nothing is decided here.
//
// Read next: names.go, open.go, table.go, scan.go, system.go.
package paimon
