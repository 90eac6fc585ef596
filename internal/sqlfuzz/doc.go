// Package sqlfuzz makes random typed queries over random tables, compares what
// two engines say to them, and shrinks a query whose answers differ. A query
// is one statement: its tables are in it, as calls of values(), so that what
// is found can be kept as a test without anything around it.
//
// A query is a tree of text nodes, whatever the nodes mean. So shrinking knows
// three moves only, and they hold for every part of the language: leave out
// what may be missing, leave out an element of a list, put a smaller node of
// the same class in the place of a node.
//
// Deliberately elsewhere: the engines (internal/reference, and the test in
// cmd/lakeserver that drives both); differences that are known and documented
// are in known.go, each with its reason.
//
// Read next: node.go, query.go, grammar.go.
package sqlfuzz
