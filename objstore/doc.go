// Package objstore gives bytes by path: the local file system now, object
// stores behind the same interface.
//
// Deliberately elsewhere: what the bytes mean (metadata, codec), caches of
// parsed files (metadata).
//
// Read next: store.go, local.go.
package objstore
