// Package orc reads ORC files that are at hand as bytes, value by value: it is
// for the manifests of lake tables, which are small and deeply nested, not for
// data files.
//
// Every length in a file is checked against the bytes that are there: a damaged
// file gives an error with a code, never a panic or a giant buffer.
//
// Deliberately elsewhere: what a manifest's fields mean (metadata/paimon).
//
// Read next: file.go, column.go, integer.go.
package orc
