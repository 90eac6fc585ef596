package iceberg

import (
	"encoding/json"
	"strconv"

	"lakeserver/cherr"
	"lakeserver/codec/avro"
)

// v1BlockSize is what writers put where version 1 wants a block size.
const v1BlockSize = 64 << 20

// ManifestWriter makes one manifest: files of one content under one partition
// spec. What an entry inherits from the manifest list is left null (-1). It is
// used by one goroutine.
type ManifestWriter struct {
	version int
	spec    *PartitionSpec
	types   []*Type
	out     *avro.Writer
	line    ManifestFile
	ranges  []partitionRange
}

// NewManifestWriter begins a manifest of a table for the snapshot that will
// own it. codec is an Avro codec.
func NewManifestWriter(m *TableMetadata, spec *PartitionSpec, deletes bool, snapshotID int64, codec string) (*ManifestWriter, error) {
	w := &ManifestWriter{version: m.FormatVersion, spec: spec}
	for _, f := range spec.Fields {
		t := m.PartitionType(f)
		if t == nil || f.Transform.Kind == UnknownTransform || t.Nested() {
			return nil, cherr.New(cherr.NotImplemented, "Partition field `%s` of Iceberg table %s has the transform %s, which is not supported for writing", f.Name, m.Location, f.Transform.Name)
		}
		w.types = append(w.types, t)
	}
	w.ranges = make([]partitionRange, len(spec.Fields))
	w.line = ManifestFile{
		SpecID: spec.ID, Deletes: deletes, AddedSnapshotID: snapshotID, SequenceNumber: unsetSequence,
		MinSequenceNumber: unsetSequence, FirstRowID: unsetRowID,
	}
	schema, err := json.Marshal(m.CurrentSchema())
	if err != nil {
		return nil, err
	}
	fields := spec.Fields
	if fields == nil {
		fields = []PartitionField{}
	}
	part, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	meta := []avro.KeyValue{
		{Key: "schema", Value: string(schema)},
		{Key: "schema-id", Value: strconv.Itoa(m.CurrentSchemaID)},
		{Key: "partition-spec", Value: string(part)},
		{Key: "partition-spec-id", Value: strconv.Itoa(spec.ID)},
		{Key: "format-version", Value: strconv.Itoa(w.version)},
	}
	if w.version > 1 {
		content := "data"
		if deletes {
			content = "deletes"
		}
		meta = append(meta, avro.KeyValue{Key: "content", Value: content})
	} else if deletes {
		return nil, cherr.New(cherr.NotImplemented, "Iceberg format version 1 has no row deletes")
	}
	w.out, err = avro.NewWriter(manifestSchema(w.version, spec, w.types), codec, meta...)
	return w, err
}

// Len gives about how long the manifest is so far.
func (w *ManifestWriter) Len() int64 { return w.out.Len() }

// Entries gives the number of entries so far.
func (w *ManifestWriter) Entries() int64 {
	return w.line.AddedFiles + w.line.ExistingFiles + w.line.DeletedFiles
}

// Add appends an entry. EXISTING and DELETED ones must have their numbers.
func (w *ManifestWriter) Add(e *Entry) error {
	f := &e.File
	switch {
	case f.Encrypted:
		return cherr.New(cherr.NotImplemented, "File %s is encrypted: its entry cannot be written again", f.Path)
	case w.version > 1 && e.Status != Added && (e.SequenceNumber < 0 || e.FileSequence < 0):
		return cherr.New(cherr.LogicalError, "the entry of file %s has no sequence numbers", f.Path)
	case len(f.Partition) != len(w.spec.Fields):
		return cherr.New(cherr.LogicalError, "file %s has %d partition values, its spec %d fields", f.Path, len(f.Partition), len(w.spec.Fields))
	case f.unreadable(len(w.spec.Fields)):
		return cherr.New(cherr.NotImplemented, "A partition value of file %s has a form that its type does not know", f.Path)
	}
	w.encodeEntry(e)
	switch e.Status {
	case Added:
		w.line.AddedFiles++
		w.line.AddedRows += f.Records
	case Existing:
		w.line.ExistingFiles++
		w.line.ExistingRows += f.Records
	case Deleted:
		w.line.DeletedFiles++
		w.line.DeletedRows += f.Records
	}
	if e.Status != Deleted && e.SequenceNumber >= 0 && (w.line.MinSequenceNumber < 0 || e.SequenceNumber < w.line.MinSequenceNumber) {
		w.line.MinSequenceNumber = e.SequenceNumber
	}
	if e.Status != Deleted {
		for i := range w.ranges {
			w.ranges[i].add(f.Partition[i])
		}
	}
	return w.out.EndRow()
}

