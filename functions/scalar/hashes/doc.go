// Package hashes is the family of hash functions, with ClickHouse's rules for
// several arguments, arrays, tuples and numbers: the results are data and must
// be the same bit for bit.
//
// Deliberately elsewhere: the hashes of grouping and joins (column).
//
// Read next: family.go, then siphash.go, murmur.go, farm.go, metro.go, wyhash.go.
package hashes
