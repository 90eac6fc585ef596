// Package logic has AND, OR, NOT and XOR with SQL's three values. AND and OR
// evaluate an operand only for the rows that are undecided before it.
//
// Read next: and_or.go.
package logic
