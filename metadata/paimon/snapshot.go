package paimon

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"lakeserver/cherr"
)

// SnapshotVersion is the version of snapshot files that are written.
const SnapshotVersion = 3

// BatchIdentifier is the commit identifier of jobs that commit once.
const BatchIdentifier = 1<<63 - 1

// CommitKind says what kind of change made a snapshot.
type CommitKind string

// The commit kinds.
const (
	CommitAppend    CommitKind = "APPEND"
	CommitCompact   CommitKind = "COMPACT"
	CommitOverwrite CommitKind = "OVERWRITE"
	CommitAnalyze   CommitKind = "ANALYZE"
)

// Snapshot is one state of a table. Optional fields are nil or "" when the file
// does not have them (an explicit null is the same).
type Snapshot struct {
	snapshotFields
	extra unknown
}

// snapshotFields are in the order in which they are written.
type snapshotFields struct {
	Version               *int              `json:"version,omitempty"`
	UUID                  string            `json:"uuid,omitempty"`
	ID                    int64             `json:"id"`
	SchemaID              int64             `json:"schemaId"`
	BaseManifestList      string            `json:"baseManifestList"`
	BaseManifestListSize  *int64            `json:"baseManifestListSize,omitempty"`
	DeltaManifestList     string            `json:"deltaManifestList"`
	DeltaManifestListSize *int64            `json:"deltaManifestListSize,omitempty"`
	ChangelogManifestList string            `json:"changelogManifestList,omitempty"`
	ChangelogListSize     *int64            `json:"changelogManifestListSize,omitempty"`
	IndexManifest         string            `json:"indexManifest,omitempty"`
	CommitUser            string            `json:"commitUser"`
	WriterVersion         string            `json:"writerVersion,omitempty"`
	CommitIdentifier      int64             `json:"commitIdentifier"`
	CommitKind            CommitKind        `json:"commitKind"`
	TimeMillis            int64             `json:"timeMillis"`
	LogOffsets            map[string]int64  `json:"logOffsets,omitempty"`
	TotalRecordCount      *int64            `json:"totalRecordCount,omitempty"`
	DeltaRecordCount      *int64            `json:"deltaRecordCount,omitempty"`
	ChangelogRecordCount  *int64            `json:"changelogRecordCount,omitempty"`
	Watermark             *int64            `json:"watermark,omitempty"`
	Statistics            string            `json:"statistics,omitempty"`
	Properties            map[string]string `json:"properties,omitempty"`
	NextRowID             *int64            `json:"nextRowId,omitempty"`
	Operation             string            `json:"operation,omitempty"`
}

// NewSnapshot makes a snapshot of the version that is written.
func NewSnapshot(id int64) *Snapshot {
	v := SnapshotVersion
	return &Snapshot{snapshotFields: snapshotFields{Version: &v, ID: id}}
}

// ParseSnapshot reads a snapshot, changelog or tag file.
func ParseSnapshot(path string, data []byte) (*Snapshot, error) {
	s := &Snapshot{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, cherr.Wrap(malformed(err), "reading Paimon snapshot %s", path)
	}
	return s, nil
}

// UnmarshalJSON reads a snapshot and keeps what it does not know.
func (s *Snapshot) UnmarshalJSON(data []byte) (err error) {
	*s = Snapshot{}
	if err = json.Unmarshal(data, &s.snapshotFields); err != nil {
		return err
	}
	s.extra, err = unknownOf(data, s.snapshotFields, tagFields{})
	switch {
	case err != nil:
		return err
	case s.Version != nil && *s.Version > SnapshotVersion:
		return cherr.New(cherr.IncorrectData, "version %d of snapshots is not known, versions up to %d are", *s.Version, SnapshotVersion)
	case s.ID < 1:
		return cherr.New(cherr.IncorrectData, "`id` is missing or %d", s.ID)
	case s.BaseManifestList == "" || s.DeltaManifestList == "":
		return cherr.New(cherr.IncorrectData, "a manifest list is missing")
	}
	return nil
}

// MarshalJSON gives the snapshot as its file holds it.
func (s *Snapshot) MarshalJSON() ([]byte, error) { return s.extra.join(encode(s.snapshotFields)), nil }

// Clone gives a copy that may be changed.
func (s *Snapshot) Clone() *Snapshot {
	out := *s
	return &out
}

