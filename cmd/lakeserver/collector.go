package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How far the heap may grow between collections. Queries allocate blocks that
// die young: at Go's 100 percent a query over many of them is interrupted so
// often that a fifth of its time goes to marking. But what a percentage allows
// grows with what queries keep: four times several gigabytes of hash tables is
// the machine. So the allowance is a percentage while the heap is small, and an
// amount beyond.
const (
	smallHeapGrowth = 400     // percent
	mostGarbage     = 1 << 30 // bytes allowed on top of what lives
	leastGrowth     = 25      // percent: collecting more often would be all that is done
)

// heapGrowth gives the percentage for a heap of which live bytes are in use.
func heapGrowth(live uint64) int {
	if live == 0 {
		return smallHeapGrowth
	}
	return int(max(leastGrowth, min(smallHeapGrowth, mostGarbage*100/live)))
}

// tuneCollector trades memory for fewer collections, unless the operator has
// set GOGC.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(smallHeapGrowth)
	adjust(&collectorTurn{growth: smallHeapGrowth})
}

// collectorTurn is garbage: it dies with every collection, which is when the
// percentage is set anew.
type collectorTurn struct {
	growth int
	_      *byte // with a pointer it shares its memory with no other object
}

func adjust(t *collectorTurn) {
	runtime.SetFinalizer(t, func(t *collectorTurn) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		growth := t.growth
		if sample[0].Value.Kind() == metrics.KindUint64 {
			growth = heapGrowth(sample[0].Value.Uint64())
		}
		// Setting it stops the world for a moment: only for a change that matters.
		if d := growth - t.growth; d < 0 && -d*10 > t.growth || d*10 > t.growth {
			debug.SetGCPercent(growth)
			t.growth = growth
		}
		adjust(&collectorTurn{growth: t.growth})
	})
}
