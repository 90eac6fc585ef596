//go:build !goexperiment.simd || !amd64

package parquet

// unpackWide has no fast way here: it leaves everything to its caller.
func unpackWide([]uint32, []byte, uint) int { return 0 }

// maxWide has no fast way here: it leaves everything to its caller.
func maxWide([]uint32) (m uint32, n int) { return 0, 0 }
