package read

import (
	"lakeserver/column"
	"lakeserver/metadata/iceberg"
	"lakeserver/metadata/paimon"
	"lakeserver/types"
)

// Task is one data file of a snapshot, and what deletes rows of it. It is
// immutable once planned.
type Task struct {
	Path           string // where it is stored
	Name           string // as the table's metadata spells it
	Format         string // parquet, avro
	Records, Size  int64
	SequenceNumber int64
	FirstRowID     int64 // -1: none

	// Of an Iceberg table.
	File *iceberg.DataFile
	Spec *iceberg.PartitionSpec

	Paimon *PaimonFile // of a Paimon table

	vector    *deleteFile   // deletion vector, nil if there is none
	positions []*deleteFile // position delete files; empty when there is a vector
	equality  []*equalityGroup
}

// HasDeletes tells whether rows of the file may be deleted, and whether by value.
func (t *Task) HasDeletes() (any, byValue bool) {
	return t.vector != nil || len(t.positions) > 0 || len(t.equality) > 0, len(t.equality) > 0
}

// Virtual says where the values of a column come from that no schema has.
type Virtual uint8

// The virtual columns.
const (
	NotVirtual      Virtual = iota
	VirtualPath             // _path
	VirtualFile             // _file
	VirtualSize             // _size
	VirtualTime             // _time
	VirtualETag             // _etag
	VirtualRow              // _row_number
	VirtualMeta             // _iceberg_metadata_file_path
	VirtualRowID            // _row_id
	VirtualLast             // _last_updated_sequence_number
	VirtualTags             // _tags
	VirtualVersion          // _data_lake_snapshot_version
	VirtualBucket           // _bucket
	VirtualLevel            // _level
	VirtualSequence         // _sequence_number
	VirtualKind             // _row_kind, as text
	virtualKindCode         // the same as it is stored
)

// Column is a column that a scan can give.
type Column struct {
	Name    string
	Type    *types.Type
	Field   *iceberg.Field // of an Iceberg table; nil for virtual columns
	Paimon  *paimon.Field  // of a Paimon table; nil for virtual columns
	Virtual Virtual
}

// id gives the field id by which statistics know the column, -1 for none.
func (c *Column) id() int {
	switch {
	case c.Field != nil && !c.Field.Type.Nested():
		return c.Field.ID
	case c.Paimon != nil && !c.Paimon.Type.Nested():
		return c.Paimon.ID
	}
	return -1
}

// identity gives the value that an identity partition field fixes for a column
// in every row of the file; ok is false when there is none.
func (t *Task) identity(fieldID int) (v column.Value, ok bool) {
	for i, f := range t.Spec.Fields {
		if f.SourceID == fieldID && f.Transform.Kind == iceberg.Identity && i < len(t.File.Partition) && t.File.Unreadable&(1<<min(i, 63)) == 0 {
			return t.File.Partition[i], true
		}
	}
	return nil, false
}
