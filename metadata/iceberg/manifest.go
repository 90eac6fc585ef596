package iceberg

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unsafe"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
	"lakeserver/column"
	"lakeserver/metadata"
)

// Status of a manifest entry.
const (
	Existing = 0
	Added    = 1
	Deleted  = 2
)

// Content of a file.
const (
	DataContent      = 0
	PositionDeletes  = 1
	EqualityDeletes  = 2
	unsetSequence    = -1
	unsetRowID       = -1
	maxEntriesHint   = 1 << 20
	averageEntrySize = 100
)

// Manifest is a parsed manifest. It is immutable and shared.
type Manifest struct {
	SpecID   int            // of the header, -1 if it has none
	Spec     *PartitionSpec // of the header, nil if it has none
	SchemaID int            // of the header, -1 if it has none
	Deletes  bool
	Entries  []Entry
}

// Entry is a manifest entry as stored: what it inherits from the manifest list
// is not filled in (see Walk).
type Entry struct {
	Status         int8
	SnapshotID     int64 // -1: inherited
	SequenceNumber int64 // of the data; -1: inherited
	FileSequence   int64 // -1: inherited
	File           DataFile
}

// DataFile is a data or delete file.
type DataFile struct {
	Content     int8
	Path        string // as written
	Format      string // as written
	Records     int64
	Size        int64
	Partition   []column.Value // one a field of the spec, in the forms of the ClickHouse types
	Unreadable  uint64         // bit i: partition value i has a form that its type does not know
	Stats       []ColumnStat
	EqualityIDs []int
	SortOrderID int // -1: none
	FirstRowID  int64
	// Referenced is the one data file that a position delete file or deletion
	// vector is for, "" if there is none or several.
	Referenced    string
	ContentOffset int64 // deletion vector: where the blob starts; -1: none
	ContentSize   int64
	SplitOffsets  []int64
	Encrypted     bool
}

// ColumnStat is what is known of one column of a file. Counts are -1 and bounds
// nil when not known.
type ColumnStat struct {
	ID                         int32
	Values, Nulls, NaNs, Bytes int64
	Lower, Upper               []byte
}

// Stat gives what is known of a column; nil when nothing is.
func (f *DataFile) Stat(id int) *ColumnStat {
	for i := range f.Stats {
		if f.Stats[i].ID == int32(id) {
			return &f.Stats[i]
		}
	}
	return nil
}

var manifestIDs = map[string]int{
	"status": 0, "snapshot_id": 1, "sequence_number": 3, "file_sequence_number": 4, "data_file": 2,
}

var dataFileIDs = map[string]int{
	"content": 134, "file_path": 100, "file_format": 101, "partition": 102, "record_count": 103, "file_size_in_bytes": 104,
	"column_sizes": 108, "value_counts": 109, "null_value_counts": 110, "nan_value_counts": 137, "lower_bounds": 125,
	"upper_bounds": 128, "key_metadata": 131, "split_offsets": 132, "equality_ids": 135, "sort_order_id": 140,
	"first_row_id": 142, "referenced_data_file": 143, "content_offset": 144, "content_size_in_bytes": 145,
}

// LoadManifest gives a manifest of a table; path is where it is stored.
func LoadManifest(ctx context.Context, l *metadata.Loader, m *TableMetadata, f *ManifestFile, path string) (*Manifest, error) {
	if f.Encrypted {
		return nil, cherr.New(cherr.NotImplemented, "Manifest %s is encrypted, which is not supported", f.Path)
	}
	// The form depends on the types of the spec's columns, so it is kept by table.
	kind := "manifest " + m.UUID + " " + strconv.Itoa(m.LastColumnID) + " " + strconv.FormatInt(f.Length, 10)
	man, err := metadata.Load(ctx, l, kind, path, func(data []byte) (*Manifest, int64, error) {
		man, err := parseManifest(path, data, m, f)
		if err == nil {
			err = checkWhole(man.live(), f, len(data))
		}
		if err != nil {
			return nil, 0, err
		}
		return man, man.size() + 6*int64(len(data)), nil
	})
	return man, cherr.Wrap(err, "reading Iceberg manifest %s", path)
}

// checkWhole finds a manifest that was cut between two blocks, by its number of
// live files. A wrong length or a wrong count alone is some writer's slip.
func checkWhole(live int64, f *ManifestFile, length int) error {
	if f.Length == int64(length) || f.Length <= 0 || f.AddedFiles < 0 || f.ExistingFiles < 0 {
		return nil
	}
	if live < f.AddedFiles+f.ExistingFiles {
		return cherr.New(cherr.IncorrectData, "it has %d files in %d bytes, the manifest list says %d in %d", live, length, f.AddedFiles+f.ExistingFiles, f.Length)
	}
	return nil
}

