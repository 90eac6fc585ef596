package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Shares of the machine's memory, in percent: what queries may reserve, and
// where the garbage collector begins to work harder. The rest is for what no
// tracker counts.
const (
	queriesPercent   = 60
	collectorPercent = 80
)

// leastCollectorLimit keeps the collector from working without end under a
// small configured limit.
const leastCollectorLimit = 512 << 20

// memoryLimit is what all queries together may reserve: as configured, or a
// share of the machine's memory, so that one greedy query gets an error and the
// server lives on. 0 is no limit, where the machine does not tell.
func memoryLimit(configured int64) int64 {
	total := machineMemory()
	most := total / 100 * collectorPercent
	if configured > 0 {
		share := max(configured/queriesPercent*collectorPercent, leastCollectorLimit)
		if most == 0 || share < most {
			most = share
		}
	}
	if most > 0 {
		debug.SetMemoryLimit(most)
	}
	if configured > 0 {
		return configured
	}
	return total / 100 * queriesPercent
}

// machineMemory is the memory of the machine or of the control group, whichever
// is less; 0 when unknown.
func machineMemory() int64 {
	total := int64(0)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		total = memTotal(string(text))
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (total == 0 || most < total) {
			total = most
		}
	}
	return total
}

// memTotal reads the line "MemTotal: n kB".
func memTotal(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}
