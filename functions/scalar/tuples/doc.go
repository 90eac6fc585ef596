// Package tuples is the family of functions that make tuples and take them apart.
//
// Deliberately elsewhere: arithmetic on tuples (arith), arrays of tuples
// beyond their elements (arrays).
//
// Read next: set.go, tuple.go, element.go.
package tuples
