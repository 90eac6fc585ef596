// Package collections keeps named collections: keys and values, mostly
// addresses and secrets, that functions and engines over files are called
// with by name. Some come from the configuration, the others are made by SQL
// and survive a restart.
//
// Deliberately elsewhere: which keys a function knows (functions/storage), the
// statements (engine), system.named_collections (cmd/lakeserver).
//
// Read next: collections.go.
package collections
