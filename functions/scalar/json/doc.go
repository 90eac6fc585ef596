// Package json is the family of functions that read JSON in strings: by path,
// into any type, by JSONPath, and the simple forms for flat documents.
//
// Deliberately elsewhere: the type JSON, the formats of JSON (format).
//
// Read next: set.go, scan.go, walk.go, insert.go.
package json
