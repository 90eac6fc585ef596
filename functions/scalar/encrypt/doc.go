// Package encrypt is the family of functions that encrypt, decrypt and
// authenticate strings.
//
// Deliberately elsewhere: digests without a key (hashes).
//
// Read next: set.go, cipher.go, encrypt.go.
package encrypt
