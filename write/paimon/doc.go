// Package paimon commits changes to Paimon tables: files that writers have
// prepared become a snapshot, or nothing of them does. It also expires
// snapshots, rolls back, and removes what failed writers left.
//
// Deliberately elsewhere: the layout of the files (metadata/paimon), making
// data files (write), merging rows (read).
//
// Read next: commit.go, then attempt.go, then conflict.go.
package paimon
