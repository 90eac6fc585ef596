// Package ast is the syntax tree of ClickHouse's SQL: what the parser gives
// and the analyzer takes, with printing, copying and walking.
//
// The nodes are pointers to plain structs with exported fields. Operators are
// Function nodes under ClickHouse's function names (plus, equals, tupleElement,
// multiIf …), so that nobody downstream knows two spellings of one thing; the
// flag Operator says that printing may use the operator's sign. Every node
// knows its place in the text (Pos), which Equal ignores.
//
// Elsewhere on purpose: reading text (engine/parse), meaning (engine/analyze),
// data types (package types; a column's type is kept here as normalised text).
//
// Read next: node.go (the interfaces, Walk, Rewrite), expr.go, select.go,
// then format.go.
package ast
