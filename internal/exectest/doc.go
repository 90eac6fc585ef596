// Package exectest reruns operators under conditions that must not change
// their results: cut blocks, several streams, constants and dictionaries; and
// under ones that end them early: Close, cancellation, refused memory. After
// each run nothing may be reserved and no goroutine may be left.
//
// Deliberately elsewhere: the tests of operators (engine/exec).
//
// Read next: run.go.
package exectest
