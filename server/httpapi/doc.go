// Package httpapi is ClickHouse's HTTP interface: queries in the URL or the
// body, answers in any format, errors as text with their code.
//
// The parts of a request in their order: route.go, auth.go, request.go (what
// the URL and headers say), body.go (what the body holds), query.go (run),
// response.go (buffer, headers, compression, errors in the middle).
//
// Deliberately elsewhere: formats (format), sessions and users (server).
//
// Read next: route.go, then query.go.
package httpapi
