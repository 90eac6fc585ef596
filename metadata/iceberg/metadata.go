package iceberg

import (
	"bytes"
	"encoding/json"

	"lakeserver/cherr"
	"lakeserver/metadata"
)

// MaxFormatVersion is the newest version of the spec that is read.
const MaxFormatVersion = 3

// TableMetadata is one metadata.json. It is immutable and shared; a Builder
// makes a changed one.
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
	LastPartitionID    int // the greatest field id of any spec, 999 when there is none
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

	unknown []member
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
	LastPartitionID    *int              `json:"last-partition-id"`
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

var metadataKeys = []string{
	"format-version", "table-uuid", "location", "last-sequence-number", "last-updated-ms", "last-column-id", "schema", "schemas",
	"current-schema-id", "partition-spec", "partition-specs", "default-spec-id", "last-partition-id", "sort-orders",
	"default-sort-order-id", "properties", "current-snapshot-id", "snapshots", "snapshot-log", "metadata-log", "refs",
	"statistics", "partition-statistics", "next-row-id",
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
	rest, err := decode(bytes.TrimPrefix(plain, []byte("\xef\xbb\xbf")), &j, metadataKeys...)
	if err != nil {
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
		PartitionStats: j.PartitionStats, NextRowID: j.NextRowID, unknown: rest,
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
		m.LastPartitionID = max(m.LastPartitionID, s.lastFieldID())
	}
	if j.LastPartitionID != nil {
		m.LastPartitionID = max(m.LastPartitionID, *j.LastPartitionID)
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

// DefaultSpec gives the spec under which files are written.
func (m *TableMetadata) DefaultSpec() *PartitionSpec {
	if s := m.Spec(m.DefaultSpecID); s != nil {
		return s
	}
	return &PartitionSpec{}
}

// SortOrder gives the sort order of an id; the unsorted one when there is
// none, or none that may be claimed (id 0 with fields).
func (m *TableMetadata) SortOrder(id int) *SortOrder {
	for i := range m.SortOrders {
		if m.SortOrders[i].ID == id && id != 0 {
			return &m.SortOrders[i]
		}
	}
	return &SortOrder{}
}

// CurrentSnapshot gives the head of main, nil when the table is empty.
func (m *TableMetadata) CurrentSnapshot() *Snapshot { return m.Snapshot(m.CurrentSnapshotID) }

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
