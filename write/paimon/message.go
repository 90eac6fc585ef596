package paimon

import "lakeserver/metadata/paimon"

// Message is what one writer prepared for one bucket of one partition.
type Message struct {
	Partition    []byte // a binary row over the partition columns
	Bucket       int
	TotalBuckets *int // nil: the table's option bucket
	Data         DataIncrement
	Compact      CompactIncrement
}

// DataIncrement is what new rows brought.
type DataIncrement struct {
	NewFiles, DeletedFiles, ChangelogFiles []paimon.DataFile
	NewIndexFiles, DeletedIndexFiles       []paimon.IndexEntry // their kind, partition and bucket are the message's
}

// CompactIncrement is what a compaction read and wrote.
type CompactIncrement struct {
	Before, After, ChangelogFiles    []paimon.DataFile
	NewIndexFiles, DeletedIndexFiles []paimon.IndexEntry
}

// Committable is all messages of one commit identifier.
type Committable struct {
	Identifier int64
	Messages   []any // of type *Message; others are refused
	Watermark  *int64
	Properties map[string]string
}

// changes are the entries that a commit makes, by the snapshot they go into.
type changes struct {
	table, changelog []paimon.Entry
	index            []paimon.IndexEntry
}

func (c *changes) empty() bool {
	return len(c.table) == 0 && len(c.changelog) == 0 && len(c.index) == 0
}

// collect sorts the files of messages into the entries of the append snapshot
// and of the compaction's.
func (c *Committer) collect(messages []any) (data, compact changes, err error) {
	for _, any := range messages {
		m, ok := any.(*Message)
		if !ok || m == nil {
			return data, compact, invalid("fail to cast commit message: it is %T", any)
		}
		total := c.buckets
		if m.TotalBuckets != nil {
			total = *m.TotalBuckets
		}
		add := func(to *[]paimon.Entry, kind paimon.EntryKind, files []paimon.DataFile) {
			for _, f := range files {
				*to = append(*to, paimon.Entry{Kind: kind, Partition: m.Partition, Bucket: m.Bucket, TotalBuckets: total, File: f})
			}
		}
		index := func(to *[]paimon.IndexEntry, kind paimon.EntryKind, files []paimon.IndexEntry) {
			for _, x := range files {
				x.Kind, x.Partition, x.Bucket = kind, m.Partition, m.Bucket
				*to = append(*to, x)
			}
		}
		add(&data.table, paimon.Add, m.Data.NewFiles)
		add(&data.table, paimon.Delete, m.Data.DeletedFiles)
		add(&data.changelog, paimon.Add, m.Data.ChangelogFiles)
		index(&data.index, paimon.Delete, m.Data.DeletedIndexFiles)
		index(&data.index, paimon.Add, m.Data.NewIndexFiles)
		add(&compact.table, paimon.Delete, m.Compact.Before)
		add(&compact.table, paimon.Add, m.Compact.After)
		add(&compact.changelog, paimon.Add, m.Compact.ChangelogFiles)
		index(&compact.index, paimon.Delete, m.Compact.DeletedIndexFiles)
		index(&compact.index, paimon.Add, m.Compact.NewIndexFiles)
	}
	return data, compact, nil
}

// overwrites tells whether an append takes something away: rows by deleting
// their file, or by a deletion vector.
func (c *changes) overwrites() bool {
	for i := range c.table {
		if c.table[i].Kind == paimon.Delete {
			return true
		}
	}
	for i := range c.index {
		if c.index[i].Type == paimon.IndexDeletionVectors {
			return true
		}
	}
	return false
}

func (c *changes) globalIndexes() bool {
	for i := range c.index {
		if c.index[i].Global != nil {
			return true
		}
	}
	return false
}
