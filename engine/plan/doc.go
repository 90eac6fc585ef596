// Package plan holds the logical plan: nodes that say what is computed, and
// named rules that rewrite them.
//
// Every node knows the header of its output. Expressions of a node are bound
// over its input's header (expr.Column.Index is a position there).
//
// Deliberately elsewhere: making a plan of syntax (engine/analyze), running it
// (engine/exec).
//
// Read next: node.go, one node_<x>.go a node, optimize.go for the order of rules.
package plan
