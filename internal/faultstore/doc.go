// Package faultstore wraps a store and lets its k-th operation go wrong: it
// fails before anything happened, after everything happened (the answer is
// lost), or half way (the body is cut). Tests of commits go through every k.
//
// Read next: faultstore.go.
package faultstore
