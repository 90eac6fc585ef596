// Package text turns values into text and back, for every type and each of
// the ways in which ClickHouse writes a value: plain (toString), escaped
// (TabSeparated), quoted (SQL literals, elements of arrays), CSV, JSON.
//
// Deliberately elsewhere: rows, headers and delimiters of whole formats
// (format), conversions between types (column/cast).
//
// Read next: form.go, print.go for writing, reader.go for reading.
package text
