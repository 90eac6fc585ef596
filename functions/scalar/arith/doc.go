// Package arith has the functions behind SQL's operators on numbers: sums,
// products, quotients, bits, greatest and least.
//
// Deliberately elsewhere: comparisons (compare), transcendental functions and
// rounding (math), dates and intervals (dates; plus and minus call them by
// name).
//
// Read next: result.go for the types, kernel.go for the loops.
package arith