// unreadable tells whether a partition value could not be understood.
func (f *DataFile) unreadable(fields int) bool {
	return f.Unreadable&(1<<min(fields, 63)-1) != 0
}

// Finish gives the manifest's bytes and its line of the manifest list, whose
// path the caller fills in. Sequence numbers that the commit gives are -1.
func (w *ManifestWriter) Finish() ([]byte, ManifestFile, error) {
	data, err := w.out.Finish()
	if err != nil {
		return nil, ManifestFile{}, err
	}
	line := w.line
	line.Length = int64(len(data))
	line.Partitions = make([]FieldSummary, len(w.ranges))
	for i := range w.ranges {
		line.Partitions[i] = w.ranges[i].summary(w.types[i])
	}
	return data, line, nil
}

func (w *ManifestWriter) optional(v int64) {
	if w.out.Encoder().Present(v >= 0) {
		w.out.Encoder().Long(v)
	}
}

func (w *ManifestWriter) encodeEntry(e *Entry) {
	w.out.Encoder().Long(int64(e.Status))
	snapshot := e.SnapshotID
	if snapshot < 0 && w.version == 1 {
		snapshot = w.line.AddedSnapshotID
	}
	if w.version == 1 {
		w.out.Encoder().Long(snapshot)
	} else {
		w.optional(snapshot)
		w.optional(e.SequenceNumber)
		w.optional(e.FileSequence)
	}
	w.encodeFile(&e.File)
}

func (w *ManifestWriter) encodeFile(f *DataFile) {
	e := w.out.Encoder()
	if w.version > 1 {
		e.Long(int64(f.Content))
	}
	e.Text(f.Path)
	e.Text(f.Format)
	for i, t := range w.types {
		switch {
		case t.Kind == Unknown: // null has no branch of its own
		case e.Present(f.Partition[i] != nil):
			encodeValue(e, t, f.Partition[i])
		}
	}
	e.Long(f.Records)
	e.Long(f.Size)
	if w.version == 1 {
		e.Long(v1BlockSize)
	}
	w.counts(f, func(s *ColumnStat) int64 { return s.Bytes })
	w.counts(f, func(s *ColumnStat) int64 { return s.Values })
	w.counts(f, func(s *ColumnStat) int64 { return s.Nulls })
	w.counts(f, func(s *ColumnStat) int64 { return s.NaNs })
	w.bounds(f, func(s *ColumnStat) []byte { return s.Lower })
	w.bounds(f, func(s *ColumnStat) []byte { return s.Upper })
	e.Present(false) // key_metadata
	w.longs(f.SplitOffsets)
	if w.version > 1 {
		ids := make([]int64, len(f.EqualityIDs))
		for i, id := range f.EqualityIDs {
			ids[i] = int64(id)
		}
		w.longs(ids)
	}
	w.optional(int64(f.SortOrderID))
	if w.version > 2 {
		w.optional(f.FirstRowID)
	}
	if w.version > 1 {
		if e.Present(f.Referenced != "") {
			e.Text(f.Referenced)
		}
	}
	if w.version > 2 {
		w.optional(f.ContentOffset)
		w.optional(f.ContentSize)
	}
}

// counts appends a map of counts; columns without one (-1) are left out, and
// the whole map when none has one.
func (w *ManifestWriter) counts(f *DataFile, of func(*ColumnStat) int64) {
	n := 0
	for i := range f.Stats {
		if of(&f.Stats[i]) >= 0 {
			n++
		}
	}
	if !w.begin(n) {
		return
	}
	for i := range f.Stats {
		if v := of(&f.Stats[i]); v >= 0 {
			w.out.Encoder().Long(int64(f.Stats[i].ID))
			w.out.Encoder().Long(v)
		}
	}
	w.out.Encoder().Long(0)
}

func (w *ManifestWriter) bounds(f *DataFile, of func(*ColumnStat) []byte) {
	n := 0
	for i := range f.Stats {
		if of(&f.Stats[i]) != nil {
			n++
		}
	}
	if !w.begin(n) {
		return
	}
	for i := range f.Stats {
		if b := of(&f.Stats[i]); b != nil {
			w.out.Encoder().Long(int64(f.Stats[i].ID))
			w.out.Encoder().Bytes(b)
		}
	}
	w.out.Encoder().Long(0)
}

func (w *ManifestWriter) longs(v []int64) {
	if !w.begin(len(v)) {
		return
	}
	for _, x := range v {
		w.out.Encoder().Long(x)
	}
	w.out.Encoder().Long(0)
}

// begin opens an optional array of n elements; without any it is null.
func (w *ManifestWriter) begin(n int) bool {
	e := w.out.Encoder()
	if !e.Present(n > 0) {
		return false
	}
	e.Items(n)
	return true
}
