package pruning

import "lakeserver/metadata/iceberg"

// Report counts what was left out and why. It is used by one goroutine, or
// joined under a lock with Add.
type Report struct {
	Manifests, ManifestsEmpty, ManifestsPruned int
	Files                                      int // kept
	FileBytes, FileRows                        int64
	// Files pruned, and their bytes, by partition value and by column bounds.
	PrunedByPartition, PrunedByBounds           int
	PrunedByPartitionBytes, PrunedByBoundsBytes int64
	PrunedByBucket                              int // of a Paimon table
	PrunedByIndex                               int // by a file index of a Paimon table
	// Delete files kept and pruned.
	DeleteFiles, DeleteFilesPruned int
}

// Reason says which statistics ruled a file out.
type Reason uint8

// The reasons.
const (
	Kept Reason = iota
	ByPartition
	ByBounds
)

// Prune counts a file that was left out.
func (r *Report) Prune(f *iceberg.DataFile, why Reason) {
	switch {
	case f.Content != iceberg.DataContent:
		r.DeleteFilesPruned++
	case why == ByPartition:
		r.PrunedByPartition++
		r.PrunedByPartitionBytes += f.Size
	default:
		r.PrunedByBounds++
		r.PrunedByBoundsBytes += f.Size
	}
}

// Add joins another report's counts of files.
func (r *Report) Add(o *Report) {
	r.PrunedByPartition += o.PrunedByPartition
	r.PrunedByBounds += o.PrunedByBounds
	r.PrunedByPartitionBytes += o.PrunedByPartitionBytes
	r.PrunedByBoundsBytes += o.PrunedByBoundsBytes
	r.DeleteFiles += o.DeleteFiles
	r.DeleteFilesPruned += o.DeleteFilesPruned
}
