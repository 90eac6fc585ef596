// Package variants is the family of functions over Variant, Dynamic and JSON:
// the type of each value, the values of one type, the paths of objects.
//
// Deliberately elsewhere: the columns themselves (column), how text becomes
// one (column/text), functions of JSON in strings (json), how any function is
// computed over a Variant (package functions).
//
// Read next: set.go, element.go, paths.go.
package variants
