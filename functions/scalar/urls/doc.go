// Package urls is the family of functions that take URLs apart. They follow
// ClickHouse's own, forgiving reading of a URL, not the RFC.
//
// Deliberately elsewhere: URLHash (hashes).
//
// Read next: set.go, parts.go.
package urls
