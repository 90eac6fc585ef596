package main

import (
	"os"
	"runtime/debug"
)

// heapGrowth is how far the heap may grow between collections, in percent.
// Queries allocate blocks that die young: at Go's 100 a query over many of them
// is interrupted so often that a fifth of its time goes to marking.
const heapGrowth = 400

// tuneCollector trades memory for fewer collections, unless the operator has
// set GOGC.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
