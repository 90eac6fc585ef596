// Package fakes3 is a small S3 in memory for tests: objects, ranges,
// conditions, listings, uploads in parts, and faults on demand. It checks no
// signatures; what real services do beyond is tested with real ones.
package fakes3
