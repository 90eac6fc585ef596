// Package kernel reads the arguments and makes the results of scalar kernels:
// a full column and a constant alike, checked argument types, the shapes that
// dozens of functions share (string to string, string to number).
//
// Deliberately elsewhere: every function (the families beside this package),
// the laws of NULL and LowCardinality (package functions and expr).
//
// Read next: args.go, check.go, shape.go.
package kernel
