// Package states has the scalar functions over states of aggregate functions:
// what a state gives, and states of single rows. Deliberately elsewhere: sums of
// states (functions/scalar/arith), aggregate functions over arrays
// (functions/scalar/arrays), -State and -Merge (functions/aggregate). Read next:
// finalize.go.
package states
