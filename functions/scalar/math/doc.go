// Package math is the family of mathematical and rounding functions.
//
// Deliberately elsewhere: arithmetic, sign and bits (arith).
//
// Read next: set.go, elementary.go, round.go.
package math
