// Package cherr holds the errors of the whole server: every one carries a
// ClickHouse error code from birth, because clients branch on the number and
// some match the text.
//
// Deliberately elsewhere: how an error looks on a wire (server/...), where it
// is logged (the borders do that).
//
// Read next: cherr.go, then codes.go.
package cherr
