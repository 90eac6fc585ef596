// Package functions describes everything that SQL calls by name: scalar,
// aggregate, window and table functions, table engines. A description is data
// with a kernel; a family of them is a Set; the registry is built of Sets by
// cmd/lakeserver and by tests.
//
// Deliberately elsewhere: the functions themselves (functions/scalar/...,
// functions/aggregate, functions/window, functions/tablefunc, the lake
// formats), evaluation (expr).
//
// Read next: scalar.go, aggregate.go, tablefunc.go, registry.go.
package functions