func (m *Manifest) live() int64 {
	n := int64(0)
	for i := range m.Entries {
		if m.Entries[i].Status != Deleted {
			n++
		}
	}
	return n
}

func (m *Manifest) size() int64 {
	n := int64(len(m.Entries)) * int64(unsafe.Sizeof(Entry{}))
	for i := range m.Entries {
		n += int64(cap(m.Entries[i].File.Stats)) * int64(unsafe.Sizeof(ColumnStat{}))
	}
	return n
}

type manifestReader struct {
	c       *avro.Cursor
	names   bool // fields have no ids
	dataIDs []int
	data    *avro.Schema
	part    *partitionReader
	stats   []ColumnStat  // of the entry at hand, reused
	slab    []ColumnStat  // where finished ones are cut from
	planned *indexBuilder // makes columns of the entries; nil: they are kept whole
}

func parseManifest(path string, data []byte, m *TableMetadata, mf *ManifestFile) (*Manifest, error) {
	man := &Manifest{}
	r := &manifestReader{}
	return man, r.read(path, data, m, mf, man, func(rows int64, block int) {
		if man.Entries == nil {
			man.Entries = make([]Entry, 0, min(rows, maxEntriesHint, int64(block/averageEntrySize+1)))
		}
	}, func(e *Entry) { man.Entries = append(man.Entries, *e) })
}

// read fills in the manifest's header and calls each for every entry; block
// comes before the entries of one block.
func (r *manifestReader) read(path string, data []byte, m *TableMetadata, mf *ManifestFile, man *Manifest, block func(rows int64, length int), each func(e *Entry)) error {
	f, err := avro.OpenBytes(path, data)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Reuse = r.planned != nil
	if f.Schema.Kind != avro.Record {
		return cherr.New(cherr.IncorrectData, "its values are no records")
	}
	*man = *manifestHeader(f.Meta)
	if err := man.complete(m, mf); err != nil {
		return err
	}
	r.names = !hasIDs(f.Schema, 0)
	var top map[string]int
	if r.names {
		top = manifestIDs
	}
	ids := idsOf(f.Schema, top)
	if err := require(ids, 0, 2); err != nil {
		return err
	}
	if err := r.prepare(f.Schema, ids, m, man.Spec); err != nil {
		return err
	}
	var e Entry
	for {
		rows, plain, err := f.Next()
		if err != nil || rows == 0 {
			return err
		}
		block(rows, len(plain))
		r.c = avro.NewCursor(plain)
		for range rows {
			e = Entry{SnapshotID: -1, SequenceNumber: unsetSequence, FileSequence: unsetSequence}
			for i, id := range ids {
				r.readEntryField(&e, id, f.Schema.Fields[i].Type)
			}
			if r.c.Err() != nil {
				return r.c.Err()
			}
			if err := e.check(man.Deletes); err != nil {
				return err
			}
			each(&e)
		}
		if r.c.Left() != 0 {
			return cherr.New(cherr.IncorrectData, "a block has %d bytes more than its entries", r.c.Left())
		}
	}
}

// complete takes what the manifest list and the table know better.
func (m *Manifest) complete(t *TableMetadata, mf *ManifestFile) error {
	if mf.bare {
		if m.SpecID < 0 {
			m.SpecID = t.DefaultSpecID
		}
	} else {
		m.SpecID = mf.SpecID
		m.Deletes = mf.Deletes
	}
	if spec := t.Spec(m.SpecID); spec != nil {
		m.Spec = spec
	}
	if m.Spec == nil {
		return cherr.New(cherr.IcebergSpecificationViolation, "partition spec %d is not in the table's metadata", m.SpecID)
	}
	return nil
}

func manifestHeader(meta map[string][]byte) *Manifest {
	man := &Manifest{SpecID: -1, SchemaID: -1, Deletes: string(meta["content"]) == "deletes"}
	if n, err := strconv.Atoi(string(meta["partition-spec-id"])); err == nil {
		man.SpecID = n
	}
	if n, err := strconv.Atoi(string(meta["schema-id"])); err == nil {
		man.SchemaID = n
	}
	var fields []PartitionField
	if json.Unmarshal(meta["partition-spec"], &fields) == nil && meta["partition-spec"] != nil {
		man.Spec = &PartitionSpec{ID: man.SpecID, Fields: fields}
		man.Spec.complete()
	}
	return man
}

