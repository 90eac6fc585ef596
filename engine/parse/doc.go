// Package parse turns ClickHouse's SQL text into the tree of engine/ast. It is
// written by hand: a lexer that allocates nothing but the list of tokens,
// descent for statements and clauses, and operator precedence for expressions.
//
// No word is reserved. Whether a word begins a clause, is an operator or a name
// is decided by what follows it, never by trying two readings of a long text:
// where a reading is given back (mark and reset) the number of such returns is
// bounded, and so is the depth.
//
// A failed check moves the parser to the end of the text, so that everything
// unwinds without asking for errors; the error names the furthest place that
// was reached and what was expected there, found by a second run that notes it.
//
// Elsewhere on purpose: what names and types mean (engine/analyze, types), and
// the rows that follow INSERT (format): the tree says where they begin.
//
// Read next: parse.go, lexer.go, expr.go, select.go, statement.go.
package parse
