// Package conditional has if and multiIf, CASE, coalesce and their like. A
// branch is evaluated only for the rows that take it.
//
// Deliberately elsewhere: AND and OR (logic), NULL tests (compare).
//
// Read next: branches.go, which all of them share.
package conditional