func (r *manifestReader) prepare(s *avro.Schema, ids []int, m *TableMetadata, spec *PartitionSpec) error {
	for i, id := range ids {
		if id != 2 {
			continue
		}
		r.data = s.Fields[i].Type.Plain()
		if r.data == nil || r.data.Kind != avro.Record {
			return cherr.New(cherr.IncorrectData, "data_file is no record")
		}
	}
	var names map[string]int
	if r.names {
		names = dataFileIDs
	}
	r.dataIDs = idsOf(r.data, names)
	for i, id := range r.dataIDs {
		if id == 102 {
			r.part = newPartitionReader(r.data.Fields[i].Type, m, spec)
		}
	}
	return require(r.dataIDs, 100, 103, 104)
}

func (e *Entry) check(deletes bool) error {
	f := &e.File
	switch {
	case e.Status < Existing || e.Status > Deleted:
		return cherr.New(cherr.IncorrectData, "entry status %d is not known", e.Status)
	case f.Content < DataContent || f.Content > EqualityDeletes:
		return cherr.New(cherr.IncorrectData, "file content %d is not known", f.Content)
	case f.Path == "":
		return cherr.New(cherr.IncorrectData, "an entry has no file path")
	case f.Records < 0 || f.Size < 0:
		return cherr.New(cherr.IncorrectData, "file %s has %d records in %d bytes", f.Path, f.Records, f.Size)
	case deletes != (f.Content != DataContent):
		return cherr.New(cherr.IcebergSpecificationViolation, "file %s has content %d in a manifest of the other kind", f.Path, f.Content)
	}
	return nil
}

// Live is an entry with everything inherited filled in.
type Live struct {
	*DataFile
	Status         int8
	SnapshotID     int64
	SequenceNumber int64
	FileSequence   int64
	FirstRowID     int64 // -1: none
}

// inherited is what an entry may take from the manifest list.
type inherited struct {
	status                           int8
	snapshot, sequence, fileSequence int64
}

// inheritance fills in what entries inherit from the manifest list's line; it
// meets the live entries in order.
type inheritance struct {
	line *ManifestFile
	next int64 // row id of the next file that has none of its own
}

// rowID gives the first row id of a file, -1 for none.
func (in *inheritance) rowID(own int64, records func() int64) int64 {
	if in.line.FirstRowID < 0 {
		return unsetRowID
	}
	if own != unsetRowID {
		return own
	}
	id := in.next
	in.next += records()
	return id
}

func (in *inheritance) live(e inherited, f *DataFile, row int64) (Live, error) {
	l := Live{DataFile: f, Status: e.status, SnapshotID: e.snapshot, SequenceNumber: e.sequence, FileSequence: e.fileSequence, FirstRowID: row}
	if l.SnapshotID < 0 {
		l.SnapshotID = in.line.AddedSnapshotID
	}
	// Only added files inherit; a manifest of version 1 has numbers 0.
	inherit := e.status == Added || in.line.SequenceNumber == 0
	if l.SequenceNumber == unsetSequence {
		if !inherit {
			return l, cherr.New(cherr.IcebergSpecificationViolation, "existing file %s has no sequence number", f.Path)
		}
		l.SequenceNumber = in.line.SequenceNumber
	}
	if l.FileSequence == unsetSequence && inherit {
		l.FileSequence = in.line.SequenceNumber
	}
	return l, nil
}

// Walk calls f for each live entry in order, with what it inherits from the
// manifest list's line.
func (m *Manifest) Walk(line *ManifestFile, f func(Live) error) error {
	in := inheritance{line: line, next: line.FirstRowID}
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Status == Deleted {
			continue
		}
		row := in.rowID(e.File.FirstRowID, func() int64 { return e.File.Records })
		l, err := in.live(inherited{e.Status, e.SnapshotID, e.SequenceNumber, e.FileSequence}, &e.File, row)
		if err == nil {
			err = f(l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IsFormat tells whether the file has a format, whatever the spelling.
func (f *DataFile) IsFormat(name string) bool { return strings.EqualFold(f.Format, name) }

// IsDeletionVector tells whether the file is a deletion vector in Puffin.
func (f *DataFile) IsDeletionVector() bool {
	return f.Content == PositionDeletes && f.IsFormat("puffin")
}
