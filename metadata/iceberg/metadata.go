package iceberg

import (
	"bytes"
	"encoding/json"

	"lakeserver/cherr"
	"lakeserver/metadata"
)

// MaxFormatVersion is the newest version of the spec that is read.
const MaxFormatVersion = 3

// TableMetadata is one metadata.json. It is immutable and shared.
type TableMetadata struct {
	File               string // the file it was read from
	FormatVersion      int
	UUID               string
	Location           string
	LastSequenceNumber int64
	LastUpdatedMs      int64
	LastColumnID       int
	Schemas            []*Schema
	CurrentSchemaID    int
	Specs              []*PartitionSpec
	DefaultSpecID      int
	SortOrders         []SortOrder
	DefaultSortOrderID int
	Properties         map[string]string
	CurrentSnapshotID  int64 // -1: none
	Snapshots          []*Snapshot
	SnapshotLog        []SnapshotLogEntry
	MetadataLog        []MetadataLogEntry
	Refs               map[string]Ref
	Statistics         []StatisticsFile
	PartitionStats     []StatisticsFile
	NextRowID          int64
}

// Snapshot is one state of the table.
type Snapshot struct {
	ID             int64             `json:"snapshot-id"`
	ParentID       *int64            `json:"parent-snapshot-id"`
	SequenceNumber int64             `json:"sequence-number"`
	TimestampMs    int64             `json:"timestamp-ms"`
	ManifestList   string            `json:"manifest-list"`
	Manifests      []string          `json:"manifests"` // version 1: paths in place of a list
	Summary        map[string]string `json:"summary"`
	SchemaID       *int              `json:"schema-id"`
	FirstRowID     *int64            `json:"first-row-id"`
	AddedRows      *int64            `json:"added-rows"`
	KeyID          string            `json:"key-id"`
}

// Parent gives the parent's id; ok is false for the first snapshot (some
// engines write -1 there).
func (s *Snapshot) Parent() (id int64, ok bool) {
	if s.ParentID == nil || *s.ParentID == -1 {
		return 0, false
	}
	return *s.ParentID, true
}

// Operation gives what kind of change made the snapshot; one without a word
// counts as overwrite.
func (s *Snapshot) Operation() string {
	if op := s.Summary["operation"]; op != "" {
		return op
	}
	return "overwrite"
}

// SnapshotLogEntry says since when a snapshot was current.
type SnapshotLogEntry struct {
	TimestampMs int64 `json:"timestamp-ms"`
	SnapshotID  int64 `json:"snapshot-id"`
}

// MetadataLogEntry names an earlier metadata file.
type MetadataLogEntry struct {
	TimestampMs int64  `json:"timestamp-ms"`
	File        string `json:"metadata-file"`
}

// Ref is a branch or tag.
type Ref struct {
	SnapshotID         int64  `json:"snapshot-id"`
	Type               string `json:"type"`
	MinSnapshotsToKeep *int   `json:"min-snapshots-to-keep"`
	MaxSnapshotAgeMs   *int64 `json:"max-snapshot-age-ms"`
	MaxRefAgeMs        *int64 `json:"max-ref-age-ms"`
}

// StatisticsFile is a Puffin file of table statistics, or a data file of
// partition statistics.
type StatisticsFile struct {
	SnapshotID int64  `json:"snapshot-id"`
	Path       string `json:"statistics-path"`
	Size       int64  `json:"file-size-in-bytes"`
	FooterSize int64  `json:"file-footer-size-in-bytes"`
}

// SortOrder is a claim of order that data files may make.
type SortOrder struct {
	ID     int         `json:"order-id"`
	Fields []SortField `json:"fields"`
}

// SortField is one key of a sort order.
type SortField struct {
	SourceID  int    `json:"source-id"`
	Transform string `json:"transform"`
	Direction string `json:"direction"`
	NullOrder string `json:"null-order"`
}

type metadataJSON struct {
	FormatVersion      *int              `json:"format-version"`
	UUID               string            `json:"table-uuid"`
	Location           *string           `json:"location"`
	LastSequenceNumber int64             `json:"last-sequence-number"`
	LastUpdatedMs      int64             `json:"last-updated-ms"`
	LastColumnID       int               `json:"last-column-id"`
	Schema             *Schema           `json:"schema"`
	Schemas            []*Schema         `json:"schemas"`
	CurrentSchemaID    *int              `json:"current-schema-id"`
	PartitionSpec      []PartitionField  `json:"partition-spec"`
	PartitionSpecs     []*PartitionSpec  `json:"partition-specs"`
	DefaultSpecID      int               `json:"default-spec-id"`
	SortOrders         []SortOrder       `json:"sort-orders"`
	DefaultSortOrderID int               `json:"default-sort-order-id"`
	Properties         map[string]string `json:"properties"`
	CurrentSnapshotID  *int64            `json:"current-snapshot-id"`
	Snapshots          []*Snapshot       `json:"snapshots"`
	SnapshotLogRaw     json.RawMessage   `json:"snapshot-log"`
	MetadataLogRaw     json.RawMessage   `json:"metadata-log"`
	Refs               map[string]Ref    `json:"refs"`
	Statistics         []StatisticsFile  `json:"statistics"`
	PartitionStats     []StatisticsFile  `json:"partition-statistics"`
	NextRowID          int64             `json:"next-row-id"`
}

// ParseMetadata reads a metadata file, compressed or not. INCORRECT_DATA says
// that it is damaged, BAD_ARGUMENTS that its version is not known.
func ParseMetadata(file string, data []byte) (*TableMetadata, error) {
	m, err := parseMetadata(file, data)
	return m, cherr.Wrap(err, "reading Iceberg metadata file %s", file)
}

