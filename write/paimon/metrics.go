package paimon

import (
	"sync"
	"time"

	"lakeserver/metadata/paimon"
)

// CommitMetrics are the figures of the last commit. Names are those of
// Paimon's metric group commit.
type CommitMetrics struct {
	LastCommitDuration                                                   time.Duration
	CommitDuration                                                       []time.Duration // the last calls, oldest first
	LastCommitAttempts                                                   int
	LastTableFilesAdded, LastTableFilesDeleted                           int
	LastTableFilesAppended, LastTableFilesCommitCompacted                int
	LastChangelogFilesAppended, LastChangelogFileCommitCompacted         int
	LastGeneratedSnapshots                                               int
	LastDeltaRecordsAppended, LastChangelogRecordsAppended               int64
	LastDeltaRecordsCommitCompacted, LastChangelogRecordsCommitCompacted int64
	LastPartitionsWritten, LastBucketsWritten                            int
	LastCompactionInputFileSize, LastCompactionOutputFileSize            int64
	LastCommittedSnapshotID                                              int64
}

// keptDurations is how many calls the histogram is over.
const keptDurations = 100

// measure collects the figures of one call.
type measure struct {
	started             time.Time
	attempts, snapshots int
	last                int64
	data, compact       changes
}

type metrics struct {
	mu  sync.Mutex
	now CommitMetrics
}

func (m *metrics) report(c *measure, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := CommitMetrics{
		LastCommitDuration: took, LastCommitAttempts: c.attempts, LastGeneratedSnapshots: c.snapshots,
		LastCommittedSnapshotID: m.now.LastCommittedSnapshotID,
		CommitDuration:          append(m.now.CommitDuration[max(0, len(m.now.CommitDuration)-keptDurations+1):len(m.now.CommitDuration):len(m.now.CommitDuration)], took),
		LastTableFilesAppended:  len(c.data.table), LastTableFilesCommitCompacted: len(c.compact.table),
		LastChangelogFilesAppended: len(c.data.changelog), LastChangelogFileCommitCompacted: len(c.compact.changelog),
		LastDeltaRecordsAppended: recordsIn(c.data.table), LastChangelogRecordsAppended: recordsIn(c.data.changelog),
		LastDeltaRecordsCommitCompacted: recordsIn(c.compact.table), LastChangelogRecordsCommitCompacted: recordsIn(c.compact.changelog),
	}
	if c.last > 0 {
		r.LastCommittedSnapshotID = c.last
	}
	partitions, buckets := map[string]bool{}, map[bucketKey]bool{}
	for _, part := range [][]paimon.Entry{c.data.table, c.data.changelog, c.compact.table, c.compact.changelog} {
		for i := range part {
			partitions[string(part[i].Partition)] = true
			buckets[bucketKey{string(part[i].Partition), part[i].Bucket}] = true
		}
	}
	r.LastPartitionsWritten, r.LastBucketsWritten = len(partitions), len(buckets)
	for _, part := range [][]paimon.Entry{c.data.table, c.compact.table} {
		for i := range part {
			if part[i].Kind == paimon.Add {
				r.LastTableFilesAdded++
			} else {
				r.LastTableFilesDeleted++
			}
		}
	}
	for i := range c.compact.table {
		if c.compact.table[i].Kind == paimon.Add {
			r.LastCompactionOutputFileSize += c.compact.table[i].File.Size
		} else {
			r.LastCompactionInputFileSize += c.compact.table[i].File.Size
		}
	}
	m.now = r
}

// bucketKey names a bucket of a partition.
type bucketKey struct {
	partition string
	bucket    int
}

// recordsIn gives the rows of files, those taken away negative.
func recordsIn(entries []paimon.Entry) int64 {
	n := int64(0)
	for i := range entries {
		if entries[i].Kind == paimon.Add {
			n += entries[i].File.Rows
		} else {
			n -= entries[i].File.Rows
		}
	}
	return n
}

// Metrics gives the figures of the last call.
func (c *Committer) Metrics() CommitMetrics {
	c.metrics.mu.Lock()
	defer c.metrics.mu.Unlock()
	return c.metrics.now
}
