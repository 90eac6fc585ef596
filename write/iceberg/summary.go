package iceberg

import (
	"fmt"
	"strconv"

	"lakeserver/metadata/iceberg"
)

// counts are what a snapshot adds or takes out.
type counts struct {
	addedData, removedData       int64
	addedRecords, removedRecords int64
	addedSize, removedSize       int64
	addedPos, removedPos         int64 // position delete files
	addedVectors, removedVectors int64
	addedEq, removedEq           int64
	addedPosRows, removedPosRows int64
	addedEqRows, removedEqRows   int64
}

// summary counts a snapshot's changes.
type summary struct {
	n          counts
	base       *iceberg.TableMetadata
	partitions map[string]bool
	changed    bool
}

func (s *summary) init(base *iceberg.TableMetadata) {
	s.base, s.partitions = base, map[string]bool{}
}

// sizeOf is what a file counts for: a deletion vector its own part of it.
func sizeOf(f *iceberg.DataFile) int64 {
	if f.IsDeletionVector() && f.ContentSize >= 0 {
		return f.ContentSize
	}
	return f.Size
}

func (s *summary) added(spec int, f *iceberg.DataFile) {
	s.touch(spec, f)
	n := &s.n
	n.addedSize += sizeOf(f)
	switch {
	case f.Content == iceberg.DataContent:
		n.addedData++
		n.addedRecords += f.Records
	case f.Content == iceberg.EqualityDeletes:
		n.addedEq++
		n.addedEqRows += f.Records
	case f.IsDeletionVector():
		n.addedVectors++
		n.addedPosRows += f.Records
	default:
		n.addedPos++
		n.addedPosRows += f.Records
	}
}

func (s *summary) removed(spec int, f *iceberg.DataFile) {
	s.touch(spec, f)
	n := &s.n
	n.removedSize += sizeOf(f)
	switch {
	case f.Content == iceberg.DataContent:
		n.removedData++
		n.removedRecords += f.Records
	case f.Content == iceberg.EqualityDeletes:
		n.removedEq++
		n.removedEqRows += f.Records
	case f.IsDeletionVector():
		n.removedVectors++
		n.removedPosRows += f.Records
	default:
		n.removedPos++
		n.removedPosRows += f.Records
	}
}

func (s *summary) touch(spec int, f *iceberg.DataFile) {
	s.changed = true
	s.partitions[PartitionKey(spec, f)] = true
}

// PartitionKey tells partitions apart: a spec and a tuple.
func PartitionKey(spec int, f *iceberg.DataFile) string {
	return fmt.Sprintf("%d %#v", spec, f.Partition)
}

func (s *summary) removedFiles() int64 {
	return s.n.removedData + s.n.removedPos + s.n.removedVectors + s.n.removedEq
}

func (s *summary) addedDeletes() int64 { return s.n.addedPos + s.n.addedVectors + s.n.addedEq }

// text gives the snapshot's summary. Totals go on from the parent's; one that
// the parent lacks stays left out.
func (s *summary) text(operation string, parent *iceberg.Snapshot, more map[string]string) map[string]string {
	n := &s.n
	out := map[string]string{"engine-name": "lakeserver"}
	for k, v := range more {
		out[k] = v
	}
	out["operation"] = operation
	put := func(key string, v int64) {
		if v != 0 {
			out[key] = strconv.FormatInt(v, 10)
		}
	}
	put("added-data-files", n.addedData)
	put("added-records", n.addedRecords)
	put("added-files-size", n.addedSize)
	put("deleted-data-files", n.removedData)
	put("deleted-records", n.removedRecords)
	put("removed-files-size", n.removedSize)
	put("added-delete-files", s.addedDeletes())
	put("added-position-delete-files", n.addedPos)
	put("added-dvs", n.addedVectors)
	put("added-equality-delete-files", n.addedEq)
	put("added-position-deletes", n.addedPosRows)
	put("added-equality-deletes", n.addedEqRows)
	put("removed-delete-files", n.removedPos+n.removedVectors+n.removedEq)
	put("removed-position-delete-files", n.removedPos)
	put("removed-dvs", n.removedVectors)
	put("removed-equality-delete-files", n.removedEq)
	put("removed-position-deletes", n.removedPosRows)
	put("removed-equality-deletes", n.removedEqRows)
	out["changed-partition-count"] = strconv.Itoa(len(s.partitions))

	total := func(key string, added, removed int64) {
		before := int64(0)
		if parent != nil {
			v, err := strconv.ParseInt(parent.Summary[key], 10, 64)
			if err != nil {
				return
			}
			before = v
		}
		out[key] = strconv.FormatInt(before+added-removed, 10)
	}
	total("total-records", n.addedRecords, n.removedRecords)
	total("total-files-size", n.addedSize, n.removedSize)
	total("total-data-files", n.addedData, n.removedData)
	total("total-delete-files", s.addedDeletes(), n.removedPos+n.removedVectors+n.removedEq)
	total("total-position-deletes", n.addedPosRows, n.removedPosRows)
	total("total-equality-deletes", n.addedEqRows, n.removedEqRows)
	return out
}
