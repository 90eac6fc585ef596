// Package expr holds bound expressions: names resolved, types fixed, functions
// chosen. They are evaluated a block at a time.
//
// Expressions are immutable trees of four nodes (Column, Literal, Call,
// Lambda), shared freely and evaluated by many goroutines at once.
//
// Deliberately elsewhere: finding a function for a name and argument types
// (functions), making expressions of syntax (engine/analyze).
//
// Read next: expr.go, call.go for the laws that every function obeys.
package expr
