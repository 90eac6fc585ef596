// Package aggregate holds the aggregate functions and the combinators.
//
// An Accumulator keeps the states of all groups as a struct of arrays: one
// slice entry a group, no allocation a group for numbers. Kernels are generic
// loops over slices; functions with richer states share states.go. Where
// ClickHouse approximates (uniq, quantile, topK) its own algorithm is followed,
// so that the same rows give the same answer.
//
// Deliberately elsewhere: skipping rows with NULL (functions), grouping
// (engine/exec), frames of windows (engine/exec, functions/window).
//
// Read next: set.go, states.go, sum.go.
package aggregate
