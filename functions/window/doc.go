// Package window holds the functions that only make sense OVER a window:
// positions, ranks, neighbours, derivatives.
//
// Deliberately elsewhere: aggregate functions over frames (functions/aggregate
// by way of engine/exec), the frames themselves (engine/exec).
//
// Read next: set.go, rank.go, neighbour.go.
package window
