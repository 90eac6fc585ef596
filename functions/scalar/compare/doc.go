// Package compare has the comparisons: = != < > <= >=, IS NULL and its like,
// and IN over literal sets.
//
// Deliberately elsewhere: the set of IN and its kernel (expr.Set,
// functions.NewIn), since analysis and execution make those themselves.
//
// Read next: compare.go for the choice of kernel, kernel.go for the loops.
package compare
