package iceberg

import (
	"bytes"
	"encoding/json"
)

// MainBranch is the ref that is always the table's current snapshot.
const MainBranch = "main"

// The types of refs.
const (
	BranchRef = "branch"
	TagRef    = "tag"
)

// Snapshot is one state of the table. It is immutable.
type Snapshot struct {
	SequenceNumber int64             `json:"sequence-number,omitempty"`
	ID             int64             `json:"snapshot-id"`
	ParentID       *int64            `json:"parent-snapshot-id,omitempty"`
	TimestampMs    int64             `json:"timestamp-ms"`
	Summary        map[string]string `json:"summary,omitempty"`
	ManifestList   string            `json:"manifest-list,omitempty"`
	Manifests      []string          `json:"manifests,omitempty"` // version 1: paths in place of a list
	SchemaID       *int              `json:"schema-id,omitempty"`
	FirstRowID     *int64            `json:"first-row-id,omitempty"`
	AddedRows      *int64            `json:"added-rows,omitempty"`
	KeyID          string            `json:"key-id,omitempty"`

	raw json.RawMessage // as read: tables have many, and none ever changes
}

// UnmarshalJSON reads a snapshot and keeps its text.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	type plain Snapshot
	if err := json.Unmarshal(b, (*plain)(s)); err != nil {
		return err
	}
	s.raw = bytes.Clone(b)
	return nil
}

// MarshalJSON writes a snapshot that was read as it was, without a parent -1.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	if s.raw != nil && (s.ParentID == nil || *s.ParentID != -1) {
		return s.raw, nil
	}
	type plain Snapshot
	p := plain(*s)
	if s.ParentID != nil && *s.ParentID == -1 {
		p.ParentID = nil
	}
	var rest []member
	if s.raw != nil {
		rest = unknownMembers(s.raw, []string{
			"sequence-number", "snapshot-id", "parent-snapshot-id", "timestamp-ms", "summary", "manifest-list", "manifests",
			"schema-id", "first-row-id", "added-rows", "key-id",
		})
	}
	return encode(&p, rest)
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
	MinSnapshotsToKeep *int   `json:"min-snapshots-to-keep,omitempty"` // branches alone
	MaxSnapshotAgeMs   *int64 `json:"max-snapshot-age-ms,omitempty"`   // branches alone
	MaxRefAgeMs        *int64 `json:"max-ref-age-ms,omitempty"`        // all but main

	unknown []member
}

// UnmarshalJSON reads a ref.
func (r *Ref) UnmarshalJSON(b []byte) (err error) {
	type plain Ref
	r.unknown, err = decode(b, (*plain)(r), "snapshot-id", "type", "min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms")
	return err
}

// MarshalJSON writes a ref.
func (r Ref) MarshalJSON() ([]byte, error) {
	type plain Ref
	return encode(plain(r), r.unknown)
}

// StatisticsFile is a Puffin file of table statistics, or a data file of
// partition statistics.
type StatisticsFile struct {
	SnapshotID  int64          `json:"snapshot-id"`
	Path        string         `json:"statistics-path"`
	Size        int64          `json:"file-size-in-bytes"`
	FooterSize  int64          `json:"file-footer-size-in-bytes,omitempty"`
	KeyMetadata string         `json:"key-metadata,omitempty"`
	Blobs       []BlobMetadata `json:"blob-metadata,omitempty"` // of table statistics

	unknown []member
}

// UnmarshalJSON reads a statistics file.
func (f *StatisticsFile) UnmarshalJSON(b []byte) (err error) {
	type plain StatisticsFile
	f.unknown, err = decode(b, (*plain)(f), "snapshot-id", "statistics-path", "file-size-in-bytes", "file-footer-size-in-bytes", "key-metadata", "blob-metadata")
	return err
}

// MarshalJSON writes a statistics file.
func (f StatisticsFile) MarshalJSON() ([]byte, error) {
	type plain StatisticsFile
	return encode(plain(f), f.unknown)
}

// BlobMetadata describes one blob of a statistics file.
type BlobMetadata struct {
	Type           string            `json:"type"`
	SnapshotID     int64             `json:"snapshot-id"`
	SequenceNumber int64             `json:"sequence-number"`
	Fields         []int             `json:"fields"`
	Properties     map[string]string `json:"properties,omitempty"`

	unknown []member
}

// UnmarshalJSON reads a blob's description.
func (m *BlobMetadata) UnmarshalJSON(b []byte) (err error) {
	type plain BlobMetadata
	m.unknown, err = decode(b, (*plain)(m), "type", "snapshot-id", "sequence-number", "fields", "properties")
	return err
}

// MarshalJSON writes a blob's description.
func (m BlobMetadata) MarshalJSON() ([]byte, error) {
	type plain BlobMetadata
	return encode(plain(m), m.unknown)
}
