// Package strings is the family of functions on strings: length, case, parts,
// search, patterns, replacing, splitting, encoding.
//
// Deliberately elsewhere: conversion to and from other types (convert), JSON
// (json), URLs (urls), hashes (hashes).
//
// Read next: set.go, then any function's file.
package strings
