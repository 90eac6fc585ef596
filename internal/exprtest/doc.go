// Package exprtest checks scalar functions against answers that ClickHouse
// gave. A case is a line of a text file: an expression, a tab, the type, a
// tab, the value as ClickHouse prints it (or "error" and a code's name). Every
// case runs twice, with its literals as constants and as full columns, and all
// rows must agree.
//
// Deliberately elsewhere: SQL (engine); the expressions here are calls,
// literals, lambdas and the common infix operators.
//
// Read next: run.go, parse.go, print.go.
package exprtest