func parseMetadata(file string, data []byte) (*TableMetadata, error) {
	plain, err := metadata.Decompress(data)
	if err != nil {
		return nil, err
	}
	var j metadataJSON
	if err := json.Unmarshal(bytes.TrimPrefix(plain, []byte("\xef\xbb\xbf")), &j); err != nil {
		return nil, cherr.WithCode(cherr.IncorrectData, err, "it is not well-formed table metadata")
	}
	switch {
	case j.FormatVersion == nil:
		return nil, cherr.New(cherr.IncorrectData, "`format-version` is missing")
	case *j.FormatVersion < 1 || *j.FormatVersion > MaxFormatVersion:
		return nil, cherr.New(cherr.BadArguments, "Iceberg format version %d is not supported, versions 1 to %d are", *j.FormatVersion, MaxFormatVersion)
	case j.Location == nil:
		return nil, cherr.New(cherr.IncorrectData, "`location` is missing")
	}
	m := &TableMetadata{
		File: file, FormatVersion: *j.FormatVersion, UUID: j.UUID, Location: *j.Location,
		LastSequenceNumber: j.LastSequenceNumber, LastUpdatedMs: j.LastUpdatedMs, LastColumnID: j.LastColumnID,
		DefaultSpecID: j.DefaultSpecID, SortOrders: j.SortOrders, DefaultSortOrderID: j.DefaultSortOrderID,
		Properties: j.Properties, CurrentSnapshotID: -1, Refs: j.Refs, Statistics: j.Statistics,
		PartitionStats: j.PartitionStats, NextRowID: j.NextRowID,
	}
	if err := m.setSchemas(&j); err != nil {
		return nil, err
	}
	if err := m.setSpecs(&j); err != nil {
		return nil, err
	}
	return m, m.setSnapshots(&j)
}

func (m *TableMetadata) setSchemas(j *metadataJSON) error {
	for _, s := range j.Schemas {
		if s != nil {
			m.Schemas = append(m.Schemas, s)
		}
	}
	switch {
	case len(m.Schemas) > 0 && j.CurrentSchemaID != nil:
		m.CurrentSchemaID = *j.CurrentSchemaID
	case len(m.Schemas) > 0 && m.FormatVersion > 1:
		return cherr.New(cherr.IncorrectData, "`current-schema-id` is missing")
	case len(m.Schemas) > 0:
		m.CurrentSchemaID = m.Schemas[len(m.Schemas)-1].ID
	case j.Schema != nil: // version 1
		m.Schemas = []*Schema{j.Schema}
		m.CurrentSchemaID = j.Schema.ID
	default:
		return cherr.New(cherr.IncorrectData, "it has no schema")
	}
	if m.Schema(m.CurrentSchemaID) == nil {
		return cherr.New(cherr.BadArguments, `There is no schema with "schema-id" that matches "current-schema-id" in metadata.`)
	}
	return nil
}

func (m *TableMetadata) setSpecs(j *metadataJSON) error {
	for _, s := range j.PartitionSpecs {
		if s != nil {
			m.Specs = append(m.Specs, s)
		}
	}
	if len(m.Specs) == 0 { // version 1
		m.Specs = []*PartitionSpec{{ID: 0, Fields: j.PartitionSpec}}
		m.DefaultSpecID = 0
	}
	for _, s := range m.Specs {
		s.complete()
	}
	return nil
}

func (m *TableMetadata) setSnapshots(j *metadataJSON) error {
	for _, s := range j.Snapshots {
		if s != nil {
			m.Snapshots = append(m.Snapshots, s)
		}
	}
	// The logs are only history: a damaged one must not hide the table.
	_ = json.Unmarshal(j.SnapshotLogRaw, &m.SnapshotLog)
	_ = json.Unmarshal(j.MetadataLogRaw, &m.MetadataLog)
	if j.CurrentSnapshotID != nil && *j.CurrentSnapshotID >= 0 {
		m.CurrentSnapshotID = *j.CurrentSnapshotID
	}
	if m.Refs == nil {
		m.Refs = map[string]Ref{}
	}
	if main, ok := m.Refs["main"]; ok && main.SnapshotID == -1 {
		delete(m.Refs, "main")
	} else if !ok && m.CurrentSnapshotID >= 0 {
		m.Refs["main"] = Ref{SnapshotID: m.CurrentSnapshotID, Type: "branch"}
	}
	if m.CurrentSnapshotID >= 0 && m.Snapshot(m.CurrentSnapshotID) == nil {
		return cherr.New(cherr.IcebergSpecificationViolation, "current snapshot %d is not among the snapshots", m.CurrentSnapshotID)
	}
	return nil
}

// Schema gives the schema of an id, nil when there is none.
func (m *TableMetadata) Schema(id int) *Schema {
	for _, s := range m.Schemas {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// CurrentSchema gives the schema of the table's head.
func (m *TableMetadata) CurrentSchema() *Schema { return m.Schema(m.CurrentSchemaID) }

// FieldEver finds a field by id in any schema, the newest first: delete files
// may name columns that were dropped.
func (m *TableMetadata) FieldEver(id int) *Field {
	if f := m.CurrentSchema().Field(id); f != nil {
		return f
	}
	for i := len(m.Schemas) - 1; i >= 0; i-- {
		if f := m.Schemas[i].Field(id); f != nil {
			return f
		}
	}
	return nil
}

// Spec gives the partition spec of an id, nil when there is none.
func (m *TableMetadata) Spec(id int) *PartitionSpec {
	for _, s := range m.Specs {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Snapshot gives the snapshot of an id, nil when there is none.
func (m *TableMetadata) Snapshot(id int64) *Snapshot {
	for _, s := range m.Snapshots {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// size estimates the bytes that the parsed form holds.
func (m *TableMetadata) size(text int) int64 { return int64(text)*2 + 4096 }