// Tag is a named snapshot that outlives its expiry.
type Tag struct {
	*Snapshot
	Name     string
	Created  *time.Time // in the writer's own time zone, which is not told: held as UTC
	Retained *time.Duration
}

type tagFields struct {
	CreateTime   []int        `json:"tagCreateTime,omitempty"` // year, month, day, hour, minute, second, nanosecond; zeros at the end left out
	TimeRetained *json.Number `json:"tagTimeRetained,omitempty"`
}

// ParseTag reads a tag file.
func ParseTag(name, path string, data []byte) (*Tag, error) {
	s, err := ParseSnapshot(path, data)
	if err != nil {
		return nil, err
	}
	t := &Tag{Snapshot: s, Name: name}
	var f tagFields
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, cherr.Wrap(malformed(err), "reading Paimon tag %s", path)
	}
	if n := len(f.CreateTime); n >= 3 && n <= 7 {
		c := [7]int{}
		copy(c[:], f.CreateTime)
		at := time.Date(c[0], time.Month(c[1]), c[2], c[3], c[4], c[5], c[6], time.UTC)
		t.Created = &at
	}
	if f.TimeRetained != nil {
		d, err := parseSeconds(string(*f.TimeRetained))
		if err != nil {
			return nil, cherr.Wrap(err, "reading Paimon tag %s", path)
		}
		t.Retained = &d
	}
	return t, nil
}

// parseSeconds reads decimal seconds without going through a float.
func parseSeconds(text string) (time.Duration, error) {
	whole, frac, _ := strings.Cut(text, ".")
	for len(frac) < 9 {
		frac += "0"
	}
	s, err1 := strconv.ParseInt(whole, 10, 64)
	ns, err2 := strconv.ParseInt(frac[:9], 10, 64)
	if err1 != nil || err2 != nil || s > 9_000_000_000 || s < 0 {
		return 0, cherr.New(cherr.IncorrectData, "tagTimeRetained is %s", text)
	}
	return time.Duration(s)*time.Second + time.Duration(ns), nil
}

// MarshalJSON gives the tag as its file holds it.
func (t *Tag) MarshalJSON() ([]byte, error) {
	var f tagFields
	if c := t.Created; c != nil {
		f.CreateTime = []int{c.Year(), int(c.Month()), c.Day(), c.Hour(), c.Minute(), c.Second(), c.Nanosecond()}
	}
	if t.Retained != nil {
		n := json.Number(strconv.FormatInt(int64(*t.Retained/time.Second), 10) + "." + nanoDigits(int(*t.Retained%time.Second)))
		f.TimeRetained = &n
	}
	own := encode(f)
	body, err := t.Snapshot.MarshalJSON()
	if err != nil || len(own) == 2 {
		return body, err
	}
	return append(append(body[:len(body)-1], ','), own[1:]...), nil
}

func nanoDigits(n int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", 9-len(s)) + s
}

// Statistics is what ANALYZE found.
type Statistics struct {
	SnapshotID        int64                     `json:"snapshotId"`
	SchemaID          int64                     `json:"schemaId"`
	MergedRecordCount *int64                    `json:"mergedRecordCount,omitempty"`
	MergedRecordSize  *int64                    `json:"mergedRecordSize,omitempty"`
	ColStats          map[string]ColumnAnalysis `json:"colStats"`
	ColStatsText      string                    `json:"-"` // as the file has it
}

// ColumnAnalysis is of one column; least and greatest value are text.
type ColumnAnalysis struct {
	ColID         int     `json:"colId"`
	DistinctCount *int64  `json:"distinctCount,omitempty"`
	Min           *string `json:"min,omitempty"`
	Max           *string `json:"max,omitempty"`
	NullCount     *int64  `json:"nullCount,omitempty"`
	AvgLen        *int64  `json:"avgLen,omitempty"`
	MaxLen        *int64  `json:"maxLen,omitempty"`
}

// ParseStatistics reads a statistics file.
func ParseStatistics(path string, data []byte) (*Statistics, error) {
	s := &Statistics{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, cherr.Wrap(malformed(err), "reading Paimon statistics %s", path)
	}
	var j struct {
		ColStats json.RawMessage `json:"colStats"`
	}
	if err := json.Unmarshal(data, &j); err == nil {
		s.ColStatsText = string(Indent(j.ColStats))
	}
	return s, nil
}
