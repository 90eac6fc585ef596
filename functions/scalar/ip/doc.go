// Package ip is the family of functions on IP addresses and UUIDs in their
// various forms.
//
// Deliberately elsewhere: toIPv4, toIPv6, toUUID and their like (convert).
//
// Read next: set.go, ipv4.go, ipv6.go.
package ip
