// Package maps is the family of functions on maps. A map is an array of pairs
// in another dress, and many functions here bind the array function of the
// same meaning over it.
//
// Deliberately elsewhere: m[key] (arrays, arrayElement), arrays (arrays).
//
// Read next: set.go, map.go, delegate.go.
package maps
