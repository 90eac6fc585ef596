// Package arrays is the family of functions on arrays, with the higher-order
// ones. Most compute positions of elements and gather them at once, whatever
// the element type; comparisons go by kernels over slices.
//
// Deliberately elsewhere: arrayJoin (the analyser), length, empty and reverse
// (strings), tuples and maps.
//
// Read next: set.go, flat.go, lambda.go.
package arrays
